"""Bytes of no format that is known here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3.formats._ruler import Span

if TYPE_CHECKING:
    from pytest_vindex3.formats._source import Source


def printable(data: bytes, within: int = 0) -> str:
    """The bytes as ASCII, a point for what has no glyph."""
    del within
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)


def raw(source: Source, start: int, field: str, *, note: str = "", marks: tuple[str, ...] = ()) -> Span:
    """One span from `start` to the end of the source."""
    return Span(start, source.size - start, field, note=note, marks=marks, decode=printable)
