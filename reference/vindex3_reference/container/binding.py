"""Which object owns a source tensor, and the name that it is stored under (container.md, section 4)."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vindex3_reference.container.sources import Sources, SourceTensor
    from vindex3_reference.graph.model import Object

NAMELESS = "weight"
"""The stored name of a tensor of which the prefix leaves nothing (SEGMENT-NAME-03)."""


class Bound(NamedTuple):
    """A source tensor of an object, under the name that it is stored under."""

    name: str
    tensor: SourceTensor


def bound_tensors(objects: Sequence[Object], sources: Sources) -> dict[str, list[Bound]]:
    """The tensors of each object, by its id, in stored order: ascending by the UTF-8 bytes of the name.

    A tensor belongs to the object with the longest prefix that covers it among all bindings of the
    artifact (SEGMENT-BIND-01 and 02); one that no prefix covers belongs to none. Artifacts that are
    not among the sources are passed over.
    """
    found: dict[str, list[Bound]] = {thing.id: [] for thing in objects}
    common = {thing.id: common_prefix(thing) for thing in reversed(objects)}
    for artifact, tensors in sources.items():
        owner = _Owners(objects, artifact)
        for tensor in tensors:
            thing = owner.of(tensor.name)
            if thing is not None:
                found[thing.id].append(Bound(stored_name(tensor.name, common[thing.id]), tensor))
    for bound in found.values():
        bound.sort(key=lambda one: one.name)  # code points are in the order of their UTF-8 bytes
    return found


def common_prefix(thing: Object) -> str:
    """The longest dotted prefix that all bindings of an object have in common (SEGMENT-NAME-02)."""
    steps = zip(*(binding.tensor_prefix.split(".") for binding in thing.bindings), strict=False)
    return ".".join(step[0] for step in takewhile(lambda step: len(set(step)) == 1, steps))


def stored_name(name: str, common: str) -> str:
    """A source name without the common prefix of its object's bindings (SEGMENT-NAME-01 to 03)."""
    return name.removeprefix(common).lstrip(".") or NAMELESS


def missing_artifact(thing: Object, sources: Sources) -> Refusal | None:
    """The first artifact of an object's bindings that is not among the sources (SEGMENT-BIND-04)."""
    for binding in thing.bindings:
        if binding.artifact not in sources:
            return Refusal(
                "dangling-reference",
                f"{thing.id} is bound to the artifact {binding.artifact!r}, which is not given",
                referrer=thing.id,
                missing=binding.artifact,
            )
    return None


def repeated_name(thing: Object, bound: Iterable[Bound]) -> Refusal | None:
    """The first stored name that two tensors of an object share: neither may hide the other."""
    seen: dict[str, str] = {}
    for name, tensor in bound:
        if name in seen:
            message = f"{thing.id}: {seen[name]!r} and {tensor.name!r} are both stored as {name!r}"
            return Refusal("duplicate-id", message, id=name, field="name")
        seen[name] = tensor.name
    return None


class _Owners:
    """The prefixes that the bindings of all objects have in one artifact; of equal ones the first counts."""

    def __init__(self, objects: Iterable[Object], artifact: str) -> None:
        self._by_prefix: dict[str, Object] = {}
        for thing in objects:
            for binding in thing.bindings:
                if binding.artifact == artifact:
                    self._by_prefix.setdefault(binding.tensor_prefix, thing)
        self._lengths = sorted({len(prefix) for prefix in self._by_prefix}, reverse=True)

    def of(self, name: str) -> Object | None:
        """The object that owns a tensor name."""
        for length in self._lengths:
            if len(name) == length or name[length : length + 1] == ".":
                thing = self._by_prefix.get(name[:length])
                if thing is not None:
                    return thing
        return None
