"""The pinned layer files, each against what is written down of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_vindex3 import answers, check, either, refuses
from pytest_vindex3.law.registry import clauses
from vindex3_fixtures.goldens import goldens
from vindex3_suites.lyrw.limits import sparse_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation
    from vindex3_fixtures.goldens import Golden, Request

VERBS = ("lyrw.parse", "lyrw.region", "lyrw.partner")


def _clause(golden: Golden, verb: str) -> str:
    """The clause by which a golden's answers to a verb are judged: a may where it leaves a choice."""
    wanted = "may" if golden.verdict == "either" else "must"
    listed = [name for name in golden.clauses if clauses()[name].verb == verb]
    return min(listed, key=lambda name: clauses()[name].level != wanted)


def _cases() -> Iterator[Any]:
    for golden in sorted(goldens().values(), key=lambda golden: (golden.length, golden.name)):
        if not golden.name.startswith("lyrw/"):
            continue
        for verb in VERBS:
            requests = [request for request in golden.requests if request.verb == verb]
            if requests and any(clauses()[name].verb == verb for name in golden.clauses):
                name = f"{golden.name.removeprefix('lyrw/')}-{verb.removeprefix('lyrw.')}"
                clause_id = _clause(golden, verb)
                yield pytest.param(
                    golden, requests, clause_id, id=name, marks=pytest.mark.vindex3_clause(clause_id)
                )


def _expected(request: Request) -> Expectation:
    answer = answers(request.answer) if request.answer is not None else None
    refused = refuses(request.kind, **dict(request.names)) if request.kind else None
    if answer and refused:
        return either(answer, refused)
    return answer or refused or answers()


@pytest.mark.parametrize(("golden", "requests", "clause_id"), list(_cases()))
def test_a_golden_is_answered_as_written_down(
    ask: Ask, golden: Golden, requests: list[Request], clause_id: str
) -> None:
    """Every question of a pinned file has the outcome that stands beside it."""
    if golden.made:
        sparse_files(ask.folder, golden.length)
    if golden.twin:
        _check_twin(ask, goldens()[golden.twin], clause_id)
    path = str(golden.hand_out(ask.folder))
    for request in requests:
        _check_request(ask, path, request, clause_id)


def _check_request(ask: Ask, path: str, request: Request, clause_id: str) -> None:
    arguments: dict[str, Any] = dict(request.arguments)
    check(clause_id, ask(request.verb, path=path, **arguments), _expected(request))


def _check_twin(ask: Ask, twin: Golden, clause_id: str) -> None:
    """The legal file from which a refused one differs in one fault is answered first."""
    verb = clauses()[clause_id].verb
    path = str(twin.hand_out(ask.folder))
    for request in twin.requests:
        if request.verb == verb and request.answer is not None:
            _check_request(ask, path, request, clause_id)
