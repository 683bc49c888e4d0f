"""A container made of a system graph and the tensors of its artifacts (container.md, section 5)."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

from vindex3_reference import json_text, strict_json
from vindex3_reference.container import names
from vindex3_reference.container.fresh import GRAPH, FreshIndex
from vindex3_reference.container.plan import digested, planned
from vindex3_reference.container.publish import Publication, copy
from vindex3_reference.container.sources import sources_of
from vindex3_reference.disk import Disk, io_refusal, refusing
from vindex3_reference.graph.model import Graph
from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import Slot
from vindex3_reference.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vindex3_reference.container.plan import PlannedSegment
    from vindex3_reference.strict_json import Json


def container_write(
    *,
    out: str,
    graph: Json,
    sources: Json,
    family: str | None = None,
    profiles: Json = None,
    extra: Json = None,
    capability_dir: str | None = None,
    interrupt_before: str | None = None,
) -> dict[str, object]:
    """Write a container from a system graph and the tensors of its artifacts."""
    return Writer(graph, sources, family, profiles, extra).write(
        Disk(), out, capability_dir, interrupt_before
    )


class Writer:
    """A container that can be written: nothing that it was made of is wrong.

    Args:
        graph: the system graph, a document.
        sources: the tensors of each artifact.
        family: the model type of the source.
        profiles: as they are to be declared.
        extra: further top-level keys of the index.

    Raises:
        Refusal: what `Graph.read`, `sources_of`, `planned` and `FreshIndex` refuse.
    """

    def __init__(self, graph: Json, sources: Json, family: str | None, profiles: Json, extra: Json) -> None:
        self._graph = json_text.encoded(graph)
        read = Graph.read(Slot.root(strict_json.parse(self._graph, ""), ""))
        self._segments = planned(read, sources_of(sources))
        self._index = FreshIndex(read, self._segments, family=family, profiles=profiles, extra=extra)

    def write(
        self, disk: Disk, out: str, capability_dir: str | None = None, interrupt_before: str | None = None
    ) -> dict[str, object]:
        """Write the container: segments, graph and capability files, then the index (PUBLISH-ORDER-01).

        Args:
            disk: what makes the calls of the system.
            out: the folder.
            capability_dir: where capability files are copied from, those that it has.
            interrupt_before: a file of the container before which to stop.

        Raises:
            Refusal: `io`. A capability file that cannot be read is noticed before anything is written
                (PUBLISH-CAPABILITY-02).
        """
        with ExitStack() as stack:
            files = [stack.enter_context(source) for source in _capability_files(capability_dir)]
            publication = stack.enter_context(Publication(out, names.INDEX, disk))
            for segment in self._segments:
                self._stage(publication, segment)
            with publication.stage(GRAPH) as part:
                part.write(self._graph)
            for source in files:
                with publication.stage(source.name) as part:
                    copy(source, part)
            with publication.stage(names.INDEX) as part:
                part.write(self._index.encoded())
            published = publication.publish(interrupt_before)
        return {"interrupted": True} if published is None else {"path": out, "published": published}

    def _stage(self, publication: Publication, segment: PlannedSegment) -> None:
        """Stage a segment, with both digests taken of each piece as it is written."""
        with publication.stage(segment.file) as part:
            payload_sha256, segment_sha256 = digested(segment, part.write)
        self._index.record(segment.representation, payload_sha256, segment_sha256)


def _capability_files(folder: str | None) -> Iterator[Source]:
    """The capability files that a folder has, opened; one that is there must be readable."""
    if folder is None:
        return
    with refusing(folder, "read"):
        os.stat(folder)  # noqa: PTH116 -- beside its twin below, which tells absent from unreadable
    for name in names.CAPABILITY_FILES:
        path = f"{folder}/{name}"
        with refusing(name, "read"):
            try:
                os.lstat(path)
            except FileNotFoundError:
                continue
        try:
            yield Source(path, name)
        except Refusal as refusal:
            raise io_refusal(name, str(refusal.names.get("reason", "no regular file")), "read") from None
