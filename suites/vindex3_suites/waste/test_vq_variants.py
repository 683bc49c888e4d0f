"""Instruction-set variants: the same bits from each, and no variant in the place of another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, needs, refuses
from vindex3_fixtures.waste import Quant
from vindex3_suites.waste.kernels import (
    DECODE,
    ISAS,
    MULTIPLY,
    PACKED,
    Given,
    decode,
    decodes,
    drawn,
    multiplies,
    multiply,
    table_of,
    vector,
    whole_vector,
)
from vindex3_suites.waste.orders import UNEVEN, WORKED, Shape, uneven
from vindex3_suites.waste.test_vq_decode import INFINITE, SUBNORMAL, ZEROS
from vindex3_suites.waste.variants import Same, available

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

BY_NAME = f"{DECODE}:isa"
WHOLE = drawn(Quant(3, 2, 16), 5, 2)
"""A matrix that shows nothing but that it was decoded."""


def _check_variants(ask: Ask, clause_id: str, *given: Given) -> None:
    """Every variant that there is decodes every matrix to the formula's bits, and says that it did."""
    for isa in available(ask, clause_id, DECODE, given[0].arguments):
        for one in given:
            check(clause_id, decode(ask, one, isa=isa), decodes(one, isa))


@clause("VQ-ISA-01")
@needs(BY_NAME)
@cases(UNEVEN)
def test_variants_agree_on_sums(ask: Ask, case: Shape) -> None:
    """Where order and roundings show, every variant gives the formula's bits."""
    _check_variants(ask, "VQ-ISA-01", case.given, WORKED)


@clause("VQ-ISA-01")
@needs(BY_NAME)
@cases({str(stages): stages for stages in (3, 1, 2, 4, 5, 6, 7, 8)})
def test_variants_agree_on_every_width(ask: Ask, case: int) -> None:
    """With any number of stages and entries, and vectors of any size, every variant gives the same bits."""
    sizes = ((256, 8, 0), (256, 8, 64), (64, 8, 64), (100, 4, 0), (16, 16, 64), (3, 1, 0), (17, 5, 64))
    given = [uneven(Quant(case, dim, entries, index_block=block), 66, 2) for entries, dim, block in sizes]
    _check_variants(ask, "VQ-ISA-01", *given)


@clause("VQ-ISA-01")
@needs(BY_NAME)
@cases(blocked=64, row_major=0)
def test_variants_agree_on_packed_indices(ask: Ask, case: int) -> None:
    """Packed indices are unpacked alike by every variant, for any number of rows."""
    quant = replace(PACKED, index_block=case)
    _check_variants(ask, "VQ-ISA-01", *(uneven(quant, rows, 3) for rows in (1, 15, 16, 17, 63, 64, 65, 130)))


@clause("VQ-ISA-01")
@needs(BY_NAME)
@cases(three_of_256=Quant(3, 8, 256), two_of_16=Quant(2, 2, 16))
def test_variants_agree_on_the_last_rows(ask: Ask, case: Quant) -> None:
    """Rows that fill no register and no block decode alike."""
    given = [
        uneven(replace(case, index_block=block), rows, 1 + rows % 3)
        for rows in (1, 2, 3, 7, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129)
        for block in (0, 64)
    ]
    _check_variants(ask, "VQ-ISA-01", *given)


@clause("VQ-ISA-01")
@needs(BY_NAME)
def test_variants_agree_on_what_is_special(ask: Ask) -> None:
    """Zeros of both signs, subnormals, infinities and NaN come out alike."""
    books = (ZEROS, SUBNORMAL[:, :4])
    special = [table_of(books, scale) for scale in (0x8000, 0xBC00, 0x0001, 0x83FF, *INFINITE.values())]
    infinite = (SUBNORMAL.copy(), SUBNORMAL.copy())
    infinite[0][0, :4] = (0x7C00, 0xFC00, 0x7E00, 0x7C01)
    infinite[1][0, :2] = (0xFC00, 0xFC00)
    _check_variants(ask, "VQ-ISA-01", *special, table_of(infinite), table_of(infinite, 0x8001))


@clause("VQ-ISA-01")
@needs(f"{MULTIPLY}:isa")
@cases(UNEVEN)
def test_variants_agree_on_products(ask: Ask, case: Shape) -> None:
    """Products have the same bits from every variant."""
    given = case.given
    x = vector("variants", length=given.arguments["n_in"])
    for isa in available(ask, "VQ-ISA-01", MULTIPLY, {**given.arguments, "x": x}):
        check("VQ-ISA-01", multiply(ask, given, x, isa=isa), multiplies(given, x, isa=isa))


@clause("VQ-INDEX-02")
@needs(BY_NAME)
@cases(whole_bytes=Quant(3, 2, 16), blocked=Quant(2, 8, 200, index_block=64))
def test_every_variant_refuses_an_index_beyond(ask: Ask, case: Quant) -> None:
    """An index at entries is refused by each variant, in full registers and in the rest."""
    given = drawn(case, 70, 3)
    for isa in available(ask, "VQ-INDEX-02", DECODE, given.arguments):
        check("VQ-INDEX-02", decode(ask, given, isa=isa), decodes(given, isa))
        for row in (0, 15, 31, 63, 64, 69):
            wrong = replace(given, matrix=given.matrix.with_index(row, 2, 1, case.entries))
            facts = {"row": row, "position": 2, "stage": 1, "index": case.entries, "entries": case.entries}
            check("VQ-INDEX-02", decode(ask, wrong, isa=isa), refuses("index-out-of-codebook", **facts))


@clause("VQ-ISA-02")
@needs(BY_NAME)
def test_a_variant_is_there_or_refused(ask: Ask) -> None:
    """Each variant of the format is used by its name, or refused with those that are there."""
    names = available(ask, "VQ-ISA-02", DECODE, WHOLE.arguments)
    check("VQ-ISA-02", decode(ask, WHOLE), decodes(WHOLE))
    for isa in ISAS:
        reply = decode(ask, WHOLE, isa=isa)
        refused = refuses("isa-unavailable", isa=isa, available=Same(frozenset(names)))
        check("VQ-ISA-02", reply, decodes(WHOLE, isa) if isa in names else refused)


@clause("VQ-ISA-02")
@needs(f"{MULTIPLY}:isa")
def test_a_variant_of_products_is_there_or_refused(ask: Ask) -> None:
    """Products too are by the variant named, or refused."""
    x = whole_vector("isa", length=4)
    names = available(ask, "VQ-ISA-02", MULTIPLY, {**WHOLE.arguments, "x": x})
    check("VQ-ISA-02", multiply(ask, WHOLE, x), multiplies(WHOLE, x))
    for isa in ISAS:
        reply = multiply(ask, WHOLE, x, isa=isa)
        refused = refuses("isa-unavailable", isa=isa, available=Same(frozenset(names)))
        check("VQ-ISA-02", reply, multiplies(WHOLE, x, isa=isa) if isa in names else refused)


@clause("VQ-ISA-02")
@needs(BY_NAME)
@cases(capitals="AVX2", empty="", blank="scalar ", best="best", newer="avx1024", word="auto")
def test_no_other_name_is_a_variant(ask: Ask, case: str) -> None:
    """A name that the format does not have is refused, however near it is to one."""
    check("VQ-ISA-02", decode(ask, WHOLE), decodes(WHOLE))
    names = available(ask, "VQ-ISA-02", DECODE, WHOLE.arguments)
    refused = refuses("isa-unavailable", isa=case, available=Same(frozenset(names)))
    check("VQ-ISA-02", decode(ask, WHOLE, isa=case), refused)
