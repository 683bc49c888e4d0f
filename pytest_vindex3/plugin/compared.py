"""The two sides of a failed comparison as text: of a refusal, every fact at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_vindex3.contract.difference import MISSING, Pattern
from pytest_vindex3.contract.outcome import Refused
from pytest_vindex3.law.registry import kinds
from pytest_vindex3.plugin.check import Failure
from pytest_vindex3.plugin.expect import Refuses, Words, said
from pytest_vindex3.report.shown import LONGEST, cut, shown

LONGEST_SIDE = 190
"""Characters of a side: two lines of a page."""
_LONGEST_FACT = 60
_OUTCOME = ("", "refused")
"""Paths of differences that are of the outcome as a whole."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A failed comparison.

    Attributes:
        expected, found: the sides, of a refusal with all its facts, those that differ before the others.
        places: the paths that differ; none where the outcome as a whole does.
        outcomes: where it does, the two outcomes without facts.
    """

    expected: str
    found: str
    places: tuple[str, ...]
    outcomes: str = ""


def compare(failure: Failure) -> Compared:
    """The two sides of a failure that has a difference."""
    difference, outcome, wanted = failure.difference, failure.reply.outcome, failure.expectation
    if difference is None:
        raise ValueError("a fault is compared with nothing")
    if difference.path in _OUTCOME:
        expected = _side(difference.expected)
        facts = dict(wanted.names) if isinstance(wanted, Refuses) else {}
        outcomes = cut(f"{expected}, {_side(difference.found)}")
        return Compared(f"{expected}{_listed(facts)}", _found(failure), (), outcomes)
    if isinstance(wanted, Refuses) and isinstance(outcome, Refused):
        return _refusals(wanted, outcome)
    return Compared(_side(difference.expected), _side(difference.found), (difference.path,))


def _refusals(wanted: Refuses, outcome: Refused) -> Compared:
    """Two refusals of one kind."""
    differing = wanted.differing(outcome)
    places = tuple(difference.path for difference in differing.values())
    names = [*differing, *(name for name in wanted.names if name not in differing)]
    others = [name for name in outcome.names if name not in wanted.names]
    expected = {name: wanted.names[name] for name in names}
    found = {name: outcome.names.get(name, MISSING) for name in (*names, *others)}
    head = f"refused as {outcome.kind}"
    return Compared(f"{head}{_listed(expected)}", f"{head}{_listed(found)}", places)


def _found(failure: Failure) -> str:
    outcome, difference = failure.reply.outcome, failure.difference
    if isinstance(outcome, Refused) and outcome.kind in kinds():
        return f"{said(outcome)}{_listed(outcome.names)}"
    return _side(difference.found) if difference else ""


def _listed(names: Mapping[str, object]) -> str:
    return f" ({', '.join(f'{name}={_fact(value)}' for name, value in names.items())})" if names else ""


def _fact(value: object) -> str:
    """A fact; one that may have several values is shown as its pattern says it."""
    if isinstance(value, Pattern):
        difference = value.difference(MISSING, "")
        value = difference.expected if difference else "anything"
        return cut(value, _LONGEST_FACT) if isinstance(value, str) else shown(value, _LONGEST_FACT)
    return _side(value, _LONGEST_FACT)


def _side(value: object, longest: int = LONGEST) -> str:
    if value is MISSING:
        return "nothing"
    return cut(value, LONGEST_SIDE) if isinstance(value, Words) else shown(value, longest)
