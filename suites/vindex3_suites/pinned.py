"""Goldens as tests: which questions about a pinned file or folder a clause is judged on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_vindex3 import check
from pytest_vindex3.law.registry import clauses
from vindex3_fixtures.goldens import Golden, Request, goldens

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation

_ALONE: Final = ("representation", "waste")
"""Folders of goldens whose questions of every verb are judged in the room of their name."""


def pinned(verbs: Collection[str], without: str = "", *, room: str | None = None) -> Iterator[Any]:
    """Each golden with its questions of one clause, once for every clause of these verbs that it serves.

    Args:
        verbs: of the clauses.
        without: what the names of the cases leave out of the goldens' own.
        room: the folder of goldens that is judged; None is every one whose goldens no room judges alone.
    """
    found = (one for one in goldens().values() if _room(one) == room)
    for golden in sorted(found, key=lambda golden: (golden.length, golden.name)):
        for clause_id in golden.clauses:
            asked = questions(golden, clause_id) if clauses()[clause_id].verb in verbs else []
            if asked:
                name = f"{golden.name.removeprefix(without)}-{clause_id}"
                mark = pytest.mark.vindex3_clause(clause_id)
                yield pytest.param(golden, asked, clause_id, id=name, marks=mark)


def _room(golden: Golden) -> str | None:
    """The folder of a golden, if a room of the suites judges that by itself."""
    room = golden.name.partition("/")[0]
    return room if room in _ALONE else None


def judge(
    ask: Ask,
    golden: Golden,
    requests: list[Request],
    clause_id: str,
    expected: Callable[[Request, str], Expectation],
) -> None:
    """Ask the questions of a golden, behind that of its legal twin, and judge the replies by a clause.

    Args:
        ask: the fixture.
        golden: what is asked about.
        requests: its questions.
        clause_id: of the clause.
        expected: what is expected of a question's answer, judged by this clause.
    """
    legal = legal_twin(golden, requests)
    if legal:
        twin, request = legal
        reply = ask(request.verb, **request.placed(placed(ask, twin, "legal")))
        check(clause_id, reply, expected(request, clause_id))
    path = placed(ask, golden, "golden")
    for request in requests:
        check(clause_id, ask(request.verb, **request.placed(path)), expected(request, clause_id))


def questions(golden: Golden, clause_id: str) -> list[Request]:
    """The questions of a golden that a clause is about."""
    verb = clauses()[clause_id].verb
    asked = [request for request in golden.requests if request.verb == verb]
    return [request for request in asked if not request.about or clause_id in request.about]


def placed(ask: Ask, golden: Golden, folder: str) -> Path:
    """A copy of a golden in a folder of this name below the test's own."""
    home = ask.folder / folder
    home.mkdir(exist_ok=True)
    return golden.hand_out(home)


def legal_twin(golden: Golden, asked: list[Request]) -> tuple[Golden, Request] | None:
    """What has to be answered before a refusal or a defect counts: a question about the legal golden.

    None where one of the questions is itself about something legal.
    """
    twin = goldens()[golden.twin] if golden.twin else golden
    if twin is golden and any(request.kind is None for request in asked):
        return None
    verb = asked[0].verb
    answered = (one for one in twin.requests if one.verb == verb and one.kind is None)
    first = next(answered, None)
    return (twin, first) if first else None
