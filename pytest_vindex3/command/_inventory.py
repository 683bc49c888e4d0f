"""The tensors of a container as a precision map sees them: of each object's first representation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vindex3_reference.container.container import Container
from vindex3_reference.container.segment import Segment
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vindex3_reference.graph.model import Object


def inventory(directory: str) -> list[dict[str, Any]]:
    """A request's `tensors`, with the stored `len` of each beside what the verb asks for, in stored order.

    Raises:
        Refusal: what opening the container, its graph and its segments refuses; `missing-representation`.
    """
    container = Container(directory)
    graph = container.graph()
    roles = {component.id: component.role for component in graph.components}
    found: list[dict[str, Any]] = []
    for thing in graph.objects:
        found += _tensors(container, thing, roles.get(thing.component, ""))
    return found


def _tensors(container: Container, thing: Object, role: str) -> Iterator[dict[str, Any]]:
    entry = next(
        (
            entry
            for representation in thing.representations[:1]
            for entry in container.index.representations.values()
            if (entry.object, entry.encoding) == (thing.id, representation.encoding)
        ),
        None,
    )
    if entry is None:
        raise Refusal("missing-representation", f"nothing of {thing.id} is stored", object=thing.id)
    with Segment(container.file(entry.segment), entry.segment) as segment:
        for row in segment.rows:
            yield {
                "object": thing.id,
                "kind": thing.kind,
                "component_role": role,
                "name": row.name,
                "shape": list(row.shape),
                "dtype": row.dtype,
                "len": row.length,
            }
