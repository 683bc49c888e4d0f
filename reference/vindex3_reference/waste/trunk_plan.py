"""Where the tensors of a trunk come: in the order given, scales behind each payload (TRUNK-WRITE-01)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.container.sources import written
from vindex3_reference.slot import Slot
from vindex3_reference.waste.encode import encoded_codes
from vindex3_reference.waste.parts import Tensor, tensor_of
from vindex3_reference.waste.trunk_index import Entry, entries_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vindex3_reference.strict_json import Json

AT_ONCE = 1 << 20
"""Codes that are encoded together."""
_KEYS = ("fmt", "shape", "group")


class PlannedTensor(NamedTuple):
    """A tensor at its place, and what is in it."""

    entry: Entry
    contents: Tensor

    def document(self) -> dict[str, Json]:
        """The tensor's entry in the manifest."""
        entry = self.entry
        shape: list[Json] = [*entry.shape]
        head: dict[str, Json] = {"name": entry.name, "fmt": entry.fmt, "off": entry.offset, "shape": shape}
        if entry.groups is not None:
            head |= {"group": entry.group, "scale_off": entry.scale_offset}
        return {**head, "bytes": entry.payload_bytes + entry.scale_bytes}

    def encoded(self) -> Iterator[bytes | memoryview]:
        """The payload and the scales, piece by piece."""
        entry, values = self.entry, self.contents.values
        if entry.groups is None:
            yield values.data
            return
        step = max(1, AT_ONCE // entry.columns)
        for first in range(0, entry.rows, step):
            rows = min(step, entry.rows - first)
            codes = values[first * entry.columns : (first + rows) * entry.columns]
            yield encoded_codes(replace(entry.groups, rows=rows), codes)
        yield self.contents.scales.data


def planned(given: Slot) -> list[PlannedTensor]:
    """The tensors of a description, each at its place.

    Raises:
        Refusal: what `entries_of` and `tensor_of` refuse.
    """
    slots = list(given.elements())
    described: list[Json] = [_described(slot) for slot in slots]
    tensors, at = [], 0
    for slot, entry in zip(slots, entries_of(Slot(described, given.field, None)), strict=True):
        contents = tensor_of(slot, entry)
        scales = None if entry.groups is None else at + entry.payload_bytes
        tensors.append(PlannedTensor(entry._replace(offset=at, scale_offset=scales), contents))
        at += entry.payload_bytes + entry.scale_bytes
    return tensors


def length_of(tensors: list[PlannedTensor]) -> int:
    """Bytes of the trunk."""
    return sum(tensor.entry.payload_bytes + tensor.entry.scale_bytes for tensor in tensors)


def _described(given: Slot) -> dict[str, Json]:
    """What the manifest will have of a tensor, with places that are not known yet."""
    members = given.object()
    kept = {key: members[key] for key in _KEYS if members.get(key) is not None}
    return {"name": written(given.required("name")), **kept, "off": 0, "scale_off": 0}
