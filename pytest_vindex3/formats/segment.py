"""Segments of a container: the header's length, its JSON row by row, and the payload tensor by tensor."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3.formats._raw import printable, raw
from pytest_vindex3.formats._ruler import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.formats._source import Source

LENGTH_BYTES: Final = 8
HEADER_LIMIT: Final = 268_435_456
READ_LIMIT: Final = 1 << 26
"""Bytes of a header that is taken apart; a longer one is shown as bytes."""

_ROW: Final = re.compile(rb'\{(?:[^{}"\\]|"(?:[^"\\]|\\.)*")*\}')
_SHOWN: Final = 160


@dataclass(frozen=True, slots=True)
class _Tensor:
    """A row of the table whose range lies in the file, cut to the payload that is there."""

    name: str
    said: str
    start: int
    stop: int


class _Segment:
    name = "segment"

    def detect(self, leading: bytes, name: str) -> bool:
        length = int.from_bytes(leading[:LENGTH_BYTES], "little")
        framed = leading[LENGTH_BYTES : LENGTH_BYTES + 1] == b"{"
        return framed and (2 <= length <= HEADER_LIMIT or name.endswith(".bin"))

    def spans(self, source: Source) -> Iterator[Span]:
        if source.size < LENGTH_BYTES:
            yield raw(source, 0, "header length", marks=("truncated: a header length has 8 bytes",))
            return
        length = int.from_bytes(source.read(0, LENGTH_BYTES), "little")
        marks = tuple(_length_marks(length, source.size))
        yield Span(0, LENGTH_BYTES, "header length", f"{length:,} bytes", marks=marks)
        if marks or length > READ_LIMIT:
            yield raw(source, LENGTH_BYTES, "bytes")
            return
        start = LENGTH_BYTES + length
        text = source.read(LENGTH_BYTES, start)
        header = _parsed(text)
        yield from _header_spans(text, header)
        yield from _payload_spans(source, start, header)


def _length_marks(length: int, size: int) -> Iterator[str]:
    if length > HEADER_LIMIT:
        yield f"header-too-large: the limit is {HEADER_LIMIT:,}"
    elif LENGTH_BYTES + length > size:
        yield f"truncated: the file ends {LENGTH_BYTES + length - size:,} bytes before the header does"


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _header_spans(text: bytes, header: Any) -> Iterator[Span]:
    """The header: each row of the table on its own, what stands before and behind, the padding."""
    body = text.rstrip(b" ")
    if header is None:
        yield _text_span(0, body, "header", marks=("malformed-json",))
    else:
        place = 0
        for number, row in enumerate(_rows(body)):
            if place < row.start():
                yield _text_span(place, body[place : row.start()], "header")
            place = row.end() + body.startswith(b",", row.end())
            yield _text_span(row.start(), body[row.start() : place], f"tensors[{number}]")
        if place < len(body):
            yield _text_span(place, body[place:], "header")
    if len(body) < len(text):
        yield Span(LENGTH_BYTES + len(body), len(text) - len(body), "header padding")


def _rows(body: bytes) -> Iterator[re.Match[bytes]]:
    """The innermost objects, which in a header are the rows of its table."""
    return (row for row in _ROW.finditer(body) if row.end() < len(body))


def _text_span(place: int, text: bytes, field: str, *, marks: tuple[str, ...] = ()) -> Span:
    if len(text) <= _SHOWN:
        return Span(LENGTH_BYTES + place, len(text), field, note=printable(text), marks=marks)
    return Span(LENGTH_BYTES + place, len(text), field, marks=marks, decode=printable)


def _payload_spans(source: Source, start: int, header: Any) -> Iterator[Span]:
    place = start
    for tensor in sorted(_tensors(header, start, source.size), key=lambda one: (one.start, one.stop)):
        about: dict[str, object] = {"tensor": tensor.name}
        if tensor.start > place:
            yield Span(place, tensor.start - place, "gap", marks=("table-layout: no tensor has these bytes",))
        begin = max(place, tensor.start)
        if begin < tensor.stop:
            marks = ("table-layout: overlap",) if begin > tensor.start else ()
            said = tensor.said if begin == tensor.start else f"+{begin - tensor.start}"
            yield Span(
                begin, tensor.stop - begin, tensor.name, note=said, marks=marks, paths=("data",), about=about
            )
        else:
            within = ", within another one" if tensor.stop > tensor.start else ""
            yield Span(place, 0, f"{tensor.name}: {tensor.said}, from {tensor.start - start}{within}")
        place = max(place, tensor.stop)
    if place < source.size:
        yield raw(source, place, "payload that no row has", marks=("table-layout",) if header else ())


def _tensors(header: Any, start: int, size: int) -> Iterator[_Tensor]:
    """The rows of a table that say where something lies; what else a row says is only told."""
    table = header.get("tensors") if isinstance(header, dict) else None
    for row in table if isinstance(table, list) else ():
        if not isinstance(row, dict):
            continue
        offset, length = row.get("offset"), row.get("len")
        if type(offset) is not int or type(length) is not int or offset < 0 or length < 0:
            continue
        said = f"{row.get('dtype')} {row.get('shape')}, {length:,} bytes"
        begin, end = min(size, start + offset), min(size, start + offset + length)
        if end < start + offset + length:
            said += ", of which the file has fewer"
        yield _Tensor(str(row.get("name")), said, begin, end)


FORMAT = _Segment()
