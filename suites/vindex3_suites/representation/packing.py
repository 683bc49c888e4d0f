"""How a pack is added, and what stands on the disk afterwards, read by the suite itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, check
from pytest_vindex3.contract import fresh
from pytest_vindex3.contract.difference import MISSING, Difference, Stored, first_difference
from vindex3_fixtures.container.index import GRAPH, INDEX
from vindex3_suites.container.on_disk import StoredContainer, member, sha256

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers
    from vindex3_fixtures.container import Model
    from vindex3_fixtures.representation.packs import Pack

PLACES = ("in place", "named in place", "elsewhere", "empty")
"""The container's own folder, unsaid and said; a folder that is not there yet, and one that is empty."""
Asking = Callable[..., Any]
"""What puts a request and gives the reply: an `Ask`, or one of its methods."""
BOTH = ("in place", "elsewhere")
SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Added:
    """One addition.

    Attributes:
        place: where the result stands, in words.
        before: the container as it was before the request.
        source: the same folder afterwards.
        after: the result.
    """

    place: str
    reply: Reply
    before: StoredContainer
    source: StoredContainer
    after: StoredContainer

    @property
    def in_place(self) -> bool:
        """Whether the result stands where the container stood."""
        return self.source.folder == self.after.folder

    @property
    def path(self) -> str:
        """The folder of the result."""
        return str(self.after.folder)


def add(ask: Ask, model: Model | None, pack: Pack, place: str = "in place", **more: Any) -> Added:
    """Ask for a pack.

    Args:
        ask: the implementation.
        model: the container, which is written first; None is the one that stands there.
        pack: what is added.
        place: one of `PLACES`, or the name of any folder for the result.
        more: further arguments.
    """
    source = ask.folder / SOURCE
    if model is not None:
        ask.file(SOURCE, model.folder)
    out = {"in place": None, "named in place": source}.get(place, ask.folder / place)
    if place == "empty" and out:
        out.mkdir()
    return add_to(ask, source, pack, out, place, **more)


def add_to(ask: Asking, source: Path, pack: Pack, out: Path | None, place: str = "", **more: Any) -> Added:
    """Ask for a pack of the container at `source`; the result stands at `out`, and None is there."""
    before = StoredContainer(source)
    target: dict[str, Any] = {} if out is None else {"out": str(out)}
    reply = ask("pack.add", path=str(source), **target, **pack.request, **more)
    return Added(place or str(out), reply, before, StoredContainer(source), StoredContainer(out or source))


def adds(
    ask: Ask, clause_id: str, model: Model, pack: Pack, places: Sequence[str] = BOTH, **more: Any
) -> Iterator[Added]:
    """A pack to each of these places, one after the other; every one must be answered."""
    for place in places:
        made = add(ask, model, pack, place, **more)
        check(clause_id, made.reply, said_added(made, pack))
        yield made


def said_added(made: Added, pack: Pack) -> Answers:
    """What a writer says that added a pack, but for other files; the segment's digest is that on the disk."""
    stored = sha256(made.after.files.get(pack.file, b""))
    added = {
        "representation": pack.id,
        "segment": pack.file,
        "payload_sha256": pack.segment.payload_sha256,
        "segment_sha256": stored,
    }
    return answers(path=made.path, added=[added], skipped=[])


def said_skipped(made: Added, pack: Pack) -> Answers:
    """What a writer says that found the pack there already."""
    return answers(path=made.path, added=[], skipped=[pack.id])


@dataclass(frozen=True, slots=True)
class Keeps:
    """A stored document in which every key has the value that it had; further keys may be there.

    A null key may be left out: it says the same.
    """

    document: Any

    def difference(self, found: object, path: str) -> Difference | None:
        """The first place where something is lost or another."""
        if isinstance(self.document, Mapping) and isinstance(found, Mapping):
            pairs = ((f"{path}.{key}", value, member(found, key)) for key, value in self.document.items())
            differences = (
                Keeps(value).difference(there, at)
                for at, value, there in pairs
                if value is not None or there not in (None, MISSING)
            )
            return next((one for one in differences if one), None)
        if isinstance(self.document, list) and isinstance(found, list):
            return first_difference([Keeps(one) for one in self.document], found, path)
        return Stored(self.document).difference(found, path)


@dataclass(frozen=True, slots=True)
class Lists:
    """A sorted list that has all of these, and of `among` nothing else."""

    required: Sequence[str]
    among: Sequence[str]

    def difference(self, found: object, path: str) -> Difference | None:
        """A difference where one of them is missing or surplus, or the list is not sorted."""
        listed: list[Any] = found if isinstance(found, list) else []
        known = [name for name in listed if name in self.among]
        holds = isinstance(found, list) and known == sorted(self.required) and listed == sorted(listed)
        return None if holds else Difference(path, list(self.required), found)


def take_out(stored: StoredContainer, pack: Pack) -> None:
    """Take a pack out of a container on the disk: its file, entry, key, and line in the graph.

    What is not there is not missed; documents that cannot be read stay as they are.
    """
    fresh.remove(stored.folder / pack.file)
    index, graph = stored.index, stored.graph
    for name, key in (("representations", pack.id), ("segments", pack.key)):
        found = member(index, name)
        if isinstance(found, dict):
            index = {**index, name: {one: value for one, value in found.items() if one != key}}
    objects = member(graph, "objects")
    if isinstance(objects, list):
        graph = {**graph, "objects": [_unlisted(one, pack) for one in objects]}
    for name, document in ((GRAPH, graph), (INDEX, index)):
        if document is not MISSING:
            fresh.write(stored.folder / name, json.dumps(document).encode())


def _unlisted(thing: Any, pack: Pack) -> Any:
    lines = member(thing, "representations")
    if member(thing, "id") != pack.object or not isinstance(lines, list):
        return thing
    return {**thing, "representations": [one for one in lines if member(one, "encoding") != pack.encoding]}
