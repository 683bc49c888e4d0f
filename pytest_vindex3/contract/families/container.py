"""Verbs that read and judge a container: its index, its segments, its digests (spec: container.md)."""

from __future__ import annotations

from typing import NotRequired, Protocol, TypedDict

from pytest_vindex3.contract.defect import Defect
from pytest_vindex3.contract.slots import Blob, Document
from pytest_vindex3.contract.verb import verb


class SourceTensor(TypedDict):
    """A tensor of a source artifact, or of a pack; `data` is row-major, little-endian."""

    name: str
    dtype: str
    shape: list[int]
    data: Blob


class Profile(TypedDict):
    """A declared profile; `selects` leads from a region set to the variant that is taken for it."""

    name: str
    selects: dict[str, str]


class Variant(TypedDict):
    """One stored form of a region set; `fidelity` is one of the five levels of authority."""

    storage: str
    fidelity: str


class RegionSet(TypedDict):
    """The variants of a region set, and the name of the one that answers where nothing is selected."""

    baseline: str
    variants: dict[str, Variant]


class Opened(TypedDict):
    """A container as its index describes it, before any segment is read.

    Attributes:
        shapes: graph, bank, in this order.
        authority: canonical or derived.
        precision_map: as it is written.
        representations: each entry as it is written; an optional key that is absent or null is absent.
        extra: unknown top-level keys, verbatim.
        unreferenced_files: paths below the container that nothing in the index names, sorted.
    """

    generation: str
    schema: int
    shapes: list[str]
    model: str
    family: str
    hidden_size: int
    num_layers: int
    system_graph: str | None
    moe_manifest: str | None
    authority: str
    derived_from_model: str | None
    precision_map: dict[str, Document] | None
    profiles: list[Profile]
    representations: dict[str, dict[str, Document]]
    segments: dict[str, int]
    variants: dict[str, RegionSet]
    extra: dict[str, Document]
    unreferenced_files: list[str]


class StoredTensor(TypedDict):
    """A tensor as it is stored: no byte is converted."""

    representation: str
    dtype: str
    shape: list[int]
    data: Blob


class VerifiedEntry(TypedDict):
    """Whether a representation's two digests hold; `story` where sources were given.

    Attributes:
        segment_ok: the digest of the whole file.
        payload_ok: the digest of the payload.
        story: agree, source-drifted, container-changed, both
    """

    representation: str
    segment_ok: bool
    payload_ok: bool
    story: NotRequired[str]


class VerifiedContainer(TypedDict):
    """Everything that is wrong with a container; `examined` counts its representations."""

    verified: bool
    examined: int
    entries: list[VerifiedEntry]
    defects: list[Defect]


@verb("container.open")
class ContainerOpen(Protocol):
    """Read the index of a container and resolve every profile that it declares."""

    def __call__(self, *, path: str) -> Opened: ...


@verb("container.tensor")
class ContainerTensor(Protocol):
    """Give one tensor as it is stored, asked by representation, or by object and encoding.

    Without an encoding the object's first representation answers.
    """

    def __call__(
        self,
        *,
        path: str,
        tensor: str,
        representation: str | None = None,
        object: str | None = None,  # noqa: A002 -- the name of the law
        encoding: str | None = None,
    ) -> StoredTensor: ...


@verb("container.verify")
class ContainerVerify(Protocol):
    """List all defects of a container, and compare it with the `sources` of its artifacts where given."""

    def __call__(
        self, *, path: str, sources: dict[str, list[SourceTensor]] | None = None
    ) -> VerifiedContainer: ...
