"""Edits of JSON documents: values, keys and numbers of their trees, and faults of their texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final

from vindex3_fixtures.json_faults import FAULTS
from vindex3_fixtures.json_text import Raw, Way, at, changed, json_text, removed
from vindex3_fixtures.json_twins import TWINS

_NUMBERS: Final = tuple(
    number + step
    for power in (0, 7, 8, 15, 16, 31, 32, 53, 63, 64)
    for number in (1 << power,)
    for step in (-1, 0, 1)
)
_SPELT: Final = tuple(map(Raw, ("4.0", "4e0", "-0", "1e999", "0.5", "-1", '"\\ud83d\\ude00"')))
_OTHERS: Final[tuple[Any, ...]] = (None, True, False, "", "x", [], {}, 0, -1, 1.5)
_MOST_FAULT: Final = 2000
_STRING: Final = re.compile(rb'"[^"\\]*"')
_OPEN: Final = re.compile(rb"null|-0|\d{19}|[eE][+-]?\d{3}|(?:[\[{][^\[{\]}]*){48}")
"""What the law leaves open, or advises, outside of strings: null, great numbers, great depth."""
_WHOLE_FRACTION: Final = re.compile(rb"\d\.0+(?!\d)|\d[eE]")


def closed(data: bytes) -> bool:
    """Whether a document keeps clear of what the law leaves open of texts, numbers and null."""
    return not _OPEN.search(_STRING.sub(b'""', data)) and b"\\" not in data and data.isascii()


def closed_to_fractions(data: bytes) -> bool:
    """The same of documents in which it is advice that 8.0 is no integer (WASTE-JSON-08)."""
    return closed(data) and not _WHOLE_FRACTION.search(_STRING.sub(b'""', data))


class DocumentEdits:
    """Edits of documents with words of a dictionary among them.

    Args:
        words: tokens in JSON, such as `"schema"` in its quotes.
    """

    def __init__(self, words: Sequence[bytes]) -> None:
        texts = [word.decode("ascii") for word in words]
        self._tokens = [Raw(text) for text in texts]
        self._keys = [text[1:-1] for text in texts if text.startswith('"') and "\\" not in text]
        self._edits: tuple[Callable[[Any, Way, Random], Any], ...] = (
            *[self._number] * 3,
            *[self._alike] * 3,
            *[self._member] * 2,
            self._value,
            self._removal,
            self._key,
            self._list,
            self._wrapping,
        )

    def __call__(self, data: bytes, numbers: Random) -> bytes:
        """The document after one edit; now and then with a fault of its text, or another spelling."""
        try:
            document = _read(data)
            if numbers.random() < 0.1:
                return _respelt(data, numbers) if isinstance(document, dict) else _torn(data, numbers)
            places = list(_places(document))
            if not places:
                return _torn(data, numbers)
            return json_text(numbers.choice(self._edits)(document, numbers.choice(places), numbers))
        except (ValueError, RecursionError):
            return _torn(data, numbers)

    def _value(self, document: Any, way: Way, numbers: Random) -> Any:
        source = numbers.choice((_OTHERS, _SPELT, self._tokens))
        return changed(document, way, numbers.choice(source) if source else None)

    def _number(self, document: Any, way: Way, numbers: Random) -> Any:
        """Another integer, near the one that is there or at the end of a range."""
        ways = [one for one in _places(document) if type(at(document, one)) is int]
        if not ways:
            return self._value(document, way, numbers)
        way = numbers.choice(ways)
        value = at(document, way)
        near = (value + 1, value - 1, -value, 2 * value, value // 2, value + (1 << 32))
        return changed(document, way, numbers.choice((*near, numbers.choice(_NUMBERS), numbers.randrange(9))))

    def _alike(self, document: Any, way: Way, numbers: Random) -> Any:
        """What stands in another place and is of the same type."""
        sort = type(at(document, way))
        found = [at(document, one) for one in _places(document)]
        return changed(document, way, numbers.choice([one for one in found if type(one) is sort]))

    def _key(self, document: Any, way: Way, numbers: Random) -> Any:
        """Another key for a member, a word of the dictionary for one."""
        if not isinstance(way[-1], str):
            return self._removal(document, way, numbers)
        value = at(document, way)
        key = numbers.choice(self._keys) if self._keys and numbers.random() < 0.7 else way[-1].swapcase()
        return changed(removed(document, way), (*way[:-1], key), value)

    def _removal(self, document: Any, way: Way, numbers: Random) -> Any:
        del numbers
        return removed(document, way)

    def _list(self, document: Any, way: Way, numbers: Random) -> Any:
        """A list with an element more, fewer, or in another order."""
        ways = [one for one in _places(document) if isinstance(at(document, one), list)]
        if not ways:
            return self._removal(document, way, numbers)
        way = numbers.choice(ways)
        items = list(at(document, way))
        items += numbers.choices(items, k=numbers.randrange(3)) if items else []
        numbers.shuffle(items)
        return changed(document, way, items[numbers.randrange(2) :])

    def _wrapping(self, document: Any, way: Way, numbers: Random) -> Any:
        value = at(document, way)
        return changed(document, way, [value] if numbers.random() < 0.5 else {"x": value})

    def _member(self, document: Any, way: Way, numbers: Random) -> Any:
        """One more member: a known key with any value, or an unknown one."""
        ways = [one for one in ((), *_places(document)) if isinstance(at(document, one), dict)]
        if not ways:
            return self._value(document, way, numbers)
        key = numbers.choice(self._keys) if self._keys and numbers.random() < 0.5 else "x"
        return changed(document, (*numbers.choice(ways), key), numbers.choice(_OTHERS))


def _read(data: bytes) -> Any:
    """The document, in which numbers but integers stay as they are spelt."""
    return json.loads(data, parse_float=Raw, parse_constant=Raw)


def _places(value: Any, way: Way = ()) -> Iterator[Way]:
    """The way to every member and element of a document, but not its root."""
    waiting: list[tuple[Way, Any]] = [(way, value)]
    while waiting:
        here, one = waiting.pop()
        inner = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        for step, item in inner:
            yield (*here, step)
            waiting.append(((*here, step), item))


def _respelt(data: bytes, numbers: Random) -> bytes:
    """The text of an object with one fault, or spelt another way; torn where it has no place for that."""
    edit = numbers.choice((numbers.choice(FAULTS), numbers.choice(TWINS))).edit
    try:
        edited = edit(data)
    except (ValueError, LookupError, StopIteration):
        return _torn(data, numbers)
    return edited if len(edited) <= len(data) + _MOST_FAULT else data[:-1]


def _torn(data: bytes, numbers: Random) -> bytes:
    """The text without a part, or with a part of it twice."""
    start = numbers.randrange(len(data) + 1)
    end = numbers.randrange(start, len(data) + 1)
    return data[:start] + data[end:] if numbers.random() < 0.7 else data[:end] + data[start:]


def smaller(data: bytes) -> Iterator[bytes]:
    """Documents with a member less, or a value that is simpler; of other texts those with a part less."""
    try:
        document = _read(data)
        compact = json_text(document)
    except (ValueError, RecursionError):
        yield from without_parts(data)
        return
    if len(compact) < len(data):
        yield compact
    places = sorted(_places(document), key=len)
    for way in places:
        yield json_text(removed(document, way))
    for way in places:
        if at(document, way) not in (0, "", None):
            yield from (json_text(changed(document, way, plain)) for plain in (0, ""))


def without_parts(data: bytes) -> Iterator[bytes]:
    """The bytes without a part, great parts first."""
    size = (len(data) + 1) // 2
    while size:
        for start in range(0, len(data), size):
            yield data[:start] + data[start + size :]
        size //= 2
