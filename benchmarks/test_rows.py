"""Either side of every row of `vindex3 bench`, beside each other in a group.

usage: python -m pytest benchmarks [-k TEXT] [--benchmark-json=FILE]

The sides do not take turns as they do in `vindex3 bench`, whose ratios are those to compare; here are the
distributions, and what pytest-benchmark makes of them.
"""

from __future__ import annotations

from typing import Any, Literal

import pytest

from pytest_vindex3.bench.measure import LEAST_ROUNDS, compare
from pytest_vindex3.bench.row import Row, Unmeasured, nothing


def test_row(benchmark: Any, row: Row, side: Literal["ours", "theirs"]) -> None:
    """One side is timed between two comparisons of both."""
    benchmark.group = f"{row.what}; {row.against}"
    benchmark.extra_info.update(side=side, what=row.what, against=row.against, goal=row.goal)
    try:
        compare(row)
    except Unmeasured as reason:
        pytest.skip(str(reason))
    setup = None if row.before is nothing else row.before
    benchmark.pedantic(getattr(row, side), setup=setup, rounds=LEAST_ROUNDS, iterations=row.calls)
    compare(row)
