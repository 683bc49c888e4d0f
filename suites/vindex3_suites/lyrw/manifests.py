"""Manifests that most tests begin with, and what a right reader says of manifests, as expectations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3.contract.difference import MISSING, free_order
from pytest_vindex3.plugin.expect import Answers, answers
from vindex3_fixtures.lyrw.manifest import ExpertBank, Manifest, MoeLayer, Router

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask

NAME = "moe_manifest.json"

EMPTY = Manifest()
"""No layer of experts at all."""

SIMPLE = Manifest((MoeLayer(),))
"""One layer of four experts, two of which are chosen; every optional field has its default."""

LATENT = MoeLayer(
    layer=1, input_space="latent", transforms=True, routed=ExpertBank(programme="latent-moe-v1", storage="l")
)
"""A layer whose experts work in the latent space."""

EVERYTHING = Manifest(
    (
        MoeLayer(
            layer=4294967295,
            router=Router(
                scores="router/weight é",
                activation="sigmoid",
                k=1,
                groups=8,
                renormalise=True,
                norm_after_top_k=True,
                quantile_balanced=True,
                sink=True,
            ),
            routed=ExpertBank(experts=8, storage="layer_4.routed", dims=(7, 5, 3)),
            shared=ExpertBank(
                experts=1, programme="shared-routed-mlp-v1", storage="layer_4.shared", dims=(2, 4, 6)
            ),
            output_norm="norm.weight",
        ),
        LATENT,
    )
)
"""Two layers in which every field has another value than its default."""


def load(ask: Ask, text: bytes, name: str = NAME) -> Reply:
    """Ask for a manifest of this text."""
    return ask("moe.load", path=ask.file(name, text))


def load_legal(ask: Ask, manifest: Manifest) -> Reply:
    """Ask for the legal twin of a manifest, which stands in a file of its own."""
    return load(ask, manifest.text(), "legal.json")


def loads(manifest: Manifest) -> Answers:
    """The whole document with every optional field filled in; unknown fields may be there or not."""
    return answers(manifest.observation())


def examine(ask: Ask, manifest: Manifest, **segments: list[str]) -> Reply:
    """Ask what is wrong with a manifest, by itself or with these files of its storage keys."""
    path = ask.file(NAME, manifest.text())
    return ask("moe.check", path=path, segments=segments) if segments else ask("moe.check", path=path)


def defect(kind: str, **names: object) -> dict[str, Any]:
    """One defect with these facts; it may have more."""
    return {"kind": kind, "names": names}


def reports(*defects: object, also: object = MISSING) -> Answers:
    """Exactly these defects in any order; such as fit `also` may be there or not."""
    return Answers({"defects": free_order(defects, also)}, frozenset({"wrong" if defects else "legal"}))


def with_router(manifest: Manifest, **values: Any) -> Manifest:
    """The manifest with other values in the router of its first layer."""
    layer = manifest.layers[0]
    return with_layer(manifest, router=replace(layer.router, **values))


def with_layer(manifest: Manifest, **values: Any) -> Manifest:
    """The manifest with other values in its first layer."""
    return replace(manifest, layers=(replace(manifest.layers[0], **values), *manifest.layers[1:]))
