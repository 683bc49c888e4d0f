"""`vindex3 bench`: ratios of sides that agree; no figure is ever asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from pytest_vindex3.bench.measure import Disagreement, Measured, measure
from pytest_vindex3.bench.row import Row


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, as a user runs it."""
    command = [sys.executable, "-m", "pytest_vindex3.command", "bench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def row(ours: object, theirs: object) -> Row:
    """A row of two constant sides."""
    return Row("ours", "theirs", 1.0, lambda: ours, lambda: theirs, lambda one, other: one == other, 3)


def test_sides_that_agree_are_measured() -> None:
    """A ratio lies within the range of its rounds and is positive."""
    measured = measure(row(1, 1), rounds=7)
    assert 0 < measured.low <= measured.high
    assert measured.ratio > 0
    assert measured.best > 0


def test_sides_that_differ_are_no_result() -> None:
    """A side that gives something else is told, whatever it takes."""
    with pytest.raises(Disagreement, match="ours and theirs"):
        measure(row(1, 2))


@pytest.mark.parametrize(
    ("ratio", "goal", "missed"), [(0.9, 1.0, True), (1.0, 1.0, False), (0.1, None, False)]
)
def test_a_goal_is_missed_below_it(ratio: float, goal: float | None, missed: bool) -> None:
    """A ratio below the goal misses it; without a goal nothing is missed."""
    assert Measured("a", "b", ratio, ratio, ratio, ratio, goal, 1.0).missed is missed


def test_the_document_has_the_machine_and_the_rows() -> None:
    """--json gives the machine and, per row, what, against, ratio, low, high, best and goal."""
    done = run("--json", "--rounds=7", "LYRW open*as declared")
    document: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert document["machine"]["cores"]
    (only,) = document["rows"]
    assert {"what", "against", "ratio", "low", "high", "best", "goal"} <= set(only)
    assert only["goal"] == 0.11


def test_a_pattern_without_a_row_examines_nothing() -> None:
    """A pattern that no row matches exits 5."""
    assert run("no such row").returncode == 5
