"""The pinned containers: by each clause that they serve, what is written down of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_vindex3 import answers, either, refuses
from pytest_vindex3.contract.patterns import one_of
from pytest_vindex3.law.registry import clauses
from vindex3_suites.pinned import judge, pinned
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.models import exact
from vindex3_suites.waste.records import UNCACHED
from vindex3_suites.waste.verifying import lists

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation
    from vindex3_fixtures.goldens import Golden, Request

VERBS = ("waste.open", "waste.record", "waste.matrix", "waste.tensor", "waste.verify", "usage.read")
CASES = list(pinned(VERBS, "waste/", room="waste"))
ORDERED = "USAGE-ORDER-01"
"""The clause that advises on the warm order; no other one is judged on it."""


@pytest.mark.parametrize(("golden", "requests", "clause_id"), CASES)
def test_a_container_is_answered_as_written_down(
    ask: Ask, golden: Golden, requests: list[Request], clause_id: str
) -> None:
    """What a clause says of a pinned container is what stands beside it; a wrong one comes after its twin."""
    judge(ask, golden, requests, clause_id, _expected)


def _expected(request: Request, clause_id: str) -> Expectation:
    refused = refuses(request.kind, **_facts(request, clause_id)) if request.kind else None
    if request.answer is None:
        return refused or answers()
    answered = _ANSWERED[request.verb](request.answer, clause_id)
    return either(answered, refused) if refused else answered


def _facts(request: Request, clause_id: str) -> dict[str, Any]:
    """The facts of a refusal; of two tensors that overlap either may be named first."""
    facts = _asked(request.names, clause_id)
    if request.kind != "overlap":
        return facts
    return dict.fromkeys(facts, one_of(*facts.values()))


def _asked(names: Mapping[str, object], clause_id: str) -> dict[str, Any]:
    """The facts that a clause asks for."""
    return {name: fact for name, fact in names.items() if name in clauses()[clause_id].names}


def _opened(answer: Any, clause_id: str) -> Expectation:
    del clause_id
    return answers(exact(answer))


def _served(answer: Any, clause_id: str) -> Expectation:
    """The record as it is written down, read from its file."""
    del clause_id
    return answers({"mode": UNCACHED, "held_sha256": None, **answer})


def _decoded(answer: Any, clause_id: str) -> Expectation:
    del clause_id
    return gives(answer)


def _verified(answer: Any, clause_id: str) -> Expectation:
    """The defects with the facts that the clause asks for; none, where none is written down."""
    found = answer["defects"].items
    if not found:
        return answers({**answer, "defects": []})
    listed = ({**one, "names": _asked(one["names"], clause_id)} for one in found)
    return lists(*listed, checked=answer.get("records_checked"))


def _counted(answer: Any, clause_id: str) -> Expectation:
    if clause_id == ORDERED:
        return answers(warm_order=answer["warm_order"])
    return answers({name: value for name, value in answer.items() if name != "warm_order"})


_ANSWERED: Final[Mapping[str, Callable[[Any, str], Expectation]]] = {
    "waste.open": _opened,
    "waste.record": _served,
    "waste.matrix": _decoded,
    "waste.tensor": _decoded,
    "waste.verify": _verified,
    "usage.read": _counted,
}
"""What is expected of a verb's answer."""
