"""Verbs that make WASTE containers and read what runs leave in them (spec: waste.md, section 16)."""

from __future__ import annotations

from typing import NotRequired, Protocol, TypedDict

from pytest_vindex3.contract.slots import Blob, Document, FloatArray
from pytest_vindex3.contract.verb import verb


class MatrixIndices(TypedDict):
    """One matrix of an expert: unsigned bytes [rows][positions][stages], a half for each row."""

    indices: Blob
    scales: Blob


class ExpertMatrices(TypedDict):
    """The three matrices of an expert."""

    gate: MatrixIndices
    up: MatrixIndices
    down: MatrixIndices


class LayerExperts(TypedDict):
    """A layer: 3 x stages codebooks of halves, gate, up, down, and its experts by number."""

    codebooks: list[Blob]
    experts: list[ExpertMatrices]


class TrunkTensor(TypedDict):
    """A tensor to be stored: `codes` with halves of `scales`, or float32 `values`."""

    name: str
    fmt: int
    shape: list[int]
    group: NotRequired[int | None]
    codes: NotRequired[Blob | None]
    values: NotRequired[FloatArray | None]
    scales: NotRequired[Blob | None]


class WasteModel(TypedDict):
    """A model whose quantisation is done; `layers` by number.

    Attributes:
        sidecars: further files by name.
        resume: layers that are not given are kept from the container that stands there.
    """

    arch: NotRequired[str | None]
    tensor_prefix: NotRequired[str | None]
    config: Document
    expert_quant: NotRequired[Document]
    layers: NotRequired[dict[str, LayerExperts]]
    trunk: NotRequired[list[TrunkTensor]]
    sidecars: NotRequired[dict[str, Blob] | None]
    resume: NotRequired[bool]


class WrittenWaste(TypedDict):
    """Names of the files that were written, and of those that were already as they are to be."""

    written: list[str]
    unchanged: list[str]


class UsageEntry(TypedDict):
    """What is known of an expert's use; `known` says whether the container has the expert."""

    layer: int
    expert: int
    hits: int
    last_seen: int
    next_layer_top: int
    known: bool


class Usage(TypedDict):
    """Run-time statistics; `version` and `clock` are null where the file is absent.

    Attributes:
        dropped_bytes: bytes behind the last whole entry.
        warm_order: [layer, expert] pairs in the order in which they are worth reading.
    """

    present: bool
    version: int | None
    clock: int | None
    dropped_bytes: int
    entries: list[UsageEntry]
    warm_order: list[list[int]]


@verb("waste.write", writes=("path",))
class WasteWrite(Protocol):
    """Write a container from finished indices, codebooks and codes; `workers` never show in its bytes.

    Banks are named experts-L{layer}.bin. Trunk `codes` are signed bytes of the values that scales multiply,
    [rows][columns] without filling. With `resume` new codebooks go behind those that are there.
    """

    def __call__(self, *, model: WasteModel, path: str, workers: int = 1) -> WrittenWaste: ...


@verb("usage.read")
class UsageRead(Protocol):
    """Read the statistics that runs have left in the container `path`."""

    def __call__(self, *, path: str) -> Usage: ...
