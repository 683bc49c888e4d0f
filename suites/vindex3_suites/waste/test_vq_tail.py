"""Rows at the end of blocks, the smallest matrices, the ends of buffers, and threads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pytest_vindex3 import cases, check, clause, needs, refuses
from vindex3_fixtures.waste import Matrix, Quant
from vindex3_suites.waste.kernels import (
    DECODE,
    MULTIPLY,
    PACKED,
    Given,
    check_decoded,
    check_multiplied,
    decode,
    decodes,
    drawn,
    whole_vector,
)
from vindex3_suites.waste.orders import uneven

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

MOST_ROWS = 200
TO_A_TEST = 25


def _cut(given: Given, rows: int) -> Given:
    """The first rows of a matrix."""
    matrix = given.matrix
    return replace(given, matrix=Matrix(matrix.indices[:rows], matrix.scales[:rows]))


@clause("VQ-TAIL-01")
@cases({f"from_{first}": first for first in range(1, MOST_ROWS, TO_A_TEST)})
def test_every_number_of_rows_decodes(ask: Ask, case: int) -> None:
    """Of 1 to 200 rows each one decodes to the formula's bits, in blocks of 64 and without."""
    for block in (64, 0):
        whole = uneven(Quant(3, 2, 16, index_block=block), MOST_ROWS, 2)
        for rows in range(case, case + TO_A_TEST):
            check_decoded(ask, "VQ-TAIL-01", _cut(whole, rows))


@clause("VQ-TAIL-01")
@cases({f"from_{first}": first for first in range(1, MOST_ROWS, TO_A_TEST)})
def test_every_number_of_packed_rows_decodes(ask: Ask, case: int) -> None:
    """Of packed rows too."""
    for block in (64, 0):
        whole = uneven(replace(PACKED, index_block=block), MOST_ROWS, 1)
        for rows in range(case, case + TO_A_TEST, 3):
            check_decoded(ask, "VQ-TAIL-01", _cut(whole, rows))


SMALLEST = {
    "one_of_everything": (Quant(1, 1, 1), 1, 1),
    "one_row": (Quant(3, 8, 256), 1, 5),
    "one_position": (Quant(3, 8, 256), 65, 1),
    "one_stage": (Quant(1, 8, 256), 65, 3),
    "one_entry": (Quant(3, 8, 1), 65, 3),
    "vec_dim_1": (Quant(3, 1, 256), 65, 3),
    "vec_dim_64": (Quant(3, 64, 16), 65, 1),
    "many_positions": (Quant(2, 1, 7), 3, 129),
    "packed_position": (PACKED, 1, 1),
}


@clause("VQ-TAIL-01")
@cases(SMALLEST)
def test_the_smallest_matrices_decode(ask: Ask, case: tuple[Quant, int, int]) -> None:
    """One row, one position, one stage, one entry, and the ends of vec_dim."""
    quant, rows, positions = case
    for block in (0, 64):
        check_decoded(ask, "VQ-TAIL-01", uneven(replace(quant, index_block=block), rows, positions))


GUARDED = {
    "three_stages": Quant(3, 2, 16),
    "one_stage": Quant(1, 1, 3),
    "eight_of_256": Quant(8, 8, 256),
    "vec_dim_64": Quant(2, 64, 5),
    "packed": PACKED,
}
ROWS = (1, 2, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 70, 129)


@clause("VQ-GUARD-01")
@needs(f"{DECODE}:guard")
@cases(GUARDED)
def test_nothing_beyond_the_buffers_is_touched(ask: Ask, case: Quant) -> None:
    """Between inaccessible pages matrices decode to the same bits, whatever their buffers' lengths."""
    for rows in ROWS:
        for block in (0, 64):
            given = drawn(replace(case, index_block=block), rows, 1 + rows % 4)
            check_decoded(ask, "VQ-GUARD-01", given, guard=True)


@clause("VQ-GUARD-01")
@needs(f"{MULTIPLY}:guard")
@cases(GUARDED)
def test_products_touch_nothing_beyond_either(ask: Ask, case: Quant) -> None:
    """Between inaccessible pages products are the same too."""
    for rows in ROWS[::2]:
        given = drawn(replace(case, index_block=64), rows, 1 + rows % 4)
        x = whole_vector(rows, length=given.arguments["n_in"])
        check_multiplied(ask, "VQ-GUARD-01", given, x, guard=True)


@clause("VQ-GUARD-02")
@cases(GUARDED)
def test_decoding_changes_no_input(ask: Ask, case: Quant) -> None:
    """Asked twice, a matrix decodes twice to the same bits."""
    for block in (0, 64):
        given = drawn(replace(case, index_block=block), 70, 3)
        for _ in range(2):
            check_decoded(ask, "VQ-GUARD-02", given)


@clause("VQ-GUARD-02")
@needs(f"{DECODE}:guard")
@cases({str(odd): odd for odd in range(1, 8)})
def test_buffers_start_at_any_address(ask: Ask, case: int) -> None:
    """Buffers whose ends lie at a page begin at any byte address, odd ones included."""
    positions, rows = case, 8 + case
    for stages in (1, 3, 5):
        given = drawn(Quant(stages, 3, 5), rows, positions)
        for _ in range(2):
            check_decoded(ask, "VQ-GUARD-02", given, guard=True)


THREADED = {
    "three_stages": Quant(3, 2, 16),
    "blocked": Quant(3, 8, 256, index_block=64),
    "packed": replace(PACKED, index_block=64),
}


@clause("VQ-THREAD-01")
@needs(f"{DECODE}:threads")
@cases(THREADED)
def test_threads_do_not_show(ask: Ask, case: Quant) -> None:
    """From one thread to more than there are rows the bits are the same."""
    for rows in (1, 3, 64, 65, 130):
        given = drawn(case, rows, 3)
        for threads in (1, 2, 7, rows, rows + 1):
            check_decoded(ask, "VQ-THREAD-01", given, threads=threads)


@clause("VQ-THREAD-01")
@needs(f"{DECODE}:threads")
def test_threads_share_a_larger_matrix(ask: Ask) -> None:
    """A matrix of some thousand rows, which threads share in earnest, decodes to the same bits."""
    numbers = np.arange(3000 * 4 * 3, dtype=np.uint32) * np.uint32(2654435761) >> 24
    small = drawn(Quant(3, 8, 256), 1, 1)
    indices = numbers.astype(np.uint8).reshape(3000, 4, 3)
    scales = (np.arange(3000) % 0x7C00).astype(np.uint16)
    given = replace(small, matrix=Matrix(indices, scales)).with_arguments(indices=indices.tobytes())
    for threads in (1, 2, 5, 16):
        check("VQ-THREAD-01", decode(ask, given, threads=threads), decodes(given))


@clause("VQ-THREAD-01")
@needs(f"{DECODE}:threads")
@cases(first=0, middle=64, last=129)
def test_threads_find_an_index_beyond(ask: Ask, case: int) -> None:
    """An index beyond is refused with its own place by any number of threads."""
    given = drawn(Quant(3, 2, 16, index_block=64), 130, 3)
    check_decoded(ask, "VQ-THREAD-01", given, threads=2)
    wrong = replace(given, matrix=given.matrix.with_index(case, 1, 2, 16))
    for threads in (1, 2, 200):
        refused = refuses("index-out-of-codebook", row=case, position=1, stage=2, index=16, entries=16)
        check("VQ-THREAD-01", decode(ask, wrong, threads=threads), refused)
