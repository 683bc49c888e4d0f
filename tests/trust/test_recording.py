"""What is seen of the oracle, and of the places that a mutant replaces."""

from __future__ import annotations

import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from pytest_vindex3.contract.opening import open_door
from pytest_vindex3.contract.outcome import Answer, Limits, Stop
from pytest_vindex3.trust.recording import Notes, Record
from vindex3_fixtures.graph import minimal
from vindex3_fixtures.json_text import json_text
from vindex3_fixtures.mutants import traced
from vindex3_fixtures.mutants.mutant import mutants, sites

PLACE = "vindex3_reference.graph.validate.self_edges"


def test_a_test_that_comes_by_can_tell() -> None:
    """A test meets a mutant where their places meet, where one of them is not known, and nowhere else."""
    record = Record(reached={"a": frozenset({"x", "y"}), "b": frozenset()})
    assert record.can_tell("a", frozenset({"y", "z"}))
    assert not record.can_tell("a", frozenset({"z"}))
    assert not record.can_tell("b", frozenset({"x"}))
    assert record.can_tell("b", None)
    assert record.can_tell("c", frozenset({"x"}))


def test_what_several_processes_saw_is_one_record() -> None:
    """Tests, seconds and what each could change are those of all."""
    one = Record({"a": 1.0}, {"p": ["a"], "q": []}, {"a": frozenset("x")})
    other = Record({"b": 2.0}, {"p": ["b"], "q": ["b"]}, {"b": frozenset("y")})
    whole = Record.together([one, other])
    assert whole.seconds == {"a": 1.0, "b": 2.0}
    assert whole.changed == {"p": ["a", "b"], "q": ["b"]}
    assert whole.reached == {"a": frozenset("x"), "b": frozenset("y")}


def test_looking_at_what_a_defect_replaces_leaves_it_alone() -> None:
    """To be asked what it would replace spoils nothing, for any mutant."""
    done = subprocess.run([sys.executable, "-c", LOOKING], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


LOOKING = """
import sys
from vindex3_fixtures.mutants.mutant import mutants, sites

def state():
    found = {}
    for name in [name for name in sys.modules if name.startswith("vindex3_reference")]:
        for key, value in vars(sys.modules[name]).items():
            found[name, key] = repr(value) if isinstance(value, dict) and key.isupper() else id(value)
            if isinstance(value, type):
                found.update({(name, key, inner): id(part) for inner, part in vars(value).items()})
    return found

mutants()
before = state()
assert all(sites(one) for one in mutants().values())
assert state() == before
"""


def test_most_mutants_replace_what_can_be_seen() -> None:
    """Where a defect replaces functions it is known who comes by; a constant is read by nobody knows whom."""
    assert traced.places("self-edges-flow") == {PLACE}
    assert traced.places("version-5-is-read") is None
    known = [name for name in mutants() if traced.places(name)]
    assert len(known) > 0.8 * len(mutants())


@pytest.mark.parametrize("stopped", [False, True])
def test_the_traced_reference_notes_where_a_request_comes_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    """What a request comes by is noted, also in a fork that is ended; what it does not come by is not."""
    monkeypatch.setenv(traced.NOTES, "")
    notes = Notes.of_reference(tmp_path)
    door = open_door("vindex3_fixtures.mutants.traced:reference")
    try:
        door.describe()
        notes.taken()
        if stopped:
            limits = Limits(stop=Stop(str(tmp_path), 1, None))
            door.ask("container.rewrite", {"path": str(tmp_path), "out": str(tmp_path / "out")}, limits)
        else:
            reply = door.ask("graph.load", {"text": json_text(minimal()).decode()})
            assert isinstance(reply.outcome, Answer)
        found = notes.taken()
    finally:
        door.close()
    assert (PLACE in found) is not stopped
    assert any(fnmatchcase(place, "*rewrite*") for place in found) is stopped
    assert notes.taken() == frozenset()


def test_every_defect_is_put_in_place_by_put() -> None:
    """No mutant is without a site, or nobody could say what it replaces."""
    assert [name for name, one in mutants().items() if not sites(one)] == []
