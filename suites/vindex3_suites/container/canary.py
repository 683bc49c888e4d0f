"""The canary of the family: the smallest of the usual containers, asked and compared first of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, check
from vindex3_suites.container.models import EMBEDDING, TINY, opens

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers

TENSOR = "weight"


def canary(ask: Ask) -> None:
    """Ask the first reading verb of the family that is claimed, and compare its answer whole."""
    for verb in EXPECTED:
        if ask.claims(verb):
            sing(ask, verb)
            return


def sing(ask: Ask, verb: str) -> None:
    """Ask this verb of a sound container of the graph shape and judge it by its clause."""
    clause_id, expected, arguments = EXPECTED[verb]
    check(clause_id, ask(verb, path=ask.file("model", TINY.folder), **arguments), expected)


def _delivered() -> Answers:
    row = TINY.segments[EMBEDDING].true_rows[0]
    data = TINY.segments[EMBEDDING].data(TENSOR)
    return answers(representation=EMBEDDING, dtype=row["dtype"], shape=row["shape"], data=data)


def _verified() -> Answers:
    entries = [
        {"representation": name, "segment_ok": True, "payload_ok": True} for name in sorted(TINY.segments)
    ]
    return answers(verified=True, examined=len(entries), entries=entries, defects=[])


EXPECTED: dict[str, tuple[str, Answers, dict[str, Any]]] = {
    "container.open": ("INDEX-SHAPE-02", opens(TINY), {}),
    "container.tensor": (
        "SEGMENT-TENSOR-01",
        _delivered(),
        {"representation": EMBEDDING, "tensor": TENSOR},
    ),
    "container.verify": ("VERIFY-INTACT-01", _verified(), {}),
}
"""The clause, the answer and the other arguments of each verb."""
