"""Values that are stored as floats of their own: F32, F16 and BF16."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from vindex3_reference.representation.codecs.elements import Floats


def decode_f32(data: memoryview) -> Floats:
    """Binary32, little-endian."""
    return np.frombuffer(data, "<f4").astype(np.float32)


def decode_f16(data: memoryview) -> Floats:
    """Binary16, little-endian."""
    return np.frombuffer(data, "<f2").astype(np.float32)


def decode_bf16(data: memoryview) -> Floats:
    """The upper half of a binary32, little-endian."""
    return (np.frombuffer(data, "<u2").astype(np.uint32) << np.uint32(16)).view(np.float32)
