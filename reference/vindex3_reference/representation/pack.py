"""One more encoding of an object, beside those that are there (representation.md, section 8)."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from vindex3_reference import json_text
from vindex3_reference.container import names, plan
from vindex3_reference.container.binding import Bound
from vindex3_reference.container.carry import Carried, carry, named_files
from vindex3_reference.container.container import Container
from vindex3_reference.container.folder import is_same
from vindex3_reference.container.publish import Publication, copy
from vindex3_reference.container.segment import Segment
from vindex3_reference.container.sources import tensors_of, written
from vindex3_reference.container.tensor import other_representation
from vindex3_reference.container.unreferenced import shown
from vindex3_reference.disk import Disk
from vindex3_reference.graph.model import Representation
from vindex3_reference.graph.vocabulary import CANONICAL
from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.lines import object_of, with_line
from vindex3_reference.slot import Slot
from vindex3_reference.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vindex3_reference.container.entry import Entry
    from vindex3_reference.container.plan import PlannedSegment
    from vindex3_reference.strict_json import Json

    Answer = dict[str, object]


def pack_add(
    *,
    path: str,
    object: str,  # noqa: A002 -- the name of the law
    encoding: str,
    tensors: Json,
    out: str | None = None,
    fidelity: Json = None,
    codec: Json = None,
    encoder: Json = None,
    interrupt_before: str | None = None,
) -> Answer:
    """Add an encoding of an object to a container, in place or in another folder."""
    addition = Addition(path, object, encoding, tensors, codec=codec, encoder=encoder)
    return addition.write(Disk(), path if out is None else out, interrupt_before)


class Addition:
    """A pack that can be added: nothing that it was made of is wrong, and nothing is written yet.

    Args:
        path: the container.
        thing: the id of the object.
        encoding: the label of the pack.
        tensors: every tensor of the object's first representation under its stored name, encoded or as it
            was; further ones may stand beside them.
        codec, encoder: what is recorded of the making, not judged.

    Raises:
        Refusal: what opening the container and reading its graph refuse; `dangling-reference` for an object
            that the graph lacks; `path-escape`; and for a pack that is not there already
            `missing-representation` where it has nothing to stand beside, `asserted-fidelity` where the graph
            calls it canonical, `path-collision`, what is wrong with a tensor, `missing-operand`,
            `header-too-large`, `duplicate-bytes`, and what is no JSON value.
    """

    def __init__(
        self, path: str, thing: str, encoding: str, tensors: Json, *, codec: Json, encoder: Json
    ) -> None:
        request = Slot.root({"object": thing, "encoding": encoding}, "")
        self._container = Container(path)
        self._graph = self._container.graph()
        self._object = object_of(self._graph, written(request.required("object")))
        self._encoding = written(request.required("encoding"))
        self._id = f"{thing}@{encoding}"
        self._first = f"{thing}@{self._object.canonical}"
        self._segment: PlannedSegment | None = None
        self._texts: dict[str, bytes] = {}
        self._added: list[dict[str, str]] = []
        bound = [Bound(tensor.name, tensor) for tensor in tensors_of(tensors)]
        plan.refuse(plan.escapes(thing, encoding))
        if self._id not in self._container.index.representations:
            bound.sort(key=lambda one: one.name)
            self._plan(bound, {"codec": codec, "encoder": encoder})

    def write(self, disk: Disk, out: str, interrupt_before: str | None = None) -> Answer:
        """Add the pack: its segment, then the graph, then the index.

        In place the old index stays until the new one takes its place: no file that it names is touched
        but the graph, which gains a line that the old index does not follow. Elsewhere segments are linked
        where that can be done, and what somebody may change in place is copied. What is there already is
        not replaced: in place nothing is done, elsewhere the container is carried as it is.

        Args:
            disk: what makes the calls of the system.
            out: the folder for the result; that of the container itself is in place.
            interrupt_before: a file of the container before which to stop.

        Raises:
            Refusal: `io`.
        """
        in_place = is_same(self._container.path, out)
        with Publication(out, names.INDEX, disk, adding=in_place) as publication:
            carried = Carried([], [], []) if in_place else self._carry(publication)
            self._stage(publication)
            published = publication.publish(interrupt_before)
        if published is None:
            return {"interrupted": True}
        return {
            "path": out,
            "added": self._added,
            "linked": sorted(map(shown, carried.linked)),
            "copied": sorted(map(shown, carried.copied)),
            "skipped": [] if self._added else [self._id],
        }

    def _carry(self, publication: Publication) -> Carried:
        """Stage what is not written anew; the index comes last, also where it stays as it is."""
        index = self._container.index
        anew = {*self._texts, *(() if self._segment is None else [self._segment.file])}
        shared = index.segment_files.difference(index.roots, {names.INDEX})
        carried = carry(self._container, publication, without={*anew, names.INDEX}, linking=shared)
        if names.INDEX not in anew:
            source = Source(self._container.file(names.INDEX), names.INDEX)
            with source, publication.stage(names.INDEX) as part:
                copy(source, part)
            carried.copied.append(names.INDEX)
        return carried

    def _stage(self, publication: Publication) -> None:
        """Stage what is written anew."""
        if self._segment is not None:
            with publication.stage(self._segment.file) as part:
                part.write(self._segment.header)
                for piece in self._segment.pieces():
                    part.write(piece)
        for name, text in self._texts.items():
            with publication.stage(name) as part:
                part.write(text)

    def _plan(self, bound: list[Bound], making: dict[str, Json]) -> None:
        """Judge a pack that is not there yet, and make the files that it changes."""
        first = self._entry_of_first()
        segment = plan.laid_out(self._object.id, self._encoding, f"{plan.FOLDER}/{self._id}", bound)
        plan.refuse(self._collisions(segment.file))
        plan.refuse(chain(plan.misfits(self._object, bound), self._lacking(bound, first)))
        payload_sha256, segment_sha256 = plan.digested(segment, lambda piece: None)
        plan.refuse(self._repetition(payload_sha256))
        listed = with_line(self._graph, self._object, self._encoding)
        if listed is not None:
            name = str(self._container.index.system_graph)
            self._texts[name] = json_text.encoded(listed, name)
        entry: dict[str, Json] = {
            **segment.entry(payload_sha256, segment_sha256),
            "compiled_from": self._first,
            "source_representation_digest": first.payload_sha256,
            **{key: value for key, value in making.items() if value is not None},
        }
        self._texts[names.INDEX] = json_text.encoded(self._indexed(segment, entry), names.INDEX)
        self._segment = segment
        self._added = [
            {
                "representation": self._id,
                "segment": segment.file,
                "payload_sha256": payload_sha256,
                "segment_sha256": segment_sha256,
            }
        ]

    def _entry_of_first(self) -> Entry:
        """The entry that the pack stands beside (PACK-ADD-02)."""
        thing = self._object
        first = self._container.index.representations.get(self._first)
        if first is None or thing.canonical is None:
            message = f"{thing.id} has no first representation to add a pack to"
            raise Refusal("missing-representation", message, object=thing.id)
        if Representation(self._encoding, CANONICAL) in thing.representations:
            message = f"the graph calls {self._id} canonical, and a pack is not"
            raise Refusal("asserted-fidelity", message, representation=self._id)
        return first

    def _collisions(self, file: str) -> Iterator[Refusal]:
        """Files that an addition must not change: segments that are documents too, and what has its name."""
        index = self._container.index
        for name in sorted(index.segment_files.intersection({names.INDEX, *index.roots})):
            yield plan.collision(name)
        for name in sorted({names.INDEX, *named_files(self._container)}):
            if plan.folded(name) == plan.folded(file):
                yield plan.collision(*{name, file})

    def _lacking(self, bound: Sequence[Bound], first: Entry) -> Iterator[Refusal]:
        """Tensors of the first representation that the pack has not (PACK-REFUSE-02)."""
        given = {one.name for one in bound}
        with Segment(self._container.file(first.segment), first.segment) as segment:
            if segment.representation != self._first:
                raise other_representation(self._first, segment.representation)
            for row in segment.rows:
                if row.name not in given:
                    message = f"{self._id} lacks {row.name!r}, which {self._first} has"
                    yield Refusal("missing-operand", message, object=self._object.id, operand=row.name)

    def _repetition(self, payload_sha256: str) -> Iterator[Refusal]:
        """Other encodings of the object that are the very same bytes (PACK-REFUSE-03)."""
        entries = self._container.index.representations
        for key in sorted(entries, key=lambda each: each != self._first):
            entry = entries[key]
            if (entry.object, entry.payload_sha256) == (self._object.id, payload_sha256):
                message = f"{self._id} has the payload of {key}"
                yield Refusal("duplicate-bytes", message, subject=self._id, other=key)

    def _indexed(self, segment: PlannedSegment, entry: dict[str, Json]) -> dict[str, Json]:
        """The index with the pack; what was there keeps its place and value (PACK-KEEP-01)."""
        index = self._container.index
        entries = {key: each.document for key, each in index.representations.items()}
        return {
            **index.document,
            "representations": {**entries, self._id: entry},
            "segments": {**index.segments, segment.key: 1},
        }
