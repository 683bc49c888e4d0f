"""The pinned manifests, alone and with their layer files: by each clause, what is written down of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_vindex3 import answers, check, refuses
from pytest_vindex3.law.registry import clauses, kinds
from pytest_vindex3.plugin.expect import Answers
from vindex3_fixtures.goldens import Golden, Request, goldens
from vindex3_suites.lyrw.manifests import reports
from vindex3_suites.pinned import pinned

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation

VERBS = ("moe.load", "moe.check", "capability.check")


def _expected(request: Request, placed: dict[str, Any]) -> Expectation:
    if request.answer is None:
        kind = str(request.kind)
        path = {"path": placed["path"]} if "path" in kinds()[kind].names else {}
        return refuses(kind, **path, **dict(request.names))
    wrong = request.answer.get("verdict") == "refused" or request.answer.get("defects") not in (None, CLEAN)
    return Answers(request.answer, frozenset({"wrong" if wrong else "legal"}))


CLEAN = reports().keys["defects"]


@pytest.mark.parametrize(("golden", "requests", "clause_id"), list(pinned(VERBS, "moe/")))
def test_a_manifest_is_answered_as_written_down(
    ask: Ask, golden: Golden, requests: list[Request], clause_id: str
) -> None:
    """What a clause says of a pinned manifest is what stands beside it."""
    if golden.twin:
        _check_twin(ask, goldens()[golden.twin], clause_id)
    path = golden.hand_out(ask.folder)
    for request in requests:
        placed = request.placed(path)
        check(clause_id, ask(request.verb, **placed), _expected(request, placed))


def _check_twin(ask: Ask, twin: Golden, clause_id: str) -> None:
    """The legal manifest from which a wrong one differs in one fault is answered first."""
    path = ask.file("legal.json", twin.path.read_bytes())
    verb = clauses()[clause_id].verb
    answered = next(one for one in twin.requests if one.verb == verb and one.answer is not None)
    check(clause_id, ask(verb, path=path), answers(answered.answer))
