"""What lies where in the file of a plan, as far as a person wants to know it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3.formats.lyrw.schemas import Shape, ruled
from vindex3_reference.lyrw import vocabulary, wire

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vindex3_reference.lyrw.layout import Layout, Placed

MOST_REGIONS: Final = 200_000
"""Regions that are looked at one by one; a plan of more is told by its totals."""

_VOCABULARIES: Final = {
    "role": vocabulary.ROLES,
    "format": vocabulary.FORMATS,
    "packing": vocabulary.PACKINGS,
    "layout": vocabulary.LAYOUTS,
}


@dataclass(frozen=True, slots=True)
class PlacedBank:
    """A bank of the plan with the shape of each of its schemas."""

    bank_id: int
    kind: str | int
    entries: int
    dims: tuple[int, int, int]
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class PlacedEntry:
    """An entry and its regions, in file order."""

    bank_id: int
    entry: int
    regions: tuple[Placed, ...]

    @property
    def start(self) -> int:
        """Where its first region begins."""
        return self.regions[0].offset

    @property
    def stop(self) -> int:
        """Where its last region ends."""
        return self.regions[-1].offset + self.regions[-1].length


@dataclass(frozen=True, slots=True)
class PlacedSegment:
    """A segment with its entry rows and its entries; `entries` is empty where there are too many."""

    bank_id: int
    segment_index: int
    first_entry: int
    entry_count: int
    rows_at: int
    entries: Sequence[PlacedEntry]


class Placement:
    """The layout of a plan, by banks, segments and entries.

    Attributes:
        layout: where everything lies, region by region.
        banks, segments: as the plan declares them.
        complete: whether every region was looked at.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        plan = layout.plan
        self.banks = [self._bank(position) for position in range(len(plan.banks))]
        self._by_id = {bank.bank_id: bank for bank in self.banks}
        found = list(islice(layout.regions(), MOST_REGIONS + 1))
        self.complete = len(found) <= MOST_REGIONS
        self.regions: Sequence[Placed] = found[:MOST_REGIONS]
        self.segments = list(self._segments())

    @property
    def payload(self) -> int:
        """Bytes from the first region to the end of the last."""
        return self.layout.file_length - self.layout.payload_start

    def bank(self, bank_id: int) -> PlacedBank:
        """The bank of that number; a legal plan has one."""
        return self._by_id[bank_id]

    def tables(self) -> list[tuple[str, int, int, int]]:
        """Name, offset, number and bytes of each table."""
        layout, plan = self.layout, self.layout.plan
        rows = (layout.table_bytes - layout.entry_table) // wire.ROW.itemsize
        return [
            ("header", 0, 1, layout.bank_table),
            ("banks", layout.bank_table, len(plan.banks), plan.banks.nbytes),
            ("segments", layout.segment_table, len(plan.segments), plan.segments.nbytes),
            ("schemas", layout.schema_table, len(plan.schemas), plan.schemas.nbytes),
            ("entry rows", layout.entry_table, rows, layout.table_bytes - layout.entry_table),
        ]

    def _bank(self, position: int) -> PlacedBank:
        plan = self.layout.plan
        bank_id, kind, _, _, entries, *dims = plan.banks[position].item()
        first, end = plan.first_schema[position : position + 2]
        shapes = tuple(self._shape(place) for place in range(first, end))
        word = vocabulary.shown(vocabulary.BANK_KINDS, kind)
        return PlacedBank(bank_id, word, entries, (dims[0], dims[1], dims[2]), shapes)

    def _shape(self, place: int) -> Shape:
        plan = self.layout.plan
        record = plan.schemas[place]
        schema: dict[str, Any] = {key: int(record[key]) for key in ("schema_index", "rows", "cols")}
        for key, words in _VOCABULARIES.items():
            schema[key] = vocabulary.shown(words, int(record[key]))
        pair_id = int(record["pair_id"])
        schema["pair_id"] = None if pair_id == wire.UNPAIRED else pair_id
        length = plan.lengths[place]
        return ruled(schema) if length is None else Shape(schema, length)

    def _segments(self) -> list[PlacedSegment]:
        layout, found, begin = self.layout, [], 0
        for position, record in enumerate(layout.plan.segments):
            bank_id, index, first, count = record.item()
            width = len(self.bank(bank_id).shapes)
            own = self.regions[begin : begin + width * count] if self.complete else ()
            begin += width * count
            entries = [
                PlacedEntry(bank_id, first + number, tuple(own[width * number : width * (number + 1)]))
                for number in range(len(own) // width)
            ]
            at = layout.entry_tables[position]
            found.append(PlacedSegment(bank_id, index, first, count, at, entries))
        return found
