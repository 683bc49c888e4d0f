"""What a fresh container will be, judged whole before the first byte is written (container.md, section 5)."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.container import binding, segment, table
from vindex3_reference.container.table import Row
from vindex3_reference.defects import LISTED
from vindex3_reference.graph import validate
from vindex3_reference.refusal import Refusal, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from vindex3_reference.container.binding import Bound
    from vindex3_reference.container.sources import Sources
    from vindex3_reference.graph.model import Graph, Object

FOLDER = "segments"


class PlannedSegment(NamedTuple):
    """The segment of an object's canonical representation (SEGMENT-WRITE-01).

    Attributes:
        key: its path in the container without extension.
        header: all bytes before the payload.
        tensors: in stored order; their bytes, one after the other, are the payload.
    """

    object: str
    encoding: str
    key: str
    header: bytes
    tensors: list[Bound]

    @property
    def representation(self) -> str:
        """Its id in the directory."""
        return f"{self.object}@{self.encoding}"

    @property
    def file(self) -> str:
        """Its path in the container."""
        return f"{self.key}.bin"

    @property
    def payload_bytes(self) -> int:
        """Length of the payload."""
        return sum(bound.tensor.data.nbytes for bound in self.tensors)


def planned(graph: Graph, sources: Sources) -> list[PlannedSegment]:
    """The segments of a graph, in the order of its objects.

    Raises:
        Refusal: whatever graph.load reports; `empty-graph`, `missing-representation`; `path-escape`,
            `path-collision`; `dangling-reference` for an artifact that is not given; `unmatched-binding`,
            `duplicate-id` for a stored name, `length-mismatch`; `header-too-large`. Several defects
            are refused together.
    """
    _refuse(chain(validate.defects(graph), _incomplete(graph)))
    _refuse(chain(_escapes(graph.objects), _collisions(graph.objects)))
    _refuse(filter(None, (binding.missing_artifact(thing, sources) for thing in graph.objects)))
    bound = binding.bound_tensors(graph.objects, sources)
    _refuse(chain.from_iterable(_unfit(thing, bound[thing.id]) for thing in graph.objects))
    return [_segment(thing, bound[thing.id]) for thing in graph.objects]


def _refuse(found: Iterable[Refusal]) -> None:
    listed = list(islice(found, LISTED))
    if listed:
        raise joined(listed)


def _incomplete(graph: Graph) -> Iterator[Refusal]:
    """What a graph may be without, and a container not (GRAPH-COMP-02, GRAPH-OBJ-05)."""
    if not graph.components:
        yield Refusal("empty-graph", "the graph has no component")
    for thing in graph.objects:
        if not thing.representations:
            message = f"{thing.id} has no representation"
            yield Refusal("missing-representation", message, object=thing.id)


def _escapes(objects: Iterable[Object]) -> Iterator[Refusal]:
    """Ids and encodings that name no file directly in the folder of segments (PUBLISH-NAME-01)."""
    for part in chain.from_iterable((thing.id, thing.representations[0].encoding) for thing in objects):
        if part in (".", "..") or not set(part).isdisjoint("/\\\0"):
            message = f"{part!r} is no part of the name of a segment"
            yield Refusal("path-escape", message, path=part)


def _collisions(objects: Iterable[Object]) -> Iterator[Refusal]:
    """Segments that are one file where names are folded or composed (PUBLISH-NAMES-01)."""
    alike: Mapping[str, list[str]] = defaultdict(list)
    for thing in objects:
        alike[_folded(thing.id)].append(f"{_key(thing)}.bin")
    for files in alike.values():
        if len(files) > 1:
            message = f"{' and '.join(files)} are one file on some systems"
            yield Refusal("path-collision", message, paths=sorted(files))


def _folded(name: str) -> str:
    """One text for all names that differ in case or composition alone."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


def _unfit(thing: Object, bound: list[Bound]) -> Iterator[Refusal]:
    """An object without tensors, with a stored name twice, or with bytes that do not fit a shape."""
    if not bound:
        message = f"no tensor of the sources is bound to {thing.id}"
        yield Refusal("unmatched-binding", message, object=thing.id)
    repeated = binding.repeated_name(thing, bound)
    if repeated is not None:
        yield repeated
    for _, tensor in bound:
        width = table.WIDTHS.get(tensor.dtype)
        expected = None if width is None else table.product(tensor.shape, width)
        if width is not None and expected != tensor.data.nbytes:
            yield Refusal(
                "length-mismatch",
                f"{tensor.name} of {tensor.dtype} {tensor.shape} has {tensor.data.nbytes} bytes",
                subject=tensor.name,
                expected=expected,
                found=tensor.data.nbytes,
            )


def _segment(thing: Object, bound: list[Bound]) -> PlannedSegment:
    encoding = thing.representations[0].encoding
    made = PlannedSegment(
        thing.id, encoding, _key(thing), segment.encode_header(f"{thing.id}@{encoding}", _rows(bound)), bound
    )
    claimed = len(made.header) - segment.FRAME
    if claimed > segment.LARGEST_HEADER:
        raise Refusal(
            "header-too-large",
            f"the header of {made.file} would take {claimed} bytes, above {segment.LARGEST_HEADER}",
            path=made.file,
            claimed=claimed,
            limit=segment.LARGEST_HEADER,
        )
    return made


def _rows(bound: Iterable[Bound]) -> Iterator[Row]:
    """Rows without a gap, in stored order (SEGMENT-TABLE-01 and 02)."""
    offset = 0
    for name, tensor in bound:
        yield Row(name, tensor.dtype, tensor.shape, offset, tensor.data.nbytes)
        offset += tensor.data.nbytes


def _key(thing: Object) -> str:
    return f"{FOLDER}/{thing.id}"
