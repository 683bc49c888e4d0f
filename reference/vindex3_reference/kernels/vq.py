"""Vector-quantised matrices, decoded or multiplied with a vector (waste.md, sections 5 to 7).

    weights = decode(Geometry(rows=2, n_in=2, stages=3, vec_dim=2, entries=2), indices, codebooks, scales)

`indices` is the region of one matrix, `codebooks` its books as halves, stage after stage, entry by entry,
`scales` a half per row. What is longer than needed is not read beyond that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from vindex3_reference.kernels import native
from vindex3_reference.kernels.buffers import bytes_of
from vindex3_reference.kernels.geometry import Geometry, vector_of
from vindex3_reference.kernels.plain import NumpyMatrix
from vindex3_reference.kernels.shares import result_room, share
from vindex3_reference.kernels.variants import chosen
from vindex3_reference.refusal import Refusal

if native.built:
    from vindex3_reference.kernels.compiled import CompiledMatrix

if TYPE_CHECKING:
    from vindex3_reference.kernels.buffers import Buffer, Bytes, Floats

TABLES = ("f32", "int8")


def decode(
    geometry: Geometry,
    indices: Buffer,
    codebooks: Buffer,
    scales: Buffer,
    *,
    isa: str | None = None,
    threads: int = 1,
    out: Floats | None = None,
) -> Floats:
    """The weights, float32 of [rows, n_in]: the sum over stages, then once times the scale of the row.

    Args:
        geometry: the shape, and how its indices are stored.
        indices: the region.
        codebooks: the books.
        scales: those of the rows.
        isa: the variant; None takes the best.
        threads: how many share the rows; the result is the same for any number.
        out: where the weights are put, at any address; None makes room.

    Raises:
        Refusal: `length-mismatch` for a buffer that is too short, `index-out-of-codebook` with row,
            position, stage, index and entries for the first such index, `isa-unavailable`.
    """
    variant = chosen("decode", isa)
    matrix = _matrix(geometry, indices, codebooks, scales, variant)
    result = result_room((geometry.rows, geometry.n_in), out)
    share(partial(matrix.decode, result), geometry.rows, threads)
    return result


def multiply(
    geometry: Geometry,
    indices: Buffer,
    codebooks: Buffer,
    scales: Buffer,
    x: Buffer,
    *,
    table: str = "f32",
    isa: str | None = None,
    threads: int = 1,
    out: Floats | None = None,
) -> Floats:
    """The product of the matrix and `x`, float32 of [rows], in the order of operations of section 7.

    Args:
        geometry: as for `decode`, like all that is not said here.
        indices: the region.
        codebooks: the books.
        scales: those of the rows.
        x: float32 of [n_in].
        table: "f32", or "int8" for packed indices: codes of 8 bits, with other, coarser results.
        isa: the variant.
        threads: how many share the rows.
        out: where the products are put.

    Raises:
        Refusal: as `decode`; `length-mismatch` for x, `unsupported-feature` for a table that is not
            there, `non-finite` naming the block of 32 positions for which int8 has no codes.
    """
    variant = chosen("multiply", isa)
    vector = vector_of(x, geometry)
    if table not in TABLES or (table == "int8" and not geometry.packed):
        message = f"there is no table {table!r} for indices of {geometry.index_bits} bits"
        raise Refusal("unsupported-feature", message, field="table", found=table)
    matrix = _matrix(geometry, indices, codebooks, scales, variant)
    result = result_room((geometry.rows,), out)
    product = matrix.multiply if table == "f32" else matrix.multiply_int8
    share(partial(product, vector, result), geometry.rows, threads)
    return result


@dataclass(frozen=True, slots=True)
class Beyond:
    """Where an index stands that names no entry of its book, and what it is."""

    row: int
    position: int
    stage: int
    index: int


def first_beyond(geometry: Geometry, indices: Buffer) -> Beyond | None:
    """The first such index of a matrix, by row, position and stage; rows that fill a block are not judged."""
    octets = bytes_of(indices, "indices")
    geometry.require(indices=octets.size)
    found = _kernel(geometry, octets, octets[:0], octets[:0], "scalar").first_beyond()
    return None if found is None else Beyond(*found)


def _matrix(
    geometry: Geometry, indices: Buffer, codebooks: Buffer, scales: Buffer, isa: str
) -> NumpyMatrix | CompiledMatrix:
    named = {"indices": indices, "codebooks": codebooks, "scales": scales}
    buffers = {name: bytes_of(data, name) for name, data in named.items()}
    geometry.require(**{name: data.size for name, data in buffers.items()})
    if (beyond := first_beyond(geometry, indices)) is not None:
        message = f"an index names none of {geometry.entries} entries: {beyond}"
        raise Refusal(
            "index-out-of-codebook",
            message,
            row=beyond.row,
            position=beyond.position,
            stage=beyond.stage,
            index=beyond.index,
            entries=geometry.entries,
        )
    return _kernel(geometry, buffers["indices"], buffers["codebooks"], buffers["scales"], isa)


def _kernel(
    geometry: Geometry, indices: Bytes, codebooks: Bytes, scales: Bytes, isa: str
) -> NumpyMatrix | CompiledMatrix:
    if native.built:
        return CompiledMatrix(geometry, indices, codebooks, scales, isa)
    return NumpyMatrix(geometry, indices, codebooks, scales)
