"""Tags with a length rule: a shape of each, and the bytes that a region of it has."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from vindex3_fixtures.lyrw import LyrwFile, Schema
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.samples import DOWN, bank_of

INLINE: Final = v.BLOCKS_WITH_SCALES_INLINE
VALUES: Final = v.BLOCKS_VALUES
SCALES: Final = v.BLOCKS_SCALES


class Ruled(NamedTuple):
    """Tags with a length rule, a shape, and the bytes that a region of it has; `word` is the format."""

    word: str
    format: int
    packing: int
    rows: int
    cols: int
    length: int

    @property
    def role(self) -> str:
        """The role of its schema in `file_of`."""
        return "scales" if self.packing == SCALES else "up"


PLAIN: Final = {
    "f32": Ruled("f32", v.F32, v.ROW_MAJOR, 2, 3, 24),
    "f16": Ruled("f16", v.F16, v.ROW_MAJOR, 2, 3, 12),
    "bf16": Ruled("bf16", v.BF16, v.ROW_MAJOR, 5, 7, 70),
    "q4_0": Ruled("q4_0", v.Q4_0, v.ROW_MAJOR, 2, 64, 72),
    "q4_0_inline": Ruled("q4_0", v.Q4_0, INLINE, 3, 32, 54),
    "q4_k": Ruled("q4_k", v.Q4_K, v.ROW_MAJOR, 3, 512, 864),
    "q4_k_inline": Ruled("q4_k", v.Q4_K, INLINE, 1, 256, 144),
    "q6_k": Ruled("q6_k", v.Q6_K, v.ROW_MAJOR, 2, 256, 420),
    "q6_k_inline": Ruled("q6_k", v.Q6_K, INLINE, 1, 768, 630),
    "q8_0": Ruled("q8_0", v.Q8_0, v.ROW_MAJOR, 3, 96, 306),
    "q8_0_inline": Ruled("q8_0", v.Q8_0, INLINE, 1, 32, 34),
    "nvfp4_inline": Ruled("nvfp4", v.NVFP4, INLINE, 2, 48, 58),
}
MXFP4: Final = {
    "mxfp4_inline": Ruled("mxfp4", v.MXFP4, INLINE, 2, 64, 68),
    "mxfp4_values": Ruled("mxfp4", v.MXFP4, VALUES, 2, 64, 64),
    "mxfp4_scales": Ruled("mxfp4", v.MXFP4, SCALES, 2, 64, 4),
}
RULED: Final = {**PLAIN, **MXFP4}

UNRULED: Final = {
    "fp4_larql": (v.FP4_LARQL, v.ROW_MAJOR),
    "fp4_larql_inline": (v.FP4_LARQL, INLINE),
    "mxfp8": (v.MXFP8, v.ROW_MAJOR),
    "mxfp8_inline": (v.MXFP8, INLINE),
    "the_first_unknown_format": (11, v.ROW_MAJOR),
    "the_largest_format": (65535, INLINE),
    "an_unknown_packing": (v.F32, 4),
    "the_largest_packing": (v.F16, 65535),
    "both_unknown": (77, 9),
}
"""Formats and packings without a rule, by what they are."""


class Partial(NamedTuple):
    """Tags of a block format, cols that its block does not divide, and the block."""

    format: int
    packing: int
    cols: int
    block: int


PARTIAL: Final = {
    "q4_0": Partial(v.Q4_0, v.ROW_MAJOR, 33, 32),
    "q4_0_inline": Partial(v.Q4_0, INLINE, 31, 32),
    "q8_0": Partial(v.Q8_0, v.ROW_MAJOR, 48, 32),
    "q8_0_inline": Partial(v.Q8_0, INLINE, 1, 32),
    "q4_k": Partial(v.Q4_K, v.ROW_MAJOR, 128, 256),
    "q4_k_inline": Partial(v.Q4_K, INLINE, 257, 256),
    "q6_k": Partial(v.Q6_K, v.ROW_MAJOR, 32, 256),
    "q6_k_inline": Partial(v.Q6_K, INLINE, 511, 256),
    "mxfp4_inline": Partial(v.MXFP4, INLINE, 16, 32),
    "nvfp4_inline": Partial(v.NVFP4, INLINE, 24, 16),
}


def file_of(ruled: Ruled, length: int | None = None) -> LyrwFile:
    """Two entries with such a schema at index 1, and with the other half of its pair where it has one."""
    role = v.SCALES if ruled.packing == SCALES else v.UP
    pair_id = 4 if ruled.packing in (VALUES, SCALES) else v.UNPAIRED
    tags = (role, ruled.format, ruled.packing, pair_id)
    schema = Schema(*tags, rows=ruled.rows, cols=ruled.cols, length=length)
    other = {VALUES: (SCALES, v.SCALES), SCALES: (VALUES, v.DOWN)}.get(ruled.packing)
    partner = [replace(schema, packing=other[0], role=other[1], length=None)] if other else []
    return bank_of(DOWN, schema, *partner, bank_id=6, num_entries=2)
