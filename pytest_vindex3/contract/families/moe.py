"""Verbs of moe_manifest.json (spec: lyrw.md, sections 9 and 10)."""

from __future__ import annotations

from typing import NotRequired, Protocol, TypedDict

from pytest_vindex3.contract.defect import Defect
from pytest_vindex3.contract.slots import Document
from pytest_vindex3.contract.verb import verb


class Selection(TypedDict):
    """How experts are chosen: k of them, or with `grouped_top_k` k of each of `groups` groups."""

    kind: str
    k: int
    groups: NotRequired[int | None]


class Post(TypedDict):
    """What is done to the router's weights; the types of the last two are not judged."""

    renormalise: bool
    norm_after_top_k: bool
    quantile_balanced: bool
    gate_bias: Document
    route_scale: Document


class Router(TypedDict):
    """The router of a layer; `scores` is a text of the producer's own."""

    scores: str
    activation: str
    selection: Selection
    post: Post
    shared_expert_sink: bool


class Transforms(TypedDict):
    """What leads into and out of the latent space; the types are not judged."""

    routed_input: Document
    routed_output: Document


class ExpertDims(TypedDict):
    """The dimensions of one expert, in values."""

    input: int
    intermediate: int
    output: int


class ExpertBank(TypedDict):
    """A bank bound to a programme; the programme's string is kept as written."""

    experts: int
    programme: str
    storage: str
    expert_dims: ExpertDims | None


class MoeLayer(TypedDict):
    """One layer of experts."""

    layer: int
    input_space: str
    router: Router
    transforms: Transforms | None
    routed_bank: ExpertBank
    shared_bank: ExpertBank | None
    reduction: str
    routed_output_norm: str | None
    combine: str


class Manifest(TypedDict):
    """The document with every optional field filled in; unknown fields may be there and are not read."""

    schema_version: int
    layers: list[MoeLayer]


class Checked(TypedDict):
    """Everything that is wrong with a manifest, in any order."""

    defects: list[Defect]


@verb("moe.load")
class MoeLoad(Protocol):
    """Read a manifest and fill in what it leaves out."""

    def __call__(self, *, path: str) -> Manifest: ...


@verb("moe.check")
class MoeCheck(Protocol):
    """List all defects of a manifest; with `segments` also those of the files that it names.

    `segments` leads from a storage key to the LYRW paths of that key; without it no other file is opened.
    """

    def __call__(self, *, path: str, segments: dict[str, list[str]] | None = None) -> Checked: ...
