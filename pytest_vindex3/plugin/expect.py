"""Expectations: what an outcome must be for a check to hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from pytest_vindex3.contract.difference import MISSING, Difference, first_difference
from pytest_vindex3.contract.outcome import Answer, Misfit, Outcome, Refused
from pytest_vindex3.law.registry import kinds, nearest_kinds

_LONGEST_KIND = 100

Side = Literal["legal", "wrong"]


class Words(str):
    """What stands for a value in a difference and is none: it is shown as it is, without quotes."""

    __slots__ = ()


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
            return Difference("", Words("an answer"), said(outcome))
        return first_difference(self.keys, outcome.value)


@dataclass(frozen=True, slots=True)
class Refuses:
    """A refusal of one of these kinds that names these facts; further facts are allowed."""

    kinds: tuple[str, ...]
    names: Mapping[str, object]
    sides: frozenset[Side] = frozenset({"wrong"})

    def difference(self, outcome: Outcome) -> Difference | None:
        """See `Expectation`."""
        wanted = Words(f"refused as {' or '.join(self.kinds)}")
        if not isinstance(outcome, Refused):
            return Difference("", wanted, said(outcome))
        if outcome.kind not in self.kinds:
            return Difference("refused", wanted, said(outcome))
        return next(iter(self.differing(outcome).values()), None)

    def differing(self, outcome: Refused) -> dict[str, Difference]:
        """The facts that the refusal lacks or has otherwise, each with its first difference."""
        pairs = {
            name: first_difference(value, outcome.names.get(name, MISSING), f"names.{name}")
            for name, value in self.names.items()
        }
        return {name: difference for name, difference in pairs.items() if difference}


def _apart(difference: Difference | None) -> int:
    """Whether an outcome differs in what it says, in its kind, or in being an answer or a refusal."""
    return {"refused": 1, "": 2}.get(difference.path, 0) if difference else 0


@dataclass(frozen=True, slots=True)
class Either:
    """Two outcomes that both conform, where a clause says may."""

    first: Expectation
    second: Expectation
    sides: frozenset[Side] = frozenset({"legal", "wrong"})

    def difference(self, outcome: Outcome) -> Difference | None:
        """The difference from the alternative that is meant."""
        return self.meant(outcome).difference(outcome)

    def meant(self, outcome: Outcome) -> Expectation:
        """The alternative that fits, else the one of the outcome's own sort and kind."""
        fitting = (one for one in (self.first, self.second) if one.difference(outcome) is None)
        return next(fitting, None) or self._nearest(outcome)

    def _nearest(self, outcome: Outcome) -> Expectation:
        both = (self.second, self.first) if isinstance(outcome, Refused) else (self.first, self.second)
        return min(both, key=lambda one: _apart(one.difference(outcome)))


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
        return None if within else Difference(self.what, Words(f"at most {self.bound}"), self.measured)


def answers(observation: Mapping[str, object] | None = None, /, **keys: object) -> Answers:
    """Expect an answer with at least these keys."""
    return Answers({**(observation or {}), **keys})


def refuses(kind: str, /, *more_kinds: str, **names: object) -> Refuses:
    """Expect a refusal of this kind (or one of several) that names at least these facts."""
    return Refuses((kind, *more_kinds), names)


def either(first: Expectation, second: Expectation) -> Either:
    """Expect one of two outcomes, both of which conform."""
    return Either(first, second)


def meant(expectation: Expectation, outcome: Outcome) -> Expectation:
    """The expectation itself, of alternatives the one that an outcome is judged by."""
    while isinstance(expectation, Either):
        expectation = expectation.meant(outcome)
    return expectation


def said(outcome: Outcome) -> Words:
    """What an outcome is, without its values."""
    if isinstance(outcome, Answer):
        return Words("an answer")
    if isinstance(outcome, Refused):
        if outcome.kind in kinds():
            return Words(f"refused as {outcome.kind}")
        near = nearest_kinds(outcome.kind[:_LONGEST_KIND])
        hint = f"; nearest: {', '.join(near)}" if near else ""
        return Words(f"refused as {outcome.kind[:_LONGEST_KIND]!r}, which is no kind of the law{hint}")
    if isinstance(outcome, Misfit):
        return Words(f"{outcome.where or 'the answer'} is {outcome.found}, not {outcome.expected}")
    return Words(repr(MISSING))
