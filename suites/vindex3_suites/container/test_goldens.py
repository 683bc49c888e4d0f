"""The pinned containers: by each clause that they serve, what is written down of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_vindex3 import answers, refuses
from pytest_vindex3.plugin.expect import Answers
from vindex3_suites.container.models import exact
from vindex3_suites.container.verifying import Holds
from vindex3_suites.pinned import judge, pinned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation
    from vindex3_fixtures.goldens import Golden, Request

VERBS = ("container.open", "container.tensor", "container.verify")
LISTED = "INDEX-FILES-02"
"""The clause that advises on unreferenced files; no other one is judged on them."""


@pytest.mark.parametrize(("golden", "requests", "clause_id"), list(pinned(VERBS, "container/")))
def test_a_container_is_answered_as_written_down(
    ask: Ask, golden: Golden, requests: list[Request], clause_id: str
) -> None:
    """What a clause says of a pinned container is what stands beside it; a wrong one comes after its twin."""
    judge(ask, golden, requests, clause_id, _expected)


def _expected(request: Request, clause_id: str) -> Expectation:
    answer = request.answer
    if answer is None:
        return refuses(str(request.kind), **dict(request.names))
    if request.verb == "container.open":
        return _opened(answer, clause_id)
    if request.verb == "container.verify" and not answer["verified"]:
        return _unsound(answer)
    return answers(answer)


def _opened(answer: Mapping[str, Any], clause_id: str) -> Answers:
    if clause_id == LISTED:
        return answers(unreferenced_files=answer["unreferenced_files"])
    return answers(exact({key: value for key, value in answer.items() if key != "unreferenced_files"}))


def _unsound(answer: Mapping[str, Any]) -> Answers:
    """The flags as written, the defects at least; no mismatch of a digest that holds."""
    held = frozenset(
        (entry["representation"], digest)
        for entry in answer["entries"]
        for digest in ("segment", "payload")
        if entry[f"{digest}_ok"]
    )
    told = {**answer, "defects": Holds(tuple(answer["defects"].items), held)}
    return Answers(told, frozenset({"wrong"}))
