"""The lines of a JSON document, which are what a ruler shows of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pytest_vindex3.formats._raw import printable
from pytest_vindex3.formats._ruler import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.formats._source import Source

_AT_ONCE: Final = 1 << 16


def document_spans(source: Source) -> Iterator[Span]:
    """A span for each line of the text, its line feed included."""
    if not source.size:
        yield Span(0, 0, "no bytes")
    for number, (start, stop) in enumerate(_text_lines(source), 1):
        yield Span(start, stop - start, f"line {number}", decode=printable)


def _text_lines(source: Source) -> Iterator[tuple[int, int]]:
    """Where each line of text begins and ends."""
    start = 0
    for at in range(0, source.size, _AT_ONCE):
        block = source.read(at, min(source.size, at + _AT_ONCE))
        for feed in re.finditer(rb"\n", block):
            yield start, at + feed.end()
            start = at + feed.end()
    if start < source.size:
        yield start, source.size
