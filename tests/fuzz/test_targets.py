"""Every target finds a bug that was planted, and finds nothing in the reference."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from pytest_vindex3.contract.opening import open_door
from pytest_vindex3.fuzz.target import Target, targets
from pytest_vindex3.fuzz.worker import Fuzzer

if TYPE_CHECKING:
    from conftest import Fuzz

PLANTED = Path(__file__).parent / "planted"
BUGS = {
    "lyrw-tables": ("lyrw.py:Wrong", 500, "answered what is refused as schema-index-mismatch"),
    "container-index": ("container.py:Wrong", 500, "exception: struct.error"),
    "system-graph": ("graph.py:Wrong", 500, "exception: struct.error"),
    "waste-manifest": ("waste.py:WrongManifest", 500, "answered what is refused as out-of-range"),
    "waste-record": ("waste.py:WrongRecord", 300, "exception: IndexError"),
}


def right(spec: str) -> str:
    """The reference of the module that a planted bug is in."""
    return f"{PLANTED / spec.partition(':')[0]}:Right"


def test_every_target_has_a_planted_bug() -> None:
    """The bugs of this file are those of all targets."""
    assert set(BUGS) == set(targets())


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_found(name: str, fuzz: Fuzz) -> None:
    """The bug is found within the number of inputs, with an input on which it can be seen again."""
    spec, runs, text = BUGS[name]
    result = fuzz(name, spec, runs)
    assert (result.problem, result.runs) == ("", runs)
    assert [found.text[: len(text)] for found in result.found] == [text]
    target = targets()[name]
    assert seen(target, spec, result.found[0].data) == [text]
    assert all(seen(target, spec, seed) == [] for seed in target.seeds())


def seen(target: Target, spec: str, data: bytes) -> list[str]:
    """What is found at one input, by the beginning that the bug is told by."""
    text = BUGS[target.name][2]
    with tempfile.TemporaryDirectory() as place:
        doors = [open_door(one, in_process=True) for one in (str(PLANTED / spec), right(spec))]
        fuzzer = Fuzzer(target, doors[0], doors[1], Path(place))
        return list(dict.fromkeys(finding.text[: len(text)] for finding in fuzzer.findings(data)))


@pytest.mark.parametrize("name", BUGS)
def test_the_reference_ends_clean(name: str, fuzz: Fuzz) -> None:
    """Nothing is found in the reference."""
    result = fuzz(name, BUGS[name][0].partition(":")[0] + ":Right", 100)
    assert (result.problem, result.runs, result.found) == ("", 100, ())


@pytest.mark.parametrize("name", BUGS)
def test_edits_and_reductions_are_new_bytes(name: str) -> None:
    """What an edit gives is drawn by the numbers alone; what a reduction gives is never what it was given."""
    target = targets()[name]
    for number, seed in enumerate(target.seeds()):
        edited = target.mutate(seed, Random(number))
        assert edited == target.mutate(seed, Random(number))
        assert all(one != edited for one, _ in zip(target.smaller(edited), range(50), strict=False))
