"""What a fresh container will be, judged whole before the first byte is written (container.md, section 5)."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from hashlib import sha256
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.container import binding, segment, table
from vindex3_reference.container.digest import AT_ONCE
from vindex3_reference.container.table import Row
from vindex3_reference.defects import LISTED
from vindex3_reference.graph import validate
from vindex3_reference.refusal import Refusal, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from vindex3_reference.container.binding import Bound
    from vindex3_reference.container.sources import Sources
    from vindex3_reference.graph.model import Graph, Object
    from vindex3_reference.strict_json import Json

FOLDER = "segments"


class PlannedSegment(NamedTuple):
    """A segment that is to be written: by itself, an object's canonical representation (SEGMENT-WRITE-01).

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

    def entry(self, payload_sha256: str, segment_sha256: str) -> dict[str, Json]:
        """What the directory says of it, given its digests."""
        return {
            "object": self.object,
            "encoding": self.encoding,
            "segment": self.file,
            "tensor_count": len(self.tensors),
            "payload_bytes": self.payload_bytes,
            "payload_sha256": payload_sha256,
            "segment_sha256": segment_sha256,
        }

    def pieces(self) -> Iterator[memoryview]:
        """The payload, piece by piece, without a copy."""
        for _, tensor in self.tensors:
            for at in range(0, tensor.data.nbytes, AT_ONCE):
                yield tensor.data[at : at + AT_ONCE]


def planned(graph: Graph, sources: Sources) -> list[PlannedSegment]:
    """The segments of a graph, in the order of its objects.

    Raises:
        Refusal: whatever graph.load reports; `empty-graph`, `missing-representation`; `path-escape`,
            `path-collision`; `dangling-reference` for an artifact that is not given; `unmatched-binding`,
            `duplicate-id` for a stored name, `length-mismatch`; `header-too-large`. Several defects
            are refused together.
    """
    refuse(chain(validate.defects(graph), _incomplete(graph)))
    refuse(chain(_escapes(graph.objects), _collisions(graph.objects)))
    refuse(filter(None, (binding.missing_artifact(thing, sources) for thing in graph.objects)))
    bound = binding.bound_tensors(graph.objects, sources)
    refuse(chain.from_iterable(_unfit(thing, bound[thing.id]) for thing in graph.objects))
    return [laid_out(thing.id, _encoding(thing), _key(thing), bound[thing.id]) for thing in graph.objects]


def digested(segment: PlannedSegment, take: Callable[[bytes | memoryview], object]) -> tuple[str, str]:
    """Hand over the bytes of a segment; gives the digests of its payload and of the whole file."""
    whole, payload = sha256(segment.header), sha256()
    take(segment.header)
    for piece in segment.pieces():
        whole.update(piece)
        payload.update(piece)
        take(piece)
    return payload.hexdigest(), whole.hexdigest()


def refuse(found: Iterable[Refusal]) -> None:
    """Refuse together whatever is found.

    Raises:
        Refusal: the first, with the others.
    """
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
    return escapes(*chain.from_iterable((thing.id, _encoding(thing)) for thing in objects))


def escapes(*parts: str) -> Iterator[Refusal]:
    """Those that are no part of the name of a file directly in the folder of segments."""
    for part in parts:
        if part in (".", "..") or not set(part).isdisjoint("/\\\0"):
            message = f"{part!r} is no part of the name of a segment"
            yield Refusal("path-escape", message, path=part)


def _collisions(objects: Iterable[Object]) -> Iterator[Refusal]:
    """Segments that are one file where names are folded or composed (PUBLISH-NAMES-01)."""
    alike: Mapping[str, list[str]] = defaultdict(list)
    for thing in objects:
        alike[folded(thing.id)].append(f"{_key(thing)}.bin")
    return (collision(*files) for files in alike.values() if len(files) > 1)


def collision(*files: str) -> Refusal:
    """The refusal of names that some systems do not tell apart, or of one that has two meanings."""
    message = f"{' and '.join(files)} would be one file on some systems"
    return Refusal("path-collision", message, paths=sorted(files))


def folded(name: str) -> str:
    """One text for all names that differ in case or composition alone."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())


def _unfit(thing: Object, bound: list[Bound]) -> Iterator[Refusal]:
    """An object without tensors, with a stored name twice, or with bytes that do not fit a shape."""
    if not bound:
        message = f"no tensor of the sources is bound to {thing.id}"
        yield Refusal("unmatched-binding", message, object=thing.id)
    yield from misfits(thing, bound)


def misfits(thing: Object, bound: list[Bound]) -> Iterator[Refusal]:
    """A stored name that an object has twice, and bytes that do not fit a shape."""
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


def laid_out(object_id: str, encoding: str, key: str, bound: list[Bound]) -> PlannedSegment:
    """The segment of these tensors, which are in stored order.

    Raises:
        Refusal: `header-too-large`.
    """
    header = segment.encode_header(f"{object_id}@{encoding}", _rows(bound))
    made = PlannedSegment(object_id, encoding, key, header, bound)
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


def _encoding(thing: Object) -> str:
    return thing.representations[0].encoding


def _key(thing: Object) -> str:
    return f"{FOLDER}/{thing.id}"
