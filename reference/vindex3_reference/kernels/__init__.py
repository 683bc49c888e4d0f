"""Kernels on buffers: checksums, vector-quantised matrices, grouped codes, halves (waste.md, 3.3 and 5 to 8).

    value = crc32(record[48:end])
    matrix = Geometry(rows=3072, n_in=3584, stages=3, vec_dim=8, entries=256, index_block=64)
    weights = decode(matrix, indices, codebooks, scales)
    product = multiply(matrix, indices, codebooks, scales, x)

Every buffer may start at any address; none is changed or read beyond the length that is needed. Each kernel
has variants for sets of instructions, all with the same bits; the best that the machine has is taken.
"""

from __future__ import annotations

from vindex3_reference.kernels.checksum import crc32, crc32_batch, crc32_combined, crc32_ranges
from vindex3_reference.kernels.geometry import Geometry
from vindex3_reference.kernels.grouped import Groups, dequantised
from vindex3_reference.kernels.halves import half_to_float
from vindex3_reference.kernels.planar import Planar
from vindex3_reference.kernels.variants import KERNELS, available, force
from vindex3_reference.kernels.vq import Beyond, decode, first_beyond, multiply

__all__ = [
    "KERNELS",
    "Beyond",
    "Geometry",
    "Groups",
    "Planar",
    "available",
    "crc32",
    "crc32_batch",
    "crc32_combined",
    "crc32_ranges",
    "decode",
    "dequantised",
    "first_beyond",
    "force",
    "half_to_float",
    "multiply",
]
