"""Measuring a row: rounds in which the two sides take turns, since clocks drift by more than the effects."""

from __future__ import annotations

import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pytest_vindex3.bench.row import Row

LEAST_ROUNDS = 7


class Disagreement(Exception):  # noqa: N818 -- a finding
    """The two sides of a row give different results: a fast wrong answer is no answer."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one row; larger is better.

    Attributes:
        ratio: median time of the other side over the median of ours.
        low, high: the smallest and the largest ratio of a single round.
        microseconds: median of one call of our side.
    """

    what: str
    against: str
    ratio: float
    low: float
    high: float
    goal: float | None
    microseconds: float

    @property
    def missed(self) -> bool:
        """Whether there is a goal and the ratio is below it."""
        return self.goal is not None and self.ratio < self.goal

    def document(self) -> dict[str, Any]:
        """The machine-readable form."""
        return asdict(self)


def measure(row: Row, rounds: int = LEAST_ROUNDS) -> Measured:
    """Time a row.

    Raises:
        Disagreement: the sides differ before or after timing.
    """
    _compare(row)
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(_seconds(row.ours, row.calls))
        theirs.append(_seconds(row.theirs, row.calls))
    _compare(row)
    singles = [other / own for own, other in zip(ours, theirs, strict=True)]
    own = statistics.median(ours)
    return Measured(
        what=row.what,
        against=row.against,
        ratio=round(statistics.median(theirs) / own, 4),
        low=round(min(singles), 4),
        high=round(max(singles), 4),
        goal=row.goal,
        microseconds=round(own * 1e6, 2),
    )


def _compare(row: Row) -> None:
    if not row.agree(row.ours(), row.theirs()):
        raise Disagreement(f"{row.what} and {row.against} give different results")


def _seconds(call: Callable[[], object], calls: int) -> float:
    begun = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - begun) / calls


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    import numpy as np

    return {
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": sys.version.split()[0],
        "numpy": np.__version__,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model")))
    return next(names, platform.machine())
