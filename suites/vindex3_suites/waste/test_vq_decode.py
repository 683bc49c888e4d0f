"""What indices decode to: the order of the sum, its roundings, scales, zeros, subnormals, infinities."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pytest_vindex3 import answers, cases, check, clause
from vindex3_fixtures.waste import Matrix, Quant, worked
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
from vindex3_suites.waste.orders import UNEVEN, WORKED, Shape

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.waste.quant import Floats, Halves

ALL_ENTRIES = 256
TO_A_TEST = 16


@clause("VQ-DECODE-11")
@cases(row_major=0, blocked=64)
def test_the_worked_example_is_decoded(ask: Ask, case: int) -> None:
    """Two rows decode to the four numbers that are typed in the format's text."""
    blocked = replace(WORKED, quant=replace(WORKED.quant, index_block=case))
    stored = worked.DECODE_REGION + bytes(186 if case else 0)
    reply = decode(ask, blocked.with_arguments(indices=stored))
    check("VQ-DECODE-11", reply, answers(out=worked.DECODE_WEIGHTS))


@clause("VQ-DECODE-01")
@cases({f"from_{first}": first for first in range(1, ALL_ENTRIES + 1, TO_A_TEST)})
def test_any_number_of_entries_and_stages(ask: Ask, case: int) -> None:
    """Every number of entries decodes, with every number of stages and both layouts among them."""
    for entries in range(case, case + TO_A_TEST):
        quant = Quant(1 + entries % 8, 1 + entries % 5, entries, index_block=64 * (entries // 8 % 2))
        check_decoded(ask, "VQ-DECODE-01", drawn(quant, 5, 3))


WIDTHS = {
    **{f"stages_{stages}": [Quant(stages, 8, 256), Quant(stages, 8, 64)] for stages in range(1, 9)},
    "packed": [PACKED],
}


@clause("VQ-DECODE-01")
@cases(WIDTHS)
def test_every_width_decodes(ask: Ask, case: list[Quant]) -> None:
    """Each number of stages, whole bytes and packed ones, gives the sum over stages times the scale."""
    for quant in case:
        for block in (0, 64):
            check_decoded(ask, "VQ-DECODE-01", drawn(replace(quant, index_block=block), 66, 5))


@clause("VQ-DECODE-01")
@cases({str(vec_dim): vec_dim for vec_dim in (1, 2, 3, 7, 8, 9, 16, 31, 32, 33, 63, 64)})
def test_every_vector_size_decodes(ask: Ask, case: int) -> None:
    """Positions of any number of columns from 1 to 64 lie one behind the other in a row."""
    for stages, block in ((3, 0), (2, 64)):
        check_decoded(ask, "VQ-DECODE-01", drawn(Quant(stages, case, 19, index_block=block), 9, 3))


@clause("VQ-DECODE-02", "VQ-DECODE-03")
@cases(UNEVEN)
def test_sums_are_rounded_step_by_step(ask: Ask, case: Shape) -> None:
    """Of halves of any size the sum ascends in float32 steps, and is multiplied once."""
    reply = decode(ask, case.given)
    for clause_id in ("VQ-DECODE-02", "VQ-DECODE-03"):
        check(clause_id, reply, decodes(case.given))


def _columns(*stages: list[int], scale: int = ONE_HALF) -> Given:
    """One row and position, one entry a book: a column for every sum."""
    books = tuple(np.array([values], np.uint16) for values in stages)
    return table_of(books, scale)


TIE = _columns([0x6800, 0x6801, 0xE800], [0x0800, 0x0800, 0x8800], [0x0800, 0x0800, 0x8800])
"""Twice half a unit behind 2048, behind the next half and with both signs: lost one by one, not together."""
CANCELLED = _columns([0x7BFF, 0x7BFF], [0x0001, 0x8001], [0xFBFF, 0xFBFF])
"""65504, plus or minus 2^-24, minus 65504: the small one is lost in the first sum."""
LATE = _columns([0x0001, 0x8001], [0x7BFF, 0x7BFF], [0xFBFF, 0xFBFF])
SCALED = _columns([0x3C00, 0x3C01], [0x0001, 0x0001], scale=0x3555)
"""Products that one rounding tells from two, or from one of a fused operation."""


@clause("VQ-DECODE-02")
@cases(
    ties=(TIE, [0x45000000, 0x45002000, 0xC5000000]),
    lost_first=(CANCELLED, [0, 0]),
    lost_later=(LATE, [0, 0]),
)
def test_a_sum_is_rounded_after_each_stage(ask: Ask, case: tuple[Given, list[int]]) -> None:
    """What a float32 sum loses at one stage does not come back at the next."""
    given, bits = case
    expected = np.array([bits], np.uint32).view(np.float32)
    check("VQ-DECODE-02", decode(ask, given), answers(out=expected))


@clause("VQ-DECODE-03")
@cases(
    worked=WORKED,
    products=SCALED,
    ties=replace(TIE, matrix=Matrix(TIE.matrix.indices, np.array([0xB555], np.uint16))),
)
def test_a_scale_is_multiplied_once(ask: Ask, case: Given) -> None:
    """The sum is multiplied with the scale at the end, with one rounding."""
    check_decoded(ask, "VQ-DECODE-03", case)


ZEROS = np.array([[0x0000, 0x8000, 0x0000, 0x8000]], np.uint16)


@clause("VQ-DECODE-04")
@cases(
    one_stage=([[0x8000, 0x0000]], [0, 0]),
    two_stages=([[0x8000, 0x0000, 0x8000], [0x8000, 0x8000, 0x0000]], [0, 0, 0]),
    eight_stages=([[0x8000]] * 8, [0]),
    cancelled=([[0x3C00, 0xBC00], [0xBC00, 0x3C00]], [0, 0]),
)
def test_a_sum_is_never_minus_zero(ask: Ask, case: tuple[list[list[int]], list[int]]) -> None:
    """Sums of -0 are +0; the sign of the scale is that of the weight, also where the scale is -0."""
    stages, _ = case
    for scale, bits in ((ONE_HALF, 0), (0xBC00, 1 << 31), (0x0000, 0), (0x8000, 1 << 31)):
        expected = np.full((1, len(stages[0])), bits, np.uint32).view(np.float32)
        check("VQ-DECODE-04", decode(ask, _columns(*stages, scale=scale)), answers(out=expected))


@clause("VQ-DECODE-04")
def test_zeros_of_many_columns_keep_their_signs(ask: Ask) -> None:
    """In rows of scales of both signs every zero has the sign of its row."""
    books = (np.repeat(ZEROS, 3, 0), np.repeat(ZEROS[:, ::-1], 3, 0))
    given = table_of(books)
    scales = np.array([0x3C00, 0xBC00, 0x8000], np.uint16)
    check_decoded(ask, "VQ-DECODE-04", replace(given, matrix=replace(given.matrix, scales=scales)))


SUBNORMAL = np.array([[0x0001, 0x8001, 0x03FF, 0x83FF, 0x0200, 0x0400, 0x8400, 0x0000]], np.uint16)


@clause("VQ-DECODE-05")
@cases({f"{scale:04x}": scale for scale in (0x0001, 0x8001, 0x03FF, 0x0400, 0x3C00, 0x7BFF)})
def test_subnormal_halves_are_numbers(ask: Ask, case: int) -> None:
    """No subnormal half becomes 0 on the way, asked for once and once more."""
    for books in ((SUBNORMAL,), (SUBNORMAL, SUBNORMAL[:, ::-1]), (SUBNORMAL,) * 8):
        given = table_of(tuple(np.ascontiguousarray(book) for book in books), case)
        check_decoded(ask, "VQ-DECODE-05", given)
        check_decoded(ask, "VQ-DECODE-05", given)


def _scales(patterns: Halves) -> Given:
    """A column of ones with a row for each scale."""
    one = np.full((1, 1), ONE_HALF, np.uint16)
    indices = np.zeros((len(patterns), 1, 1), np.uint8)
    stored = Given(quant=Quant(1, 1, 1), matrix=Matrix(indices, patterns), books=(one,))
    return stored.with_arguments(indices=bytes(len(patterns)))


TYPED: dict[int, float] = {
    0x0001: 2.0**-24,
    0x8000: -0.0,
    0x0000: 0.0,
    0x8001: -(2.0**-24),
    0x03FF: 1023 * 2.0**-24,
    0x0400: 2.0**-14,
    0x3555: 0.333251953125,
    0x3C00: 1.0,
    0xC000: -2.0,
    0x7BFF: 65504.0,
    0xFBFF: -65504.0,
}


@clause("VQ-DECODE-06")
def test_typed_scales_are_widened(ask: Ask) -> None:
    """Scales that are typed here are the numbers beside them, zeros with their signs."""
    patterns = np.array(list(TYPED), np.uint16)
    expected = np.array([[value] for value in TYPED.values()], np.float32)
    check("VQ-DECODE-06", decode(ask, _scales(patterns)), answers(out=expected))


@clause("VQ-DECODE-06")
@cases(ascending=1, descending=-1)
def test_every_finite_scale_is_widened(ask: Ask, case: int) -> None:
    """Each finite half is the number that IEEE gives it."""
    patterns = np.arange(1 << 16, dtype=np.uint16)
    finite = patterns[patterns & 0x7C00 != 0x7C00][::case]
    check("VQ-DECODE-06", decode(ask, _scales(finite)), answers(out=_exact(finite)[:, None]))


def _exact(patterns: Halves) -> Floats:
    """Finite halves as numbers, from their sign, exponent and fraction."""
    wide = patterns.astype(np.int64)
    exponent, fraction = wide >> 10 & 31, (wide & 1023).astype(np.float64)
    magnitude = np.where(exponent == 0, fraction, (fraction + 1024) * 2.0 ** (exponent - 1)) * 2.0**-24
    return np.copysign(magnitude, np.where(wide >> 15, -1.0, 1.0)).astype(np.float32)


INFINITE = {
    "infinity": 0x7C00,
    "minus_infinity": 0xFC00,
    "nan": 0x7E00,
    "signalling_nan": 0x7C01,
    "negative_nan": 0xFFFF,
}


@clause("VQ-DECODE-07")
@cases(INFINITE)
def test_a_scale_that_is_no_number_has_its_row(ask: Ask, case: int) -> None:
    """An infinite scale gives infinities, NaN for 0, a NaN gives NaN; the other rows are as they are."""
    books = (np.array([[0x3C00, 0xBC00, 0x0000, 0x8000, 0x0001, 0x7BFF]], np.uint16),)
    indices = np.zeros((70, 1, 1), np.uint8)
    for row in (0, 3, 69):
        for block in (0, 64):
            scales = np.full(70, ONE_HALF, np.uint16)
            scales[row] = case
            quant = Quant(1, 6, 1, index_block=block)
            given = Given(quant=quant, matrix=Matrix(indices, scales), books=books)
            check_decoded(ask, "VQ-DECODE-07", given)
