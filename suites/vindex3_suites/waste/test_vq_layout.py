"""Where the indices of a row lie in a region, and how long regions and other buffers are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pytest_vindex3 import cases, check, clause, either, refuses
from vindex3_fixtures.waste import Quant
from vindex3_suites.waste.kernels import (
    ONE_HALF,
    PACKED,
    Given,
    check_decoded,
    decode,
    decodes,
    drawn,
    table_of,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

BLOCK = 64
WIDTHS = {
    "three_stages": Quant(3, 2, 16),
    "packed": PACKED,
    **{f"stages_{stages}": Quant(stages, 2, 16) for stages in (1, 2, 4, 5, 6, 7, 8)},
}
SHAPES = ((1, 1), (1, 5), (63, 2), (64, 1), (65, 3), (70, 2), (130, 3))
"""Rows and positions: alone, before a block's end, at it, behind it, in a third block."""


@clause("VQ-LAYOUT-01")
@cases(WIDTHS)
def test_blocks_of_rows_lie_position_by_position(ask: Ask, case: Quant) -> None:
    """In blocks of 64 rows the indices of a position lie together, row by row."""
    for rows, positions in SHAPES:
        check_decoded(ask, "VQ-LAYOUT-01", drawn(replace(case, index_block=BLOCK), rows, positions))


@clause("VQ-LAYOUT-01")
@cases({str(block): block for block in (1, 2, 3, 8, 32, 63, 65, 100, 128, 1 << 20)})
def test_another_block_is_honoured_or_refused(ask: Ask, case: int) -> None:
    """Another positive block is read as it is, or refused; never as 64 or 0."""
    check_decoded(ask, "VQ-LAYOUT-01", drawn(Quant(3, 2, 16, index_block=BLOCK), 70, 3))
    for quant in (Quant(3, 2, 16, index_block=case), replace(PACKED, index_block=case)):
        rows = 5 if case > BLOCK * 2 else 70
        given = drawn(quant, rows, 1 if case > BLOCK * 2 else 3)
        refused = refuses("unsupported-index-block")
        check("VQ-LAYOUT-01", decode(ask, given), either(decodes(given), refused))


@clause("VQ-LAYOUT-02")
@cases(WIDTHS)
def test_rows_lie_one_behind_the_other(ask: Ask, case: Quant) -> None:
    """Without blocks the indices lie row by row, for packed bytes as for whole ones."""
    for rows, positions in SHAPES:
        check_decoded(ask, "VQ-LAYOUT-02", drawn(case, rows, positions))


@clause("VQ-LAYOUT-03")
@cases(
    seventy_in_blocks=(Quant(3, 2, 16, index_block=BLOCK), 70, 128 * 3 * 3),
    seventy=(Quant(3, 2, 16), 70, 70 * 3 * 3),
    one_in_blocks=(Quant(1, 1, 2, index_block=BLOCK), 1, 64 * 3),
    one=(Quant(1, 1, 2), 1, 3),
    whole_block=(Quant(2, 4, 5, index_block=BLOCK), 64, 64 * 3 * 2),
    one_more=(Quant(2, 4, 5, index_block=BLOCK), 65, 128 * 3 * 2),
    packed_in_blocks=(replace(PACKED, index_block=BLOCK), 70, 128 * 3 * 3),
    packed=(PACKED, 70, 70 * 3 * 3),
    eight_stages=(Quant(8, 1, 3, index_block=BLOCK), 129, 192 * 3 * 8),
)
def test_a_region_is_as_long_as_its_rows(ask: Ask, case: tuple[Quant, int, int]) -> None:
    """Three positions of so many rows take exactly these bytes; one byte less is too few."""
    quant, rows, needed = case
    given = drawn(quant, rows, 3)
    whole = given.arguments["indices"]
    exact = given.with_arguments(indices=(whole + bytes(needed))[:needed])
    check("VQ-LAYOUT-03", decode(ask, exact), decodes(given))
    short = decode(ask, given.with_arguments(indices=whole[: needed - 1]))
    check("VQ-LAYOUT-03", short, refuses("length-mismatch", expected=needed, found=needed - 1))


def _counting(stages: int, entries: int) -> Given:
    """Rows that name every entry, each stage another one, of books whose values are all different."""
    patterns = np.arange(stages * entries, dtype=np.uint16).reshape(stages, entries, 1) + ONE_HALF
    given = table_of(tuple(patterns))
    turned = (given.matrix.indices.astype(np.int64) + 100 * np.arange(stages)) % entries
    return replace(given, matrix=replace(given.matrix, indices=turned.astype(np.uint8)))


@clause("VQ-LAYOUT-04")
@cases(
    one_stage=_counting(1, 256),
    two_stages=_counting(2, 256),
    eight_stages=_counting(8, 256),
    of_200_entries=_counting(3, 200),
)
def test_an_index_is_an_unsigned_byte(ask: Ask, case: Given) -> None:
    """Bytes from 128 on name the upper entries, and the first byte of a run is that of stage 0."""
    check_decoded(ask, "VQ-LAYOUT-04", case)
    blocked = replace(case, quant=replace(case.quant, index_block=BLOCK))
    check_decoded(ask, "VQ-LAYOUT-04", blocked)


BUFFERS = ("indices", "codebooks", "scales")
GIVEN = {
    "whole_bytes": Quant(3, 2, 16),
    "blocked": Quant(3, 2, 16, index_block=BLOCK),
    "packed": replace(PACKED, index_block=BLOCK),
}


@clause("VQ-LAYOUT-05")
@cases(GIVEN)
def test_a_short_buffer_is_refused(ask: Ask, case: Quant) -> None:
    """A buffer of fewer bytes than needed is a length-mismatch with both lengths."""
    given = drawn(case, 70, 3)
    check_decoded(ask, "VQ-LAYOUT-05", given)
    for name in BUFFERS:
        whole = given.arguments[name]
        for length in (len(whole) - 1, len(whole) // 2, 1, 0):
            reply = decode(ask, given.with_arguments(**{name: whole[:length]}))
            facts = {"subject": name, "expected": len(whole), "found": length}
            check("VQ-LAYOUT-05", reply, refuses("length-mismatch", **facts))


@clause("VQ-LAYOUT-05")
@cases(GIVEN)
def test_a_long_buffer_is_accepted(ask: Ask, case: Quant) -> None:
    """What a buffer has behind the bytes that are needed is not read, whatever it holds."""
    given = drawn(case, 70, 3)
    for name in BUFFERS:
        for more in (b"\xff", b"\xff" * 4096):
            longer = given.with_arguments(**{name: given.arguments[name] + more})
            check("VQ-LAYOUT-05", decode(ask, longer), decodes(given))


@clause("VQ-LAYOUT-05")
@cases(
    rows=("rows", 1 << 40, "indices", (1 << 40) * 9),
    columns=("n_in", 2 << 40, "indices", 70 * 3 << 40),
)
def test_declared_sizes_are_compared_first(ask: Ask, case: tuple[str, int, str, int]) -> None:
    """Sizes far beyond the buffers are a length-mismatch, in exact integers, before anything is allocated."""
    name, size, subject, needed = case
    given = drawn(Quant(3, 2, 16), 70, 3)
    check_decoded(ask, "VQ-LAYOUT-05", given)
    reply = decode(ask, given.with_arguments(**{name: size}))
    one = refuses("length-mismatch", subject=subject, expected=needed, found=len(given.arguments["indices"]))
    scales = refuses("length-mismatch", subject="scales", expected=2 * size, found=140)
    check("VQ-LAYOUT-05", reply, either(one, scales) if name == "rows" else one)
