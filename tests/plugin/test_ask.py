"""What `ask` adds to a request and to what came of it."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_vindex3.contract.door import Description
from pytest_vindex3.contract.outcome import Answer, Fault, Limits, Outcome, Refused, Reply, Stop, Unjudged
from pytest_vindex3.plugin.ask import Ask
from pytest_vindex3.plugin.check import NotRun
from pytest_vindex3.plugin.generated import generated
from pytest_vindex3.plugin.session import Implementation
from pytest_vindex3.plugin.settings import Settings


class Given:
    """A door that gives one outcome to whatever it is asked."""

    kind = "child"
    origin = "given"

    def __init__(self, outcome: Outcome, changes: int | None = None, stopped: bool = False) -> None:
        self.outcome = outcome
        self.changes = changes
        self.stopped = stopped
        self.limits = Limits()

    def ask(self, verb: str, arguments: Mapping[str, object], limits: Limits) -> Reply:
        """The outcome."""
        self.limits = limits
        return Reply(verb, arguments, self.outcome, changes=self.changes, stopped=self.stopped)


def asking(given: Given, place: Path = Path()) -> Ask:
    """Ask the door."""
    door: Any = given
    one = Implementation("given", "given", door, Description("given", "", "", ("lyrw.parse",), {}))
    return Ask(one, Settings(("given",)), place, "test")


def asked(outcome: Outcome, limits: Limits) -> Outcome:
    """What a test sees of an outcome."""
    return asking(Given(outcome))("lyrw.parse", limits=limits, path="x").outcome


@pytest.mark.parametrize(
    ("outcome", "bound", "detail"),
    [
        (
            Fault("memory", "MemoryError"),
            4096,
            "more than 4096 bytes of data memory, the bound of this request",
        ),
        (
            Fault("memory", "killed while held to 4096 bytes more"),
            4096,
            "killed while held to 4096 bytes more",
        ),
        (Fault("memory", "MemoryError"), None, "MemoryError"),
        (Fault("exception", "KeyError"), 4096, "KeyError"),
    ],
    ids=["exceeded", "said_already", "unbounded", "other"],
)
def test_a_memory_fault_names_its_bound(outcome: Fault, bound: int | None, detail: str) -> None:
    """Where memory ran out the first line says how much there was, once; other faults stay as they are."""
    told = asked(outcome, Limits(memory=bound))
    assert isinstance(told, Fault)
    assert told.what == outcome.what
    assert told.detail.splitlines()[0] == detail
    assert told.detail.splitlines()[-1] == outcome.detail


def test_a_writer_is_stopped_in_the_folder_of_the_test(tmp_path: Path) -> None:
    """The door is told folder, number and error; an end that was asked for is given back as the reply."""
    given = Given(Unjudged("ended"), 3, stopped=True)
    reply = asking(given, tmp_path).stopped("lyrw.parse", before=3, limits=Limits(seconds=5), path="x")
    assert (reply.stopped, reply.changes) == (True, 3)
    assert given.limits == Limits(seconds=5, stop=Stop(str(tmp_path.resolve()), 3))
    asking(given, tmp_path).stopped("lyrw.parse", before=None, error="EIO", path="x")
    assert given.limits.stop == Stop(str(tmp_path.resolve()), None, errno.EIO)


@pytest.mark.parametrize(
    "given",
    [Given(Unjudged("no way")), Given(Answer({}), 0), Given(Answer({}))],
    ids=["unjudged", "no_change_seen", "nothing_counted"],
)
def test_a_writer_that_cannot_be_stopped_is_not_judged(given: Given, tmp_path: Path) -> None:
    """A door that cannot do so, or sees no change of a writer that wrote, ends the test as not run."""
    with pytest.raises(NotRun):
        asking(given, tmp_path).stopped("lyrw.parse", before=1, path="x")


def test_a_writer_that_refuses_need_not_change_anything(tmp_path: Path) -> None:
    """What is refused before anything is written is judged as ever."""
    given = Given(Refused("io"), 0)
    assert asking(given, tmp_path).stopped("lyrw.parse", before=1, path="x").outcome == Refused("io")


def test_drawn_inputs_depend_on_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same inputs are drawn, whatever constants stand in the sources of modules that are loaded."""
    from hypothesis import strategies
    from hypothesis.internal.conjecture import providers

    parts: Any = vars(providers)

    def drawn() -> list[int]:
        found: list[int] = []

        @generated(strategies.integers(0, 10_000_000), examples=300)
        def test(ask: Ask, drawn: int) -> None:
            del ask
            found.append(drawn)

        monkeypatch.setattr(providers, "CONSTANTS_CACHE", type(parts["CONSTANTS_CACHE"])(64))
        test(ask=asking(Given(Answer({})), tmp_path))
        return found

    here = drawn()
    elsewhere = parts["Constants"](integers={7_654_321, 8_765_432, 9_876_543})
    monkeypatch.setattr(providers, "_get_local_constants", lambda: elsewhere)
    assert drawn() == here
    assert len(set(here)) > 100
