"""The entry tables of a layer file as one run of rows, as far as the file has them."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vindex3_reference.lyrw import checks, vocabulary, wire
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vindex3_reference.lyrw.reader import LayerFile

    Array = NDArray[Any]
    Records = NDArray[np.void]

AT_ONCE = 1 << 17
"""Rows read and judged at once: 2 MiB."""


class Place(NamedTuple):
    """What a row speaks of; `entry` counts over the whole bank."""

    bank_id: int
    entry: int
    schema_index: int
    role: str | int


class EntryRows:
    """The rows of all segments, numbered through: segment as declared, entry, schema.

    Attributes:
        declared: how many rows the tables should have, however large.
        count: how many of them are whole in the file.
    """

    def __init__(self, layer: LayerFile) -> None:
        self._layer = layer
        self._at = layer.entry_tables[0] if layer.entry_tables else layer.table_bytes
        size = wire.ROW.itemsize
        self.declared = (layer.table_bytes - self._at) // size
        self.count = min(self.declared, (layer.source.length - self._at) // size)
        self._starts = [(table - self._at) // size for table in layer.entry_tables]
        # Opening refused every segment of an undeclared bank.
        self._banks = [layer.bank_position(bank_id) or 0 for bank_id in layer.segments["bank_id"].tolist()]

    def truncated(self) -> Iterator[Refusal]:
        """The first row that is not whole, where the file has not all of them (LYRW-COST-04)."""
        if self.count < self.declared:
            need = wire.ROW.itemsize
            at = self._at + need * self.count
            have = self._layer.source.length - at
            yield Refusal(
                "truncated",
                f"the entry table needs {need} bytes at {at}, and {have} are there",
                what="entry table",
                at=at,
                need=need,
                have=have,
            )

    def parts(self) -> Iterator[tuple[int, Array, Array]]:
        """The rows that are there, part by part: the number of the first, then offsets and lengths.

        Raises:
            Refusal: `truncated`, where the file became shorter since it was opened.
        """
        size = wire.ROW.itemsize
        for first in range(0, self.count, AT_ONCE):
            wanted = min(AT_ONCE, self.count - first)
            at = self._at + size * first
            raw = self._layer.source.read(at, size * wanted)
            checks.whole("entry table", at, size, wanted, at + len(raw))
            rows = np.frombuffer(raw, wire.ROW)
            yield first, rows["offset"].copy(), rows["length"].copy()

    def of_schemas(self, values: Array, first: int, count: int) -> Array:
        """What `values` has, schema by schema of the file, for each of `count` rows from `first`."""
        segments = slice(self._segment(first), self._segment(first + count - 1) + 1)
        starts = self._starts[segments]
        if len(starts) == 1:
            width, base = self._columns(segments.start)
            phase = (first - starts[0]) % width
            entries = -(-(phase + count) // width)
            return np.tile(values[base : base + width], entries)[phase : phase + count]
        _, begins, widths, bases = self._per_row(segments, first, count)
        chosen: Array = values[(np.arange(first, first + count) - begins) % widths + bases]
        return chosen

    def entries(self, first: int, count: int) -> Array:
        """The entry of each of `count` rows from `first`, counted over its whole bank."""
        segments = slice(self._segment(first), self._segment(first + count - 1) + 1)
        counts, begins, widths, _ = self._per_row(segments, first, count)
        first_entries = self._layer.segments["first_entry"][segments].astype(np.int64)
        local: Array = (np.arange(first, first + count) - begins) // widths
        return np.repeat(first_entries, counts) + local

    def schema(self, row: int) -> int:
        """The schema of a row, by its position in the file's schema table."""
        segment = self._segment(row)
        width, base = self._columns(segment)
        schema: int = base + (row - self._starts[segment]) % width
        return schema

    def place(self, row: int) -> Place:
        """What the row of this number speaks of."""
        segment = self._segment(row)
        width, base = self._columns(segment)
        bank_id, _, first_entry, _ = self._layer.segments[segment].item()
        local_entry, schema_index = divmod(row - self._starts[segment], width)
        role = int(self._layer.schemas["role"][base + schema_index])
        return Place(
            bank_id, first_entry + local_entry, schema_index, vocabulary.shown(vocabulary.ROLES, role)
        )

    def _per_row(self, segments: slice, first: int, count: int) -> tuple[Array, Array, Array, Array]:
        """How many of `count` rows each segment has; of each row, its segment's begin and columns."""
        starts = self._starts[segments]
        counts = np.diff([first, *starts[1:], first + count])
        columns = np.array([self._columns(position) for position in range(segments.start, segments.stop)])
        begins, widths, bases = (np.repeat(each, counts) for each in (np.array(starts), *columns.T))
        return counts, begins, widths, bases

    def _segment(self, row: int) -> int:
        """The segment that has this row: the last that begins at or before it."""
        return bisect_right(self._starts, row) - 1

    def _columns(self, segment: int) -> tuple[int, int]:
        """How many schemas a segment's bank has, and the place of the first of them."""
        base, end = self._layer.first_schema[self._banks[segment] : self._banks[segment] + 2]
        return end - base, base
