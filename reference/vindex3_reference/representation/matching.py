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


class Matches:
    """The first matching exception of each place, found for all places together.

    An exception is compared with the places of its projection alone, and takes those of its range that no
    earlier one took: thousands of exceptions over thousands of tensors cost little more than either.

    Args:
        rules: the exceptions in declared order.
        places: those of eligible tensors.
    """

    def __init__(self, rules: Sequence[Rule], places: Iterable[Place]) -> None:
        self._rules = rules
        self._places = set(places)
        self._depths = _depths(self._places)
        self._first: dict[tuple[str | None, int], int] = {}
        untaken = {projection: list(depths) for projection, depths in self._depths.items()}
        for index, rule in enumerate(rules):
            depths = untaken.get(rule.projection, [])
            matched = _within(depths, rule)
            for depth in depths[matched]:
                self._first[rule.projection, depth] = index
            del depths[matched]

    def first(self, place: Place) -> int | None:
        """The position of the exception that decides a place; None where none is about it."""
        of_any = self._first.get((None, place.depth))
        of_projection = self._first.get((place.projection, place.depth))
        return min((index for index in (of_any, of_projection) if index is not None), default=None)

    def dead(self) -> Iterator[Refusal]:
        """Each exception that decides nothing, or leaves nothing to those after it (PRECISION-DEAD-01)."""
        deciding = set(map(self.first, self._places))
        for index, rule in enumerate(self._rules):
            if rule.selects_all and index < len(self._rules) - 1:
                yield _dead(index, "catch-all-not-last")
            elif index not in deciding:
                depths = self._depths.get(rule.projection, [])
                yield _dead(index, "shadowed" if depths[_within(depths, rule)] else "unmatched")


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
