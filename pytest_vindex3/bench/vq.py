"""Vector-quantised matrices: decoding and products against the portable variant of the same kernels.

That variant is this kit's own C, built with -O3 -fno-tree-vectorize -ffp-contract=off. Matrices are made when
a row is first measured; both sides write into memory that was touched before.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pytest_vindex3.bench.row import Place, Row
from vindex3_reference.kernels import Geometry, Planar, available, decode, multiply, native
from vindex3_reference.kernels.plain import NumpyMatrix

if native.built:
    from vindex3_reference.kernels.compiled import CompiledMatrix

ROWS, COLUMNS, BLOCK = 3072, 3584, 64
SHAPE = f"{ROWS} x {COLUMNS}, index_block {BLOCK}"
SCALAR = "the portable variant (-O3 -fno-tree-vectorize)"
IN_TURN = 64
"""Matrices that are read one after the other: 264 MB of indices of three bytes."""
CHUNK = 4096
"""Vectors that numpy decodes at once."""

Floats = npt.NDArray[np.float32]


class Matrix(NamedTuple):
    """A matrix of random indices, as the kernels take it."""

    geometry: Geometry
    indices: npt.NDArray[np.uint8]
    books: npt.NDArray[np.float16]
    scales: npt.NDArray[np.float16]


class Goals(NamedTuple):
    """Ratios wanted of the product through codes: in cache, from memory, and with indices in planes."""

    cached: float
    streamed: float | None
    planar: float | None


GOALS = {"avx2": Goals(2.3, 1.8, 4.0), "avx512": Goals(5.0, 2.8, 8.0), "neon": Goals(3.3, None, None)}
GOAL_DECODE, GOAL_NUMPY, GOAL_TABLE = 3.0, 5.0, 4.0


def bench_rows(place: Place) -> Iterator[Row]:
    """Decoding, then products, of a build with compiled kernels."""
    del place
    if native.built:
        yield from _decoding()
        yield from _products()


def _decoding() -> Iterator[Row]:
    for name, packed, share in (("VQ3R", False, 0.7), ("VQ4P", True, 0.6)):
        scalar = partial(_decoded, packed, "scalar")
        for isa in available("decode")[:-1]:
            what, own = f"{name} decode, {isa}, {SHAPE}", partial(_decoded, packed, isa)
            yield Row(what, SCALAR, GOAL_DECODE, own, scalar, _equal, 2)
            yield Row(what, "memset of as many bytes", share, own, _set, partial(_right, packed), 2)
    what = f"VQ3R decode, {SHAPE}"
    best = available("decode")[0]
    yield Row(
        what, "numpy.take, indices ready", GOAL_NUMPY, partial(_decoded, False, best), _taken, _equal, 1
    )


def _products() -> Iterator[Row]:
    for isa in available("multiply")[:-1]:
        goals, own = GOALS[isa], partial(_product, True, isa, "int8")
        what = f"VQ4P product, int8 table, {isa}, {SHAPE}"
        other = partial(_product, False, "scalar", "f32")
        yield Row(
            what, f"VQ3R product, f32 table, {SCALAR}", goals.cached, own, other, _products_of(False), 4
        )
        yield Row(
            f"{what}, indices taken apart into planes at load",
            f"VQ4P product, f32 table, {SCALAR}",
            goals.planar,
            partial(_planar_product, isa),
            partial(_product, True, "scalar", "f32"),
            _products_of(True),
            4,
        )
        yield Row(
            f"{what}, {IN_TURN} matrices from memory",
            f"as many VQ3R products, f32 table, {SCALAR}",
            goals.streamed,
            partial(_in_turn, True, isa, "int8"),
            partial(_in_turn, False, "scalar", "f32"),
            _products_of(False),
            1,
        )
        what = f"int8 table of {COLUMNS // 8} positions, {isa}"
        yield Row(what, "the product that it serves", GOAL_TABLE, partial(_tabled, isa), own, _second, 8)


@cache
def _matrix(packed: bool, place: int = 0) -> Matrix:
    """One of the matrices of that packing; their books and scales are the same."""
    stages, entries, bits = (4, 64, 6) if packed else (3, 256, 8)
    geometry = Geometry(ROWS, COLUMNS, stages, 8, entries, bits, BLOCK)
    indices = np.random.default_rng(place).integers(0, 256, geometry.index_bytes, np.uint8)
    numbers = np.random.default_rng(99)
    books, scales = (numbers.standard_normal(size) for size in (geometry.book_values, ROWS))
    return Matrix(geometry, indices, books.astype(np.float16), scales.astype(np.float16))


@cache
def _room(name: str, *shape: int) -> Floats:
    """Memory for the result of that name, at a cache line, which was touched."""
    del name
    size = int(np.prod(shape))
    room = np.zeros(size + 16, np.float32)
    first = -room.ctypes.data // 4 % 16
    return room[first : first + size].reshape(shape)


@cache
def _x() -> Floats:
    return np.random.default_rng(5).standard_normal(COLUMNS).astype(np.float32)


def _decoded(packed: bool, isa: str) -> Floats:
    return decode(*_matrix(packed), isa=isa, out=_room(f"weights {isa}", ROWS, COLUMNS))


def _set() -> None:
    ctypes.memset(_room("set", ROWS, COLUMNS).ctypes.data, 1, 4 * ROWS * COLUMNS)


@cache
def _chunks() -> list[tuple[npt.NDArray[np.intp], Floats]]:
    """Indices by stage, and scales, of runs of rows of about CHUNK vectors."""
    geometry, indices, _, scales = _matrix(False)
    stored = indices.reshape(-1, geometry.positions, BLOCK, geometry.stages).transpose(3, 0, 2, 1)
    by_row = stored.reshape(geometry.stages, ROWS, geometry.positions).astype(np.intp)
    step = CHUNK // geometry.positions
    return [
        (
            by_row[:, row : row + step].reshape(geometry.stages, -1),
            scales[row : row + step].astype(np.float32),
        )
        for row in range(0, ROWS, step)
    ]


def _taken() -> Floats:
    geometry, _, halves, _ = _matrix(False)
    books, out = halves.astype(np.float32).reshape(geometry.stages, -1, 8), _room("taken", ROWS, COLUMNS)
    part, row = _room("part", CHUNK, 8), 0
    for indices, scales in _chunks():
        rows, vectors = len(scales), indices.shape[1]
        total = out[row : row + rows].reshape(vectors, 8)
        np.take(books[0], indices[0], axis=0, out=total, mode="clip")
        for book, index in zip(books[1:], indices[1:], strict=True):
            np.take(book, index, axis=0, out=part[:vectors], mode="clip")
            total += part[:vectors]
        out[row : row + rows] *= scales[:, None]
        row += rows
    return out


def _product(packed: bool, isa: str, table: str, place: int = 0) -> Floats:
    out = _room(f"{packed} {isa} {table}", ROWS)
    return multiply(*_matrix(packed, place), _x(), isa=isa, table=table, out=out)


@cache
def _planar() -> Planar:
    geometry, indices, _, _ = _matrix(True)
    return Planar(geometry, indices)


def _planar_product(isa: str) -> Floats:
    _, _, books, scales = _matrix(True)
    return _planar().multiply(books, scales, _x(), isa=isa, out=_room(f"planar {isa}", ROWS))


def _in_turn(packed: bool, isa: str, table: str) -> Floats:
    for place in range(IN_TURN - 1, 0, -1):
        _product(packed, isa, table, place)
    return _product(packed, isa, table)


def _tabled(isa: str) -> None:
    """The table of the product alone, which is what a kernel makes for no row."""
    geometry, indices, books, scales = _matrix(True)
    matrix = CompiledMatrix(geometry, indices, books.view(np.uint8), scales.view(np.uint8), isa)
    matrix.multiply_int8(_x(), _room("none", ROWS), 0, 0)


@cache
def _expected(packed: bool, table: str) -> Floats:
    """A product by numpy alone."""
    geometry, indices, books, scales = _matrix(packed)
    matrix = NumpyMatrix(geometry, indices, books.view(np.uint8), scales.view(np.uint8))
    out = np.empty(ROWS, np.float32)
    (matrix.multiply_int8 if table == "int8" else matrix.multiply)(_x(), out, 0, ROWS)
    return out


def _products_of(packed: bool) -> Callable[[object, object], bool]:
    """Judges a product through codes, and one through floats, each by its own right result."""
    return lambda own, other: _equal(own, _expected(True, "int8")) and _equal(other, _expected(packed, "f32"))


def _second(own: object, other: object) -> bool:
    """Judges the product alone: a table gives no result."""
    del own
    return _equal(other, _expected(True, "int8"))


def _right(packed: bool, own: object, other: object) -> bool:
    """Judges decoding against a side that decodes nothing."""
    del other
    return _equal(own, _decoded(packed, "scalar"))


def _equal(own: object, other: object) -> bool:
    return np.asarray(own).tobytes() == np.asarray(other).tobytes()
