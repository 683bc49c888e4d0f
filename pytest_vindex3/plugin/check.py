"""Clauses on tests, and the one way in which a test judges: `check`.

A check that does not hold raises; a check that was evaluated is recorded, and what was recorded is
what coverage counts. There is no `assert` in a suite: checks survive `python -O`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest

from pytest_vindex3.contract.difference import Difference
from pytest_vindex3.contract.outcome import Fault, Reply, Unjudged
from pytest_vindex3.law.registry import Clause, clauses
from pytest_vindex3.plugin.expect import Either, Expectation, Refuses, Side, meant

_Test = TypeVar("_Test", bound=Callable[..., object])

MOST_CLAUSES = 3


class SuiteError(Exception):
    """The suite itself is wrong: an unknown clause, two levels in one test, a clause never checked."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a test is red: the clause, the first difference or the fault, and the request that showed it.

    `expectation` is what the outcome was compared with; of alternatives, the one that is told of.
    """

    clause: Clause
    reply: Reply
    difference: Difference | None = None
    fault: Fault | None = None
    expectation: Expectation | None = None


class Failed(Exception):  # noqa: N818 -- a verdict, caught by the plugin
    """A check did not hold, or the implementation faulted; carries the `Failure`."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.clause.id)
        self.failure = failure


class NotRun(Exception):  # noqa: N818 -- a verdict, caught by the plugin
    """The condition that a clause needs cannot be made or measured here; carries the reason."""


@dataclass(slots=True)
class Record:
    """What one run of one test evaluated.

    Attributes:
        clauses: the clauses the test names, by id.
        sides: per clause, the sides on which a check of it was evaluated.
        choices: for checks of a `may`, which of the two conforming outcomes was met.
    """

    clauses: Mapping[str, Clause]
    sides: dict[str, set[Side]] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)

    def unchecked(self) -> list[str]:
        """Clauses that the test names and no check of it evaluated."""
        return [name for name in self.clauses if name not in self.sides]


_current: list[Record] = []


def begin(record: Record) -> None:
    """Start recording checks of one test."""
    _current.append(record)


def end() -> Record:
    """Stop recording; the record of the test that was begun last."""
    return _current.pop()


def clause(*ids: str) -> Callable[[_Test], _Test]:
    """Name the clauses that a test is about: at most three, of one level."""
    unknown = [name for name in ids if name not in clauses()]
    if unknown:
        raise SuiteError(f"no such clause: {', '.join(unknown)}")
    if not 1 <= len(ids) <= MOST_CLAUSES:
        raise SuiteError(f"a test names one to {MOST_CLAUSES} clauses, not {len(ids)}")
    if len({clauses()[name].level for name in ids}) > 1:
        raise SuiteError(f"clauses of several levels in one test: {', '.join(ids)}")
    return pytest.mark.vindex3_clause(*ids)


def cases(first: Mapping[str, Any] | None = None, /, **more: Any) -> Callable[[_Test], _Test]:
    """Run a test once a case, with the case's value as argument `case`; the first is the smallest."""
    named = {**(first or {}), **more}
    return pytest.mark.parametrize("case", list(named.values()), ids=list(named))


def check(clause_id: str, reply: Reply, expectation: Expectation) -> None:
    """Judge a reply by a clause.

    Raises:
        Failed: the reply is not as expected, or is a fault.
        NotRun: the door could not carry or measure the request.
        SuiteError: the test does not name the clause.
    """
    record = _current[-1] if _current else Record(clauses())
    law = record.clauses.get(clause_id)
    if law is None:
        raise SuiteError(f"{clause_id} is checked by a test that does not name it")
    outcome = reply.outcome
    if isinstance(outcome, Unjudged):
        raise NotRun(outcome.reason)
    record.sides.setdefault(clause_id, set()).update(expectation.sides)
    if isinstance(outcome, Fault):
        raise Failed(Failure(law, reply, fault=outcome, expectation=expectation))
    chosen = meant(expectation, outcome)
    difference = chosen.difference(outcome)
    if difference:
        raise Failed(Failure(law, reply, difference, expectation=chosen))
    if isinstance(expectation, Either):
        record.choices[clause_id] = _choice(chosen)


def _choice(chosen: Expectation) -> str:
    return f"refused as {' or '.join(chosen.kinds)}" if isinstance(chosen, Refuses) else "accepted"
