"""What is wrong with a manifest that loads, one function per kind (lyrw.md, section 9)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from vindex3_reference.defects import Defects
from vindex3_reference.lyrw import moe_storage
from vindex3_reference.lyrw.moe_manifest import SUPPORTED_VERSION, Manifest
from vindex3_reference.lyrw.programmes import PROGRAMMES
from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import Slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from vindex3_reference.lyrw.moe_manifest import Bank, Layer
    from vindex3_reference.strict_json import Json


def checked(path: str, segments: Json) -> Defects:
    """The defects of a manifest, and with `segments` those of the files that its routed banks name.

    Args:
        path: the manifest.
        segments: an object with the layer files of each storage key, as lists; None judges the document
            alone and opens no other file.

    Raises:
        Refusal: what loading the manifest refuses, save that the layers of a version that nobody
            supports are not looked at (MOE-CHECK-02); `bad-type` where `segments` is something else.
    """
    files = None if segments is None else files_of(Slot.root(segments, "segments"))
    defects = Defects()
    for found in faults(Manifest(path), files):
        defects.take(found)
    return defects


def faults(manifest: Manifest, files: Mapping[str, Sequence[str]] | None) -> Iterator[Iterable[Refusal]]:
    """All findings about a manifest, kind by kind, with the files of each storage key or without any.

    Raises:
        Refusal: what reading its layers refuses.
    """
    if manifest.version != SUPPORTED_VERSION:
        yield [unknown_version(manifest.version, manifest.name)]
        return
    layers = manifest.layers()
    yield duplicate_layers(layers)
    for layer in layers:
        yield from document_faults(layer)
        if files is not None:
            yield from moe_storage.faults(layer, files)


def files_of(segments: Slot) -> dict[str, list[str]]:
    """The layer files of each storage key."""
    return {key: [path.text() for path in paths.elements()] for key, paths in segments.members()}


def document_faults(layer: Layer) -> Iterator[Iterator[Refusal]]:
    """All findings about one layer of the document by itself, kind by kind."""
    yield unknown_programmes(layer)
    yield latent_without_transforms(layer)
    yield input_space_contradictions(layer)
    yield missing_scores(layer)
    yield excessive_selections(layer)
    yield sinks_without_bank(layer)
    yield banks_without_storage(layer)
    yield banks_without_experts(layer)
    yield banks_of_no_size(layer)
    yield shared_storage(layer)


def unknown_version(version: int, path: str) -> Refusal:
    """A version that nobody in this generation supports (MOE-CHECK-02)."""
    return Refusal(
        "unknown-version",
        f"schema_version is {version}; supported is {SUPPORTED_VERSION}",
        path=path,
        found=version,
        supported=SUPPORTED_VERSION,
    )


def duplicate_layers(layers: Iterable[Layer]) -> Iterator[Refusal]:
    """Each layer number that is listed more than once (MOE-CHECK-03)."""
    for number, count in Counter(layer.layer for layer in layers).items():
        if count > 1:
            yield Refusal("duplicate-layer", f"layer {number} is listed {count} times", layer=number)


def banks_of(layer: Layer) -> Iterator[tuple[str, Bank]]:
    """The banks of a layer, each with the word for which it is."""
    yield "routed", layer.routed_bank
    if layer.shared_bank is not None:
        yield "shared", layer.shared_bank


def unknown_programmes(layer: Layer) -> Iterator[Refusal]:
    """Each programme that is not of the table, letter by letter (MOE-CHECK-04, MOE-PROGRAMME-02)."""
    for _, bank in banks_of(layer):
        if bank.programme not in PROGRAMMES:
            yield Refusal(
                "unknown-programme",
                f"layer {layer.layer} binds {bank.storage!r} to {bank.programme!r}, which is no programme",
                layer=layer.layer,
                storage=bank.storage,
                programme=bank.programme,
            )


def latent_without_transforms(layer: Layer) -> Iterator[Refusal]:
    """Each bank in the latent space of a layer that has no way into it (MOE-CHECK-05)."""
    for which, bank in banks_of(layer):
        if layer.transforms is None and _is_latent(bank) is True:
            yield Refusal(
                "latent-bank-without-transforms",
                f"the {which} bank of layer {layer.layer} is latent, and transforms is null",
                layer=layer.layer,
                which=which,
                programme=bank.programme,
            )


def input_space_contradictions(layer: Layer) -> Iterator[Refusal]:
    """A known routed programme of the other space than the layer declares (MOE-CHECK-06)."""
    latent = _is_latent(layer.routed_bank)
    if latent is not None and latent != (layer.input_space == "latent"):
        yield Refusal(
            "input-space-contradicts-programme",
            f"layer {layer.layer} declares {layer.input_space}, and runs {layer.routed_bank.programme}",
            layer=layer.layer,
            declared=layer.input_space,
            programme=layer.routed_bank.programme,
        )


def missing_scores(layer: Layer) -> Iterator[Refusal]:
    """A router without scores (MOE-CHECK-07)."""
    if not layer.router.scores.strip():
        yield Refusal(
            "router-has-no-scores", f"router.scores of layer {layer.layer} is blank", layer=layer.layer
        )


def excessive_selections(layer: Layer) -> Iterator[Refusal]:
    """More experts per token than the routed bank has (MOE-CHECK-08)."""
    selected, available = layer.router.selection.experts, layer.routed_bank.experts
    if selected > available:
        yield Refusal(
            "selection-exceeds-bank",
            f"layer {layer.layer} selects {selected} of {available} experts",
            layer=layer.layer,
            selected=selected,
            available=available,
        )


def sinks_without_bank(layer: Layer) -> Iterator[Refusal]:
    """A sink for shared experts that there are not (MOE-CHECK-09)."""
    if layer.router.shared_expert_sink and layer.shared_bank is None:
        yield Refusal(
            "sink-without-shared-bank",
            f"layer {layer.layer} has a shared expert sink, and no shared bank",
            layer=layer.layer,
        )


def banks_without_storage(layer: Layer) -> Iterator[Refusal]:
    """Each bank whose storage is blank (MOE-CHECK-10)."""
    for which, bank in banks_of(layer):
        if not bank.storage.strip():
            yield Refusal(
                "bank-has-no-storage",
                f"the {which} bank of layer {layer.layer} names no storage",
                layer=layer.layer,
                which=which,
            )


def banks_without_experts(layer: Layer) -> Iterator[Refusal]:
    """Each bank of 0 experts (MOE-CHECK-10)."""
    for which, bank in banks_of(layer):
        if not bank.experts:
            yield Refusal(
                "bank-has-no-experts",
                f"the {which} bank of layer {layer.layer} has no experts",
                layer=layer.layer,
                which=which,
            )


def banks_of_no_size(layer: Layer) -> Iterator[Refusal]:
    """Each bank with a zero in its expert_dims (MOE-CHECK-10)."""
    for which, bank in banks_of(layer):
        dims = bank.expert_dims
        if dims is not None and not (dims.input and dims.intermediate and dims.output):
            yield Refusal(
                "bank-has-zero-dimension",
                f"experts of the {which} bank of layer {layer.layer} have no size in one dimension",
                layer=layer.layer,
                which=which,
                input=dims.input,
                intermediate=dims.intermediate,
                output=dims.output,
            )


def shared_storage(layer: Layer) -> Iterator[Refusal]:
    """Both banks under one storage key (MOE-CHECK-10); blank names no key."""
    storage = layer.routed_bank.storage
    if layer.shared_bank is not None and layer.shared_bank.storage == storage and storage.strip():
        yield Refusal(
            "duplicate-bank-storage",
            f"both banks of layer {layer.layer} are stored under {storage!r}",
            layer=layer.layer,
            storage=storage,
        )


def _is_latent(bank: Bank) -> bool | None:
    """Whether a bank's programme works in the latent space; None where the programme is unknown."""
    programme = PROGRAMMES.get(bank.programme)
    return None if programme is None else programme.latent
