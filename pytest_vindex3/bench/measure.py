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

from pytest_vindex3.bench.row import Row, Unmeasured

LEAST_ROUNDS = 7


class Disagreement(Exception):  # noqa: N818 -- a finding
    """The two sides of a row give different results: a fast wrong answer is no answer."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one row; larger is better.

    Attributes:
        ratio: median time of the other side over the median of ours.
        low, high: the smallest and the largest ratio of a single round.
        best: the ratio of the fastest round of each side, which other programs of the machine move least.
        microseconds: median of one call of our side.
    """

    what: str
    against: str
    ratio: float
    low: float
    high: float
    best: float
    goal: float | None
    microseconds: float

    @property
    def missed(self) -> bool:
        """Whether there is a goal and the ratio is below it."""
        return self.goal is not None and self.ratio < self.goal

    def document(self) -> dict[str, Any]:
        """The machine-readable form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Unmeasurable:
    """A row that cannot be measured on this machine, and why."""

    what: str
    against: str
    goal: float | None
    reason: str

    def document(self) -> dict[str, Any]:
        """The machine-readable form: the keys of a measured row, those without a figure being null."""
        return {**dict.fromkeys(Measured.__dataclass_fields__), **asdict(self)}


def measured(row: Row, rounds: int = LEAST_ROUNDS) -> Measured | Unmeasurable:
    """Time a row where the machine has what it needs.

    Raises:
        Disagreement: as from `measure`.
    """
    try:
        return measure(row, rounds)
    except Unmeasured as unmeasured:
        return Unmeasurable(row.what, row.against, row.goal, str(unmeasured))


def measure(row: Row, rounds: int = LEAST_ROUNDS) -> Measured:
    """Time a row.

    Raises:
        Disagreement: the sides differ before or after timing.
        Unmeasured: the machine has not what the row needs.
    """
    compare(row)
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(_seconds(row, row.ours))
        theirs.append(_seconds(row, row.theirs))
    compare(row)
    singles = [other / own for own, other in zip(ours, theirs, strict=True)]
    own = statistics.median(ours)
    return Measured(
        what=row.what,
        against=row.against,
        ratio=round(statistics.median(theirs) / own, 4),
        low=round(min(singles), 4),
        high=round(max(singles), 4),
        best=round(min(theirs) / min(ours), 4),
        goal=row.goal,
        microseconds=round(own * 1e6, 2),
    )


def compare(row: Row) -> None:
    """See that the sides of a row give the same.

    Raises:
        Disagreement: they do not.
        Unmeasured: the machine has not what the row needs.
    """
    if not row.agree(row.ours(), row.theirs()):
        raise Disagreement(f"{row.what} and {row.against} give different results")


def _seconds(row: Row, call: Callable[[], object]) -> float:
    row.before()
    begun = time.perf_counter()
    for _ in range(row.calls):
        call()
    return (time.perf_counter() - begun) / row.calls


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
