"""The small floats that codes and scales are made of, as tables, and the code that is nearest to a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Doubles = NDArray[np.float64]
    Bytes = NDArray[np.uint8]

_E2M1 = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
_E4M3 = np.concatenate(
    [np.arange(8) * 2.0**-9, *((8 + np.arange(8)) * 2.0 ** (exponent - 10) for exponent in range(1, 16))]
)[:127]

LARGEST_E2M1 = 6.0
LARGEST_E4M3 = 448.0


def _signed(values: Doubles, size: int) -> Floats:
    """A value for every code: those that are not listed are no numbers, and the upper half is negative."""
    table = np.full(size // 2, np.nan)
    table[: len(values)] = values
    return np.concatenate([table, -table]).astype(np.float32)


E2M1 = _signed(_E2M1, 16)
"""Four bits: sign, two of exponent, one of mantissa."""
E4M3 = _signed(_E4M3, 256)
"""Eight bits: sign, four of exponent, three of mantissa; no infinity, and two patterns of NaN."""
E8M0 = np.append(np.ldexp(1.0, np.arange(-127, 128)), np.nan).astype(np.float32)
"""Eight bits of exponent: powers of two from 2^-127, which is subnormal, and one NaN."""


def nearest_e2m1(values: Doubles) -> Bytes:
    """The codes nearest to these values; beyond the largest that one, and a zero keeps its sign."""
    signs: Bytes = np.signbit(values).astype(np.uint8) << np.uint8(3)
    codes: Bytes = _nearest(np.abs(values), _E2M1) | signs
    return codes


def nearest_e4m3(values: Doubles) -> Bytes:
    """The codes nearest to these values, none of which is negative; beyond the largest that one."""
    return _nearest(values, _E4M3)


def _nearest(values: Doubles, table: Doubles) -> Bytes:
    """Positions in an ascending table; between two that are as near, the even one."""
    between = (table[1:] + table[:-1]) / 2
    found = np.searchsorted(between, values)
    ties = found < len(between)
    ties[ties] = between[found[ties]] == values[ties]
    codes: Bytes = (found + (ties & (found % 2 == 1))).astype(np.uint8)
    return codes


def halves(packed: Bytes) -> tuple[Bytes, Bytes]:
    """The lower and the upper four bits of every byte."""
    return packed & np.uint8(15), packed >> np.uint8(4)


def joined(lower: Bytes, upper: Bytes) -> Bytes:
    """Bytes of two halves each."""
    return lower | upper << np.uint8(4)
