"""Products with a vector through the table f32: its order of operations, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pytest_vindex3 import answers, cases, check, clause, either, needs, refuses
from vindex3_fixtures.waste import Quant
from vindex3_suites.waste.kernels import (
    MULTIPLY,
    ONE_HALF,
    PACKED,
    Given,
    check_multiplied,
    drawn,
    multiplies,
    multiply,
    table_of,
    vector,
    whole_vector,
)
from vindex3_suites.waste.orders import UNEVEN, WORKED, Shape, uneven
from vindex3_suites.waste.variants import available

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.waste.quant import Floats


def _bits(*patterns: int) -> Floats:
    return np.array(patterns, np.uint32).view(np.float32)


TYPED = {
    "worked": (WORKED, [1.0, 0.0], [0x442AA000, 0x80000000]),
    "its_other_column": (WORKED, [0.0, 1.0], [0x3EBBAEEF, 0x3EFFF2AA]),
    "nothing": (WORKED, [0.0, 0.0], [0x00000000, 0x80000000]),
}


@clause("VQ-MATVEC-02")
@cases(TYPED)
def test_the_worked_example_is_multiplied(ask: Ask, case: tuple[Given, list[float], list[int]]) -> None:
    """One column of the worked example is the product with 1 there; with 0 it is 0 of the scale's sign."""
    given, x, bits = case
    reply = multiply(ask, given, np.array(x, np.float32))
    check("VQ-MATVEC-02", reply, answers(out=_bits(*bits), table="f32"))


@clause("VQ-MATVEC-01")
@cases({str(vec_dim): vec_dim for vec_dim in (2, 1, 3, 8, 16, 33, 64)})
def test_entries_are_multiplied_step_by_step(ask: Ask, case: int) -> None:
    """Rows of one position and one stage show the table: each product and each sum is rounded on its own."""
    quant = Quant(1, case, 200)
    books = uneven(quant, 1, 1).books
    check_multiplied(ask, "VQ-MATVEC-01", table_of(books), vector("table", case, length=case))


FUSED = (
    ([0x3C00, 0x3C01], [-1.0, 1.0 + 2.0**-23]),
    ([0x3555, 0xB555], [1.0 / 3, 1.0 / 3]),
    ([0x7BFF, 0x7BFF, 0x7BFF], [-1.0, -(2.0**-22), 1.0 + 2.0**-22]),
)
"""Halves and numbers whose sum of products a fused operation gives other bits."""


@clause("VQ-MATVEC-01")
def test_a_table_has_no_fused_operation(ask: Ask) -> None:
    """The product is rounded before it is added, also where the next one takes nearly all of it away."""
    for patterns, numbers in FUSED:
        given = table_of((np.array([patterns], np.uint16),))
        check_multiplied(ask, "VQ-MATVEC-01", given, np.array(numbers, np.float32))


@clause("VQ-MATVEC-01")
@cases(
    subnormal=[0x00000001, 0x80000001, 0x007FFFFF, 0x00000003],
    smallest_normal=[0x00800000, 0x80800000, 0x00800001, 0x01000000],
    minus_zero=[0x80000000, 0x80000000, 0x00000000, 0x80000000],
    large=[0x7F7FFFFF, 0xFF7FFFFF, 0x7F000000, 0x41800000],
    infinite=[0x7F800000, 0x3F800000, 0x00000000, 0xFF800000],
    nan=[0x3F800000, 0x7FC00000, 0x3F800000, 0x3F800000],
)
def test_extreme_numbers_follow_ieee(ask: Ask, case: list[int]) -> None:
    """Subnormal numbers are kept, what is too large becomes an infinity, NaN stays NaN."""
    books = (np.array([[0x3C00, 0xBC00, 0x0001, 0x7BFF], [0x0000, 0x8000, 0x3800, 0x0400]], np.uint16),)
    for scale in (ONE_HALF, 0xB800):
        check_multiplied(ask, "VQ-MATVEC-01", table_of(books, scale), _bits(*case))


@clause("VQ-MATVEC-02")
@cases(UNEVEN)
def test_positions_are_added_in_order(ask: Ask, case: Shape) -> None:
    """Of a row the stages of each position are added first, then positions in order, then the scale."""
    given = case.given
    check_multiplied(ask, "VQ-MATVEC-02", given, vector("order", length=given.arguments["n_in"]))


@clause("VQ-MATVEC-02")
@cases(one_stage=1, three_stages=3, eight_stages=8)
def test_many_positions_are_added_in_order(ask: Ask, case: int) -> None:
    """Over 500 positions no other order, tree of sums or wider sum gives the same bits."""
    given = uneven(Quant(case, 1, 16), 9, 500)
    check_multiplied(ask, "VQ-MATVEC-02", given, vector("long", length=500))


WIDTHS = {
    "three_stages": [Quant(3, 8, 256)],
    "packed": [PACKED],
    **{f"stages_{stages}": [Quant(stages, 4, entries) for entries in (1, 64, 255)] for stages in range(1, 9)},
}


@clause("VQ-MATVEC-03")
@cases(WIDTHS)
def test_products_of_every_width(ask: Ask, case: list[Quant]) -> None:
    """Every width that decodes is multiplied, in blocks and row by row, whole blocks or not."""
    for quant in case:
        for block in (0, 64):
            for rows in (1, 70):
                given = drawn(replace(quant, index_block=block), rows, 3)
                check_multiplied(
                    ask, "VQ-MATVEC-03", given, whole_vector(rows, length=given.arguments["n_in"])
                )


@clause("VQ-MATVEC-03")
@needs(f"{MULTIPLY}:threads")
@cases(
    whole_bytes=Quant(3, 8, 256),
    blocked=Quant(2, 2, 16, index_block=64),
    packed=replace(PACKED, index_block=64),
)
def test_threads_of_a_product_do_not_show(ask: Ask, case: Quant) -> None:
    """The product has the same bits for any number of threads."""
    for rows in (1, 3, 64, 65, 130):
        given = uneven(case, rows, 5)
        x = vector(rows, length=given.arguments["n_in"])
        for threads in (1, 2, 7, rows + 1):
            check_multiplied(ask, "VQ-MATVEC-03", given, x, threads=threads)


@clause("VQ-MATVEC-03")
@needs(f"{MULTIPLY}:isa")
@cases(three_stages=Quant(3, 8, 256), two_stages=Quant(2, 8, 256), packed=PACKED, odd=Quant(5, 3, 100))
def test_variants_of_a_product_do_not_show(ask: Ask, case: Quant) -> None:
    """The product has the same bits from every variant, for any number of rows."""
    for block in (64, 0):
        quant = replace(case, index_block=block)
        given = [uneven(quant, rows, 3) for rows in (1, 7, 8, 9, 15, 16, 17, 33, 63, 65, 127)]
        x = vector("rows", length=given[0].arguments["n_in"])
        for isa in available(ask, "VQ-MATVEC-03", MULTIPLY, {**given[0].arguments, "x": x}):
            for one in given:
                check("VQ-MATVEC-03", multiply(ask, one, x, isa=isa), multiplies(one, x, isa=isa))


@clause("VQ-MATVEC-08")
@cases(
    worked=WORKED,
    whole_bytes=uneven(Quant(3, 4, 16), 20, 3),
    packed=uneven(replace(PACKED, index_block=64), 5, 2),
    zeros=drawn(Quant(2, 3, 4), 9, 2),
)
def test_one_column_is_that_of_the_weights(ask: Ask, case: Given) -> None:
    """With 1 in one column and 0 in the others the product is that column of the decoded matrix."""
    for column in range(case.arguments["n_in"]):
        x = np.zeros(case.arguments["n_in"], np.float32)
        x[column] = 1
        weights = np.ascontiguousarray(case.weights[:, column])
        check("VQ-MATVEC-08", multiply(ask, case, x), answers(out=weights, table="f32"))


@clause("VQ-MATVEC-09")
@cases(whole_bytes=Quant(3, 2, 16), packed=replace(PACKED, index_block=64), one=Quant(1, 1, 1))
def test_x_has_the_length_of_a_row(ask: Ask, case: Quant) -> None:
    """One number less or more, none, or a number for each row is a length-mismatch."""
    given = drawn(case, 70, 3)
    length = given.arguments["n_in"]
    check_multiplied(ask, "VQ-MATVEC-09", given, whole_vector("x", length=length))
    for other in (length - 1, length + 1, 0, 70, 2 * length):
        x = np.ones(other, np.float32)
        numbers = refuses("length-mismatch", subject="x", expected=length, found=other)
        stored = refuses("length-mismatch", subject="x", expected=4 * length, found=4 * other)
        check("VQ-MATVEC-09", multiply(ask, given, x), either(numbers, stored))


@clause("VQ-MATVEC-09")
@cases(whole_bytes=Quant(3, 2, 16), packed=replace(PACKED, index_block=64))
def test_a_product_needs_its_buffers_whole(ask: Ask, case: Quant) -> None:
    """Buffers that are too short, or declared too long, are refused as for decoding."""
    given = drawn(case, 70, 3)
    x = whole_vector("x", length=given.arguments["n_in"])
    check_multiplied(ask, "VQ-MATVEC-09", given, x)
    for name in ("indices", "codebooks", "scales"):
        whole = given.arguments[name]
        for length in (len(whole) - 1, 0):
            short = given.with_arguments(**{name: whole[:length]})
            facts = {"subject": name, "expected": len(whole), "found": length}
            check("VQ-MATVEC-09", multiply(ask, short, x), refuses("length-mismatch", **facts))
    many = multiply(ask, given.with_arguments(rows=1 << 40), x)
    check("VQ-MATVEC-09", many, refuses("length-mismatch", found=len(given.arguments["indices"])))
