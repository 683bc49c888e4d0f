"""moe_manifest.json, the document that binds banks to programmes, field by field (lyrw.md, section 9)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from vindex3_reference import document

if TYPE_CHECKING:
    from vindex3_reference.slot import Slot
    from vindex3_reference.strict_json import Json

SUPPORTED_VERSION = 1
INPUT_SPACES = ("residual", "latent")
ACTIVATIONS = ("softmax", "sigmoid")
GROUPED = "grouped_top_k"
SELECTIONS = ("top_k", GROUPED)
REDUCTIONS = ("gate_weighted_sum",)
COMBINES = ("residual_add",)


@dataclass(frozen=True, slots=True)
class Selection:
    """How experts are chosen for a token; `groups` is None where there are none."""

    kind: str
    k: int
    groups: int | None

    @property
    def experts(self) -> int:
        """Experts per token: k, or k in each group."""
        return self.k if self.groups is None else self.k * self.groups


@dataclass(frozen=True, slots=True)
class Post:
    """What is done to the scores of chosen experts; values that nobody judges are kept as they are."""

    renormalise: bool
    norm_after_top_k: bool
    quantile_balanced: bool
    gate_bias: Json
    route_scale: Json


@dataclass(frozen=True, slots=True)
class Router:
    """Who chooses the experts."""

    scores: str
    activation: str
    selection: Selection
    post: Post
    shared_expert_sink: bool


@dataclass(frozen=True, slots=True)
class Transforms:
    """Ways into the latent space and out of it, kept as they are."""

    routed_input: Json
    routed_output: Json


@dataclass(frozen=True, slots=True)
class Dims:
    """The dimensions of an expert, in values."""

    input: int
    intermediate: int
    output: int


@dataclass(frozen=True, slots=True)
class Bank:
    """A bank of experts: what runs on it, and the storage key of its files."""

    experts: int
    programme: str
    storage: str
    expert_dims: Dims | None


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer with experts; one that no manifest lists is dense."""

    layer: int
    input_space: str
    router: Router
    transforms: Transforms | None
    routed_bank: Bank
    shared_bank: Bank | None
    reduction: str
    routed_output_norm: str | None
    combine: str


class Manifest:
    """A manifest, of which the version can be asked before the layers are read.

    Attributes:
        name: what refusals call the file.
        version: the schema_version, whatever it is.

    Args:
        path: the file.
        name: what refusals call it, where that is not its path.

    Raises:
        Refusal: `missing-file`, the kinds of documents, `missing-field`, `bad-type` or `out-of-range`.
    """

    def __init__(self, path: str, name: str | None = None) -> None:
        self._root = document.root_of(path, name)
        self.name = self._root.path
        self.version = self._root.required("schema_version").u32()

    def layers(self) -> list[Layer]:
        """The layers, with every optional field filled in (MOE-LOAD-02).

        Raises:
            Refusal: `missing-field`, `bad-type`, `out-of-range` or `unknown-value` (MOE-LOAD-03 to 05).
        """
        return [_layer(layer) for layer in self._root.required("layers").elements()]

    def answer(self) -> dict[str, object]:
        """The answer of moe.load; fields that the manifest does not define are left out (MOE-LOAD-06)."""
        layers = [asdict(layer) for layer in self.layers()]
        for layer in layers:
            selection = layer["router"]["selection"]
            if selection["groups"] is None:
                del selection["groups"]
        return {"schema_version": self.version, "layers": layers}


def _layer(layer: Slot) -> Layer:
    norm = layer.optional("routed_output_norm")
    shared = layer.optional("shared_bank")
    return Layer(
        layer=layer.required("layer").u32(),
        input_space=layer.required("input_space").word(INPUT_SPACES),
        router=_router(layer.required("router")),
        transforms=_transforms(layer),
        routed_bank=_bank(layer.required("routed_bank")),
        shared_bank=None if shared is None else _bank(shared),
        reduction=layer.required("reduction").word(REDUCTIONS),
        routed_output_norm=None if norm is None else norm.text(),
        combine=layer.required("combine").word(COMBINES),
    )


def _router(router: Slot) -> Router:
    return Router(
        scores=router.required("scores").text(),
        activation=router.required("activation").word(ACTIVATIONS),
        selection=_selection(router.required("selection")),
        post=_post(router),
        shared_expert_sink=_flag(router, "shared_expert_sink"),
    )


def _selection(selection: Slot) -> Selection:
    kind = selection.required("kind").word(SELECTIONS)
    k = selection.required("k").u32()
    return Selection(kind, k, selection.required("groups").u32() if kind == GROUPED else None)


def _post(router: Slot) -> Post:
    if "post" not in router.object():
        return Post(False, False, False, None, None)
    post = router.required("post")
    return Post(
        renormalise=_flag(post, "renormalise"),
        norm_after_top_k=_flag(post, "norm_after_top_k"),
        quantile_balanced=_flag(post, "quantile_balanced"),
        gate_bias=post.object().get("gate_bias"),
        route_scale=post.object().get("route_scale"),
    )


def _transforms(layer: Slot) -> Transforms | None:
    transforms = layer.optional("transforms")
    if transforms is None:
        return None
    return Transforms(transforms.required("routed_input").value, transforms.required("routed_output").value)


def _bank(bank: Slot) -> Bank:
    dims = bank.optional("expert_dims")
    return Bank(
        experts=bank.required("experts").u32(),
        programme=bank.required("programme").text(),
        storage=bank.required("storage").text(),
        expert_dims=None if dims is None else _dims(dims),
    )


def _dims(dims: Slot) -> Dims:
    return Dims(
        dims.required("input").u32(), dims.required("intermediate").u32(), dims.required("output").u32()
    )


def _flag(home: Slot, key: str) -> bool:
    """A boolean, false where it is absent; a null is no boolean."""
    return key in home.object() and home.required(key).flag()
