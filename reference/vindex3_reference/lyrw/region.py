"""Where a region lies and what it holds: found by its row alone (lyrw.md, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vindex3_reference.lyrw import checks, vocabulary, wire
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.lyrw.reader import LayerFile


class Slot(NamedTuple):
    """An entry of a bank that this file holds: its bank and segment, by position in the file."""

    bank: int
    segment: int
    bank_id: int
    entry: int


class Extent(NamedTuple):
    """A region's place in the file, in bytes."""

    offset: int
    length: int


def slot_of(layer: LayerFile, bank_id: int, entry: int) -> Slot | None:
    """The first declared bank and segment that hold an entry; None where none does (REGION-ABSENT-01, 02)."""
    bank = layer.bank_position(bank_id)
    if bank is None:
        return None
    for position, segment in enumerate(layer.segments.tolist()):
        if segment[0] == bank_id and segment[2] <= entry < segment[2] + segment[3]:
            return Slot(bank, position, bank_id, entry)
    return None


def schema_with_role(layer: LayerFile, slot: Slot, role: str | int) -> int | None:
    """The one schema of the bank with this role; None where no schema has it (REGION-ROLE-01).

    Raises:
        Refusal: `ambiguous-role` where several have it (REGION-ROLE-02).
    """
    tag = vocabulary.tag_of(vocabulary.ROLES, role)
    roles = layer.schemas_of(slot.bank)["role"].tolist()
    found = [index for index, other in enumerate(roles) if other == tag]
    if len(found) > 1:
        word = vocabulary.shown(vocabulary.ROLES, roles[found[0]])
        raise Refusal(
            "ambiguous-role",
            f"{len(found)} schemas of bank {slot.bank_id} have role {word}; ask by schema_index",
            bank_id=slot.bank_id,
            role=word,
            count=len(found),
        )
    return found[0] if found else None


def has_schema(layer: LayerFile, slot: Slot, schema_index: int) -> bool:
    """Whether the bank has this schema."""
    return 0 <= schema_index < len(layer.schemas_of(slot.bank))


def extent_of(layer: LayerFile, slot: Slot, schema_index: int) -> Extent:
    """The place that the row of this entry and schema states.

    Raises:
        Refusal: `truncated` where the row is not whole (REGION-BOUNDS-04), `region-out-of-bounds`
            where the region leaves the file (REGION-BOUNDS-01 to 03).
    """
    extent = _row(layer, slot, schema_index)
    if not fits(extent, layer.source.length):
        raise _out_of_bounds(layer, slot, schema_index, extent, layer.source.length)
    return extent


def bytes_of(layer: LayerFile, slot: Slot, schema_index: int) -> tuple[Extent, bytes]:
    """A region's place and exactly its bytes (REGION-READ-01).

    Raises:
        Refusal: as `extent_of`, also where the file became shorter since it was opened.
    """
    extent = extent_of(layer, slot, schema_index)
    data = layer.source.read(extent.offset, extent.length)
    if len(data) < extent.length:
        raise _out_of_bounds(layer, slot, schema_index, extent, layer.source.length_now())
    return extent, data


def row_position(table: int, local_entry: int, schema_count: int, schema_index: int) -> int:
    """The offset of a row: entry-major, schemas in order (REGION-READ-02)."""
    return table + wire.ROW.itemsize * (local_entry * schema_count + schema_index)


def fits(extent: Extent, file_length: int) -> bool:
    """Whether a region ends within the file; integers here have no width to wrap at (REGION-BOUNDS-02)."""
    return extent.offset + extent.length <= file_length


def _row(layer: LayerFile, slot: Slot, schema_index: int) -> Extent:
    first_entry = int(layer.segments["first_entry"][slot.segment])
    schema_count = len(layer.schemas_of(slot.bank))
    table = layer.entry_tables[slot.segment]
    at = row_position(table, slot.entry - first_entry, schema_count, schema_index)
    checks.row_whole(at, layer.source.length)
    raw = layer.source.read(at, wire.ROW.itemsize)
    checks.row_whole(at, at + len(raw))
    return Extent(*np.frombuffer(raw, wire.ROW).item())


def _out_of_bounds(
    layer: LayerFile, slot: Slot, schema_index: int, extent: Extent, file_length: int
) -> Refusal:
    role = int(layer.schemas_of(slot.bank)["role"][schema_index])
    return Refusal(
        "region-out-of-bounds",
        f"{extent.length} bytes from {extent.offset} leave the file of {file_length} bytes",
        bank_id=slot.bank_id,
        entry=slot.entry,
        schema_index=schema_index,
        role=vocabulary.shown(vocabulary.ROLES, role),
        offset=extent.offset,
        length=extent.length,
        file_length=file_length,
    )
