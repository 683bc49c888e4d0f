"""Every target finds a bug that was planted, and finds nothing in the reference."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from pytest_vindex3.contract.opening import open_door
from pytest_vindex3.fuzz.run import Found
from pytest_vindex3.fuzz.target import targets
from pytest_vindex3.fuzz.worker import Finding, Fuzzer

if TYPE_CHECKING:
    from conftest import Fuzz

PLANTED = Path(__file__).parent / "planted"
BUGS = {
    "lyrw-tables": ("lyrw.py:Wrong", 400, "answered what is refused as schema-index-mismatch"),
    "container-index": ("container.py:Wrong", 300, "exception: struct.error"),
    "system-graph": ("graph.py:Wrong", 300, "exception: struct.error"),
    "waste-manifest": ("waste.py:WrongManifest", 300, "answered what is refused as out-of-range"),
    "waste-record": ("waste.py:WrongRecord", 200, "exception: IndexError"),
    "waste-usage": ("waste.py:WrongUsage", 400, "exception: ZeroDivisionError"),
}
EDITS = 40
"""Edited inputs for each target on which the reference is asked."""


def right(spec: str) -> str:
    """The reference of the module that a planted bug is in."""
    return f"{PLANTED / spec.partition(':')[0]}:Right"


def test_every_target_has_a_planted_bug() -> None:
    """The bugs of this file are those of all targets."""
    assert set(BUGS) == set(targets())


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_found(name: str, fuzz: Fuzz, tmp_path: Path) -> None:
    """The bug is found within the number of inputs, with an input that shows it again; no seed shows it."""
    spec, runs, text = BUGS[name]
    result = fuzz(name, spec, runs)
    assert (result.problem, result.runs) == ("", runs)
    assert told(result.found, name) == [text]
    fuzzer = asking(name, str(PLANTED / spec), tmp_path)
    assert told(fuzzer.findings(result.found[0].data), name) == [text]
    assert all(told(fuzzer.findings(seed), name) == [] for seed in targets()[name].seeds())


def asking(name: str, spec: str, place: Path) -> Fuzzer:
    """A fuzzer of an implementation in this process, with the reference as its oracle."""
    doors = [open_door(one, in_process=True) for one in (spec, right(BUGS[name][0]))]
    return Fuzzer(targets()[name], *doors, place)


def told(findings: Iterable[Finding | Found], name: str) -> list[str]:
    """What findings say, by as many letters as the planted bug is told by."""
    return list(dict.fromkeys(one.text[: len(BUGS[name][2])] for one in findings))


@pytest.mark.parametrize("name", BUGS)
def test_the_reference_ends_clean(name: str, tmp_path: Path) -> None:
    """Edited inputs show nothing in the reference."""
    target = targets()[name]
    fuzzer = asking(name, right(BUGS[name][0]), tmp_path)
    inputs = [target.mutate(seed, Random(number)) for number, seed in enumerate(target.seeds())]
    assert [finding for data in inputs[:EDITS] for finding in fuzzer.findings(data)] == []


@pytest.mark.parametrize("name", BUGS)
def test_edits_and_reductions_are_new_bytes(name: str) -> None:
    """What an edit gives is drawn by the numbers alone; what a reduction gives is never what it was given."""
    target = targets()[name]
    for number, seed in enumerate(target.seeds()):
        edited = target.mutate(seed, Random(number))
        assert edited == target.mutate(seed, Random(number))
        assert all(one != edited for one, _ in zip(target.smaller(edited), range(50), strict=False))
