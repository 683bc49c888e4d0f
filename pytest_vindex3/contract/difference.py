"""Comparison by type and value: 1, 1.0 and true are three values; floats compare by their bits."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING: Final = _Missing()


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


def first_difference(expected: object, found: object, path: str = "") -> Difference | None:
    """The first place where `found` is not what is `expected`; more keys in an object are no difference."""
    if isinstance(expected, Pattern):
        return expected.difference(found, path)
    if isinstance(expected, Mapping):
        return _object_difference(expected, found, path)
    if isinstance(expected, (list, tuple)):
        return _array_difference(expected, found, path)
    same = type(expected) is type(found) and _same_value(expected, found)
    return None if same else Difference(path, expected, found)


def _object_difference(expected: Mapping[str, object], found: object, path: str) -> Difference | None:
    if not isinstance(found, Mapping):
        return Difference(path, expected, found)
    for key, value in expected.items():
        place = f"{path}.{key}" if path else key
        difference = first_difference(value, found.get(key, MISSING), place)
        if difference:
            return difference
    return None


def _array_difference(expected: Sequence[object], found: object, path: str) -> Difference | None:
    if not isinstance(found, list):
        return Difference(path, list(expected), found)
    for index, value in enumerate(expected):
        difference = first_difference(
            value, found[index] if index < len(found) else MISSING, f"{path}[{index}]"
        )
        if difference:
            return difference
    if len(found) > len(expected):
        return Difference(f"{path}[{len(expected)}]", MISSING, found[len(expected)])
    return None


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
        left = list(found)
        for item in self.items:
            match = next(
                (place for place, other in enumerate(left) if first_difference(item, other) is None), None
            )
            if match is None:
                return Difference(path, item, left)
            del left[match]
        surplus = [item for item in left if self.ignored is MISSING or first_difference(self.ignored, item)]
        return Difference(path, MISSING, surplus[0]) if surplus else None


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
        expected = self.document
        if isinstance(expected, Mapping) and isinstance(found, Mapping):
            for key in [*expected, *(key for key in found if key not in expected)]:
                place = f"{path}.{key}" if path else key
                difference = Stored(expected.get(key, MISSING)).difference(found.get(key, MISSING), place)
                if difference:
                    return difference
            return None
        if isinstance(expected, list) and isinstance(found, list):
            return _array_difference([Stored(item) for item in expected], found, path)
        if _is_number(expected) and _is_number(found):
            return None if expected == found else Difference(path, expected, found)
        return first_difference(expected, found, path)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
