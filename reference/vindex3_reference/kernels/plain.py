"""Decoding and multiplying with numpy alone, in float32 steps: what is used where C was not built.

Work is cut so that what it needs besides its result stays small, whatever the shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vindex3_reference.kernels.halves import widened
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from vindex3_reference.kernels.buffers import Bytes, Floats
    from vindex3_reference.kernels.geometry import Geometry

CHUNK = 1 << 17
"""Values that are worked on at once."""
TABLE = 1 << 20
"""Values of the tables that stand at once."""
PLANE = 64
"""Rows whose bytes stand side by side in a plane."""
INT8_POSITIONS = 32
INT8_LARGEST = 127


@dataclass(frozen=True, slots=True)
class NumpyMatrix:
    """A matrix of indices, its books and scales, as bytes of sufficient length."""

    geometry: Geometry
    indices: Bytes
    codebooks: Bytes
    scales: Bytes

    @classmethod
    def planar(cls, geometry: Geometry, planes: Bytes, codebooks: Bytes, scales: Bytes) -> NumpyMatrix:
        """One whose indices were taken apart by `planes`."""
        apart = planes.reshape(-1, geometry.run, geometry.block)
        return cls(geometry, np.ascontiguousarray(apart.transpose(0, 2, 1)).reshape(-1), codebooks, scales)

    def planes(self, out: Bytes) -> None:
        """Put the planes of packed indices into `out`, which has room for whole blocks of 64 rows."""
        shape = self.geometry
        out[:] = 0
        tiles = out.reshape(-1, shape.positions, shape.run, PLANE)
        for begin in range(0, shape.rows, PLANE):
            rows = self._stored(begin, min(begin + PLANE, shape.rows), 0, shape.positions)
            tiles[begin // PLANE, :, :, : len(rows)] = rows.transpose(1, 2, 0)

    def first_beyond(self) -> tuple[int, int, int, int] | None:
        """Row, position, stage and value of the first index that names no entry."""
        shape = self.geometry
        if shape.packed or shape.entries == 256:
            return None
        for begin, end in _cuts(0, shape.rows, shape.positions * shape.stages):
            found = self._indices(begin, end, 0, shape.positions)
            beyond = np.argwhere(found >= shape.entries)
            if len(beyond):
                row, position, stage = (int(place) for place in beyond[0])
                return begin + row, position, stage, int(found[row, position, stage])
        return None

    def decode(self, out: Floats, begin: int, end: int) -> None:
        """Put the weights of rows from `begin` to `end` into `out`, of [rows, n_in]."""
        shape = self.geometry
        books, scales = self._books(), widened(self.scales[2 * begin : 2 * end])
        with np.errstate(all="ignore"):
            for first, last in _cuts(begin, end, shape.n_in):
                for left, right in _cuts(0, shape.positions, (last - first) * shape.vec_dim):
                    indices = self._indices(first, last, left, right)
                    total = np.zeros((*indices.shape[:2], shape.vec_dim), np.float32)
                    for stage, book in enumerate(books):
                        total += book[indices[:, :, stage]]
                    total *= scales[first - begin : last - begin, None, None]
                    columns = slice(left * shape.vec_dim, right * shape.vec_dim)
                    out[first:last, columns] = total.reshape(last - first, -1)

    def multiply(self, x: Floats, out: Floats, begin: int, end: int) -> None:
        """Put the products of rows from `begin` to `end` with `x` into `out`, of [rows]."""
        stages = range(self.geometry.stages)
        total = np.zeros(end - begin, np.float32)
        with np.errstate(all="ignore"):
            for left, table in self._tables(x, TABLE // (self.geometry.stages * self.geometry.entries)):
                indices = self._indices(begin, end, left, left + len(table))
                for position, rows in enumerate(table):
                    part = rows[0][indices[:, position, 0]]
                    for stage in stages[1:]:
                        part = part + rows[stage][indices[:, position, stage]]
                    total += part
            out[begin:end] = total * widened(self.scales[2 * begin : 2 * end])

    def multiply_int8(self, x: Floats, out: Floats, begin: int, end: int) -> None:
        """The same through codes of 8 bits, a unit for each block of 32 positions.

        Raises:
            Refusal: `non-finite` naming the block of which a table value is no finite number.
        """
        total = np.zeros(end - begin, np.float32)
        unit_values = INT8_POSITIONS * self.geometry.stages
        with np.errstate(all="ignore"):
            for left, table in self._tables(x, INT8_POSITIONS):
                unit, codes = _codes(table, left // INT8_POSITIONS)
                places = np.arange(len(table))[:, None], np.arange(self.geometry.stages)
                for first, last in _cuts(begin, end, unit_values):
                    indices = self._indices(first, last, left, left + len(table))
                    sums = codes[(*places, indices)].sum(axis=(1, 2), dtype=np.int32)
                    total[first - begin : last - begin] += sums.astype(np.float32) * unit
            out[begin:end] = total * widened(self.scales[2 * begin : 2 * end])

    def _books(self) -> Floats:
        shape = self.geometry
        values = widened(self.codebooks[: 2 * shape.book_values])
        return values.reshape(shape.stages, shape.entries, shape.vec_dim)

    def _tables(self, x: Floats, positions: int) -> Iterator[tuple[int, Floats]]:
        """For at most so many positions at once: the first of them, and T of [positions, stages, entries]."""
        books, shape = self._books(), self.geometry
        vectors = x.reshape(shape.positions, shape.vec_dim)
        for left in range(0, shape.positions, positions):
            part = vectors[left : left + positions]
            table = np.zeros((len(part), shape.stages, shape.entries), np.float32)
            for element in range(shape.vec_dim):
                table += part[:, element, None, None] * books[:, :, element]
            yield left, table

    def _indices(self, begin: int, end: int, left: int, right: int) -> Bytes:
        """The indices of rows and positions, of [end - begin, right - left, stages]."""
        rows = self._stored(begin, end, left, right)
        return _unpacked(rows) if self.geometry.packed else rows

    def _stored(self, begin: int, end: int, left: int, right: int) -> Bytes:
        """The bytes that hold them, of [end - begin, right - left, run]."""
        shape = self.geometry
        block, run = shape.block, shape.run
        first, last = begin // block, -(-end // block)
        width = shape.positions * block * run
        stored = self.indices[first * width : last * width].reshape(last - first, shape.positions, block, run)
        rows = stored[:, left:right].transpose(0, 2, 1, 3).reshape(-1, right - left, run)
        return rows[begin - first * block : end - first * block]


def _unpacked(runs: Bytes) -> Bytes:
    """Four indices of 6 bits from each run of three bytes."""
    one, two, three = runs[..., 0], runs[..., 1], runs[..., 2]
    return np.stack([one & 63, one >> 6 | (two & 15) << 2, two >> 4 | (three & 3) << 4, three >> 2], axis=-1)


def _codes(table: Floats, block: int) -> tuple[np.float32, npt.NDArray[np.int8]]:
    """The unit of a block of positions, and its table in such units, rounded to integers."""
    largest = np.abs(table).max()
    if not np.isfinite(largest):
        raise Refusal("non-finite", f"the table of block {block} is not finite", block=block)
    unit = np.float32(largest / np.float32(INT8_LARGEST))
    if unit == 0:
        return unit, np.zeros(table.shape, np.int8)
    return unit, np.clip(np.rint(table / unit), -INT8_LARGEST, INT8_LARGEST).astype(np.int8)


def _cuts(begin: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """Runs of things that hold `width` values each, of at most CHUNK values, but at least one thing."""
    step = max(1, CHUNK // width)
    return ((first, min(first + step, end)) for first in range(begin, end, step))
