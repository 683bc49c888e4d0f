"""A layer file opened from its header and descriptors; entry tables and payload stay on disk.

Opening takes three reads: the header, which says how many descriptors follow; the descriptors,
which say how many schemas follow; the schemas. Every table is compared with the bytes that the
file has before it is read, so that no declared count reserves memory (LYRW-COST-01 to 03).
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Self

import numpy as np

from vindex3_reference.lyrw import checks, wire
from vindex3_reference.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from numpy.typing import NDArray

    Records = NDArray[np.void]

SCHEMAS_AT_ONCE = 0xFFFF
"""Schemas judged together; a larger table is read in parts, so that a hole in it costs no memory."""


class LayerFile:
    """A layer file whose tables were read and found legal; use it as a context manager.

    Attributes:
        source: the open file.
        logical_layer, flags, reserved: the header's words.
        banks, segments, schemas: the tables as structured arrays (`wire.BANK` and so on).
        first_schema: the place in `schemas` where each bank's schemas begin, and the end of the last.
        entry_tables: the offset of each segment's entry table.
        table_bytes: length of all tables together, however large (LYRW-TABLES-05).

    Raises:
        Refusal: what `checks` refuses, in its order; `missing-file` or `io`.
    """

    logical_layer: int
    flags: int
    reserved: int

    def __init__(self, path: str) -> None:
        self.source = Source(path)
        try:
            self._read_tables()
        except BaseException:
            self.source.close()
            raise

    @property
    def payload_start(self) -> int:
        """Where the first region may lie."""
        return wire.aligned(self.table_bytes)

    def bank_position(self, bank_id: int) -> int | None:
        """The first declared bank of this id, by its position in the file (REGION-DUP-01)."""
        return self._position_of.get(bank_id)

    def schemas_of(self, bank: int) -> Records:
        """The schemas of the bank at this position."""
        return self.schemas[self.first_schema[bank] : self.first_schema[bank + 1]]

    def _read_tables(self) -> None:
        num_banks, num_segments = self._read_header()
        at = self._read_descriptors(wire.HEADER.itemsize, num_banks, num_segments)
        at = self._read_schemas(at)
        self._read_segments(at)

    def _read_header(self) -> tuple[int, int]:
        size = wire.HEADER.itemsize
        raw = self.source.read(0, size)
        checks.whole("header", 0, size, 1, len(raw))
        header = np.frombuffer(raw, wire.HEADER).item()
        magic, version, self.logical_layer, num_banks, num_segments, self.flags, self.reserved = header
        checks.magic(bytes(magic))
        checks.version(version)
        return num_banks, num_segments

    def _read_descriptors(self, at: int, num_banks: int, num_segments: int) -> int:
        """Read the bank and segment descriptors from `at`; the end of both."""
        middle = at + num_banks * wire.BANK.itemsize
        end = middle + num_segments * wire.SEGMENT.itemsize
        self._check_descriptors(at, middle, num_banks, num_segments, self.source.length)
        raw = self.source.read(at, end - at)
        self._check_descriptors(at, middle, num_banks, num_segments, at + len(raw))
        self.banks = np.frombuffer(raw, wire.BANK, num_banks)
        self.segments = np.frombuffer(raw, wire.SEGMENT, num_segments, middle - at)
        return end

    def _check_descriptors(self, at: int, middle: int, num_banks: int, num_segments: int, end: int) -> None:
        checks.whole("bank descriptor table", at, wire.BANK.itemsize, num_banks, end)
        checks.whole("segment descriptor table", middle, wire.SEGMENT.itemsize, num_segments, end)

    def _read_schemas(self, at: int) -> int:
        """Read and judge the region schemas from `at`; their end."""
        size = wire.SCHEMA.itemsize
        self.first_schema: list[int] = [0, *accumulate(self.banks["region_schema_count"].tolist())]
        checks.whole("region schema table", at, size, self.first_schema[-1], self.source.length)
        parts = [self._schemas_of_banks(at, first, end) for first, end in self._bank_groups()]
        self.schemas = parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, wire.SCHEMA), *parts])
        return at + size * self.first_schema[-1]

    def _bank_groups(self) -> Iterator[tuple[int, int]]:
        """Runs of banks that hold about `SCHEMAS_AT_ONCE` schemas, as positions of first and end."""
        first = 0
        for bank, end in enumerate(self.first_schema[1:], start=1):
            if end - self.first_schema[first] >= SCHEMAS_AT_ONCE or bank == len(self.banks):
                yield first, bank
                first = bank

    def _schemas_of_banks(self, at: int, first: int, end: int) -> Records:
        size = wire.SCHEMA.itemsize
        start = at + size * self.first_schema[first]
        count = self.first_schema[end] - self.first_schema[first]
        raw = self.source.read(start, size * count)
        checks.whole("region schema table", start, size, count, start + len(raw))
        rows = np.frombuffer(raw, wire.SCHEMA)
        counts = self.banks["region_schema_count"][first:end].tolist()
        fault = checks.faulty_schema(rows, np.concatenate([np.arange(count) for count in counts]))
        if fault is not None:
            bank = bisect_right(self.first_schema, self.first_schema[first] + fault) - 1
            place = self.first_schema[first] + fault - self.first_schema[bank]
            raise checks.schema_refusal(rows[fault : fault + 1], place, int(self.banks["bank_id"][bank]))
        return rows

    def _read_segments(self, at: int) -> None:
        """Judge the segments and lay out their entry tables from `at`."""
        self._position_of: dict[int, int] = {}
        for position, bank_id in enumerate(self.banks["bank_id"].tolist()):
            self._position_of.setdefault(bank_id, position)
        rows = self.segments.tolist()
        populations = self.banks["num_entries"].tolist()
        checks.segments(rows, {bank_id: populations[bank] for bank_id, bank in self._position_of.items()})
        counts = [end - begin for begin, end in pairwise(self.first_schema)]
        sizes = (
            wire.ROW.itemsize * entry_count * counts[self._position_of[bank_id]]
            for bank_id, _, _, entry_count in rows
        )
        *self.entry_tables, self.table_bytes = accumulate(sizes, initial=at)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.source.close()
