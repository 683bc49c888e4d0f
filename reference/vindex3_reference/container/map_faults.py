"""Stored packs that disagree with the precision map beside them (representation.md, section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.container import names
from vindex3_reference.container.segment import Segment
from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.eligibility import role_of
from vindex3_reference.representation.matching import Matcher, Place
from vindex3_reference.representation.precision_map import PrecisionMap
from vindex3_reference.slot import Slot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vindex3_reference.container.container import Container
    from vindex3_reference.container.table import Row
    from vindex3_reference.graph.model import Graph


class Origin(NamedTuple):
    """What packs of an object are compiled from: its first representation, in a component of this role."""

    object: str
    component_role: str
    representation: str


def map_of(container: Container) -> PrecisionMap | None:
    """The map that the compiled packs of a container are held to; None where nothing can be held to one.

    That is so without a map, without a compiled pack, and under a map with an encoding that is unknown here:
    whether that fits a shape is for others to say.

    Raises:
        Refusal: `missing-field`, `bad-type` or `out-of-range`.
    """
    index = container.index
    if index.precision_map is None or not any(entry.is_compiled for entry in index.representations.values()):
        return None
    policy = PrecisionMap.read(Slot.root(index.document, names.INDEX).required("precision_map"))
    return None if list(policy.unknown()) else policy


def mismatches(policy: PrecisionMap, container: Container, graph: Graph) -> Iterator[Refusal]:
    """Each tensor of a compiled pack of the map's default that is not what the map gives (PRECISION-PACK-01).

    What cannot be compared is passed over here, for another check finds it: a pack of no object, a segment
    that cannot be read.
    """
    origins = _origins(graph)
    matcher = Matcher(policy.rules)
    for key, entry in sorted(container.index.representations.items()):
        origin = origins.get(entry.object)
        if origin is not None and entry.is_compiled and entry.encoding == policy.encoding:
            sources = {row.name: row for row in _rows(container, origin.representation)}
            for row in _rows(container, key):
                if row.name not in sources:
                    continue
                source = sources[row.name]
                expected = _expected(policy, _decided(policy, matcher, origin, source), source, row)
                if expected is not None:
                    yield _mismatch(key, row, expected)


def _decided(policy: PrecisionMap, matcher: Matcher, origin: Origin, source: Row) -> str | None:
    """The encoding that the map gives to a tensor of the first representation; None keeps it as it is."""
    role = role_of(origin.object, origin.component_role, source.name, source.shape)
    return policy.decide(role, matcher.first(Place.of(source.name)), source.shape).encoding


def _expected(policy: PrecisionMap, encoding: str | None, source: Row, stored: Row) -> str | None:
    """What the dtype of a stored tensor should be; None where it is right."""
    if encoding is None:
        return source.dtype if stored.dtype == policy.encoding else None
    return encoding if stored.dtype != encoding else None


def _mismatch(key: str, row: Row, expected: str) -> Refusal:
    return Refusal(
        "map-mismatch",
        f"{key} has {row.name!r} in {row.dtype}, and the map gives {expected}",
        representation=key,
        tensor=row.name,
        expected=expected,
        found=row.dtype,
    )


def _origins(graph: Graph) -> dict[str, Origin]:
    """By object, of those that have a component and a representation."""
    roles = {component.id: component.role for component in graph.components}
    return {
        each.id: Origin(each.id, roles[each.component], f"{each.id}@{each.canonical}")
        for each in graph.objects
        if each.component in roles and each.representations
    }


def _rows(container: Container, representation: str) -> list[Row]:
    """The table of a representation; an empty one where it cannot be read."""
    entry = container.index.representations.get(representation)
    if entry is None:
        return []
    try:
        with Segment(container.file(entry.segment), entry.segment) as segment:
            return segment.rows
    except Refusal:
        return []
