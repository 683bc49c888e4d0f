"""How a pack is added, and what stands on the disk afterwards, read by the suite itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, check
from pytest_vindex3.contract.difference import Difference, Stored, first_difference
from pytest_vindex3.plugin.check import NotRun
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
BOTH = ("in place", "elsewhere")
SOURCE = "source"
TEXTS = (GRAPH, INDEX)


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


def add_to(ask: Ask, source: Path, pack: Pack, out: Path | None, place: str = "", **more: Any) -> Added:
    """Ask for a pack of the container at `source`; the result stands at `out`, and None is there."""
    before = StoredContainer(source)
    target = {} if out is None else {"out": str(out)}
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
                if value is not None or isinstance(there, (Mapping, str, int, float, list))
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


def linkable(folder: Path) -> None:
    """Go on where hard links can be made in a folder.

    Raises:
        NotRun: they cannot.
    """
    probe, link = folder / "probe", folder / "link of the probe"
    probe.write_bytes(b"")
    try:
        link.hardlink_to(probe)
    except OSError as error:
        raise NotRun(f"links cannot be made here: {error.strerror}") from None
    finally:
        for path in (probe, link):
            path.unlink(missing_ok=True)


def node(path: Path) -> tuple[int, int] | None:
    """Which file stands under a name, links followed; None where there is none."""
    with suppress(OSError):
        status = path.stat()
        return status.st_dev, status.st_ino
    return None
