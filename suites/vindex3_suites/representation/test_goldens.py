"""The pinned catalogues, levels, maps, evidence and packs: by each clause, what is written down of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_vindex3 import answers, refuses
from pytest_vindex3.contract.patterns import Exactly, one_of
from pytest_vindex3.law.registry import clauses
from pytest_vindex3.plugin.expect import Answers
from vindex3_suites.container.models import exact
from vindex3_suites.container.verifying import Holds
from vindex3_suites.pinned import judge, pinned
from vindex3_suites.representation.promoting import promotes
from vindex3_suites.representation.test_precision_refused import Known

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation
    from vindex3_fixtures.goldens import Golden, Request

VERBS = (
    "selection.resolve",
    "authority.fold",
    "precision.compile",
    "promotion.promote",
    "container.open",
    "container.tensor",
    "container.verify",
)
CASES = list(pinned(VERBS, "representation/", room="representation"))


@pytest.mark.parametrize(("golden", "requests", "clause_id"), CASES)
def test_a_stored_form_is_answered_as_written_down(
    ask: Ask, golden: Golden, requests: list[Request], clause_id: str
) -> None:
    """What a clause says of a golden is what stands beside it; a wrong one comes after its legal twin."""
    judge(ask, golden, requests, clause_id, _expected)


def _expected(request: Request, clause_id: str) -> Expectation:
    asked = clauses()[clause_id].names
    if request.answer is None:
        facts = {**request.names, "known": Known()}
        named = {name: fact for name, fact in facts.items() if name in (*asked, "defects")}
        return refuses(str(request.kind), **named)
    return _ANSWERED.get(request.verb, _plain)(request.answer, asked)


def _plain(answer: Mapping[str, Any], asked: tuple[str, ...]) -> Expectation:
    del asked
    return answers(answer)


def _resolved(answer: Mapping[str, Any], asked: tuple[str, ...]) -> Expectation:
    """These region sets and no other."""
    del asked
    return answers({**answer, "selections": Exactly(answer["selections"])})


def _promoted(answer: Mapping[str, Any], asked: tuple[str, ...]) -> Expectation:
    """The map as it is; of refused candidates the facts that are asked for."""
    policy = answer["map"]
    verdicts = [
        {**verdict, "refusal": verdict["refusal"] and _named(verdict["refusal"], asked)}
        for verdict in answer["verdicts"]
    ]
    return promotes(
        verdicts,
        roles=policy["roles"],
        exceptions=policy.get("exceptions", ()),
        default=policy["encoding"],
        name=policy["name"],
    )


def _opened(answer: Mapping[str, Any], asked: tuple[str, ...]) -> Expectation:
    """The whole observation but for unreferenced files."""
    del asked
    return answers(exact({key: value for key, value in answer.items() if key != "unreferenced_files"}))


def _verified(answer: Mapping[str, Any], asked: tuple[str, ...]) -> Expectation:
    """The flags as written, the defects at least; no mismatch of a digest that holds."""
    if answer["verified"]:
        return answers(answer)
    held = frozenset(
        (entry["representation"], digest)
        for entry in answer["entries"]
        for digest in ("segment", "payload")
        if entry[f"{digest}_ok"]
    )
    defects = tuple(_either_way(_named(one, asked)) for one in answer["defects"].items)
    return Answers({**answer, "defects": Holds(defects, held)}, frozenset({"wrong"}))


def _named(defect: Mapping[str, Any], asked: tuple[str, ...]) -> dict[str, Any]:
    """The defect with the facts that a clause asks for."""
    return {**defect, "names": {name: fact for name, fact in defect["names"].items() if name in asked}}


def _either_way(defect: dict[str, Any]) -> Any:
    """The defect; of two forms with the same bytes either may be named first."""
    if defect["kind"] != "duplicate-bytes":
        return defect
    names = defect["names"]
    turned = {**names, "subject": names["other"], "other": names["subject"]}
    return one_of(defect, {**defect, "names": turned})


_ANSWERED: Final[Mapping[str, Callable[[Mapping[str, Any], tuple[str, ...]], Expectation]]] = {
    "selection.resolve": _resolved,
    "promotion.promote": _promoted,
    "container.open": _opened,
    "container.verify": _verified,
}
"""What is expected of a verb's answer; of all others, the answer as it is written."""
