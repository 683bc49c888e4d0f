"""The verbs of kernels (waste.md, section 16)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from vindex3_reference.kernels.buffers import bytes_of, floats_of
from vindex3_reference.kernels.checksum import crc32, crc32_combined
from vindex3_reference.kernels.geometry import Geometry
from vindex3_reference.kernels.guarded import at_both_edges
from vindex3_reference.kernels.variants import chosen
from vindex3_reference.kernels.vq import decode, multiply
from vindex3_reference.slot import U32, U64, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from vindex3_reference.kernels.buffers import Buffer, Floats
    from vindex3_reference.kernels.guarded import Edge
    from vindex3_reference.strict_json import Json

__all__ = ["kernel_crc32", "kernel_vq_decode", "kernel_vq_matvec"]

Answer = dict[str, object]


def kernel_crc32(
    *, data: Buffer, value: int = 0, isa: str | None = None, combine: Json = None, guard: bool = False
) -> Answer:
    """Continue the checksum `value` over `data`, then over a second part that is known by its checksum."""
    variant = chosen("crc32", isa)
    request = Slot.root({"value": value, "combine": combine, "guard": guard}, "request")
    before = request.required("value").integer(U32)
    if request.required("guard").flag():
        found = int(at_both_edges(lambda edge: np.array(crc32(edge.copy(data, "data"), before, variant))))
    else:
        found = crc32(data, before, variant)
    if (second := request.optional("combine")) is not None:
        found = crc32_combined(found, second.required("crc32").u32(), second.required("length").u64())
    return {"crc32": found, "isa": variant}


def kernel_vq_decode(
    *,
    indices: Buffer,
    codebooks: Buffer,
    scales: Buffer,
    rows: int,
    n_in: int,
    stages: int,
    vec_dim: int,
    entries: int,
    index_bits: int,
    index_block: int,
    isa: str | None = None,
    threads: int = 1,
    guard: bool = False,
) -> Answer:
    """Decode the indices of a matrix."""
    variant = chosen("decode", isa)
    geometry = Geometry(rows, n_in, stages, vec_dim, entries, index_bits, index_block)
    buffers = {"indices": indices, "codebooks": codebooks, "scales": scales}
    work = partial(decode, isa=variant, threads=_threads(threads))
    return {"out": _worked(work, geometry, buffers, (rows, n_in), guard), "isa": variant}


def kernel_vq_matvec(
    *,
    indices: Buffer,
    codebooks: Buffer,
    scales: Buffer,
    rows: int,
    n_in: int,
    stages: int,
    vec_dim: int,
    entries: int,
    index_bits: int,
    index_block: int,
    x: Buffer,
    table: str = "f32",
    isa: str | None = None,
    threads: int = 1,
    guard: bool = False,
) -> Answer:
    """Multiply a matrix of indices with `x`."""
    variant = chosen("multiply", isa)
    geometry = Geometry(rows, n_in, stages, vec_dim, entries, index_bits, index_block)
    buffers = {"indices": indices, "codebooks": codebooks, "scales": scales, "x": floats_of(x, "x")}
    work = partial(multiply, table=table, isa=variant, threads=_threads(threads))
    return {"out": _worked(work, geometry, buffers, (rows,), guard), "isa": variant, "table": table}


def _worked(
    work: Callable[..., Floats],
    geometry: Geometry,
    buffers: dict[str, Buffer],
    shape: tuple[int, ...],
    guard: bool,
) -> Floats:
    """What a kernel gives, from the buffers where they are or from copies beside inaccessible pages."""
    if not Slot.root({"guard": guard}, "request").required("guard").flag():
        return work(geometry, **buffers)
    stored = ("indices", "codebooks", "scales")
    geometry.require(**{name: bytes_of(buffers[name], name).size for name in stored})

    def at(edge: Edge) -> Floats:
        placed = {name: edge.copy(data, name) for name, data in buffers.items()}
        if "x" in placed:
            placed["x"] = placed["x"].view(np.float32)
        return work(geometry, **placed, out=edge.floats(shape))

    return at_both_edges(at)


def _threads(threads: int) -> int:
    """A number of threads, at least one."""
    return Slot.root({"threads": threads}, "request").required("threads").integer(U64, 1)
