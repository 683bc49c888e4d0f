"""Widening IEEE binary16 to float32, which is exact (waste.md, section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from vindex3_reference.kernels.buffers import Buffer, Floats


def half_to_float(data: Buffer) -> Floats:
    """The halves of a buffer, little-endian, as float32; subnormals and the sign of zero are kept."""
    halves: npt.NDArray[np.float16] = np.frombuffer(data, "<f2")
    return halves.astype(np.float32)
