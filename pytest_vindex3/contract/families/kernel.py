"""Verbs of kernels, which work on buffers alone (spec: waste.md, sections 3.3, 6, 7 and 16)."""

from __future__ import annotations

from typing import Protocol, TypedDict

from pytest_vindex3.contract.slots import Blob, FloatArray
from pytest_vindex3.contract.verb import verb


class Combined(TypedDict):
    """A second part of which only checksum and length, in bytes, are known."""

    crc32: int
    length: int


class Checksum(TypedDict):
    """A checksum, and the variant that computed it."""

    crc32: int
    isa: str


class Decoded(TypedDict):
    """Decoded weights as float32 of [rows, n_in], and the variant that decoded them."""

    out: FloatArray
    isa: str


class Product(TypedDict):
    """A matrix-vector product as float32 of [rows], the variant that computed it, and its table."""

    out: FloatArray
    isa: str
    table: str


@verb("kernel.crc32", options=("isa", "combine", "guard"))
class KernelCrc32(Protocol):
    """Continue the checksum `value` over `data`, or combine it with that of a second part.

    `isa` is a variant by name (scalar, avx2, avx512, neon, clmul, armcrc), null the best that is there.
    `combine` stands in the place of `data`, which is empty then. With `guard` the data lie beside
    inaccessible pages, where the adapter puts them.
    """

    def __call__(
        self,
        *,
        data: Blob,
        value: int = 0,
        isa: str | None = None,
        combine: Combined | None = None,
        guard: bool = False,
    ) -> Checksum: ...


@verb("kernel.vq_decode", options=("isa", "threads", "guard"))
class KernelVqDecode(Protocol):
    """Decode the indices of a matrix; `codebooks` are stages x entries x vec_dim halves.

    `isa` is a variant by name, null the best that is there; `threads` is how many share the rows. With
    `guard` buffers and result lie beside inaccessible pages, where the adapter puts them.
    """

    def __call__(
        self,
        *,
        indices: Blob,
        codebooks: Blob,
        scales: Blob,
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
    ) -> Decoded: ...


@verb("kernel.vq_matvec", options=("isa", "threads", "guard", "table"))
class KernelVqMatvec(Protocol):
    """Multiply a matrix of indices with `x`, float32 of [n_in], through tables "f32" or "int8".

    `table` is declared where "int8" is built. `isa`, `threads` and `guard` are those of kernel.vq_decode.
    """

    def __call__(
        self,
        *,
        indices: Blob,
        codebooks: Blob,
        scales: Blob,
        rows: int,
        n_in: int,
        stages: int,
        vec_dim: int,
        entries: int,
        index_bits: int,
        index_block: int,
        x: FloatArray,
        table: str = "f32",
        isa: str | None = None,
        threads: int = 1,
        guard: bool = False,
    ) -> Product: ...
