"""How candidates are put forward for promotion, and what a right compiler answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3.contract.difference import MISSING, free_order
from pytest_vindex3.contract.patterns import one_of
from pytest_vindex3.plugin.expect import Answers, Side
from vindex3_fixtures.representation.vocabulary import NVFP4

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask

Struct = dict[str, Any]

NAME = "promoted-v1"
SELECTED: Final[Struct] = {"selected": True, "refusal": None}
NOTHING: Final = one_of(MISSING, None)
"""A selector that is not there: a null one equals it."""


def promote(ask: Ask, candidates: Sequence[Struct], *, default: str = NVFP4, name: str = NAME) -> Reply:
    """Ask which of these candidates are promoted."""
    return ask("promotion.promote", name=name, default_encoding=default, candidates=list(candidates))


def refused(kind: str, **names: object) -> Struct:
    """A verdict that refuses a candidate, with these facts."""
    return {"selected": False, "refusal": {"kind": kind, "names": names}}


UNPROVEN: Final = refused("quality-unproven")
UNMEASURED: Final = refused("not-natively-measured")


def scoped(candidates: Iterable[Struct]) -> list[Struct]:
    """Candidates whose scopes are apart, each with its own projection."""
    return [{**one, "projection": f"p{at}_proj"} for at, one in enumerate(candidates)]


def failing(criteria: Iterable[str]) -> Struct:
    """The verdict over a bank that fails these criteria."""
    return refused("quality-gate-failed", failed=list(criteria))


def conflicting(other: int) -> Struct:
    """The verdict over a candidate that conflicts with the one in this position."""
    return refused("conflicting-candidates", other=other)


def promotes(
    verdicts: Sequence[Struct],
    *,
    roles: Sequence[str],
    exceptions: Sequence[Struct] = (),
    default: str = NVFP4,
    name: str = NAME,
) -> Answers:
    """A verdict for each candidate, and this map; the sides are those of the verdicts."""
    policy = {
        "name": name,
        "encoding": default,
        "roles": list(roles),
        "exceptions": [_exact(one) for one in exceptions] if exceptions else MISSING,
    }
    return Answers({"map": policy, "verdicts": list(verdicts)}, sides_of(verdicts))


def rules(verdicts: Sequence[Struct], *, roles: Sequence[str] | None = None) -> Answers:
    """A verdict for each candidate, and a map of these roles in any order where they are given."""
    policy = {} if roles is None else {"map": {"roles": free_order(roles)}}
    return Answers({**policy, "verdicts": list(verdicts)}, sides_of(verdicts))


def sides_of(verdicts: Sequence[Struct]) -> frozenset[Side]:
    """Wrong where a candidate is refused, legal where one is promoted or none was put forward."""
    refusing = any(not one["selected"] for one in verdicts)
    promoting = not verdicts or any(one["selected"] for one in verdicts)
    sides: dict[Side, bool] = {"legal": promoting, "wrong": refusing}
    return frozenset(side for side, holds in sides.items() if holds)


def _exact(exception: Struct) -> Struct:
    return {"projection": NOTHING, "layers": NOTHING, **exception}
