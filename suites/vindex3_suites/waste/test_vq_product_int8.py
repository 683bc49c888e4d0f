"""Products through the table int8, which byte shuffles compute: on request, for packed indices alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_vindex3 import answers, cases, check, clause, needs, refuses
from vindex3_fixtures.waste import Matrix, Quant
from vindex3_suites.waste.kernels import (
    MULTIPLY,
    ONE_HALF,
    PACKED,
    Given,
    check_multiplied,
    drawn,
    multiplies,
    multiply,
    vector,
)
from vindex3_suites.waste.orders import uneven
from vindex3_suites.waste.variants import available

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.waste.quant import Floats

BY_TABLE = f"{MULTIPLY}:table"
BLOCKED = replace(PACKED, index_block=64)
BLOCK = 32
"""Positions that share a factor."""


def _check_int8(ask: Ask, clause_id: str, given: Given, x: Floats, **options: Any) -> None:
    check_multiplied(ask, clause_id, given, x, table="int8", **options)


def typed_table(*values: float, x: float = 1.0) -> tuple[Given, Floats]:
    """A matrix of one position whose row r takes entry r of stage 0: these numbers times x, and zeros."""
    books = np.zeros((4, 64, 8), np.float16)
    books[0, : len(values), 0] = values
    indices = np.zeros((len(values), 1, 4), np.uint8)
    indices[:, 0, 0] = np.arange(len(values))
    indices[:, 0, 1:] = 63
    scales = np.full(len(values), ONE_HALF, np.uint16)
    given = Given(quant=PACKED, matrix=Matrix(indices, scales), books=tuple(books.view(np.uint16)))
    return given, np.array([x, *[0.0] * 7], np.float32)


SMALLEST = 2.0**-149
"""The smallest float32 above 0."""
TYPED: dict[str, tuple[list[float], float, list[float]]] = {
    "ties_to_even": ([127, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5], 1.0, [127, 0, 2, 2, 0, -2, -2]),
    "halves_of_a_step": ([254, 1, 3, 5, -1, -3], 1.0, [254, 0, 4, 4, 0, -4]),
    "largest_is_negative": ([-127, 126, 1, 0.25], 1.0, [-127, 126, 1, 0]),
    "no_step": ([1, 63, -63, 0], SMALLEST, [0, 0, 0, 0]),
    "smallest_step": ([64, 1, -3], SMALLEST, [64 * SMALLEST, SMALLEST, -3 * SMALLEST]),
    "cut_to_127": ([190, -190, 127, 128, 126], SMALLEST, [n * SMALLEST for n in (127, -127, 127, 127, 126)]),
    "only_zeros": ([0, 0, 0], 1.0, [0, 0, 0]),
}


@clause("VQ-MATVEC-04")
@needs(BY_TABLE)
@cases(TYPED)
def test_typed_tables_are_rounded(ask: Ask, case: tuple[list[float], float, list[float]]) -> None:
    """Entries become multiples of a 127th of the largest: to nearest, ties to even, cut to 127."""
    values, factor, expected = case
    given, x = typed_table(*values, x=factor)
    reply = multiply(ask, given, x, table="int8")
    check("VQ-MATVEC-04", reply, answers(out=np.array(expected, np.float32), table="int8"))


@clause("VQ-MATVEC-04")
@needs(BY_TABLE)
@cases({str(positions): positions for positions in (1, 31, 32, 33, 64, 65, 100)})
def test_positions_are_cut_into_blocks(ask: Ask, case: int) -> None:
    """Blocks of 32 positions have a factor each, the last and shorter one too."""
    given = uneven(PACKED, 5, case)
    _check_int8(ask, "VQ-MATVEC-04", given, vector("blocks", length=8 * case))


@clause("VQ-MATVEC-04")
@needs(BY_TABLE)
def test_entries_that_no_row_takes_count(ask: Ask) -> None:
    """The largest magnitude is that of the whole table of a block, used or not, in any stage."""
    for stage in range(4):
        given, x = typed_table(1, 0.75, -0.5, 3)
        books = [book.copy() for book in given.books]
        books[stage][62, 0] = 0x6BF0
        _check_int8(ask, "VQ-MATVEC-04", replace(given, books=tuple(books)), x)


@clause("VQ-MATVEC-04")
@needs(BY_TABLE)
def test_no_other_table_is_taken(ask: Ask) -> None:
    """The table f32 is the one that nobody asked for; both give results of their own."""
    given = uneven(BLOCKED, 9, 40)
    x = vector("tables", length=320)
    check("VQ-MATVEC-04", multiply(ask, given, x), multiplies(given, x))
    for table in ("f32", "int8", "f32"):
        check("VQ-MATVEC-04", multiply(ask, given, x, table=table), multiplies(given, x, table))


@clause("VQ-MATVEC-05")
@needs(BY_TABLE)
@cases({str(rows): rows for rows in (1, 15, 16, 17, 63, 64, 65, 130)})
def test_sums_of_a_block_are_exact(ask: Ask, case: int) -> None:
    """The numbers of a block are summed exactly, the blocks of a row in float32 steps."""
    for quant in (BLOCKED, PACKED):
        _check_int8(ask, "VQ-MATVEC-05", uneven(quant, case, 70), vector(case, length=560))


@clause("VQ-MATVEC-05")
@needs(BY_TABLE)
@cases(positive=0x3C00, negative=0xBC00)
def test_the_largest_sum_fits(ask: Ask, case: int) -> None:
    """32 positions of 4 stages, each 127, make 16 256: no sum of 8 or 16 bits is cut."""
    books = tuple(np.full((64, 8), case, np.uint16) for _ in range(4))
    given = drawn(BLOCKED, 20, 64)
    x = np.tile(np.array([1, 0, 0, 0, 0, 0, 0, 0], np.float32), 64)
    _check_int8(ask, "VQ-MATVEC-05", replace(given, books=books), x)


@clause("VQ-MATVEC-05")
@needs(BY_TABLE, f"{MULTIPLY}:threads")
def test_threads_of_the_int8_table_do_not_show(ask: Ask) -> None:
    """The product has the same bits for any number of threads."""
    for rows in (1, 64, 130):
        given = uneven(BLOCKED, rows, 40)
        x = vector(rows, length=320)
        for threads in (1, 2, 7, rows + 1):
            _check_int8(ask, "VQ-MATVEC-05", given, x, threads=threads)


@clause("VQ-MATVEC-05")
@needs(BY_TABLE, f"{MULTIPLY}:isa")
@cases(blocked=BLOCKED, row_major=PACKED)
def test_variants_of_the_int8_table_do_not_show(ask: Ask, case: Quant) -> None:
    """The product has the same bits from every variant."""
    given = [uneven(case, rows, 33) for rows in (1, 15, 17, 33, 64, 70)]
    x = vector("int8", length=264)
    request = {**given[0].arguments, "x": x, "table": "int8"}
    for isa in available(ask, "VQ-MATVEC-05", MULTIPLY, request):
        for one in given:
            reply = multiply(ask, one, x, isa=isa, table="int8")
            check("VQ-MATVEC-05", reply, multiplies(one, x, "int8", isa))


@clause("VQ-MATVEC-05")
@needs(BY_TABLE, f"{MULTIPLY}:guard")
def test_the_int8_table_touches_nothing_beyond(ask: Ask) -> None:
    """Between inaccessible pages the product is the same."""
    for rows, positions in ((1, 1), (5, 33), (64, 3), (65, 32)):
        for quant in (BLOCKED, PACKED):
            given = drawn(quant, rows, positions)
            x = vector(rows, length=8 * positions)
            _check_int8(ask, "VQ-MATVEC-05", given, x, guard=True)


def _infinite_book() -> Given:
    """A matrix of which an entry that no row takes is infinite."""
    given, _ = typed_table(1, 2, 3)
    books = [book.copy() for book in given.books]
    books[3][62, 0] = 0x7C00
    return replace(given, books=tuple(books))


@clause("VQ-MATVEC-07")
@needs(BY_TABLE)
@cases(
    first=(0, float("inf"), 0),
    end_of_the_first=(31 * 8 + 7, float("-inf"), 0),
    second=(32 * 8, float("nan"), 1),
    third_and_last=(69 * 8, float("inf"), 2),
    too_large=(40 * 8 + 3, 3.4e38, 1),
)
def test_a_block_that_is_not_finite_is_refused(ask: Ask, case: tuple[int, float, int]) -> None:
    """The int8 table refuses the block, by its number; the f32 table follows IEEE."""
    column, value, block = case
    given = drawn(BLOCKED, 9, 70)
    books = tuple((book & 0x83FF | 0x4000).astype(np.uint16) for book in given.books)  # of 2 and more
    given = replace(given, books=books)
    x = vector("finite", length=560)
    _check_int8(ask, "VQ-MATVEC-07", given, x)
    x[column] = value
    check("VQ-MATVEC-07", multiply(ask, given, x, table="int8"), refuses("non-finite", block=block))
    check("VQ-MATVEC-07", multiply(ask, given, x), multiplies(given, x))


@clause("VQ-MATVEC-07")
@needs(BY_TABLE)
def test_an_unused_entry_that_is_not_finite_is_refused(ask: Ask) -> None:
    """A table with an infinity has no largest number, whether or not a row takes that entry."""
    legal, x = typed_table(1, 2, 3)
    _check_int8(ask, "VQ-MATVEC-07", legal, x)
    wrong = _infinite_book()
    check("VQ-MATVEC-07", multiply(ask, wrong, x, table="int8"), refuses("non-finite", block=0))
    check("VQ-MATVEC-07", multiply(ask, wrong, x), multiplies(wrong, x))


@clause("VQ-MATVEC-10")
@needs(BY_TABLE)
@cases(three_stages=Quant(3, 8, 256), like_packed=Quant(4, 8, 64, index_block=64), one=Quant(1, 1, 1))
def test_whole_bytes_have_no_int8_table(ask: Ask, case: Quant) -> None:
    """For whole-byte indices the int8 table is refused, never answered by the other one."""
    given = drawn(case, 9, 3)
    x = vector("int8", length=given.arguments["n_in"])
    check("VQ-MATVEC-10", multiply(ask, given, x, table="f32"), multiplies(given, x))
    packed = drawn(BLOCKED, 9, 3)
    _check_int8(ask, "VQ-MATVEC-10", packed, vector("int8", length=24))
    refused = refuses("unsupported-feature", field="table", found="int8")
    check("VQ-MATVEC-10", multiply(ask, given, x, table="int8"), refused)
