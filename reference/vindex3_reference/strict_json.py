"""The hardened JSON reader that every untrusted document passes through (container.md, section 2).

The standard library's C scanner does the reading. It is exact about tokens, escapes and commas; what
it lets pass (repeated keys, NaN, lone surrogates, exponents beyond binary64) is noted in its hooks or
found in passes over the bytes that take linear time, and refused once the grammar is known to hold.
Depth is counted before it starts, so that it never runs out of stack.

Two bounds, both within what the law leaves free: `MAX_DEPTH` levels of nesting, and numbers that
binary64 can hold. Integers of up to 308 digits and many of 309 are therefore exact; a longer one is
refused like 1e999, and never converted, since that would take quadratic time.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, NoReturn

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None

MAX_DEPTH = 128
"""Arrays and objects within each other, the root counted: twice what must be read, and far less than
what the stack of an interpreter has room for."""

DIGITS_OF_LARGEST = 309
"""Digits of the largest integer that binary64 can hold."""
SHOWN_DIGITS = 640
"""So many digits every interpreter converts, however low its own limit is set."""

_DIGITS_ALIKE = bytes.maketrans(b"123456789", b"000000000")
_LONG_RUN = b"0" * DIGITS_OF_LARGEST
_ESCAPE = re.compile(rb"\\.", re.DOTALL)
_NO_STRUCTURE = bytes(set(range(256)) - set(b'[]{}"'))
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_SUSPECT = re.compile(r"\\u[dD][89a-fA-F]")
# Each match is one whole escape, or a pair, so that no half of a pair looks like a lone surrogate.
_SURROGATE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
# Strings are matched to be skipped; possessive, since backtracking would take memory per escape.
_CONSTANT = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|(-?Infinity|NaN)', re.DOTALL)


def parse(document: bytes, path: str) -> Json:
    """The value of a JSON document: integers exact, keys and strings as written.

    Args:
        document: all bytes of the document.
        path: the file that refusals name.

    Raises:
        Refusal: `malformed-json` with `offset` (in bytes) and `line` of the fault; `nesting-too-deep`;
            `duplicate-key`; `out-of-range` for a number that binary64 cannot hold.
    """
    return _Reading(document, path).value()


def deepest(document: bytes) -> int:
    """The depth of nesting, counted up to the first fault of the grammar and perhaps beyond it.

    What is no bracket outside a string says nothing: escapes are dropped first, so that every quote
    left begins or ends a string. Two quotes side by side leave all else inside or outside as it was.
    """
    unescaped = _ESCAPE.sub(b"", document) if b"\\" in document else document
    structure = unescaped.translate(None, _NO_STRUCTURE).replace(b'""', b"")
    brackets = b"".join(structure.split(b'"')[::2])
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


class _Beyond:
    """A number that binary64 cannot hold, in its place until it is named and refused."""

    def __init__(self, literal: str) -> None:
        self.literal = literal

    def shown(self) -> int | str:
        """The integer where it is one that can be converted at once, else how it begins."""
        if len(self.literal) > SHOWN_DIGITS:
            return f"{self.literal[:SHOWN_DIGITS]}..."
        return int(self.literal) if self.literal.lstrip("-").isdigit() else self.literal


class _Reading:
    """One document on its way from bytes to value, with the faults noted meanwhile."""

    def __init__(self, document: bytes, path: str) -> None:
        self._document = document
        self._path = path
        self._repeated: list[str] = []
        self._constant = False
        self._beyond = False

    def value(self) -> Json:
        text = self._decoded()
        self._check_depth()
        value = self._scanned(text)
        self._check_tokens(text)
        if self._repeated:
            key = self._repeated[0]
            raise Refusal(
                "duplicate-key", f"{self._path}: one object has {key!r} twice", path=self._path, key=key
            )
        if self._beyond:
            self._refuse_beyond(value)
        return value

    def _decoded(self) -> str:
        try:
            text = str(self._document, "utf-8")
        except UnicodeDecodeError as error:
            self._refuse_at(error.start, f"not UTF-8 ({error.reason})")
        if text.startswith("\ufeff"):
            self._refuse_at(0, "a byte-order mark")
        return text

    def _check_depth(self) -> None:
        opened = self._document.count(b"[") + self._document.count(b"{")
        if opened > MAX_DEPTH and deepest(self._document) > MAX_DEPTH:
            raise Refusal(
                "nesting-too-deep",
                f"{self._path} nests deeper than {MAX_DEPTH} levels",
                path=self._path,
            )

    def _scanned(self, text: str) -> Json:
        long_integers = _has_long_run(self._document)
        decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=self._integer if long_integers else int,
            parse_float=self._real,
            parse_constant=self._note_constant,
        )
        try:
            value: Json = decoder.decode(text)
        except json.JSONDecodeError as error:
            self._refuse(text, error.pos, error.msg)
        return value

    def _object(self, pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        members = dict(pairs)
        if len(members) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            self._repeated += [key for key, count in counts.items() if count > 1]
        return members

    def _integer(self, literal: str) -> int | _Beyond:
        if len(literal) < DIGITS_OF_LARGEST:
            return int(literal)
        if len(literal.lstrip("-")) > DIGITS_OF_LARGEST or math.isinf(float(literal)):
            self._beyond = True
            return _Beyond(literal)
        return int(literal)

    def _real(self, literal: str) -> float | _Beyond:
        number = float(literal)
        if math.isinf(number):
            self._beyond = True
            return _Beyond(literal)
        return number

    def _note_constant(self, _: str) -> None:
        self._constant = True

    def _check_tokens(self, text: str) -> None:
        """Refuse what the scanner takes and RFC 8259 does not have: lone surrogates, NaN, infinities."""
        if _SUSPECT.search(text):
            self._refuse_first(_SURROGATE.finditer(text), "a lone surrogate", text)
        if self._constant:
            self._refuse_first(_CONSTANT.finditer(text), "no number", text)

    def _refuse_first(self, matches: Iterator[re.Match[str]], what: str, text: str) -> None:
        """Refuse the first match that has a group."""
        for match in matches:
            if match[1]:
                self._refuse(text, match.start(), f"{match[1]} is {what}")

    def _refuse_beyond(self, value: Json) -> NoReturn:
        place, number = next(_beyond_in(value))
        field = "".join(place).removeprefix(".")
        raise Refusal(
            "out-of-range",
            f"{self._path}: {field or 'the root'} is beyond binary64",
            path=self._path,
            field=field,
            value=number.shown(),
        )

    def _refuse(self, text: str, position: int, what: str) -> NoReturn:
        self._refuse_at(len(text[:position].encode()), what)

    def _refuse_at(self, offset: int, what: str) -> NoReturn:
        line = self._document.count(b"\n", 0, offset) + 1
        raise Refusal(
            "malformed-json",
            f"{self._path}, line {line}, byte {offset}: {what}",
            path=self._path,
            offset=offset,
            line=line,
        )


def _has_long_run(document: bytes) -> bool:
    """Whether digits stand together that may be an integer beyond binary64.

    Every third of such a run has one of the bytes that are looked at first.
    """
    looked_at = document[:: DIGITS_OF_LARGEST // 3].translate(_DIGITS_ALIKE)
    return b"000" in looked_at and _LONG_RUN in document.translate(_DIGITS_ALIKE)


def _beyond_in(value: object, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], _Beyond]]:
    """The numbers that were put off, each with the steps that lead to it."""
    if isinstance(value, _Beyond):
        yield place, value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _beyond_in(member, (*place, f".{key}"))
    elif isinstance(value, list):
        for index, element in enumerate(value):
            yield from _beyond_in(element, (*place, f"[{index}]"))
