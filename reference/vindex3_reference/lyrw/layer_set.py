"""What must hold between the files of one logical layer (lyrw.md, section 6)."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vindex3_reference.lyrw import segments, wire
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vindex3_reference.lyrw.reader import LayerFile

    Records = NDArray[np.void]

_FIELDS = {
    "bank_kind": "kind",
    "flags": "flags",
    "num_entries": "num_entries",
    "input_dim": "input_dim",
    "intermediate_dim": "intermediate_dim",
    "output_dim": "output_dim",
}
"""Stored fields of a bank that every file repeats, with the name that a description shows."""


class Member(NamedTuple):
    """One file of a layer, of which only the tables are still needed."""

    path: str
    layer: LayerFile


def faults(members: list[Member], *, named: bool) -> Iterator[Iterator[Refusal]]:
    """All findings between files, kind by kind; of a single file, what its own segments cover.

    Args:
        members: all files of the layer.
        named: whether segments tell of their files.
    """
    several = len(members) > 1
    spans = list(
        chain.from_iterable(segments.spans(layer, path if named else None) for path, layer in members)
    )
    if several:
        yield layer_mismatches(members)
        yield missing_flags(members)
        yield bank_mismatches(members)
    yield segments.duplicate_indices(spans)
    yield segments.overlaps(spans)
    if several or not members[0].layer.flags & wire.SPLIT_LAYER:
        yield segments.gaps(spans, _populations(members))


def layer_mismatches(members: list[Member]) -> Iterator[Refusal]:
    """Each file of another logical_layer than the first (SEGMENTS-SET-03)."""
    number = members[0].layer.logical_layer
    for path, layer in members[1:]:
        if layer.logical_layer != number:
            refusal = Refusal(
                "layer-mismatch",
                f"{path} is of layer {layer.logical_layer}, {members[0].path} of layer {number}",
                logical_layer=layer.logical_layer,
                other=number,
            )
            refusal.names["path"] = path
            yield refusal


def missing_flags(members: list[Member]) -> Iterator[Refusal]:
    """Each file that does not say that the layer is split (SEGMENTS-SET-04)."""
    for path, layer in members:
        if not layer.flags & wire.SPLIT_LAYER:
            yield Refusal(
                "multi-segment-flag-missing", f"{path} is one of several and flag bit 0 is clear", path=path
            )


def bank_mismatches(members: list[Member]) -> Iterator[Refusal]:
    """Each field in which a file describes a bank otherwise than the first file with it (SEGMENTS-SET-05)."""
    first: dict[int, LayerFile] = {}
    for path, layer in members:
        for bank_id in dict.fromkeys(layer.banks["bank_id"].tolist()):
            known = first.setdefault(bank_id, layer)
            for field in _differing(known, layer, bank_id):
                refusal = Refusal(
                    "bank-mismatch",
                    f"{path} describes {field} of bank {bank_id} otherwise than a file before it",
                    bank_id=bank_id,
                    field=field,
                )
                refusal.names["path"] = path
                yield refusal


def _differing(known: LayerFile, layer: LayerFile, bank_id: int) -> Iterator[str]:
    """The fields in which two files describe one bank differently."""
    if known is layer:
        return
    bank, other = known.bank_position(bank_id) or 0, layer.bank_position(bank_id) or 0
    for stored, shown in _FIELDS.items():
        if known.banks[stored][bank] != layer.banks[stored][other]:
            yield shown
    if not np.array_equal(known.schemas_of(bank), layer.schemas_of(other)):
        yield "schemas"


def _populations(members: list[Member]) -> dict[int, int]:
    """How many entries each bank has, by the first file that declares it."""
    known: dict[int, int] = {}
    for _, layer in members:
        for bank_id, num_entries in segments.populations(layer).items():
            known.setdefault(bank_id, num_entries)
    return known
