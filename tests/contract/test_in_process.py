"""The door without a process: what an adapter can do, and the verdict on each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypedDict

import pytest

from pytest_vindex3.contract.in_process import InProcess
from pytest_vindex3.contract.outcome import Answer, Fault, Limits, Misfit, Outcome, Refused, Unjudged
from pytest_vindex3.contract.slots import Blob
from pytest_vindex3.contract.verb import Offer, define, verbs

DoorTo = Callable[[str], InProcess]
REGION = {"path": "p", "bank_id": 0, "entry": 1}


def region(door_to: DoorTo, body: str, **arguments: object) -> Outcome:
    """The outcome of lyrw.region where its function has this body."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    source = (
        "import pytest_vindex3\nclass Own(Exception): pass\ndef lyrw_region(path, bank_id, entry, **asked):\n"
    )
    return door_to(source + lines + "\n").ask("lyrw.region", {**REGION, **arguments}).outcome


ANSWERS = {
    "numpy integers": (
        "import numpy as np; return {'offset': np.uint64(192), 'data': np.zeros(2, 'u1')}",
        {"offset": 192, "data": bytes(2)},
    ),
    "further keys": ("return {'offset': 1, 'more': 2}", {"offset": 1}),
    "arguments": ("return {'offset': bank_id, 'length': entry}", {"offset": 0, "length": 1}),
}


@pytest.mark.parametrize(("body", "expected"), ANSWERS.values(), ids=ANSWERS)
def test_answers(door_to: DoorTo, body: str, expected: dict[str, object]) -> None:
    """An adapter's answer is plain data of the verb's type."""
    assert region(door_to, body) == Answer(expected)


MISFITS = {
    "true for 1": ("return {'offset': True}", Misfit("offset", "integer", "boolean")),
    "1.0 for 1": ("return {'offset': 1.0}", Misfit("offset", "integer", "number")),
    "tuple for an object": ("return (1, 2)", Misfit("", "object", "list")),
    "nothing": ("pass", Misfit("", "object", "null")),
    "dataclass": (
        "import dataclasses; return dataclasses.make_dataclass('Region', ['offset'])(1)",
        Misfit("", "object", "Region"),
    ),
    "refusal without a string": (
        "error = Own(); error.kind = 3; error.names = {}; raise error",
        Misfit("refused.kind", "string", "integer"),
    ),
}


@pytest.mark.parametrize(("body", "expected"), MISFITS.values(), ids=MISFITS)
def test_misfits(door_to: DoorTo, body: str, expected: Misfit) -> None:
    """A wrong type is a wrong answer, named by key and type."""
    assert region(door_to, body) == expected


REFUSALS = {
    "convenience": (
        "raise pytest_vindex3.Refusal('unknown-bank', 'no such bank', bank_id=0)",
        "no such bank",
    ),
    "own class": (
        "error = Own('no such bank'); error.kind = 'unknown-bank'; error.names = {'bank_id': 0}; raise error",
        "no such bank",
    ),
    "no message": ("raise pytest_vindex3.Refusal('unknown-bank', bank_id=0)", ""),
}


@pytest.mark.parametrize(("body", "message"), REFUSALS.values(), ids=REFUSALS)
def test_refusals(door_to: DoorTo, body: str, message: str) -> None:
    """A refusal is read from any exception class."""
    assert region(door_to, body) == Refused("unknown-bank", {"bank_id": 0}, message)


DRESSED = "type('Dressed', ({base},), {{'kind': 'unknown-bank', 'names': {{}}}})()"


@pytest.mark.parametrize(
    ("base", "what"),
    {
        "MemoryError": "memory",
        "RecursionError": "exception",
        "AssertionError": "exception",
        "KeyboardInterrupt": "exception",
        "SystemExit": "exception",
        "GeneratorExit": "exception",
    }.items(),
)
def test_dressed_up_exceptions_are_faults(door_to: DoorTo, base: str, what: str) -> None:
    """Exhaustion and wishes to end are faults, though they carry kind and names."""
    outcome = region(door_to, f"raise {DRESSED.format(base=base)}")
    assert isinstance(outcome, Fault)
    assert outcome.what == what
    assert "no refusal" not in outcome.detail


FAULTS = {
    "exception": ("return {}[bank_id]", "KeyError: 0"),
    "exit": ("import sys; sys.exit(3)", "SystemExit: 3"),
    "recursion": ("f = lambda: f()\nf()", "RecursionError: maximum recursion depth exceeded"),
    "assertion": ("assert bank_id", "AssertionError"),
    "str that raises": (
        "class Mute(Exception):\n    def __str__(self): raise ValueError\nraise Mute",
        "Mute: <exception str() failed>",
    ),
    "very long": ("raise ValueError('x' * 100000)", "ValueError: xxx"),
}


@pytest.mark.parametrize(("body", "headline"), FAULTS.values(), ids=FAULTS)
def test_faults(door_to: DoorTo, body: str, headline: str) -> None:
    """Anything else is a fault of few lines: the exception, and the adapter's own frames."""
    outcome = region(door_to, body)
    assert isinstance(outcome, Fault)
    first, *frames = outcome.detail.splitlines()
    assert headline in first
    assert 1 <= len(frames) <= 3
    assert all("subject.py:" in frame for frame in frames)
    assert len(outcome.detail) < 1000


def test_an_unfinished_refusal_is_explained(door_to: DoorTo) -> None:
    """An exception with a kind and no names is a fault that says what it lacks."""
    outcome = region(door_to, "error = Own(); error.kind = 'unknown-bank'; raise error")
    assert isinstance(outcome, Fault)
    assert "no mapping names" in outcome.detail


def test_one_that_swallows_everything_is_judged_by_its_answer(door_to: DoorTo) -> None:
    """An adapter that catches BaseException and answers has answered."""
    body = "try: raise SystemExit\nexcept BaseException: return {'absent': True}"
    assert region(door_to, body) == Answer({"absent": True})


def test_the_users_interrupt_passes(door_to: DoorTo) -> None:
    """A bare KeyboardInterrupt is the user's, and ends the run."""
    with pytest.raises(KeyboardInterrupt):
        region(door_to, "raise KeyboardInterrupt")


def test_absent_arguments_are_left_out(door_to: DoorTo) -> None:
    """Only what is asked is passed, by keyword, and defaults are the function's own."""
    door = door_to("def lyrw_region(*, path, bank_id, entry, role='own'): return {'absent': role == 'own'}\n")
    assert door.ask("lyrw.region", REGION).outcome == Answer({"absent": True})
    assert door.ask("lyrw.region", {**REGION, "role": "up"}).outcome == Answer({"absent": False})


def test_an_argument_that_the_function_lacks(door_to: DoorTo) -> None:
    """An argument that is no option and not taken is a fault that names it."""
    door = door_to("def lyrw_region(path, bank_id, entry): return {}\n")
    outcome = door.ask("lyrw.region", {**REGION, "role": "up"}).outcome
    assert outcome == Fault("exception", "the function of lyrw.region takes no argument role")


def test_a_positional_parameter_is_not_taken_by_keyword(door_to: DoorTo) -> None:
    """Arguments travel by keyword alone."""
    door = door_to("def lyrw_parse(path, /): return {}\n")
    assert door.ask("lyrw.parse", {"path": "x"}).outcome == Fault(
        "exception", "the function of lyrw.parse takes no argument path"
    )


OVER_CLAIMS = {
    "a verb": (
        "vindex3_verbs = ['lyrw.region']",
        {},
        "lyrw.region is claimed, but there is no function lyrw_region",
    ),
    "an option": (
        "vindex3_options = {'lyrw.region': ['guard']}\ndef lyrw_region(path, bank_id, entry): return {}",
        {"guard": True},
        "the option guard of lyrw.region is declared, but its function lacks it",
    ),
}


@pytest.mark.parametrize(("source", "more", "detail"), OVER_CLAIMS.values(), ids=OVER_CLAIMS)
def test_over_claims(door_to: DoorTo, source: str, more: dict[str, object], detail: str) -> None:
    """A verb or an option that is claimed and not there is a fault of its own sort."""
    assert door_to(source).ask("lyrw.region", {**REGION, **more}).outcome == Fault("over-claim", detail)


@pytest.mark.parametrize("limits", [Limits(memory=1 << 26), Limits(measure=True)], ids=["memory", "cost"])
def test_nothing_is_measured(door_to: DoorTo, limits: Limits) -> None:
    """A request that is to be bounded or measured is not put at all."""
    outcome = (
        door_to("def lyrw_parse(path): raise SystemError\n").ask("lyrw.parse", {"path": ""}, limits).outcome
    )
    assert isinstance(outcome, Unjudged)
    assert "in process" in outcome.reason


def test_arguments_are_the_adapters_own(door_to: DoorTo, monkeypatch: pytest.MonkeyPatch) -> None:
    """An adapter that changes a list it was given changes nothing for the test."""
    door = door_to("def lyrw_region(path, bank_id, entry): bank_id.append(1); return {}\n")
    kept: list[int] = []
    reply = door.ask("lyrw.region", {"path": "", "bank_id": kept, "entry": 0})
    assert reply.outcome == Answer({})
    assert kept == []
    assert reply.arguments["bank_id"] is kept


def test_description(door_to: DoorTo) -> None:
    """What it claims is told without asking it anything."""
    description = door_to(
        "vindex3_name = 'mine'\n__version__ = '1'\ndef lyrw_parse(path): raise SystemExit\n"
    ).describe()
    assert (description.name, description.version, description.verbs) == ("mine", "1", ("lyrw.parse",))
    assert description.language.startswith("Python 3.")


class Piece(TypedDict):
    """A payload of one region."""

    entry: int
    data: Blob


class Written(TypedDict):
    """What a writer answers."""

    data: Blob


class ToyWrite(Protocol):
    """Write something."""

    def __call__(self, *, payload: list[Piece]) -> Written:
        """Answer."""
        ...


def test_an_offered_function(door_to: DoorTo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that a verb offers as a function reaches a Python adapter as one."""
    toy = define("toy.write", ToyWrite, offers={"payload": Offer(("entry",), "data")})
    known: Mapping[str, Any] = {**verbs(), "toy.write": toy}
    monkeypatch.setattr("pytest_vindex3.contract.find.verbs", lambda: known)
    monkeypatch.setattr("pytest_vindex3.contract.in_process.verbs", lambda: known)
    door = door_to(
        "def toy_write(payload): return {'data': payload(2) + payload(entry=1) + (payload(3) or b'-')}\n"
    )
    pieces = [{"entry": 1, "data": b"a"}, {"entry": 2, "data": b"b"}]
    assert door.ask("toy.write", {"payload": pieces}).outcome == Answer({"data": b"ba-"})
