"""Matrices whose weights depend on the order and the roundings of a sum, drawn and by hand.

That every wrong order gives other bits for each of them is held to by the kit's own tests.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import Matrix, Quant, worked
from vindex3_suites.waste.kernels import PACKED, Given, drawn

WORKED: Final = Given(
    quant=worked.DECODE_QUANT,
    matrix=Matrix(worked.DECODE_INDICES, worked.DECODE_SCALES),
    books=worked.DECODE_BOOKS,
)
"""The example of the format's text: 2 rows, 1 position, 3 stages, vec_dim 2, 2 entries."""


def any_halves(numbers: Numbers, *shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint16]]:
    """Finite halves of any exponent and sign, so that sums of a few of them are seldom exact."""
    words = np.frombuffer(numbers.data(4 * int(np.prod(shape))), "<u4").reshape(shape)
    exponent = (words >> 16) % 31
    return (words & 0x83FF | exponent << 10).astype(np.uint16)


def uneven(quant: Quant, rows: int, positions: int, *seed: object) -> Given:
    """A matrix whose halves have any exponent."""
    numbers = Numbers("uneven", quant, rows, positions, *seed)
    given = drawn(quant, rows, positions, *seed)
    books = tuple(any_halves(numbers, quant.entries, quant.vec_dim) for _ in range(quant.stages))
    return replace(given, matrix=replace(given.matrix, scales=any_halves(numbers, rows)), books=books)


@dataclass(frozen=True)
class Shape:
    """The arguments of `uneven`."""

    quant: Quant
    rows: int
    positions: int

    @property
    def given(self) -> Given:
        """The matrix."""
        return uneven(self.quant, self.rows, self.positions)


UNEVEN: Final = {
    "two_stages": Shape(Quant(2, 8, 32), 70, 4),
    "three_stages": Shape(Quant(3, 4, 16), 65, 3),
    "three_stages_of_256": Shape(Quant(3, 8, 256, index_block=64), 70, 3),
    "packed": Shape(replace(PACKED, index_block=64), 70, 3),
    "six_stages": Shape(Quant(6, 2, 31, index_block=64), 67, 5),
    "eight_stages": Shape(Quant(8, 1, 9), 33, 9),
}
