"""Runs of fuzzing with a fixed number of inputs; none of these tests asks how long anything takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_vindex3.fuzz.run import Amount, Result, Run, available
from pytest_vindex3.fuzz.target import targets

PLANTED = Path(__file__).parent / "planted"

Fuzz = Callable[[str, str, int], Result]


@pytest.fixture
def fuzz() -> Fuzz:
    """`fuzz("lyrw-tables", "lyrw.py:Wrong", 1000)` tries so many inputs on an implementation of `planted`."""
    if not available():
        pytest.skip("atheris is not installed")

    def once(target: str, spec: str, runs: int) -> Result:
        oracle = PLANTED / spec.partition(":")[0]
        return Run(
            targets()[target], f"{PLANTED / spec}", Amount(runs=runs), oracle=f"{oracle}:Right"
        ).result()

    return once
