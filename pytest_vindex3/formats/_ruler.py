"""Named stretches of a file, and the lines of annotated bytes that show them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pytest_vindex3.formats._source import Source

ROW: Final = 16
"""Bytes that a line of payload spells out."""
RUN: Final = 32
"""From so many equal bytes on, a line states their number instead."""
FIELD: Final = 8
"""No field of a table is longer; equal bytes of a shorter stretch are still spelled out."""
HOLE: Final = 1 << 20
"""From so many zero bytes on, a run is written as a hole."""
HEAD: Final = 64
"""Bytes of payload that a short dump of a large file shows of each stretch."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of file that has one name; without length, a remark at its place.

    Attributes:
        offset, length: where it lies, in bytes.
        field: what it is, such as "header.magic".
        value: what is stored there, as a person reads it.
        note: what there is to know besides.
        marks: what is wrong there, each beginning with the kind that the law has for it.
        decode: the values of a line's bytes, given their place within the span; "" where there are none.
        paths: where an answer tells of these bytes, such as "banks[0].kind"; if it does.
        about: the coordinates of what the bytes belong to, as requests and facts name them.
    """

    offset: int
    length: int
    field: str
    value: str = ""
    note: str = ""
    marks: tuple[str, ...] = ()
    decode: Callable[[bytes, int], str] | None = None
    paths: tuple[str, ...] = ()
    about: Mapping[str, object] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a dump.

    Attributes:
        offset, length: the bytes it stands for.
        data: these bytes; of a run of equal bytes, one of them; None where they are left out.
        field, value, note, marks, paths, about: as of `Span`.
    """

    offset: int
    length: int
    data: bytes | None
    field: str
    value: str = ""
    note: str = ""
    marks: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    about: Mapping[str, object] = dataclasses.field(default_factory=dict)

    @property
    def body(self) -> str:
        """The bytes in the notation of annotated bytes."""
        if self.data is None:
            return f"omitted {self.length}"
        if len(self.data) == self.length:
            return self.data.hex(" ").upper()
        if self.data != b"\0":
            return f"repeat {self.length} {self.data.hex().upper()}"
        return f"{'hole' if self.length >= HOLE else 'zeros'} {self.length}"

    @property
    def comment(self) -> str:
        """Everything but the bytes and the marks."""
        said = " = ".join(filter(None, (self.field, self.value)))
        return ", ".join(filter(None, (said, self.note)))

    @property
    def warning(self) -> str:
        """The marks, as they stand at the end of a comment."""
        return f"! {'; '.join(self.marks)}" if self.marks else ""

    def text(self, width: int) -> str:
        """The line, its offset right-aligned in `width` columns."""
        remark = "  ".join(filter(None, (self.comment, self.warning)))
        if not self.length:
            return f"; {remark}"
        line = f"{self.offset:>{width}}  {self.body:<{3 * FIELD - 1}}"
        return f"{line}  ; {remark}" if remark else line.rstrip()

    def json(self) -> dict[str, Any]:
        """The line as plain data; `hex` of a run is one byte, of left-out bytes null."""
        return {
            "offset": self.offset,
            "length": self.length,
            "hex": None if self.data is None else self.data.hex(),
            "field": self.field,
            "value": self.value,
            "note": self.note,
            "marks": list(self.marks),
        }


def offset_width(source: Source) -> int:
    """Columns that the offsets of a dump take."""
    return max(4, len(str(source.size)))


def lines(source: Source, spans: Iterable[Span], *, short: bool = False) -> Iterator[Line]:
    """The lines that show `spans`; where `short`, long stretches only by their beginning."""
    for span in spans:
        yield from _span_lines(source, span, short)


def _span_lines(source: Source, span: Span, short: bool) -> Iterator[Line]:
    place, end = span.offset, span.offset + span.length
    if span.length <= FIELD:
        yield _line(span, place, span.length, source.read(place, end))
        return
    while place < end:
        run = source.run(place, end)
        if run < end - place:  # what follows keeps its place in the rows
            run -= (place + run - span.offset) % ROW
        if run >= RUN or (run == end - place and run > FIELD):
            yield _line(span, place, run, source.read(place, place + 1))
            place += run
        elif short and place - span.offset >= HEAD:
            yield _line(span, place, end - place, None)
            return
        else:
            stop = min(end, place + ROW)
            yield _line(span, place, stop - place, source.read(place, stop))
            place = stop


def _line(span: Span, place: int, length: int, data: bytes | None) -> Line:
    within = place - span.offset
    spelled = data is not None and len(data) == length
    value = span.decode(data, within) if span.decode and spelled and data else ""
    if within:
        return Line(place, length, data, f"+{within}", value)
    said = value or span.value
    return Line(place, length, data, span.field, said, span.note, span.marks, span.paths, span.about)
