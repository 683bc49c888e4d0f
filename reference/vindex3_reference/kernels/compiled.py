"""Decoding and multiplying in C, with the variant that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.kernels.native import NUMBERS, done, ffi, lib, pointer
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.kernels.buffers import Bytes, Floats
    from vindex3_reference.kernels.geometry import Geometry


class CompiledMatrix:
    """A matrix of indices, its books and scales, as bytes of sufficient length; see `NumpyMatrix`."""

    def __init__(self, geometry: Geometry, indices: Bytes, codebooks: Bytes, scales: Bytes, isa: str) -> None:
        self._buffers = [pointer("uint8_t", data) for data in (indices, codebooks, scales)]
        self._isa = NUMBERS[isa]
        self._matrix = ffi.new("struct matrix *")
        matrix = self._matrix
        matrix.indices, matrix.books, matrix.scales = self._buffers
        matrix.rows, matrix.positions, matrix.block = geometry.rows, geometry.positions, geometry.block
        matrix.stages, matrix.vec_dim = geometry.stages, geometry.vec_dim
        matrix.entries, matrix.packed = geometry.entries, geometry.packed

    @classmethod
    def planar(
        cls, geometry: Geometry, planes: Bytes, codebooks: Bytes, scales: Bytes, isa: str
    ) -> CompiledMatrix:
        """One whose indices were taken apart by `planes`; it multiplies through codes, and nothing else."""
        matrix = cls(geometry, planes, codebooks, scales, isa)
        matrix._matrix.planar = True
        return matrix

    def planes(self, out: Bytes) -> None:
        """Put the planes of packed indices into `out`, which has room for whole blocks of 64 rows."""
        lib.planes_of(self._matrix, pointer("uint8_t", out))

    def first_beyond(self) -> tuple[int, int, int, int] | None:
        """Row, position, stage and value of the first index that names no entry."""
        found = ffi.new("size_t[4]")
        if not lib.first_beyond(self._matrix, found):
            return None
        row, position, stage, index = found
        return row, position, stage, index

    def decode(self, out: Floats, begin: int, end: int) -> None:
        """Put the weights of rows from `begin` to `end` into `out`, of [rows, n_in]."""
        done(lib.decode_rows(self._isa, self._matrix, begin, end, pointer("float", out)))

    def multiply(self, x: Floats, out: Floats, begin: int, end: int) -> None:
        """Put the products of rows from `begin` to `end` with `x` into `out`, of [rows]."""
        vector, result = pointer("float", x), pointer("float", out)
        done(lib.multiply_rows(self._isa, self._matrix, vector, begin, end, result))

    def multiply_int8(self, x: Floats, out: Floats, begin: int, end: int) -> None:
        """The same through codes of 8 bits, a unit for each block of 32 positions.

        Raises:
            Refusal: `non-finite` naming the block of which a table value is no finite number.
        """
        vector, result, block = pointer("float", x), pointer("float", out), ffi.new("size_t *")
        if done(lib.multiply_rows_int8(self._isa, self._matrix, vector, begin, end, result, block)):
            raise Refusal("non-finite", f"the table of block {block[0]} is not finite", block=block[0])
