"""Matrices of more rows and positions than a kernel takes at once: nothing shows where it cuts them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, needs, refuses
from vindex3_fixtures.waste import Quant
from vindex3_suites.waste.kernels import (
    MULTIPLY,
    PACKED,
    Given,
    check_decoded,
    check_multiplied,
    decode,
    drawn,
    whole_vector,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

WIDE: dict[str, tuple[Quant, int, int]] = {
    "wide": (Quant(3, 8, 200), 70, 1500),
    "wide_in_blocks": (Quant(3, 8, 200, index_block=64), 70, 1500),
    "wide_packed": (replace(PACKED, index_block=64), 70, 1500),
    "widest": (Quant(3, 8, 200), 3, 20_000),
    "widest_packed": (replace(PACKED, index_block=64), 3, 20_000),
    "tall": (Quant(3, 8, 200), 2500, 33),
    "tall_packed": (replace(PACKED, index_block=64), 2500, 33),
}


def _given(case: tuple[Quant, int, int]) -> Given:
    return drawn(*case, "large")


@clause("VQ-DECODE-01")
@cases(WIDE)
def test_large_matrices_decode(ask: Ask, case: tuple[Quant, int, int]) -> None:
    """Every row and position has its own indices and scale, the last ones too."""
    check_decoded(ask, "VQ-DECODE-01", _given(case))


@clause("VQ-MATVEC-02")
@cases(WIDE)
def test_large_matrices_multiply(ask: Ask, case: tuple[Quant, int, int]) -> None:
    """The sum of a row goes on from position to position, however many tables it takes."""
    given = _given(case)
    check_multiplied(ask, "VQ-MATVEC-02", given, whole_vector("large", length=given.arguments["n_in"]))


@clause("VQ-MATVEC-05")
@needs(f"{MULTIPLY}:table")
@cases({name: case for name, case in WIDE.items() if case[0].index_bits == PACKED.index_bits})
def test_large_matrices_multiply_by_codes(ask: Ask, case: tuple[Quant, int, int]) -> None:
    """So it does by table int8, in units of 32 positions."""
    given = _given(case)
    x = whole_vector("large", length=given.arguments["n_in"])
    check_multiplied(ask, "VQ-MATVEC-05", given, x, table="int8")


@clause("VQ-INDEX-02")
@cases({name: case for name, case in WIDE.items() if case[0].index_bits != PACKED.index_bits})
def test_an_index_beyond_is_found_at_the_end(ask: Ask, case: tuple[Quant, int, int]) -> None:
    """An index that names no entry is refused with its place, also where it is the last of all."""
    given, (_, rows, positions) = _given(case), case
    check_decoded(ask, "VQ-INDEX-02", given)
    for row, position, stage in ((rows - 1, positions - 1, 2), (rows - 2, 7, 0)):
        wrong = replace(given, matrix=given.matrix.with_index(row, position, stage, 200))
        names = {"row": row, "position": position, "stage": stage, "index": 200, "entries": 200}
        check("VQ-INDEX-02", decode(ask, wrong), refuses("index-out-of-codebook", **names))
