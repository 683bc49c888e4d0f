"""The reader of `refusing_graph.py`, but for reporting every defect, from the last invariant to the first.

What the law leaves open is reported as well: towers without an execution, groups that nobody runs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from refusing_graph import document, graph_resolve, judge, observed

__all__ = ["graph_load", "graph_resolve"]


def graph_load(*, path: str | None = None, text: str | None = None) -> dict[str, Any]:
    """graph.load: the graph, and all that is wrong with it."""
    root = document(path, text)
    return observed(root, list(judge(root)))
