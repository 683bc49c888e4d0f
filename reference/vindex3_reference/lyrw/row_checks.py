"""What is wrong with the rows of a file: each row by itself, and each against the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vindex3_reference.lyrw import padding, vocabulary, wire
from vindex3_reference.lyrw.coverage import Coverage
from vindex3_reference.lyrw.lengths import length_of, rule_of
from vindex3_reference.lyrw.rows import EntryRows
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vindex3_reference.lyrw.lengths import SchemaLengths
    from vindex3_reference.lyrw.reader import LayerFile

    Array = NDArray[Any]
    Flags = NDArray[np.bool_]
    Findings = Iterator[Refusal]


def leaving(offset: Array, length: Array, file_length: int) -> Flags:
    """Whether a region ends beyond the file; no sum is made that could wrap (REGION-BOUNDS-02 and 05)."""
    size = np.uint64(file_length)
    leaves: Flags = (offset > size) | (length > size - offset)
    return leaves


def misaligned(offset: Array) -> Flags:
    """Whether an offset is no multiple of the alignment (REGION-ALIGN-03)."""
    wrong: Flags = offset & np.uint64(wire.ALIGNMENT - 1) != 0
    return wrong


def in_tables(offset: Array, table_bytes: int) -> Flags:
    """Whether a region begins before the tables end (REGION-OVERLAP-03)."""
    wrong: Flags = offset < table_bytes
    return wrong


def mislong(length: Array, expected: Array) -> Flags:
    """Whether a length is not the one that its schema's rule gives, larger or smaller (REGION-LENGTH-01)."""
    wrong: Flags = length != expected
    return wrong


class RowChecks:
    """The rows of an open layer file under judgement.

    Args:
        layer: the file.
        lengths: what its schemas' rules say.
    """

    def __init__(self, layer: LayerFile, lengths: SchemaLengths) -> None:
        self._layer = layer
        self._lengths = lengths
        self._rows = EntryRows(layer)
        self._all_fit = True

    def faults(self) -> Iterator[Findings]:
        """All findings, kind by kind and part by part, those about the whole file last.

        Raises:
            Refusal: `truncated` or `io`, where the file becomes shorter or cannot be read.
        """
        yield self._rows.truncated()
        coverage = Coverage(self._layer.source.length)
        for first, offset, length in self._rows.parts():
            leaves = leaving(offset, length, self._layer.source.length)
            self._all_fit = self._all_fit and not leaves.any()
            coverage.add(first, offset, length, leaves)
            yield from self._faults_of_part(first, offset, length, leaves)
        coverage.sort()
        yield self._overlaps(coverage)
        yield self._non_zero(coverage)
        if self._all_fit:
            yield self._trailing(coverage)

    def _faults_of_part(
        self, first: int, offset: Array, length: Array, leaves: Flags
    ) -> Iterator[Iterator[Refusal]]:
        checks = (
            (leaves, self._out_of_bounds),
            (misaligned(offset), self._misaligned),
            (in_tables(offset, self._layer.table_bytes), self._in_tables),
            (self._not_by_rule(first, length), self._mislong),
        )
        for flags, report in checks:
            if flags.any():
                found = flags.nonzero()[0]
                yield map(report, (found + first).tolist(), offset[found].tolist(), length[found].tolist())

    def _not_by_rule(self, first: int, length: Array) -> Flags:
        """Which rows from `first` have a length rule and another length."""

        def each(values: Array) -> Array:
            return self._rows.of_schemas(values, first, len(length))

        wrong = mislong(length, each(self._lengths.length))
        if self._lengths.beyond.any():
            wrong |= each(self._lengths.beyond)
        return wrong if self._lengths.judged.all() else wrong & each(self._lengths.judged)

    def _out_of_bounds(self, row: int, offset: int, length: int) -> Refusal:
        bank_id, entry, schema_index, role = self._rows.place(row)
        file_length = self._layer.source.length
        return Refusal(
            "region-out-of-bounds",
            f"{length} bytes from {offset} leave the file of {file_length} bytes",
            bank_id=bank_id,
            entry=entry,
            schema_index=schema_index,
            role=role,
            offset=offset,
            length=length,
            file_length=file_length,
        )

    def _misaligned(self, row: int, offset: int, _: int) -> Refusal:
        bank_id, entry, schema_index, role = self._rows.place(row)
        return Refusal(
            "misaligned",
            f"the region at {offset} does not begin at a multiple of {wire.ALIGNMENT}",
            bank_id=bank_id,
            entry=entry,
            schema_index=schema_index,
            role=role,
            offset=offset,
        )

    def _in_tables(self, row: int, offset: int, _: int) -> Refusal:
        bank_id, entry, schema_index, role = self._rows.place(row)
        return Refusal(
            "region-in-tables",
            f"the region at {offset} begins before the tables end at {self._layer.table_bytes}",
            bank_id=bank_id,
            entry=entry,
            schema_index=schema_index,
            role=role,
            offset=offset,
        )

    def _mislong(self, row: int, _: int, length: int) -> Refusal:
        bank_id, entry, schema_index, role = self._rows.place(row)
        _, _, format_, packing, _, _, rows, cols = self._layer.schemas[self._rows.schema(row)].item()
        rule = rule_of(format_, packing)
        expected = length_of(rule, rows, cols) if rule else None
        return Refusal(
            "region-length-mismatch",
            f"the region has {length} bytes; its schema's format, packing, rows and cols give {expected}",
            bank_id=bank_id,
            entry=entry,
            schema_index=schema_index,
            role=role,
            format=vocabulary.shown(vocabulary.FORMATS, format_),
            length=length,
            expected=expected,
        )

    def _overlaps(self, coverage: Coverage) -> Findings:
        for (row, offset), (other_row, other_offset) in coverage.overlaps():
            bank_id, entry, schema_index, role = self._rows.place(row)
            yield Refusal(
                "overlap",
                f"the regions at {offset} and {other_offset} share bytes",
                bank_id=bank_id,
                entry=entry,
                schema_index=schema_index,
                role=role,
                offset=offset,
                other={**self._rows.place(other_row)._asdict(), "offset": other_offset},
            )

    def _non_zero(self, coverage: Coverage) -> Findings:
        """Bytes outside tables and regions that are not zero (LYRW-PADDING-02)."""
        for offset in padding.non_zero(self._layer.source, *coverage.gaps(self._layer.table_bytes)):
            yield Refusal("non-zero-padding", f"the byte at {offset} is not zero", offset=offset)

    def _trailing(self, coverage: Coverage) -> Findings:
        """Bytes after the last region (LYRW-TRAIL-02); a file without regions ends with its tables."""
        end = max(coverage.last_end, self._layer.table_bytes)
        length = self._layer.source.length - end
        if length > 0:
            yield Refusal(
                "trailing-bytes",
                f"{length} bytes follow the last region, which ends at {end}",
                offset=end,
                length=length,
            )
