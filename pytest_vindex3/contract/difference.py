"""Comparison by type and value: 1, 1.0 and true are three values; floats compare by their bits."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, zip_longest
from typing import Any, Final, Protocol, runtime_checkable


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING: Final = _Missing()
_SIMPLE: Final = frozenset({int, str, bool, float, bytes, type(None)})
_EXACT: Final = _SIMPLE - {float}


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two values part: a dotted path, and what stands there on either side."""

    path: str
    expected: object
    found: object


@runtime_checkable
class Pattern(Protocol):
    """An expected value that says itself whether a found one fits."""

    def difference(self, found: object, path: str) -> Difference | None:
        """The first difference, or None where `found` fits."""
        ...


@cache
def _is_pattern(kind: type) -> bool:
    """To ask it of a protocol takes longer than most comparisons."""
    return issubclass(kind, Pattern)


def first_difference(expected: object, found: object, path: str = "") -> Difference | None:
    """The first place where `found` is not what is `expected`; more keys in an object are no difference."""
    if type(expected) in _SIMPLE:
        same = type(expected) is type(found) and _same_value(expected, found)
        return None if same else Difference(path, expected, found)
    if isinstance(expected, (list, tuple)):
        return _array_difference(expected, found, path)
    if isinstance(expected, (dict, Mapping)):
        return _object_difference(expected, found, path)
    pattern: Any = expected
    kind: Any = type(pattern)
    if _is_pattern(kind):
        difference: Difference | None = pattern.difference(found, path)
        return difference
    if type(expected) is type(found) and hasattr(expected, "dtype"):
        return _numbers_difference(expected, found, path)
    same = type(expected) is type(found) and _same_value(expected, found)
    return None if same else Difference(path, expected, found)


def _object_difference(expected: Mapping[str, object], found: object, path: str) -> Difference | None:
    if not isinstance(found, (dict, Mapping)):
        return Difference(path, expected, found)
    for key, value in expected.items():
        there = found.get(key, MISSING)
        if _equal(value, there):
            continue
        difference = first_difference(value, there, f"{path}.{key}" if path else key)
        if difference:
            return difference
    return None


def _array_difference(expected: Sequence[object], found: object, path: str) -> Difference | None:
    if not isinstance(found, list):
        return Difference(path, list(expected), found)
    for index, value in enumerate(expected):
        there = found[index] if index < len(found) else MISSING
        if _equal(value, there):
            continue
        difference = first_difference(value, there, f"{path}[{index}]")
        if difference:
            return difference
    if len(found) > len(expected):
        return Difference(f"{path}[{len(expected)}]", MISSING, found[len(expected)])
    return None


def _numbers_difference(expected: Any, found: Any, path: str) -> Difference | None:
    """Arrays of numbers: type and shape, then every number by its bits, NaN as one class."""
    for fact in ("dtype", "shape"):
        wanted, there = getattr(expected, fact), getattr(found, fact)
        if wanted != there:
            return Difference(f"{path}.{fact}" if path else fact, str(wanted), str(there))
    bits = f"V{expected.dtype.itemsize}"
    numbers = (expected == expected) | (found == found)
    differs = numbers & (expected.view(bits) != found.view(bits))
    if not differs.any():
        return None
    import numpy as np

    place = tuple(map(int, np.unravel_index(differs.argmax(), differs.shape)))
    where = path + "".join(f"[{index}]" for index in place)
    return Difference(where, expected[place].item(), found[place].item())


def _equal(expected: object, found: object) -> bool:
    """Whether both are one simple value: what most are, told without naming the place."""
    kind = type(expected)
    return kind is type(found) and kind in _EXACT and expected == found


def _same_value(expected: object, found: object) -> bool:
    if isinstance(expected, float) and isinstance(found, float):
        both_nan = expected != expected and found != found
        return both_nan or struct.pack("<d", expected) == struct.pack("<d", found)
    return expected == found


@dataclass(frozen=True, slots=True)
class FreeOrder:
    """A list whose order says nothing: each expected item meets one found item, and none is left over.

    Items that satisfy `ignored` may be there or not.
    """

    items: tuple[object, ...]
    ignored: object = MISSING

    def difference(self, found: object, path: str) -> Difference | None:
        """The first item that is missing, else the first that is left over."""
        if not isinstance(found, list):
            return Difference(path, list(self.items), found)
        matching = _Matching(self.items, found)
        missing = next((item for item in range(len(self.items)) if not matching.place(item)), None)
        left = [one for place, one in enumerate(found) if place not in matching.owners]
        if missing is not None:
            return Difference(path, self.items[missing], left)
        surplus = [one for one in left if self.ignored is MISSING or first_difference(self.ignored, one)]
        return Difference(path, MISSING, surplus[0]) if surplus else None


class _Matching:
    """Which expected item owns which found place; an item may fit several, as found ones hold more keys."""

    def __init__(self, items: Sequence[object], found: Sequence[object]) -> None:
        self.owners: dict[int, int] = {}
        self._places: dict[int, int] = {}
        self._items = items
        self._found = found

    def place(self, item: int) -> bool:
        """Give one more item a place of its own, moving others where that frees one."""
        came_from: dict[int, int] = {}
        waiting = [item]
        for owner in waiting:
            for place in chain(range(item, len(self._found)), range(min(item, len(self._found)))):
                if place in came_from or first_difference(self._items[owner], self._found[place]):
                    continue
                came_from[place] = owner
                if place not in self.owners:
                    self._move(place, came_from)
                    return True
                waiting.append(self.owners[place])
        return False

    def _move(self, place: int, came_from: Mapping[int, int]) -> None:
        """Let every item on the way to a free place move on by one."""
        free: int | None = place
        while free is not None:
            owner = came_from[free]
            self.owners[free] = owner
            before = self._places.get(owner)
            self._places[owner] = free
            free = before


def free_order(items: Iterable[object], ignored: object = MISSING) -> FreeOrder:
    """Expect these items in any order; see `FreeOrder`."""
    return FreeOrder(tuple(items), ignored)


@dataclass(frozen=True, slots=True)
class HexDigits:
    """A string of hexadecimal digits, capital or small."""

    digits: str

    def difference(self, found: object, path: str) -> Difference | None:
        """A difference unless `found` is these digits."""
        fits = isinstance(found, str) and found.upper() == self.digits.upper()
        return None if fits else Difference(path, self.digits, found)


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored JSON document: integers exactly, other numbers as binary64, so that 1.0 and 1 are alike."""

    document: object

    def difference(self, found: object, path: str) -> Difference | None:
        """The first difference between the two documents, missing and surplus keys included."""
        # Equal texts are equal documents; others may still be, so that the walk below decides.
        if repr(self.document) == repr(found):
            return None
        return _stored_difference(self.document, found, path)


def _stored_difference(expected: object, found: object, path: str) -> Difference | None:
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key in [*expected, *(key for key in found if key not in expected)]:
            place = f"{path}.{key}" if path else key
            difference = _stored_difference(expected.get(key, MISSING), found.get(key, MISSING), place)
            if difference:
                return difference
        return None
    if isinstance(expected, list) and isinstance(found, list):
        pairs = zip_longest(expected, found, fillvalue=MISSING)
        places = (_stored_difference(*pair, f"{path}[{at}]") for at, pair in enumerate(pairs))
        return next((place for place in places if place), None)
    if _is_number(expected) and _is_number(found):
        return None if expected == found else Difference(path, expected, found)
    return first_difference(expected, found, path)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
