"""What artifacts declare about themselves: the request of graph.resolve, read (container.md, section 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.graph import vocabulary
from vindex3_reference.slot import Slot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vindex3_reference.strict_json import Json

TAPPING = "target_layer_ids"
"""The last part of the path of an interface by which an artifact taps another's layers."""
NO_COMPONENT = "text"
"""A nested name that is no evidence of a component: a text configuration describes the artifact itself."""


class Interface(NamedTuple):
    """Layers of another artifact that this one taps, in declared order."""

    taps: tuple[int, ...]
    block_size: int | None


class NamedShape(NamedTuple):
    """A tensor without its bytes."""

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Artifact:
    """One entry of the evidence.

    Attributes:
        nested: names of perception components that its configuration nests, in order.
        interfaces: those that tap layers; any other is no evidence.
        tensors: None where nobody listed them.
    """

    name: str
    num_layers: int
    hidden_size: int
    nested: tuple[str, ...]
    interfaces: tuple[Interface, ...]
    tensors: tuple[NamedShape, ...] | None

    @property
    def role(self) -> str:
        """What the artifact's own component is, whatever its name suggests (EDGE-ROLE-01, EDGE-ROLE-03)."""
        return vocabulary.DRAFTER if self.interfaces else vocabulary.PRIMARY_TEXT


def read(artifacts: Json) -> list[Artifact]:
    """The entries of a request in input order.

    Raises:
        Refusal: `missing-field`, `bad-type` or `out-of-range`.
    """
    root = Slot.root({"artifacts": artifacts}, "artifacts")
    return [_artifact(entry) for entry in root.required("artifacts").elements()]


def _artifact(entry: Slot) -> Artifact:
    tensors = entry.optional("tensors")
    return Artifact(
        name=entry.required("artifact").text(),
        num_layers=entry.required("num_layers").u64(),
        hidden_size=entry.required("hidden_size").u64(),
        nested=tuple(_nested(entry)),
        interfaces=tuple(_interfaces(entry)),
        tensors=None if tensors is None else tuple(map(_named_shape, tensors.elements())),
    )


def _nested(entry: Slot) -> Iterator[str]:
    for component in _listed(entry, "nested"):
        name = component.required("name").text()
        component.required("num_layers").u64()
        component.required("hidden_size").u64()
        if name != NO_COMPONENT:
            yield name


def _interfaces(entry: Slot) -> Iterator[Interface]:
    for interface in _listed(entry, "interfaces"):
        taps = tuple(tap.u64() for tap in interface.required("taps").elements())
        block_size = interface.optional("block_size")
        size = None if block_size is None else block_size.u64()
        if interface.required("path").text().rpartition(".")[2] == TAPPING:
            yield Interface(taps, size)


def _named_shape(tensor: Slot) -> NamedShape:
    shape = tuple(extent.u64() for extent in tensor.required("shape").elements())
    return NamedShape(tensor.required("name").text(), shape)


def _listed(entry: Slot, key: str) -> Iterator[Slot]:
    listed = entry.optional(key)
    return iter(()) if listed is None else listed.elements()
