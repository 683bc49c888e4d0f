"""Widening IEEE binary16 to float32, which is exact (waste.md, section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vindex3_reference.kernels import native
from vindex3_reference.kernels.buffers import bytes_of
from vindex3_reference.kernels.variants import chosen

if TYPE_CHECKING:
    import numpy.typing as npt

    from vindex3_reference.kernels.buffers import Buffer, Floats


def half_to_float(data: Buffer, isa: str | None = None) -> Floats:
    """The halves of a buffer, little-endian, as float32; subnormals and the sign of zero are kept."""
    variant = chosen("half_to_float", isa)
    if not native.built:
        return widened(data)
    halves = bytes_of(data, "data")
    out = np.empty(halves.size // 2, np.float32)
    native.lib.half_to_float(
        native.NUMBERS[variant], native.pointer("uint8_t", halves), out.size, native.pointer("float", out)
    )
    return out


def widened(data: Buffer) -> Floats:
    """The same with numpy alone."""
    halves: npt.NDArray[np.float16] = np.frombuffer(data, "<f2")
    with np.errstate(invalid="ignore"):  # a signalling NaN is one as well
        return halves.astype(np.float32)
