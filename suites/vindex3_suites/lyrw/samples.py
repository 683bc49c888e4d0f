"""The files that most tests begin with: small, legal, each with a purpose."""

from __future__ import annotations

from dataclasses import replace

from vindex3_fixtures.lyrw import Bank, LyrwFile, Schema, Segment
from vindex3_fixtures.lyrw import vocabulary as v

GATE = Schema(role=v.GATE, rows=2, cols=3)
UP = Schema(role=v.UP, rows=2, cols=3)
DOWN = Schema(role=v.DOWN, rows=1, cols=2)

SMALLEST = LyrwFile(banks=(Bank((GATE,)),))
"""One bank of one entry with one schema."""

DENSE = LyrwFile(banks=(Bank((GATE, UP, DOWN), flags=v.DIRECT),))
"""A dense layer: gate, up and down of one entry, regions at 192, 256 and 320, 328 bytes in all."""

FUSED = Schema(role=v.GATE_UP_FUSED, format=v.F16, layout=v.INTERLEAVED, rows=4, cols=2)
DOWN_F16 = Schema(role=v.DOWN, format=v.F16, rows=2, cols=2)

SPLIT = LyrwFile(
    banks=(
        Bank(
            (FUSED, DOWN_F16),
            bank_id=7,
            kind=v.ROUTED,
            flags=v.STRIDED,
            num_entries=4,
            input_dim=2,
            intermediate_dim=2,
            output_dim=2,
        ),
    ),
    segments=(Segment(bank_id=7, segment_index=1, first_entry=2, entry_count=2),),
    logical_layer=12,
    flags=1,
)
"""The second file of a split layer: entries 2 and 3 of a routed bank of 4."""

TWO_BANKS = LyrwFile(
    banks=(
        Bank((GATE, DOWN), bank_id=7, kind=v.ROUTED, num_entries=3),
        Bank((GATE, UP, DOWN), bank_id=2, kind=v.SHARED, num_entries=2),
    ),
    segments=(
        Segment(bank_id=7, segment_index=0, first_entry=0, entry_count=2),
        Segment(bank_id=2, segment_index=0, first_entry=0, entry_count=2),
        Segment(bank_id=7, segment_index=1, first_entry=2, entry_count=1),
    ),
)
"""A routed bank of 3 in two segments and a shared bank of 2 with another number of schemas between them."""


def values(pair_id: int, role: int = v.UP) -> Schema:
    """A schema of block values, 32 bytes a region."""
    return Schema(role=role, format=v.MXFP4, packing=v.BLOCKS_VALUES, pair_id=pair_id, rows=2, cols=32)


def scales(pair_id: int, role: int = v.SCALES) -> Schema:
    """The scales of such a schema, 2 bytes a region."""
    return Schema(role=role, format=v.MXFP4, packing=v.BLOCKS_SCALES, pair_id=pair_id, rows=2, cols=32)


def bank_of(*schemas: Schema, bank_id: int = 0, num_entries: int = 1) -> LyrwFile:
    """A file with one bank of these schemas."""
    return LyrwFile(banks=(Bank(schemas, bank_id=bank_id, num_entries=num_entries),))


def only(schema: Schema) -> LyrwFile:
    """A file with one bank of one entry of one schema."""
    return bank_of(schema)


def with_flags(file: LyrwFile, flags: int) -> LyrwFile:
    """The file with other flags of its first bank."""
    return replace(file, banks=(replace(file.banks[0], flags=flags), *file.banks[1:]))
