"""NVFP4: a matrix of values of four bits, with a scale for every 16 of them and one for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vindex3_reference.representation.codecs.elements import (
    E2M1,
    E4M3,
    LARGEST_E2M1,
    LARGEST_E4M3,
    halves,
    joined,
    nearest_e2m1,
    nearest_e4m3,
)

if TYPE_CHECKING:
    from vindex3_reference.representation.codecs.elements import Floats

_GROUP = 16
_SMALLEST = float(np.finfo(np.float32).smallest_subnormal)


def decode_nvfp4(data: memoryview) -> Floats:
    """Element times group scale, which is exact, times the scale of the matrix, which alone rounds."""
    packed = np.frombuffer(data, np.uint8)
    groups = (len(packed) - 4) // 9
    codes, scales, matrix = packed[: groups * 8], packed[groups * 8 : -4], packed[-4:].view("<f4")
    elements = E2M1[np.stack(halves(codes), axis=1)].reshape(-1, _GROUP)
    return (elements * E4M3[scales][:, None] * matrix.astype(np.float32)).ravel()


def encode_nvfp4(values: Floats) -> bytes:
    """Scales that bring the largest values to the largest codes, and what is nearest to the quotients."""
    rows = values.astype(np.float64).reshape(-1, _GROUP)
    largest = np.abs(rows).max(axis=1, initial=0.0)
    matrix = _matrix_scale(float(largest.max(initial=0.0)))
    scales = nearest_e4m3(largest / (LARGEST_E2M1 * matrix or 1.0))
    steps = (E4M3[scales].astype(np.float64) * matrix)[:, None]
    codes = nearest_e2m1(np.divide(rows, steps, out=np.copysign(0.0, rows), where=steps != 0))
    packed = joined(codes[:, ::2], codes[:, 1::2])
    return packed.tobytes() + scales.tobytes() + np.array(matrix, "<f4").tobytes()


def _matrix_scale(largest: float) -> float:
    """What the largest value of a matrix is to be multiplied from, as a float32."""
    if largest == 0:
        return 0.0
    return max(float(np.float32(largest / (LARGEST_E2M1 * LARGEST_E4M3))), _SMALLEST)
