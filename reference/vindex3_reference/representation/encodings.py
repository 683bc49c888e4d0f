"""The encodings that the compiler knows: what shapes they hold, in how many bytes (representation.md)."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Encoding(NamedTuple):
    """Blocks of values along the last dimension.

    Attributes:
        block: values of a block.
        block_bytes: bytes of a block.
        matrix_only: whether it holds two dimensions alone.
        extra_bytes: of the whole tensor, besides its blocks.
    """

    block: int
    block_bytes: int
    matrix_only: bool = False
    extra_bytes: int = 0

    def fits(self, shape: Sequence[int]) -> bool:
        """Whether a tensor of this shape, the slowest axis first, can be stored so."""
        axes = len(shape)
        return axes > 0 and shape[-1] % self.block == 0 and (axes == 2 or not self.matrix_only)

    def size(self, shape: Sequence[int]) -> int:
        """Bytes of a tensor whose shape fits (PRECISION-BYTES-01)."""
        return prod(shape) // self.block * self.block_bytes + self.extra_bytes


ENCODINGS = {
    "NVFP4": Encoding(16, 9, matrix_only=True, extra_bytes=4),
    "Q4_K": Encoding(256, 144),
    "Q6_K": Encoding(256, 210),
    "Q8_0": Encoding(32, 34),
}
"""By label, in exact case."""
