"""The line that a graph has for each encoding of an object (representation.md, section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.graph.vocabulary import APPROXIMATE
from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import Slot

if TYPE_CHECKING:
    from vindex3_reference.graph.model import Graph, Object
    from vindex3_reference.strict_json import Json


def object_of(graph: Graph, asked: str) -> Object:
    """The object of this very id.

    Raises:
        Refusal: `dangling-reference` (PACK-REFUSE-01).
    """
    for thing in graph.objects:
        if thing.id == asked:
            return thing
    raise Refusal("dangling-reference", f"the graph has no object {asked!r}", missing=asked)


def with_line(graph: Graph, thing: Object, encoding: str) -> dict[str, Json] | None:
    """The document with one more line for an object, at the end; None where it is there (PACK-GRAPH-01)."""
    if any(each.encoding == encoding for each in thing.representations):
        return None
    return _with_lines(graph, thing, [*_lines(graph, thing), {"encoding": encoding, "fidelity": APPROXIMATE}])


def without_line(graph: Graph, thing: Object, encoding: str) -> dict[str, Json] | None:
    """The document without the lines of an encoding behind the first; None where there is none."""
    first, *others = _lines(graph, thing)
    kept = [
        line
        for line, read in zip(others, thing.representations[1:], strict=True)
        if read.encoding != encoding
    ]
    return None if len(kept) == len(others) else _with_lines(graph, thing, [first, *kept])


def _lines(graph: Graph, thing: Object) -> list[Json]:
    """The lines of an object as they are written."""
    stored = Slot(_objects(graph)[graph.objects.index(thing)], "", None)
    return [line.value for line in stored.required("representations").elements()]


def _objects(graph: Graph) -> list[dict[str, Json]]:
    return [each.object() for each in Slot(graph.document, "", None).required("objects").elements()]


def _with_lines(graph: Graph, thing: Object, lines: list[Json]) -> dict[str, Json]:
    """The document with other lines for an object; all else keeps its place and value."""
    objects = _objects(graph)
    place = graph.objects.index(thing)
    objects[place] = {**objects[place], "representations": lines}
    return {**graph.document, "objects": [*objects]}
