"""Whether the files of a routed bank hold what its programme needs (lyrw.md, section 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vindex3_reference.lyrw import row_checks, vocabulary
from vindex3_reference.lyrw.programmes import PROGRAMMES, missing_roles
from vindex3_reference.lyrw.reader import LayerFile
from vindex3_reference.lyrw.rows import EntryRows
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from vindex3_reference.lyrw.moe_manifest import Layer

    Array = NDArray[Any]


class StoredBank:
    """A bank as the files of its storage key hold it: the first bank of the first file.

    Attributes:
        bank_id, num_entries, dims: as the first file describes the bank.
        logical_layer: the layer that the first file says it is of.
        roles: the role of each schema, as a word where it is known.
    """

    def __init__(self, first: LayerFile) -> None:
        self.bank_id, _, _, _, self.num_entries, *dims = first.banks[0].item()
        self.dims: tuple[int, ...] = tuple(dims)
        self.logical_layer = first.logical_layer
        roles = first.schemas_of(0)["role"].tolist()
        self.roles = [vocabulary.shown(vocabulary.ROLES, role) for role in roles]
        # A region is numbered by entry and schema; these are resolved, in rising order.
        self._resolved: Array = np.empty(0, np.int64)

    def add(self, file: LayerFile) -> None:
        """Count the regions that this file resolves: those whose row is whole and that lie in the file.

        Raises:
            Refusal: `truncated` or `io`, where the file becomes shorter or cannot be read.
        """
        bank = file.bank_position(self.bank_id)
        if bank is None or not self.roles:
            return
        base = file.first_schema[bank]
        counted = np.zeros(len(file.schemas), np.bool_)
        counted[base : min(base + len(self.roles), file.first_schema[bank + 1])] = True
        rows, regions, fitting = EntryRows(file), [self._resolved[:0]], [counted[:0]]
        for first, offset, length in rows.parts():
            own = rows.of_schemas(counted, first, len(offset))
            index = rows.of_schemas(np.arange(len(counted)) - base, first, len(offset))
            regions.append((rows.entries(first, len(offset)) * len(self.roles) + index)[own])
            fitting.append(~row_checks.leaving(offset, length, file.source.length)[own])
        # Where two segments hold an entry, the one declared first answers.
        numbers, place = np.unique(np.concatenate(regions), return_index=True)
        self._resolved = np.union1d(self._resolved, numbers[np.concatenate(fitting)[place]])

    def missing(self) -> Iterator[tuple[int, str | int]]:
        """Each entry and role that no file resolves, as far as they are asked for."""
        edges = np.concatenate([[-1], self._resolved, [self.num_entries * len(self.roles)]])
        for gap in (np.diff(edges) > 1).nonzero()[0].tolist():
            for number in range(int(edges[gap]) + 1, int(edges[gap + 1])):
                entry, index = divmod(number, len(self.roles))
                yield entry, self.roles[index]


def faults(layer: Layer, segments: Mapping[str, Sequence[str]]) -> Iterator[Iterator[Refusal]]:
    """All findings about the files of a layer's routed bank, kind by kind.

    Nothing is judged without a storage key or under an unknown programme, and nothing but their being
    unusable where one of the files is (MOE-FILES-01).
    """
    key = layer.routed_bank.storage
    if not key.strip() or layer.routed_bank.programme not in PROGRAMMES:
        return
    unusable: list[Refusal] = []
    bank = _stored(layer, segments.get(key, ()), unusable)
    yield iter(unusable)
    if bank is not None and not unusable:
        yield unsatisfied(layer, bank)
        yield missing_regions(layer, bank)
        yield contradictions(layer, bank)


def unsatisfied(layer: Layer, bank: StoredBank) -> Iterator[Refusal]:
    """A programme of which the stored roles satisfy no role set (MOE-FILES-02)."""
    programme = layer.routed_bank.programme
    missing = missing_roles(PROGRAMMES[programme], bank.roles)
    if missing:
        yield Refusal(
            "unsatisfied-programme",
            f"layer {layer.layer} lacks {', '.join(missing)} for {programme}",
            layer=layer.layer,
            programme=programme,
            missing=sorted(missing),
        )


def missing_regions(layer: Layer, bank: StoredBank) -> Iterator[Refusal]:
    """Each entry and schema that is absent or refused in all files of the key (MOE-FILES-03 and 04)."""
    key = layer.routed_bank.storage
    for entry, role in bank.missing():
        yield Refusal(
            "missing-region",
            f"no file of {key!r} resolves {role} of entry {entry}",
            layer=layer.layer,
            bank_id=bank.bank_id,
            entry=entry,
            role=role,
            segment=key,
        )


def contradictions(layer: Layer, bank: StoredBank) -> Iterator[Refusal]:
    """Each number of the manifest that the file states otherwise (MOE-FILES-06)."""
    dims = layer.routed_bank.expert_dims
    stated = {
        "layer": (layer.layer, bank.logical_layer),
        "experts": (layer.routed_bank.experts, bank.num_entries),
        "expert_dims": (dims and (dims.input, dims.intermediate, dims.output), dims and bank.dims),
    }
    for field, (here, there) in stated.items():
        if here != there:
            yield Refusal(
                "bank-contradicts-manifest",
                f"layer {layer.layer} states {here} as {field}, and its file {there}",
                layer=layer.layer,
                field=field,
            )


def _stored(layer: Layer, paths: Sequence[str], unusable: list[Refusal]) -> StoredBank | None:
    """The bank that these files hold together; what makes one of them unusable is noted."""
    if not paths:
        unusable.append(_unusable(layer, "not-declared"))
    bank = None
    for path in paths:
        try:
            with LayerFile(path) as file:
                if not len(file.banks):
                    unusable.append(_unusable(layer, "no-bank"))
                    continue
                bank = bank or StoredBank(file)
                bank.add(file)
        except Refusal as refusal:
            unusable.append(_unusable(layer, refusal.kind))
    return bank


def _unusable(layer: Layer, why: str) -> Refusal:
    key = layer.routed_bank.storage
    return Refusal(
        "storage-unusable",
        f"the files of {key!r} cannot be used: {why}",
        layer=layer.layer,
        key=key,
        why=why,
    )
