"""One adapter, every way to go wrong, every door: the same outcome."""

from __future__ import annotations

import pytest

from pytest_vindex3.contract.door import Door
from pytest_vindex3.contract.outcome import Answer, Fault, Limits, Misfit, Outcome, Refused, Unjudged

from .conftest import PARSED

SHORT = Limits(seconds=0.4)
LONG = Limits(seconds=30)

SAME = {
    "well": Answer(PARSED),
    "numpy": Answer(PARSED),
    "over-wide": Answer({**PARSED, "table_bytes": 2**200}),
    "true": Misfit("header.logical_layer", "integer", "boolean"),
    "real": Misfit("header.logical_layer", "integer", "number"),
    "missing": Misfit("header.flags", "integer", "missing"),
    "stranger": Misfit("header", "object", "object"),
    "none": Misfit("", "object", "null"),
    "refusal": Refused("truncated", {"declared": 2**70, "found": [1, "a"]}, "short"),
    "own refusal": Refused("truncated", {"declared": 1}, "truncated"),
    "wrong kind": Misfit("refused.kind", "string", "integer"),
}


def outcome(door: Door, path: str, limits: Limits = LONG) -> Outcome:
    return door.ask("lyrw.parse", {"path": path}, limits).outcome


@pytest.mark.parametrize("path", SAME)
def test_answers_and_refusals(door: Door, path: str) -> None:
    """Values of Python are made plain and judged, with the same outcome on every door."""
    assert outcome(door, path) == SAME[path]


@pytest.mark.parametrize(
    ("path", "what", "text"),
    [
        ("exception", "exception", "ValueError: not this"),
        ("assertion", "exception", "AssertionError: never"),
        ("recursion", "exception", "RecursionError"),
        ("sys.exit", "exception", "SystemExit: 3"),
        ("memory as refusal", "memory", "TaggedMemory"),
    ],
)
def test_exceptions(door: Door, path: str, what: str, text: str) -> None:
    """An exception that is no refusal is a fault that names it; MemoryError and SystemExit never refuse."""
    found = outcome(door, path)
    assert isinstance(found, Fault)
    assert found.what == what
    assert text in found.detail
    assert "misbehaving.py" in found.detail


@pytest.mark.parametrize(
    ("path", "what", "text"),
    [
        ("os._exit", "crash", "exit code 3"),
        ("exit silently", "crash", "exit code 0, without an answer"),
        ("abort", "crash", "killed by SIGABRT"),
        ("segfault", "crash", "killed by SIGSEGV"),
        ("killed", "crash", "killed by SIGKILL"),
        ("C loop", "hang", "no answer within 0.4 s. It was ended and starts anew; `vindex3 call`"),
        ("swallows", "hang", "no answer within 0.4 s"),
    ],
)
def test_ends(door: Door, path: str, what: str, text: str) -> None:
    """A crash or a hang is the outcome of that request alone, on the doors that survive it."""
    if door.kind == "in process":
        pytest.skip("a crash in process ends the test run: this door cannot carry it")
    found = outcome(door, path, SHORT if what == "hang" else LONG)
    assert isinstance(found, Fault)
    assert (found.what, text in found.detail) == (what, True), found.detail
    assert outcome(door, "well") == Answer(PARSED)


def test_over_claim(door: Door) -> None:
    """A verb that is listed and has no function is an over-claim."""
    assert "lyrw.partner" in door.describe().verbs
    reply = door.ask("lyrw.partner", {"path": "x", "bank_id": 0, "entry": 0, "schema_index": 0})
    assert isinstance(reply.outcome, Fault)
    assert reply.outcome.what == "over-claim"


def test_unknown_verb(door: Door) -> None:
    """A verb that the contract does not have is an over-claim, however it was listed."""
    reply = door.ask("lyrw.pasre", {"path": "x"})
    assert isinstance(reply.outcome, Fault)
    assert reply.outcome.what == "over-claim"


@pytest.mark.parametrize("length", [0, 1, 65536, 65537, 1 << 20])
def test_bytes(door: Door, length: int) -> None:
    """Bytes of any length arrive as they are, inside the line or through scratch."""
    reply = door.ask("lyrw.region", {"path": "x", "bank_id": 0, "entry": length})
    data = bytes(i % 251 for i in range(length))
    assert reply.outcome == Answer({"offset": 0, "length": length, "data": data})


def test_memory(door: Door) -> None:
    """Memory that is only reserved counts: 64 GiB of zeros are an excess where it can be bounded."""
    found = outcome(door, "zeros", Limits(seconds=20, memory=64 << 20))
    if door.kind == "in process":
        assert isinstance(found, Unjudged)
        return
    assert isinstance(found, Fault)
    assert found.what == "memory"
    assert outcome(door, "well") == Answer(PARSED)


def test_memory_unbounded(door: Door) -> None:
    """Without a bound the machine decides: the zeros are there, or their lack is a fault and no refusal."""
    found = outcome(door, "zeros")
    assert found == Answer({**PARSED, "table_bytes": 64 << 30}) or (
        isinstance(found, Fault) and found.what == "memory"
    )


def test_memory_allowed(door: Door) -> None:
    """Within its allowance a request is answered, and bounded or not it may be asked again."""
    if door.kind == "in process":
        pytest.skip("nothing is bounded in process")
    for limits in (Limits(memory=64 << 20), Limits()):
        assert outcome(door, "well", limits) == Answer(PARSED)


def test_prints(door: Door) -> None:
    """What an adapter prints, by Python, by descriptor or by C, does not reach the pipe."""
    reply = door.ask("lyrw.parse", {"path": "prints"}, LONG)
    assert reply.outcome == Answer(PARSED)
    if door.kind != "in process":
        assert {"by Python", "by the descriptor", "by C"} <= set(reply.stderr.split("\n"))


def test_stdin(door: Door) -> None:
    """An adapter that reads standard input finds it empty, and takes no request from the pipe."""
    if door.kind == "in process":
        pytest.skip("standard input is the user's own")
    assert outcome(door, "reads stdin") == Answer({**PARSED, "table_bytes": 0})
    assert outcome(door, "well") == Answer(PARSED)


def test_loud(door: Door) -> None:
    """10 MB on stderr hold nothing up; the tail is kept, and belongs to that request alone."""
    if door.kind == "in process":
        pytest.skip("stderr is the user's own")
    reply = door.ask("lyrw.parse", {"path": "loud"}, LONG)
    assert reply.outcome == Answer(PARSED)
    assert reply.stderr.endswith("the end")
    assert len(reply.stderr) <= 8192
    assert door.ask("lyrw.parse", {"path": "well"}, LONG).stderr == ""
