"""The tables of a LYRW file, record by record, up to the place where the file ends or breaks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from pytest_vindex3.formats._raw import raw
from pytest_vindex3.formats._ruler import Span
from pytest_vindex3.formats.lyrw.fields import Said, Values, record_spans, say_bank, say_header, say_schema
from vindex3_reference.lyrw import vocabulary, wire

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    import numpy as np

    from pytest_vindex3.formats._source import Source

ROW: Final = wire.ROW.itemsize
ZERO_ROWS: Final = 4
"""From so many rows of zeros on, they are one line."""


@dataclass(slots=True)
class Bank:
    """A bank as its descriptor says; `schemas` is where its schemas begin."""

    bank_id: int
    schema_count: int
    num_entries: int
    schemas: int = 0


@dataclass(slots=True)
class Segment:
    """A segment: its bank, None where no descriptor declares it, and where its rows lie.

    `rows` is the number declared; `first` numbers its first row over all segments.
    """

    position: int
    bank: Bank | None
    first_entry: int
    rows: int
    at: int = 0
    first: int = 0


class Tables:
    """Walks the tables of a source once, by `spans`; the other attributes are right after that.

    Attributes:
        whole: whether every table lies wholly in the file, and its records can be trusted.
        table_bytes: the sum of all tables as declared, in bytes, exact however large.
        end: where the tables end in the file.
        banks, segments: what the tables declare.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.whole = False
        self.table_bytes = 0
        self.end = 0
        self.banks: list[Bank] = []
        self.segments: list[Segment] = []
        self._by_id: dict[int, Bank] = {}

    def spans(self) -> Iterator[Span]:
        """Every byte of the tables; where the file breaks, all the rest of it."""
        source, whole = self.source, wire.HEADER.itemsize
        other = source.size >= whole and self._number(4, 8) != wire.FORMAT_VERSION
        header = record_spans(source, 0, wire.HEADER, "header", say_header, path="header")
        yield from islice(header, 2 if other else None)
        if source.size < whole:
            yield self._cut("header", 0, whole)
            return
        if other:
            yield raw(source, 8, "not read: what another generation keeps here")
            return
        self.end = whole
        banks, segments = self._number(12, 14), self._number(14, 16)
        if not (yield from self._table("bank descriptor table", wire.BANK, banks, self._bank)):
            return
        if not (yield from self._table("segment descriptor table", wire.SEGMENT, segments, self._segment)):
            return
        if not (yield from self._schemas()):
            return
        self._place_rows()
        self.whole = yield from self._rows()

    def coordinates(self, row: int) -> tuple[Segment, int, int]:
        """The segment of a row that is numbered over all segments, its entry and its schema."""
        low, high = 0, len(self.segments)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.segments[middle].first <= row else (low, middle)
        segment = self.segments[low]
        entry, schema = divmod(row - segment.first, segment.bank.schema_count if segment.bank else 1)
        return segment, segment.first_entry + entry, schema

    def row_name(self, segment: Segment, entry: int, schema: int) -> str:
        """The coordinates of a row as text; the bank only where there are several."""
        bank = f"bank_id {segment.bank.bank_id} " if segment.bank and len(self.banks) > 1 else ""
        return f"{bank}entry {entry} schema {schema}"

    def about(self, segment: Segment, entry: int, schema: int) -> dict[str, object]:
        """The coordinates of a row as requests and facts name them; none in a segment of no bank."""
        if segment.bank is None:
            return {}
        at = segment.bank.schemas + wire.SCHEMA.itemsize * schema
        tag = self._number(at + 2, at + 4)
        role = vocabulary.ROLES[tag] if tag < len(vocabulary.ROLES) else tag
        return {"bank_id": segment.bank.bank_id, "entry": entry, "schema_index": schema, "role": role}

    def _number(self, start: int, stop: int) -> int:
        return int.from_bytes(self.source.read(start, stop), "little")

    def _cut(self, what: str, at: int, need: int, note: str = "") -> Span:
        mark = f"truncated: {what}, the record at {at} needs {need} bytes and has {self.source.size - at}"
        return Span(self.source.size, 0, "the file ends here", note=note, marks=(mark,))

    def _table(
        self,
        what: str,
        record: np.dtype[np.void],
        count: int,
        one: Callable[[int, int], Iterator[Span]],
    ) -> Generator[Span, None, bool]:
        """The records of one table; returns whether all are there."""
        for position in range(count):
            at = self.end
            yield from one(position, count)
            if self.source.size - at < record.itemsize:
                yield self._cut(what, at, record.itemsize, f"{position} of {count} records are whole")
                return False
            self.end += record.itemsize
        return True

    def _bank(self, position: int, count: int) -> Iterator[Span]:
        at, number = self.end, self._number
        prefix = f"bank {position}" if count > 1 else "bank"
        yield from record_spans(
            self.source,
            at,
            wire.BANK,
            prefix,
            lambda name, value, _: say_bank(name, value, self._by_id),
            path=f"banks[{position}]",
        )
        if self.source.size - at >= wire.BANK.itemsize:
            bank = Bank(number(at, at + 2), number(at + 4, at + 6), number(at + 8, at + 12))
            self.banks.append(bank)
            self._by_id.setdefault(bank.bank_id, bank)

    def _segment(self, position: int, count: int) -> Iterator[Span]:
        at = self.end
        prefix = f"segment {position}" if count > 1 else "segment"
        path = f"segments[{position}]"
        yield from record_spans(self.source, at, wire.SEGMENT, prefix, self._say_segment, path=path)
        if self.source.size - at >= wire.SEGMENT.itemsize:
            bank = self._by_id.get(self._number(at, at + 2))
            first, entries = self._number(at + 4, at + 8), self._number(at + 8, at + 12)
            self.segments.append(Segment(position, bank, first, entries * bank.schema_count if bank else 0))

    def _say_segment(self, name: str, value: int, values: Values) -> Said:
        bank = self._by_id.get(values["bank_id"])
        if name == "bank_id" and not bank:
            return Said(str(value), marks=("unknown-bank",))
        if name == "entry_count" and bank and values["first_entry"] + value > bank.num_entries:
            last = f"{values['first_entry']} + {value} of {bank.num_entries} entries"
            return Said(str(value), marks=(f"segment-out-of-bounds: {last}",))
        return Said(str(value))

    def _schemas(self) -> Generator[Span, None, bool]:
        for place, bank in enumerate(self.banks):
            bank.schemas = self.end
            prefix = f"bank {place} schema" if len(self.banks) > 1 else "schema"

            def one(
                position: int, count: int, prefix: str = prefix, place: int = place, bank: Bank = bank
            ) -> Iterator[Span]:
                del count
                return record_spans(
                    self.source,
                    self.end,
                    wire.SCHEMA,
                    f"{prefix} {position}",
                    lambda name, value, values: say_schema(name, value, values, position),
                    path=f"banks[{place}].schemas[{position}]",
                    about={"bank_id": bank.bank_id, "schema_index": position},
                )

            if not (yield from self._table("region schema table", wire.SCHEMA, bank.schema_count, one)):
                return False
        return True

    def _place_rows(self) -> None:
        at, first = self.end, 0
        for segment in self.segments:
            segment.at, segment.first = at, first
            at += ROW * segment.rows
            first += segment.rows
        self.table_bytes = at

    def _rows(self) -> Generator[Span, None, bool]:
        for segment in self.segments:
            stop = min(self.source.size, segment.at + ROW * segment.rows)
            place = segment.at
            while stop - place >= ROW:
                zeros = self.zero_rows(place, stop)
                if zeros:
                    yield self._zero_rows(segment, place, zeros)
                else:
                    yield from self._row(segment, place)
                place += ROW * max(zeros, 1)
            if place < segment.at + ROW * segment.rows:
                yield from self._cut_row(segment, place)
                return False
        self.end = self.table_bytes
        return True

    def zero_rows(self, place: int, stop: int) -> int:
        """How many rows of nothing but zeros begin at `place`; 0 where they are too few for one line."""
        if any(self.source.read(place, place + ROW)):
            return 0
        rows = self.source.run(place, stop) // ROW
        return rows if rows >= ZERO_ROWS else 0

    def _at(self, segment: Segment, place: int) -> tuple[Segment, int, int]:
        return self.coordinates(segment.first + (place - segment.at) // ROW)

    def _row_name(self, segment: Segment, place: int) -> str:
        return self.row_name(*self._at(segment, place))

    def _zero_rows(self, segment: Segment, place: int, rows: int) -> Span:
        first, last = self._row_name(segment, place), self._row_name(segment, place + ROW * (rows - 1))
        note = f"{rows} rows of zeros, up to {last}"
        return Span(place, ROW * rows, first, note=note, marks=("region-in-tables",))

    def _row(self, segment: Segment, place: int) -> Iterator[Span]:
        name = self._row_name(segment, place)
        offset, length = self._number(place, place + 8), self._number(place + 8, place + ROW)
        about = self.about(*self._at(segment, place))
        marks = tuple(self._offset_marks(offset))
        yield Span(place, 8, f"{name}.offset", str(offset), marks=marks, paths=("offset",), about=about)
        excess = offset + length - self.source.size
        mark = (f"region-out-of-bounds: {excess} bytes beyond the end of the file",) if excess > 0 else ()
        yield Span(place + 8, 8, f"{name}.length", str(length), marks=mark, paths=("length",), about=about)

    def _offset_marks(self, offset: int) -> Iterator[str]:
        if offset % wire.ALIGNMENT:
            yield f"misaligned: no multiple of {wire.ALIGNMENT}"
        if offset < self.table_bytes:
            yield f"region-in-tables: they end at {self.table_bytes}"

    def _cut_row(self, segment: Segment, place: int) -> Iterator[Span]:
        name = self._row_name(segment, place)
        yield from record_spans(self.source, place, wire.ROW, name, lambda _, value, __: Said(str(value)))
        declared = sum(segment.rows for segment in self.segments)
        there = segment.first + (place - segment.at) // ROW
        yield self._cut("entry table", place, ROW, f"{there} of {declared} rows are whole")
