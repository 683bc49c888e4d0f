"""The canary of the family: the smallest whole layer file, asked and compared before anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, check
from vindex3_fixtures.goldens import goldens

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

GOLDEN = "lyrw/dense_f32_worked"
CLAUSES = {"lyrw.parse": "LYRW-MAGIC-01", "lyrw.region": "REGION-READ-01"}


def canary(ask: Ask) -> None:
    """Ask the first verb of the family that is claimed, and compare its answer whole."""
    for verb, clause_id in CLAUSES.items():
        if ask.claims(verb):
            sing(ask, verb, clause_id)
            return


def sing(ask: Ask, verb: str, clause_id: str) -> None:
    """Ask this verb of the golden and judge it by the clause."""
    golden = goldens()[GOLDEN]
    request = next(one for one in golden.requests if one.verb == verb and one.answer is not None)
    arguments: dict[str, Any] = dict(request.arguments)
    reply = ask(verb, path=str(golden.hand_out(ask.folder)), **arguments)
    check(clause_id, reply, answers(request.answer))
