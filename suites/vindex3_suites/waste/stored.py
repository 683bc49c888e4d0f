"""What a writer left on disk, read by the suite itself and compared with what was described."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_vindex3.contract.difference import MISSING, Difference, Stored, first_difference
from vindex3_fixtures.waste import CODEBOOKS, MANIFEST, TRUNK, Waste
from vindex3_fixtures.waste.codebooks import books_file
from vindex3_fixtures.waste.observation import opened
from vindex3_suites.container.on_disk import contents, document, member, shows

if TYPE_CHECKING:
    from pathlib import Path

    from vindex3_fixtures.waste import Record
    from vindex3_suites.container.on_disk import Shows

WIDTH = ("stages", "vec_dim", "entries", "index_bits", "index_block")


@dataclass(frozen=True)
class StoredWaste:
    """A container's folder as it is when this is made; what cannot be read is MISSING.

    Attributes:
        folder: where it is.
        files: every file in it by its name, read at once.
    """

    folder: Path
    files: Mapping[str, bytes] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", contents(self.folder))

    @cached_property
    def manifest(self) -> Any:
        """The manifest as a document."""
        return document(self.files.get(MANIFEST))

    def layer(self, layer: int) -> Any:
        """The manifest's entry of a layer."""
        return member(member(self.manifest, "layers"), str(layer))

    def base(self, layer: int) -> Any:
        """The number of a layer's first book, as the manifest says."""
        return member(self.layer(layer), "codebook_base")

    def bank(self, layer: int) -> Any:
        """The bytes of the bank that the manifest names for a layer."""
        name = member(self.layer(layer), "file")
        return self.files.get(name, MISSING) if isinstance(name, str) else MISSING

    def books(self, layer: int, model: Waste) -> Any:
        """The bytes of a layer's books, which are as long and as many as the model's."""
        base, quant = self.base(layer), model.quant
        if type(base) is not int or base < 0 or quant is None:
            return MISSING
        size = quant.book_bytes
        return self.files.get(CODEBOOKS, b"")[base * size : (base + 3 * quant.stages) * size]

    def difference(self, model: Waste, layers: tuple[int, ...] | None = None) -> Difference | None:
        """The first thing that is not what a right writer makes of the model, or of these layers of it."""
        found = (
            first_difference(shown.expected, shown.found, shown.place)
            for shown in self.written(model, layers)
        )
        return next((one for one in found if one is not None), None)

    def written(self, model: Waste, layers: tuple[int, ...] | None = None) -> list[Shows]:
        """What must stand here of the model, or of these layers of it: expectations about one thing each."""
        chosen = tuple(model.banks) if layers is None else layers
        return [
            *self.listed(model),
            *(one for layer in chosen for one in self.experts(model, layer)),
            *self.trunk(model),
        ]

    def listed(self, model: Waste) -> list[Shows]:
        """The layers in the manifest, with the bases that the writer chose."""
        layers = {str(layer): self._entry(model, layer) for layer in model.banks}
        return [shows(f"{MANIFEST}: layers", layers, member(self.manifest, "layers"))]

    def trunk(self, model: Waste) -> list[Shows]:
        """The trunk and its entries in the manifest."""
        return [
            shows(f"{MANIFEST}: trunk", _trunk(model.manifest), _trunk(self.manifest)),
            shows(TRUNK, model.files[TRUNK], self.files.get(TRUNK, MISSING)),
        ]

    def described(self, model: Waste) -> list[Shows]:
        """Everything else that the manifest says."""
        quant, found = model.quant, self.manifest
        plain = {"format_version": 0, **{key: model.manifest[key] for key in ("arch", "tensor_prefix")}}
        shown = [shows(f"{MANIFEST}: {key}", value, member(found, key)) for key, value in plain.items()]
        shown.append(shows(f"{MANIFEST}: config", Stored(model.config), member(found, "config")))
        if quant is not None:
            width = {key: getattr(quant, key) for key in WIDTH}
            bits = Stored(quant.stages * quant.index_bits / quant.vec_dim)
            stored = member(found, "expert_quant")
            shown.append(shows(f"{MANIFEST}: expert_quant", {**width, "bits_per_weight": bits}, stored))
        return shown

    def expected(self, record: Record) -> Record:
        """The record with the first book that the manifest gives its layer, as far as a header can."""
        base = self.base(record.layer)
        return replace(record, codebook_id=base & 0xFFFF if type(base) is int else 0)

    def experts(self, model: Waste, layer: int) -> list[Shows]:
        """The bank and the books of a layer, by the base that the writer chose."""
        base, records = self.base(layer), model.banks[layer]
        if type(base) is not int:
            return [shows(f"codebook_base of layer {layer}", 0, base)]
        bank = b"".join(self.expected(one).data for one in records)
        first, count = records[0].codebook_id, 3 * records[0].quant.stages
        books = [
            replace(book, number=base + at) for at, book in enumerate(model.books[first : first + count])
        ]
        return [
            shows(f"bank of layer {layer}", bank, self.bank(layer)),
            shows(f"codebooks of layer {layer}", books_file(books), self.books(layer, model)),
        ]

    def _entry(self, model: Waste, layer: int) -> dict[str, Any]:
        entry = model.manifest["layers"][str(layer)]
        return {**entry, "codebook_base": self.base(layer)}


def holds(folder: Path, model: Waste) -> bool:
    """Whether a folder holds this container, whole."""
    return StoredWaste(folder).difference(model) is None


def _trunk(manifest: Any) -> Any:
    """The trunk's entries with their defaults; MISSING where they have not even the form."""
    entries = member(manifest, "trunk")
    try:
        shaped = {"config": {"num_hidden_layers": 1}, "layers": {}, "trunk": entries}
        return opened(shaped, 0)["trunk"]
    except (KeyError, TypeError, ValueError):
        return MISSING
