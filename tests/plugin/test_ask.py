"""What `ask` adds to a request and to what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_vindex3.contract.door import Description
from pytest_vindex3.contract.outcome import Fault, Limits, Outcome, Reply
from pytest_vindex3.plugin.ask import Ask
from pytest_vindex3.plugin.session import Implementation
from pytest_vindex3.plugin.settings import Settings


class Given:
    """A door that gives one outcome to whatever it is asked."""

    kind = "child"
    origin = "given"

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    def ask(self, verb: str, arguments: Mapping[str, object], limits: Limits) -> Reply:
        """The outcome."""
        return Reply(verb, arguments, self.outcome)


def asked(outcome: Outcome, limits: Limits) -> Outcome:
    """What a test sees of an outcome."""
    door: Any = Given(outcome)
    one = Implementation("given", "given", door, Description("given", "", "", ("lyrw.parse",), {}))
    return Ask(one, Settings(("given",)), Path(), "test")("lyrw.parse", limits=limits, path="x").outcome


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
