"""Expectations: what an outcome must be for a check to hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from pytest_vindex3.contract.difference import MISSING, Difference, first_difference
from pytest_vindex3.contract.outcome import Answer, Misfit, Outcome, Refused
from pytest_vindex3.law.registry import kinds, nearest_kinds

Side = Literal["legal", "wrong"]


class Expectation(Protocol):
    """What a check compares an outcome with.

    `sides` says whether the input was a legal or a wrong one, which is what coverage counts.
    """

    @property
    def sides(self) -> frozenset[Side]:
        """The sides of a clause that evaluating this covers."""
        ...

    def difference(self, outcome: Outcome) -> Difference | None:
        """The first difference, or None where the outcome is as expected."""
        ...


@dataclass(frozen=True, slots=True)
class Answers:
    """An answer that has these keys with these values; further keys are allowed at every level."""

    keys: Mapping[str, object]
    sides: frozenset[Side] = frozenset({"legal"})

    def difference(self, outcome: Outcome) -> Difference | None:
        """See `Expectation`."""
        if not isinstance(outcome, Answer):
            return Difference("", "an answer", _said(outcome))
        return first_difference(self.keys, outcome.value)


@dataclass(frozen=True, slots=True)
class Refuses:
    """A refusal of one of these kinds that names these facts; further facts are allowed."""

    kinds: tuple[str, ...]
    names: Mapping[str, object]
    sides: frozenset[Side] = frozenset({"wrong"})

    def difference(self, outcome: Outcome) -> Difference | None:
        """See `Expectation`."""
        wanted = f"refused as {' or '.join(self.kinds)}"
        if not isinstance(outcome, Refused):
            return Difference("", wanted, _said(outcome))
        if outcome.kind not in self.kinds:
            return Difference("refused", wanted, _said(outcome))
        return first_difference(self.names, outcome.names, "names")


@dataclass(frozen=True, slots=True)
class Either:
    """Two outcomes that both conform, where a clause says may."""

    first: Expectation
    second: Expectation
    sides: frozenset[Side] = frozenset({"legal", "wrong"})

    def difference(self, outcome: Outcome) -> Difference | None:
        """The difference from the alternative of the outcome's own sort."""
        if self.first.difference(outcome) is None:
            return None
        second = self.second.difference(outcome)
        refused = isinstance(outcome, Refused)
        return second if refused or second is None else self.first.difference(outcome)


@dataclass(frozen=True, slots=True)
class AtMost:
    """A measured quantity that must not exceed a bound: a cost, judged like an answer."""

    what: str
    bound: float
    measured: float
    sides: frozenset[Side] = frozenset({"legal", "wrong"})

    def difference(self, outcome: Outcome) -> Difference | None:
        """A difference where the measured quantity is above the bound, whatever the outcome is."""
        del outcome
        within = self.measured <= self.bound
        return None if within else Difference(self.what, f"at most {self.bound}", self.measured)


def answers(observation: Mapping[str, object] | None = None, /, **keys: object) -> Answers:
    """Expect an answer with at least these keys."""
    return Answers({**(observation or {}), **keys})


def refuses(kind: str, /, *more_kinds: str, **names: object) -> Refuses:
    """Expect a refusal of this kind (or one of several) that names at least these facts."""
    return Refuses((kind, *more_kinds), names)


def either(first: Expectation, second: Expectation) -> Either:
    """Expect one of two outcomes, both of which conform."""
    return Either(first, second)


def _said(outcome: Outcome) -> str:
    if isinstance(outcome, Answer):
        return "an answer"
    if isinstance(outcome, Refused):
        if outcome.kind in kinds():
            return f"refused as {outcome.kind}"
        near = nearest_kinds(outcome.kind)
        hint = f"; nearest: {', '.join(near)}" if near else ""
        return f"refused as {outcome.kind!r}, which is no kind of the law{hint}"
    if isinstance(outcome, Misfit):
        return f"{outcome.where or 'the answer'} is {outcome.found}, not {outcome.expected}"
    return MISSING.__repr__()
