"""A plan for a layer file: the document read into the tables that a file would have (lyrw.md, section 10)."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vindex3_reference.lyrw import vocabulary, wire
from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import U64, Slot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vindex3_reference.strict_json import Json

    Records = NDArray[np.void]

PATH = "plan"
"""What refusals name as the document."""
U16 = 2**16 - 1
GROUP_EXTENTS = (8, 16, 32)


class Region(NamedTuple):
    """A region by its coordinates; `entry` counts over the whole bank."""

    bank_id: int
    entry: int
    schema_index: int


class Plan:
    """A plan whose fields are all there and fit; what they say together is for `plan_checks`.

    Attributes:
        logical_layer, flags: the header's words.
        banks, segments, schemas: the tables as they would be stored.
        first_schema: the place in `schemas` where each bank's schemas begin, and the end of the last.
        lengths: the explicit region length of each schema, or None.
        single_lengths: explicit lengths of single regions.
        group_extent: entries that stay together, or None.

    Args:
        document: the plan as plain data.

    Raises:
        Refusal: `missing-field`, `bad-type`, `out-of-range` or `unknown-value` with path `plan` and the
            field (LAYOUT-PLAN-09, SEGMENTS-GROUP-03); `plan-mismatch` where a count is not that of its
            list or flags and browse disagree (LAYOUT-PLAN-06).
    """

    def __init__(self, document: Json) -> None:
        root = Slot.root(document, PATH)
        header = root.required("header")
        self.logical_layer = header.required("logical_layer").u32()
        self.flags = header.required("flags").u32()
        banks = _counted(root, "banks", header, "num_banks")
        segments = _counted(root, "segments", header, "num_segments")
        schemas = [_counted(bank, "schemas", bank, "region_schema_count") for bank in banks]
        self.first_schema = [0, *accumulate(map(len, schemas))]
        self.banks = _records(
            wire.BANK, [_bank(bank, len(own)) for bank, own in zip(banks, schemas, strict=True)]
        )
        self.segments = _records(wire.SEGMENT, [_segment(segment) for segment in segments])
        placed = [(place, schema) for own in schemas for place, schema in enumerate(own)]
        self.schemas = _records(wire.SCHEMA, [_schema(place, schema) for place, schema in placed])
        self.lengths = [_optional(schema, "length", U64) for _, schema in placed]
        self.single_lengths = _single_lengths(root)
        self.group_extent = _group_extent(root)


def _counted(home: Slot, key: str, counter: Slot, count_key: str) -> list[Slot]:
    """A list whose count is stored in 16 bits; a count that is given must be that of the list."""
    elements = list(home.required(key).elements())
    field = Slot(None, count_key, counter).field
    if len(elements) > U16:
        raise Refusal(
            "out-of-range",
            f"{PATH}: {field} would be {len(elements)}",
            path=PATH,
            field=field,
            value=len(elements),
        )
    given = _optional(counter, count_key, U16)
    if given is not None and given != len(elements):
        raise _mismatch(field, len(elements), given)
    return elements


def _bank(bank: Slot, schema_count: int) -> tuple[int, ...]:
    return (
        bank.required("bank_id").integer(U16),
        _tag(bank.required("kind"), vocabulary.BANK_KINDS),
        schema_count,
        _bank_flags(bank),
        bank.required("num_entries").u32(),
        bank.required("input_dim").u32(),
        bank.required("intermediate_dim").u32(),
        bank.required("output_dim").u32(),
    )


def _bank_flags(bank: Slot) -> int:
    """The flags, or the browse mode in their place; both together must agree."""
    browse = bank.optional("browse")
    tag = None if browse is None else _tag(browse, vocabulary.BROWSE_MODES, wire.BROWSE)
    if tag is not None and bank.optional("flags") is None:
        return tag
    flags = bank.required("flags").integer(U16)
    if browse is not None:
        bits = flags & wire.BROWSE
        # Bits without a meaning are shown as none, and what a parse shows is a plan.
        stored = bits if isinstance(browse.value, int) else vocabulary.browse_mode(bits)
        if browse.value != stored:
            raise _mismatch(browse.field, stored, browse.value)
    return flags


def _segment(segment: Slot) -> tuple[int, ...]:
    return (
        segment.required("bank_id").integer(U16),
        segment.required("segment_index").integer(U16),
        segment.required("first_entry").u32(),
        segment.required("entry_count").u32(),
    )


def _schema(place: int, schema: Slot) -> tuple[int, ...]:
    index = _optional(schema, "schema_index", U16)
    pair_id = schema.required("pair_id")
    return (
        place if index is None else index,
        _tag(schema.required("role"), vocabulary.ROLES),
        _tag(schema.required("format"), vocabulary.FORMATS),
        _tag(schema.required("packing"), vocabulary.PACKINGS),
        wire.UNPAIRED if pair_id.value is None else pair_id.integer(U16),
        _tag(schema.required("layout"), vocabulary.LAYOUTS),
        schema.required("rows").u32(),
        schema.required("cols").u32(),
    )


def _single_lengths(root: Slot) -> dict[Region, int]:
    """Lengths of single regions; one that is given twice contradicts itself."""
    lengths: dict[Region, int] = {}
    listed = root.optional("lengths")
    for single in listed.elements() if listed is not None else ():
        region = Region(
            single.required("bank_id").integer(U16),
            single.required("entry").u32(),
            single.required("schema_index").integer(U16),
        )
        if region in lengths:
            raise region_mismatch(region, f"{single.field} gives a length once more")
        lengths[region] = single.required("length").u64()
    return lengths


def _group_extent(root: Slot) -> int | None:
    slot = root.optional("group_extent")
    if slot is None:
        return None
    extent = slot.u32()
    if extent not in GROUP_EXTENTS:
        raise Refusal(
            "out-of-range",
            f"{PATH}: {slot.field} is {extent}, none of {', '.join(map(str, GROUP_EXTENTS))}",
            path=PATH,
            field=slot.field,
            value=extent,
        )
    return extent


def _optional(home: Slot, key: str, largest: int) -> int | None:
    slot = home.optional(key)
    return None if slot is None else slot.integer(largest)


def _tag(slot: Slot, words: tuple[str, ...], largest: int = U16) -> int:
    """A tag by its word or its number."""
    if isinstance(slot.value, str):
        return words.index(slot.word(words))
    return slot.integer(largest)


def _records(dtype: np.dtype[np.void], rows: list[tuple[int, ...]]) -> Records:
    return np.array(rows, dtype)


def _mismatch(field: str, expected: object, found: object) -> Refusal:
    return Refusal(
        "plan-mismatch",
        f"{PATH}: {field} is {found!r} where {expected!r} follows from the rest",
        field=field,
        expected=expected,
        found=found,
    )


def region_mismatch(region: Region, what: str) -> Refusal:
    """A plan or a payload that contradicts the plan about one region (LAYOUT-WRITE-04)."""
    return Refusal(
        "plan-mismatch",
        f"bank {region.bank_id}, entry {region.entry}, schema {region.schema_index}: {what}",
        bank_id=region.bank_id,
        entry=region.entry,
        schema_index=region.schema_index,
    )
