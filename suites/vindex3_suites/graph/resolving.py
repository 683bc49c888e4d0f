"""What the usual text model and drafter come to, and how an interface stays unresolved."""

from __future__ import annotations

from typing import Any

from vindex3_fixtures.graph import edge
from vindex3_suites.graph.expected import resolves, unresolved

EDGE = edge("target", (1, 3), "draft")
FOUND = resolves(None, [EDGE], [])
"""The one edge of a text model of enough layers and the usual drafter."""


def no_producer(deepest: int, component: str = "draft", source: str = "tiny-draft") -> dict[str, Any]:
    """The entry of an interface whose taps nobody is deep enough to own."""
    return unresolved("no-producer", component, source, consumer=component, deepest_tap=deepest)


def no_projector(component: str = "draft", source: str = "tiny-draft") -> dict[str, Any]:
    """The entry of an interface without a tensor of its projector's shape."""
    return unresolved("no-projector", component, source, consumer=component)
