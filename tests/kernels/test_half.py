"""Halves as floats."""

from __future__ import annotations

import struct

import numpy as np

from vindex3_reference.kernels import half_to_float
from vindex3_reference.kernels.halves import widened

ALL = np.arange(65_536, dtype="<u2").tobytes()


def test_every_half(half_to_float_isa, same):
    """All 65 536 patterns have their value, subnormals, both zeros, infinities and NaN included."""
    expected = np.array([value for (value,) in struct.iter_unpack("<e", ALL)], np.float32)
    assert same(half_to_float(ALL, half_to_float_isa), expected)
    assert same(widened(ALL), expected)


def test_any_number_at_any_address(half_to_float_isa, same):
    """A few halves behind an odd address are widened like many."""
    whole = half_to_float(ALL)
    for count in range(20):
        part = memoryview(b"\0" + ALL[2000:])[1 : 1 + 2 * count]
        assert same(half_to_float(part, half_to_float_isa), whole[1000 : 1000 + count])
