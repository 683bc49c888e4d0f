"""How many bytes a region takes by its format, packing, rows and cols (lyrw.md, section 4)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vindex3_reference.lyrw import vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Records = NDArray[np.void]
    Array = NDArray[Any]

U64 = 2**64 - 1


class Rule(NamedTuple):
    """`size` bytes for each `block` values along a row, and `extra` bytes per region."""

    block: int
    size: int
    extra: int = 0


_Q4_0, _Q4_K, _Q6_K, _Q8_0 = Rule(32, 18), Rule(256, 144), Rule(256, 210), Rule(32, 34)

RULES = {
    ("f32", "row_major"): Rule(1, 4),
    ("f16", "row_major"): Rule(1, 2),
    ("bf16", "row_major"): Rule(1, 2),
    ("q4_0", "row_major"): _Q4_0,
    ("q4_0", "blocks_with_scales_inline"): _Q4_0,
    ("q4_k", "row_major"): _Q4_K,
    ("q4_k", "blocks_with_scales_inline"): _Q4_K,
    ("q6_k", "row_major"): _Q6_K,
    ("q6_k", "blocks_with_scales_inline"): _Q6_K,
    ("q8_0", "row_major"): _Q8_0,
    ("q8_0", "blocks_with_scales_inline"): _Q8_0,
    ("mxfp4", "blocks_with_scales_inline"): Rule(32, 17),
    ("mxfp4", "blocks_values"): Rule(32, 16),
    ("mxfp4", "blocks_scales"): Rule(32, 1),
    ("nvfp4", "blocks_with_scales_inline"): Rule(16, 9, 4),
}
"""Every format and packing with a rule; fp4_larql, mxfp8 and unknown tags have none (REGION-LENGTH-03)."""


def rule_of(format_: int, packing: int) -> Rule | None:
    """The rule of these tags, if there is one."""
    words = vocabulary.shown(vocabulary.FORMATS, format_), vocabulary.shown(vocabulary.PACKINGS, packing)
    return RULES.get(words)  # type: ignore[arg-type]  # an integer is no known word, and has no rule


def length_of(rule: Rule, rows: int, cols: int) -> int:
    """Bytes of a region of whole blocks; exact, and perhaps beyond 64 bits (LAYOUT-LENGTH-01 and 02)."""
    return rows * (cols // rule.block) * rule.size + rule.extra


class SchemaLengths:
    """What the rules say about each schema of a table, as arrays of its length.

    Attributes:
        block: values per block; 0 where there is no rule.
        partial: whether cols is not a multiple of the block, so that no length follows.
        judged: whether a length follows.
        length: that length in bytes, modulo 2^64.
        beyond: whether it is larger than any that a row can state.
    """

    def __init__(self, schemas: Records) -> None:
        rules = _rule_table()
        rows, cols = schemas["rows"].astype(np.uint64), schemas["cols"]
        known = np.minimum(schemas["format"], len(vocabulary.FORMATS))
        self.block, size, extra = rules[known, np.minimum(schemas["packing"], len(vocabulary.PACKINGS))].T
        blocks, rest = np.divmod(cols, np.maximum(self.block, 1))
        blocks *= rows
        self.partial: Array = rest > 0
        self.judged: Array = (self.block > 0) & ~self.partial
        self.length: Array = blocks * size + extra
        self.beyond: Array = blocks > (U64 - extra) // np.maximum(size, 1)


@cache
def _rule_table() -> Array:
    """Block, size and extra by format and packing; the last of each is every unknown tag, without a rule."""
    table = np.zeros((len(vocabulary.FORMATS) + 1, len(vocabulary.PACKINGS) + 1, 3), np.uint64)
    for (format_, packing), rule in RULES.items():
        table[vocabulary.FORMATS.index(format_), vocabulary.PACKINGS.index(packing)] = rule
    return table
