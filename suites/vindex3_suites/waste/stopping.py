"""Writers that are stopped before any of their changes of files, and what the folder then holds."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, check, refuses
from pytest_vindex3.contract.outcome import Refused
from pytest_vindex3.contract.patterns import one_of
from pytest_vindex3.law.registry import kinds
from vindex3_fixtures.waste import MANIFEST
from vindex3_suites.container.on_disk import contents, spares
from vindex3_suites.container.replacing import linked
from vindex3_suites.container.stopping import COPY, spread
from vindex3_suites.waste.stored import holds
from vindex3_suites.waste.writing import OUT, WRITE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_vindex3.contract.outcome import Limits, Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.folder import Folder
    from vindex3_fixtures.waste import Waste


@dataclass(frozen=True, slots=True)
class Stopped:
    """One request that was stopped, or was not.

    Attributes:
        reply: what came of it.
        place: a folder with the target in it, and the linked copy.
        before: the files of the target before it, by name.
        handles: what those read that were open all the while.
    """

    reply: Reply
    place: Path
    before: Mapping[str, bytes]
    handles: Mapping[str, bytes]

    @property
    def target(self) -> Path:
        """The folder that was written to."""
        return self.place / OUT

    @property
    def described(self) -> Mapping[str, bytes]:
        """The files of the target before it, where the manifest that described them still stands there."""
        manifest = self.target / MANIFEST
        stands = manifest.is_file() and manifest.read_bytes() == self.before.get(MANIFEST)
        return self.before if stands else {}


@dataclass(frozen=True, slots=True)
class Scene:
    """What stands in a target before it is written to.

    Attributes:
        ask: the implementation.
        described: what is written.
        old: the container that stands there; None is no folder.
        links: whether its files are hard links of those of a copy beside it.
    """

    ask: Ask
    described: dict[str, Any]
    old: Folder | None = None
    links: bool = False

    def stops(self, most: int) -> Iterator[Stopped]:
        """Stop the writer before its changes, each time in a folder of its own, the first time not at all.

        Args:
            most: the number of stops; where there are more changes they are spread over all of them.
        """
        whole = self._put("whole", None)
        yield whole
        shutil.rmtree(whole.place)
        for before in spread(whole.reply.changes or 0, most):
            stopped = self._put(f"stopped_{before}", before)
            if not stopped.reply.stopped:
                return
            yield stopped
            shutil.rmtree(stopped.place)

    def whole(self) -> Stopped:
        """Put the request without a stop, on any door."""
        return self._put("whole", None, counted=False)

    def hindered(self, limits: Limits) -> Stopped:
        """Put the request under these bounds."""
        return self._put("hindered", None, counted=False, limits=limits)

    def _put(
        self, name: str, before: int | None, *, counted: bool = True, limits: Limits | None = None
    ) -> Stopped:
        place = self.ask.folder / name
        place.mkdir()
        self._set(place)
        target = place / OUT
        stood = contents(target)
        with ExitStack() as stack:
            files = {one: stack.enter_context((target / one).open("rb")) for one in stood}
            given: dict[str, Any] = {"model": self.described, "path": str(target), "limits": limits}
            put = partial(self.ask.stopped, before=before) if counted else self.ask
            reply = put(WRITE, **given)
            return Stopped(reply, place, stood, {one: file.read() for one, file in files.items()})

    def _set(self, place: Path) -> None:
        if self.old is not None and self.links:
            self.old.write_to(place / COPY)
            linked(place / COPY, place / OUT)
        elif self.old is not None:
            self.old.write_to(place / OUT)


def check_one_or_none(ask: Ask, clause_id: str, folder: Path, **containers: Waste) -> Reply:
    """Judge a folder by the implementation's own reader, whose reply it gives, and by its bytes.

    Args:
        ask: the implementation.
        clause_id: what it is judged by.
        folder: where a container may be.
        containers: what it may be, by a word for each.
    """
    opened = ask("waste.open", path=str(folder))
    if isinstance(opened.outcome, Refused):
        check(clause_id, opened, replace(refuses(*kinds()), sides=frozenset({"legal", "wrong"})))
        return opened
    check(clause_id, opened, answers())
    held = next((word for word, model in containers.items() if holds(folder, model)), "something else")
    check(clause_id, opened, spares(f"what {folder.name} holds", one_of(*containers), held))
    return opened
