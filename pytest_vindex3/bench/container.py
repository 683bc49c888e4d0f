"""Containers: what verifying every byte costs, and opening an index of thousands of entries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from pytest_vindex3.bench.row import Place, Row
from vindex3_fixtures.container.index import GRAPH, file_of, graph_index
from vindex3_fixtures.container.model import Model
from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.container.tiny import tiny
from vindex3_reference.container.verbs import container_open
from vindex3_reference.container.verify import verified

PAYLOAD = 16 << 20
"""Bytes of each of the segments that are verified."""
REPRESENTATIONS = 2000
GOAL_VERIFY, GOAL_OPEN = 0.95, 0.2

Digests = dict[str, tuple[str, str]]


def bench_rows(place: Place) -> Iterator[Row]:
    """Verifying with one thread, and with two; opening."""
    large = Large(place.folder / "large")
    megabytes = f"{len(tiny().segments)} segments of {PAYLOAD >> 20} MiB"
    for threads, goal in ((1, GOAL_VERIFY), (2, None)):
        yield Row(
            f"container.verify, {megabytes}, {threads} thread{'s' * (threads > 1)}",
            "hashlib SHA-256 of whole files and payloads, one thread",
            goal,
            partial(large.verified, threads),
            large.hashed,
            lambda held, hashed: held == hashed,
            1,
        )
    wide = Wide(place.folder / "wide")
    yield Row(
        f"container.open, {REPRESENTATIONS} representations of one tensor each",
        "json.loads of the index, which it reads",
        GOAL_OPEN,
        wide.open,
        wide.load,
        _same_representations,
        10,
    )


class Large:
    """A container that verifies, with nothing but size in its segments; made when it is first asked for.

    Args:
        path: where.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def verified(self, threads: int) -> Digests:
        """The recorded digests of every representation for which they hold."""
        entries = self._model.index["representations"]
        found = verified(str(self._path), threads=threads)["entries"]
        held = {
            entry["representation"]
            for entry in found  # type: ignore[attr-defined]
            if entry["segment_ok"] and entry["payload_ok"]
        }
        return {key: (entries[key]["segment_sha256"], entries[key]["payload_sha256"]) for key in held}

    def hashed(self) -> Digests:
        """Both digests of each file, each by a pass of its own."""
        files = {key: self._path / self._model.file_of(key) for key in self._model.segments}
        return {key: _two_digests(path.read_bytes()) for key, path in files.items()}

    @cached_property
    def _model(self) -> Model:
        model = tiny()
        for key in model.segments:
            model = model.with_segment(Segment(key, (Tensor("weight", "U8", (PAYLOAD,)),)))
        model.folder.write_to(self._path)
        return model


class Wide:
    """A container of many objects; opening it reads neither its graph nor a segment.

    Args:
        path: where.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def open(self) -> dict[str, object]:
        """The answer of container.open."""
        return container_open(path=self._written)

    def load(self) -> object:
        """The index by the standard library, from memory."""
        return json.loads(self._index)

    @cached_property
    def _written(self) -> str:
        ids = (f"target.object_{number:04}@U8" for number in range(REPRESENTATIONS))
        segments = [Segment(key, (Tensor("weight", "U8", (1,)),)) for key in ids]
        model = Model(
            index=graph_index(segments),
            files={GRAPH: b"{}", **{file_of(one.representation): one for one in segments}},
        )
        model.folder.write_to(self._path)
        return str(self._path)

    @cached_property
    def _index(self) -> bytes:
        return Path(self._written, "index.json").read_bytes()


def _two_digests(data: bytes) -> tuple[str, str]:
    payload = memoryview(data)[8 + int.from_bytes(data[:8], "little") :]
    return hashlib.sha256(data).hexdigest(), hashlib.sha256(payload).hexdigest()


def _same_representations(opened: Any, loaded: Any) -> bool:
    return bool(opened["representations"] == loaded["representations"])
