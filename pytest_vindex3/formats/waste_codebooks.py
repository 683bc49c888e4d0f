"""codebooks.bin of a WASTE container: book by book, the entries as the numbers that they are."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from pytest_vindex3.formats._fields import Field, field_spans, values_at
from pytest_vindex3.formats._raw import raw
from pytest_vindex3.formats._ruler import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.formats._source import Source

MAGIC: Final = b"WCBK"
HEADER: Final = (
    Field("magic", 4, text=True),
    Field("id", 2),
    Field("fmt", 1),
    Field("vec_dim", 1),
    Field("entries", 4),
    Field("zero", 4),
)
HEADER_BYTES: Final = sum(field.length for field in HEADER)


class _WasteCodebooks:
    name = "waste_codebooks"

    def detect(self, leading: bytes, name: str) -> bool:
        return leading.startswith(MAGIC) or name == "codebooks.bin"

    def spans(self, source: Source) -> Iterator[Span]:
        """Books as long as the first says; they are all equal."""
        first = values_at(source, 0, HEADER)
        entries, vec_dim = first.get("entries", 0), first.get("vec_dim", 0)
        if source.size < HEADER_BYTES or not 1 <= entries <= 256 or not 1 <= vec_dim <= 64:
            yield from field_spans(source, 0, HEADER, "book 0", marks=_marks(source, 0, first, first))
            if source.size > HEADER_BYTES:
                yield raw(source, HEADER_BYTES, "bytes", note="the book has no size that a format has")
            return
        length = HEADER_BYTES + 2 * entries * vec_dim
        for number, at in enumerate(range(0, source.size, length)):
            yield from _book(source, at, length, number, first)


def _book(source: Source, at: int, length: int, number: int, first: dict[str, int]) -> Iterator[Span]:
    values = values_at(source, at, HEADER)
    marks = _marks(source, at, values, first)
    if "id" in values and values["id"] != number & 0xFFFF:
        marks["id"] = f"codebook-header: book {number}"
    yield from field_spans(source, at, HEADER, f"book {number}", marks=marks, about={"book": number})
    start, end = at + HEADER_BYTES, min(source.size, at + length)
    row = 2 * first["vec_dim"]
    for entry, place in enumerate(range(start, end, row)):
        stop = min(end, place + row)
        yield Span(place, stop - place, f"book {number} entry {entry}", decode=_halves)
    if end < at + length:
        yield Span(
            end, 0, f"book {number} ends here", marks=(f"partial-codebook: {at + length - end} bytes lack",)
        )


def _marks(source: Source, at: int, values: dict[str, int], first: dict[str, int]) -> dict[str, str]:
    found = source.read(at, min(source.size, at + 4))
    marks = {} if found == MAGIC else {"magic": "codebook-header: the magic is 57 43 42 4B"}
    for name in ("vec_dim", "entries"):
        if name in values and values[name] != first[name]:
            marks[name] = f"codebook-header: the first book has {first[name]}"
    if values.get("zero"):
        marks["zero"] = "codebook-header: not zero"
    return marks


def _halves(data: bytes, within: int) -> str:
    if within % 2 or len(data) % 2:
        return ""
    return ", ".join(f"{value:.5g}" for value in struct.unpack(f"<{len(data) // 2}e", data))


FORMAT = _WasteCodebooks()
