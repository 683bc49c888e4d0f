"""Which exception of a map is about which tensor: the first that matches (representation.md, section 6)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import U64

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from vindex3_reference.representation.precision_map import Rule

NO_DEPTH = -1
"""The depth of a name that begins with no integer of 64 bits: it is in no range."""
ANY_DEPTH = (NO_DEPTH, U64)
LONGEST = len(str(U64))


class Place(NamedTuple):
    """What the selectors of an exception see of a tensor's name.

    Attributes:
        projection: the second-to-last dotted part; None where there is none (PRECISION-MATCH-01).
        depth: the first dotted part as an integer, or `NO_DEPTH` (PRECISION-MATCH-02).
    """

    projection: str | None
    depth: int

    @classmethod
    def of(cls, name: str) -> Place:
        """The place that a stored name gives."""
        parts = name.split(".")
        return cls(parts[-2] if len(parts) > 1 else None, _depth(parts[0]))


class Matcher:
    """The exceptions of a map, ready to be asked which of them is about a tensor.

    Args:
        rules: the exceptions in declared order.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        by_projection: defaultdict[str | None, list[int]] = defaultdict(list)
        for index, rule in enumerate(rules):
            by_projection[rule.projection].append(index)
        self._steps = {key: _Steps(rules, indices) for key, indices in by_projection.items()}

    def first(self, place: Place) -> int | None:
        """The position of the first exception that matches; None where none does (PRECISION-FIRST-01)."""
        found = [
            self._steps[projection].at(place.depth)
            for projection in {None, place.projection}
            if projection in self._steps
        ]
        return min((index for index in found if index is not None), default=None)

    def dead(self, places: Iterable[Place]) -> Iterator[Refusal]:
        """Each exception that decides nothing, or leaves nothing to those after it (PRECISION-DEAD-01).

        Args:
            places: those of all eligible tensors.
        """
        distinct = set(places)
        depths = _depths(distinct)
        deciding = set(map(self.first, distinct))
        for index, rule in enumerate(self._rules):
            if rule.selects_all and index < len(self._rules) - 1:
                yield _dead(index, "catch-all-not-last")
            elif index not in deciding:
                theirs = depths.get(rule.projection, [])
                yield _dead(index, "shadowed" if theirs[_within(theirs, rule)] else "unmatched")


class _Steps:
    """The first exception at each depth, among those of one projection.

    It changes where a range begins or has ended, and nowhere else. Each exception takes those steps of its
    range that no earlier one took, so that thousands cost little more than to sort them.
    """

    def __init__(self, rules: Sequence[Rule], indices: Iterable[int]) -> None:
        ranges = {index: rules[index].layers or ANY_DEPTH for index in indices}
        ends = (end for first, last in ranges.values() for end in (first, last + 1))
        self._begins = sorted({NO_DEPTH, *ends})
        self._first: dict[int, int] = {}
        untaken = list(self._begins)
        for index in ranges:
            own = _within(untaken, rules[index])
            self._first.update(dict.fromkeys(untaken[own], index))
            del untaken[own]

    def at(self, depth: int) -> int | None:
        return self._first.get(self._begins[bisect_right(self._begins, depth) - 1])


def _depths(places: Iterable[Place]) -> dict[str | None, list[int]]:
    """The depths at which each projection occurs, ascending; under None those of all tensors."""
    found: defaultdict[str | None, set[int]] = defaultdict(set)
    for place in places:
        found[None].add(place.depth)
        found[place.projection].add(place.depth)
    return {projection: sorted(depths) for projection, depths in found.items()}


def _within(depths: Sequence[int], rule: Rule) -> slice:
    """Where the depths of the rule's range lie."""
    first, last = rule.layers or ANY_DEPTH
    return slice(bisect_left(depths, first), bisect_right(depths, last))


def _depth(part: str) -> int:
    digits = part.lstrip("0") or part[:1]
    if not (part.isascii() and part.isdigit()) or len(digits) > LONGEST:
        return NO_DEPTH
    depth = int(digits)
    return depth if depth <= U64 else NO_DEPTH


def _dead(index: int, reason: str) -> Refusal:
    return Refusal("dead-rule", f"exception {index} is dead: {reason}", index=index, reason=reason)
