"""What the law binds of a verdict, and what departs from it.

The reference says what becomes of an input. Another implementation departs only where every right one
would say the same: a clause that is advice, a choice, or a place that the law leaves open is no finding.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_vindex3.contract.difference import first_difference
from pytest_vindex3.contract.outcome import Answer, Fault, Misfit, Outcome, Refused, Unjudged
from pytest_vindex3.law.registry import kinds

Facts = Mapping[str, Any]
Binds = Callable[[Facts], bool]


def always(facts: Facts) -> bool:
    """Binding whatever the facts are."""
    del facts
    return True


def about(*fields: str) -> Binds:
    """Binding where the field, or the last word of its path, is one of these."""
    return lambda facts: str(facts.get("field")).rpartition(".")[2] in fields


@dataclass(frozen=True, slots=True)
class Demand:
    """What the law binds for one verb on the inputs of one target.

    Attributes:
        refuses: by kind, whether a refusal of the reference with these facts is one by a must.
        never: kinds of which no right reader says anything where the reference answers.
        first: kinds that a must puts before all others, each with those that may be named in its place.
        reports: defect kinds that a must lists; where the reference lists one, some defect is listed.
        same: keys of an answer that have one right value.
        closed: whether an input keeps clear of what the law leaves open; others are judged for faults alone.
    """

    refuses: Mapping[str, Binds] = field(default_factory=dict)
    never: Collection[str] = ()
    first: Mapping[str, Collection[str]] = field(default_factory=dict)
    reports: Collection[str] = ()
    same: tuple[str, ...] = ()
    closed: Callable[[bytes], bool] = lambda data: True

    def departure(self, data: bytes, expected: Outcome, found: Outcome) -> str:
        """How the found outcome departs from the expected one of the reference; empty where it does not.

        Args:
            data: the input.
            expected: what the reference gave.
            found: what the implementation gave, no fault.
        """
        judged = isinstance(expected, (Answer, Refused)) and isinstance(found, (Answer, Refused))
        if not judged or not self.closed(data):
            return ""
        match expected, found:
            case Refused(), Refused():
                return self._other_kind(expected, found)
            case Refused(), Answer():
                binds = self.refuses.get(expected.kind)
                return (
                    f"answered what is refused as {expected.kind}" if binds and binds(expected.names) else ""
                )
            case Answer(), Refused():
                return f"refused as {found.kind} what is answered" if found.kind in self.never else ""
            case Answer(right), Answer(value):
                return self._other_answer(right, value)
        return ""

    def _other_kind(self, expected: Refused, found: Refused) -> str:
        stand_ins = self.first.get(expected.kind)
        if stand_ins is None or found.kind == expected.kind or found.kind in stand_ins:
            return ""
        return f"refused as {found.kind}, not as {expected.kind}"

    def _other_answer(self, right: Any, value: Any) -> str:
        must, listed = self._listed(right), self._listed(value)
        if must and not value.get("defects"):
            return f"does not list {must[0]}, nor any other defect"
        if listed and not right.get("defects"):
            return f"lists {listed[0]}, and there is no defect"
        for key in self.same:
            difference = first_difference(right.get(key), value.get(key), key)
            if difference:
                return f"{difference.path} differs"
        return ""

    def _listed(self, answer: Any) -> list[str]:
        return [one["kind"] for one in answer.get("defects", ()) if one["kind"] in self.reports]


def trouble(outcome: Outcome) -> str:
    """Why an outcome is wrong whatever the input is; empty where it may be right."""
    match outcome:
        case Fault(what, detail):
            return f"{what}: {detail}"
        case Misfit(where, expected, found):
            return f"misfit: {where or 'the answer'} is {found}, not {expected}"
        case Refused(kind) if kind not in kinds():
            return f"refused as {kind!r}, which is no kind of the law"
        case Unjudged() | Answer() | Refused():
            return ""
