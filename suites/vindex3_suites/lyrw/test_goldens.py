"""The pinned layer files: by each clause that they serve, what is written down of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vindex3 import answers, check, either, refuses
from pytest_vindex3.law.registry import clauses
from vindex3_fixtures.goldens import Golden, Request, goldens
from vindex3_suites.lyrw.limits import sparse_files
from vindex3_suites.lyrw.parts import PARTS, part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation

VERBS = ("lyrw.parse", "lyrw.region", "lyrw.partner")


def _absent(request: Request) -> bool:
    return request.answer is not None and "absent" in request.answer


def _by_role(request: Request) -> bool:
    return "role" in request.arguments


def _refused(*kinds: str) -> Callable[[Request], bool]:
    return lambda request: request.kind in kinds


def _delivered(request: Request) -> bool:
    """Whether a region with bytes, or a partner, is the answer to a question by number."""
    return bool(request.answer and request.answer.get("length") and not _by_role(request))


ABOUT: dict[str, Callable[[Request], bool]] = {
    "REGION-READ-04": lambda request: bool(request.answer) and (request.answer or {}).get("length") == 0,
    "REGION-ABSENT-01": lambda request: _absent(request) and not _by_role(request),
    "REGION-ABSENT-02": lambda request: _absent(request) and not _by_role(request),
    "REGION-ROLE-01": lambda request: _by_role(request) and request.answer is not None,
    "REGION-ROLE-02": _refused("ambiguous-role"),
    "REGION-BOUNDS-01": _refused("region-out-of-bounds"),
    "REGION-BOUNDS-02": _refused("region-out-of-bounds"),
    "REGION-BOUNDS-03": _refused("region-out-of-bounds"),
    "REGION-ALIGN-02": _refused("misaligned", "overlap", "region-in-tables"),
    "PAIR-FIND-03": _refused("not-paired"),
    "PAIR-FIND-04": _refused("missing-partner"),
    "PAIR-FIND-05": _refused("ambiguous-partner"),
    "PAIR-FIND-06": lambda request: request.answer is not None,
}


def _requests(golden: Golden, clause_id: str) -> list[Request]:
    """The questions of a golden that a clause is about."""
    verb = clauses()[clause_id].verb
    asked = [request for request in golden.requests if request.verb == verb]
    about = ABOUT.get(clause_id, _delivered)
    if verb == "lyrw.parse":
        return asked
    chosen = [request for request in asked if about(request)]
    present = [request for request in asked if _delivered(request)]
    return [*present[:1], *chosen] if clause_id.startswith("REGION-ABSENT") and chosen else chosen


def _cases() -> Iterator[Any]:
    for golden in sorted(goldens().values(), key=lambda golden: (golden.length, golden.name)):
        for clause_id in golden.clauses:
            requests = _requests(golden, clause_id) if clauses()[clause_id].verb in VERBS else []
            if requests:
                name = f"{golden.name.removeprefix('lyrw/')}-{clause_id}"
                mark = pytest.mark.vindex3_clause(clause_id)
                yield pytest.param(golden, requests, clause_id, id=name, marks=mark)


def _expected(request: Request, clause_id: str) -> Expectation:
    refused = refuses(request.kind, **dict(request.names)) if request.kind else None
    if request.answer is None:
        return refused or answers()
    if refused:
        return either(answers(request.answer), refused)
    return part(clause_id, request.answer) if clause_id in PARTS else answers(request.answer)


@pytest.mark.parametrize(("golden", "requests", "clause_id"), list(_cases()))
def test_a_golden_is_answered_as_written_down(
    ask: Ask, golden: Golden, requests: list[Request], clause_id: str
) -> None:
    """What a clause says of a pinned file is what stands beside the file."""
    if golden.made:
        sparse_files(ask.folder, golden.length)
    if golden.twin:
        _check_twin(ask, goldens()[golden.twin], clause_id)
    path = str(golden.hand_out(ask.folder))
    for request in requests:
        _check(ask, path, request, clause_id)


def _check(ask: Ask, path: str, request: Request, clause_id: str) -> None:
    arguments: dict[str, Any] = dict(request.arguments)
    check(clause_id, ask(request.verb, path=path, **arguments), _expected(request, clause_id))


def _check_twin(ask: Ask, twin: Golden, clause_id: str) -> None:
    """The legal file from which a wrong one differs in one fault is answered first."""
    verb = clauses()[clause_id].verb
    path = str(twin.hand_out(ask.folder))
    answered = [request for request in twin.requests if request.verb == verb and request.answer is not None]
    for request in answered[:1]:
        _check(ask, path, request, clause_id)
