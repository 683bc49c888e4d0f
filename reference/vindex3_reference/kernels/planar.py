"""Packed indices taken apart once, at load, for products that are asked for again and again.

    matrix = Planar(geometry, indices)
    product = matrix.multiply(codebooks, scales, x)

Of each 64 rows the first bytes stand side by side at every position, then the second, then the third, so that
no product has to part them. They take as much memory as stored rows in blocks of 64.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from vindex3_reference.kernels import native
from vindex3_reference.kernels.buffers import bytes_of
from vindex3_reference.kernels.geometry import vector_of
from vindex3_reference.kernels.plain import PLANE, NumpyMatrix
from vindex3_reference.kernels.shares import line_room, result_room, share
from vindex3_reference.kernels.variants import chosen
from vindex3_reference.refusal import Refusal

if native.built:
    from vindex3_reference.kernels.compiled import CompiledMatrix

if TYPE_CHECKING:
    from collections.abc import Callable

    from vindex3_reference.kernels.buffers import Buffer, Bytes, Floats
    from vindex3_reference.kernels.geometry import Geometry


class Planar:
    """The indices of a packed matrix in planes; those that were given are needed no more.

    Args:
        geometry: the shape, and how the indices are stored.
        indices: the region.

    Attributes:
        geometry: the same shape in blocks of 64 rows.
        planes: the bytes, of [blocks][positions][3][64]; where rows end inside a block, 0.

    Raises:
        Refusal: `unsupported-feature` for indices that are not packed, `length-mismatch` for a buffer that is
            too short.
    """

    def __init__(self, geometry: Geometry, indices: Buffer) -> None:
        if not geometry.packed:
            message = f"indices of {geometry.index_bits} bits have no planes"
            raise Refusal("unsupported-feature", message, field="index_bits", found=geometry.index_bits)
        octets = bytes_of(indices, "indices")
        geometry.require(indices=octets.size)
        self.geometry = replace(geometry, index_block=PLANE)
        self.planes = line_room(self.geometry.index_bytes)
        empty = octets[:0]
        if native.built:
            CompiledMatrix(geometry, octets, empty, empty, "scalar").planes(self.planes)
        else:
            NumpyMatrix(geometry, octets, empty, empty).planes(self.planes)

    def multiply(
        self,
        codebooks: Buffer,
        scales: Buffer,
        x: Buffer,
        *,
        isa: str | None = None,
        threads: int = 1,
        out: Floats | None = None,
    ) -> Floats:
        """What `multiply` gives with the table int8, bit for bit, and its arguments.

        Raises:
            Refusal: `length-mismatch`, `isa-unavailable`, `non-finite`, as `multiply`.
        """
        variant = chosen("multiply", isa)
        shape = self.geometry
        vector = vector_of(x, shape)
        books, factors = bytes_of(codebooks, "codebooks"), bytes_of(scales, "scales")
        shape.require(codebooks=books.size, scales=factors.size)
        result = result_room((shape.rows,), out)
        share(
            partial(self._product(books, factors, variant), vector, result), shape.rows, threads, least=PLANE
        )
        return result

    def _product(self, books: Bytes, scales: Bytes, isa: str) -> Callable[[Floats, Floats, int, int], None]:
        if native.built:
            return CompiledMatrix.planar(self.geometry, self.planes, books, scales, isa).multiply_int8
        return NumpyMatrix.planar(self.geometry, self.planes, books, scales).multiply_int8
