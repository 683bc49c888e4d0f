"""What follows the tables of a LYRW file: regions, padding, and bytes that are neither."""

from __future__ import annotations

import heapq
import struct
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final

from pytest_vindex3.formats._raw import printable
from pytest_vindex3.formats._ruler import Span
from pytest_vindex3.formats.lyrw.fields import word
from pytest_vindex3.formats.lyrw.tables import ROW
from vindex3_reference.lyrw import vocabulary, wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_vindex3.formats._source import Source
    from pytest_vindex3.formats.lyrw.tables import Tables

MAPPED: Final = 1 << 18
"""Rows whose regions are looked up, so that memory has a bound; a file of more rows is told so."""

_ROW_MAJOR: Final = vocabulary.PACKINGS.index("row_major")
_F32, _F16, _BF16 = (vocabulary.FORMATS.index(name) for name in ("f32", "f16", "bf16"))
_FLOATS: Final = {_F32: (4, "f"), _F16: (2, "e"), _BF16: (2, "f")}
"""Bytes of a value, and the letter by which `struct` reads it."""


@dataclass(frozen=True, slots=True, order=True)
class _Region:
    """A region from `start` to `stop`, cut to what follows the tables and lies within the file.

    `row` counts over all segments; `offset` is the declared one.
    """

    start: int
    row: int
    stop: int
    offset: int


class Payload:
    """Walks everything from the end of the tables on, by the regions that the rows declare.

    Bytes that several regions claim are shown once, under the region of the earliest row.
    """

    def __init__(self, source: Source, tables: Tables) -> None:
        self.source = source
        self.tables = tables
        found = list(islice(self._declared(), MAPPED + 1))
        self.complete = len(found) <= MAPPED
        self.placed = all(segment.bank for segment in tables.segments)
        self.regions = sorted(found[:MAPPED])
        padded = min(wire.aligned(tables.table_bytes), source.size)
        self.last = max([padded, *(region.stop for region in self.regions)])

    def spans(self) -> Iterator[Span]:
        """Every byte from the end of the tables on; regions of no bytes as remarks at their place."""
        if not self.complete:
            yield Span(self.tables.end, 0, f"below, only the regions of the first {MAPPED} rows have names")
        stops, ended, begun = sorted(region.stop for region in self.regions), 0, 0
        active: list[tuple[int, _Region]] = []
        for start, stop in pairwise(self._places()):
            first = begun
            while begun < len(self.regions) and self.regions[begun].start <= start:
                heapq.heappush(active, (self.regions[begun].row, self.regions[begun]))
                begun += 1
            while ended < len(stops) and stops[ended] <= start:
                ended += 1
            while active and active[0][1].stop <= start:
                heapq.heappop(active)
            shown = active[0][1] if active else None
            yield from self._beginning(first, begun, shown)
            if start < stop:
                yield self._claimed(shown, start, stop, begun - ended) if shown else self._gap(start, stop)

    def _declared(self) -> Iterator[_Region]:
        """The region of each row, by rows, but for what lies in the tables or beyond the file."""
        floor, size = self.tables.end, self.source.size
        for segment in self.tables.segments:
            stop = segment.at + ROW * segment.rows
            place = segment.at
            while place < stop:
                zeros = self.tables.zero_rows(place, stop)
                if not zeros:
                    offset, length = struct.unpack("<QQ", self.source.read(place, place + ROW))
                    if floor <= offset <= size if not length else offset < size and offset + length > floor:
                        row = segment.first + (place - segment.at) // ROW
                        yield _Region(max(offset, floor), row, min(offset + length, size), offset)
                place += ROW * max(zeros, 1)

    def _places(self) -> list[int]:
        """Where a region begins or ends, and the ends of everything; the last twice, for remarks there."""
        places = {self.tables.end, min(self.last, self.source.size), self.source.size}
        places.update(region.start for region in self.regions)
        places.update(region.stop for region in self.regions)
        return [*sorted(places), self.source.size]

    def _beginning(self, first: int, begun: int, shown: _Region | None) -> Iterator[Span]:
        """Remarks on regions that begin where others are shown, or have no bytes."""
        for region in self.regions[first:begun]:
            if region.start == region.stop:
                yield Span(region.start, 0, f"{self._name(region)}: no bytes, at {region.start}")
            elif region is not shown:
                begins = f"{self._name(region)} begins here"
                yield Span(region.start, 0, begins, marks=("overlap",), about=self._about(region))

    def _claimed(self, region: _Region, start: int, stop: int, claims: int) -> Span:
        marks = (f"overlap: {claims} regions have these bytes",) if claims > 1 else ()
        within = start - region.offset
        _, form, packing, rows, cols = self._schema(region)
        field = f"{self._name(region)} +{within}" if within else self._name(region)
        note = (
            f"as {_plain('format', form)} {_plain('packing', packing)} {rows} x {cols}" if not within else ""
        )
        return Span(
            start,
            stop - start,
            field,
            note=note,
            marks=marks,
            decode=_decoder(form, packing, within),
            paths=() if within else ("data",),
            about=self._about(region),
        )

    def _gap(self, start: int, stop: int) -> Span:
        if not self.complete or not self.placed:
            why = (
                "of other regions, or padding" if self.placed else "not placed: a segment of an unknown bank"
            )
            return Span(start, stop - start, why, decode=printable)
        if start >= self.last:
            mark = f"trailing-bytes: {stop - start} bytes after the last region"
            return Span(start, stop - start, "trailing", marks=(mark,), decode=printable)
        zeros = self.source.run(start, stop) if self.source.read(start, start + 1) == b"\0" else 0
        marks = (f"non-zero-padding: at {start + zeros}",) if zeros < stop - start else ()
        paths = ("payload_start", "table_bytes") if start == self.tables.table_bytes else ()
        return Span(start, stop - start, "padding", marks=marks, paths=paths)

    def _name(self, region: _Region) -> str:
        role = _plain("role", self._schema(region)[0])
        return f"{self.tables.row_name(*self.tables.coordinates(region.row))} {role}"

    def _about(self, region: _Region) -> dict[str, object]:
        return self.tables.about(*self.tables.coordinates(region.row))

    def _schema(self, region: _Region) -> tuple[int, int, int, int, int]:
        """Role, format, packing, rows and cols of the schema of a region."""
        segment, _, position = self.tables.coordinates(region.row)
        at = (segment.bank.schemas if segment.bank else 0) + wire.SCHEMA.itemsize * position
        record = self.source.read(at, at + wire.SCHEMA.itemsize)
        _, role, form, packing, _, _, rows, cols = struct.unpack("<6H2I", record)
        return role, form, packing, rows, cols


def _plain(name: str, tag: int) -> str:
    """A tag as its word, an unknown one with its number."""
    number, _, said = word(name, tag).partition(" ")
    return f"{name} {number}" if said in ("unknown", "vendor", "reserved") else said


def _decoder(form: int, packing: int, within: int) -> Callable[[bytes, int], str] | None:
    """How the values of a line are shown, for formats that need nothing but the line itself."""
    if packing != _ROW_MAJOR or form not in _FLOATS:
        return None
    size, letter = _FLOATS[form]

    def decode(data: bytes, place: int) -> str:
        if (within + place) % size or len(data) % size:
            return ""
        count = len(data) // size
        if form == _BF16:
            data = b"".join(b"\0\0" + data[at : at + size] for at in range(0, len(data), size))
        return ", ".join(f"{value:.6g}" for value in struct.unpack(f"<{count}{letter}", data))

    return decode
