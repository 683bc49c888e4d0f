"""MXFP4: 32 values of four bits with a power of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vindex3_reference.representation.codecs.elements import E2M1, E8M0, halves, joined, nearest_e2m1

if TYPE_CHECKING:
    from vindex3_reference.representation.codecs.elements import Floats

_BLOCK = np.dtype([("scale", "u1"), ("codes", "u1", 16)])
_BIAS = 127
_ELEMENTS = E2M1 + np.float32(0)
"""The elements, of which the negative zero is a zero without sign."""
_NEGATIVE_ZERO = 8
_EXPONENT_OF_CODES = 2
"""The exponent of the largest code, 6 = 1.5 * 2^2."""


def decode_mxfp4(data: memoryview) -> Floats:
    """Element times power of two, which is exact; the lower halves of the bytes come first."""
    blocks = np.frombuffer(data, _BLOCK)
    codes = np.concatenate(halves(blocks["codes"]), axis=1)
    values: Floats = _ELEMENTS[codes] * E8M0[blocks["scale"]][:, None]
    return values.ravel()


def encode_mxfp4(values: Floats) -> bytes:
    """The power of two that brings the largest value of a block to 4 or above, and the nearest codes."""
    rows = values.astype(np.float64).reshape(-1, 32)
    blocks = np.zeros(len(rows), _BLOCK)
    largest = np.abs(rows).max(axis=1)
    exponents = np.frexp(largest)[1] - 1 - _EXPONENT_OF_CODES + _BIAS
    blocks["scale"] = np.where(largest == 0, 0, np.maximum(exponents, 0))
    exponent = blocks["scale"].astype(np.int32)[:, None] - _BIAS
    codes = nearest_e2m1(np.ldexp(rows, -exponent))
    codes[codes == _NEGATIVE_ZERO] = 0
    blocks["codes"] = joined(codes[:, :16], codes[:, 16:])
    return blocks.tobytes()
