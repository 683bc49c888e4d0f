"""Writers that are stopped from outside before any of their changes of files, one stop after the other."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vindex3_suites.container.on_disk import contents
from vindex3_suites.container.replacing import linked
from vindex3_suites.container.writing import OUT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_vindex3.contract.outcome import Limits, Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.folder import Folder
    from vindex3_fixtures.container.sources import Writing

COPY = "copy"


@dataclass(frozen=True, slots=True)
class Scene:
    """What stands in a target before it is written to.

    Attributes:
        ask: the implementation.
        writing: what is written; None rewrites in place what stands there.
        old: the files of the container that stands there; None is an empty folder.
        links: whether they are hard links of those of a copy beside it.
        opened: whether somebody has them open.
    """

    ask: Ask
    writing: Writing | None
    old: Folder | None = None
    links: bool = False
    opened: bool = False

    def stops(self, most: int, error: str | None = None) -> Iterator[tuple[Reply, Path]]:
        """Stop the writer before its changes, each time in a folder of its own.

        Gives the reply and the folder, which has the target in it and the linked copy; first those of a
        request that nobody stopped.

        Args:
            most: the number of stops; where there are more changes they are spread over all of them.
            error: the name of the error with which a change fails; None ends the writer.
        """
        whole, place = self._stop(None, error)
        yield whole, place
        shutil.rmtree(place)
        for before in spread(whole.changes or 0, most):
            reply, place = self._stop(before, error)
            if not reply.stopped:
                return
            yield reply, place
            shutil.rmtree(place)

    def hinder(self, limits: Limits) -> tuple[Reply, Path]:
        """Put the request under these bounds."""
        place = self._set("hindered")
        return self.ask(self._verb, limits=limits, **self._arguments(place)), place

    def _stop(self, before: int | None, error: str | None) -> tuple[Reply, Path]:
        place = self._set("whole" if before is None else f"stopped_{before}")
        with ExitStack() as stack:
            for name in contents(place / OUT) if self.opened else ():
                stack.enter_context((place / OUT / name).open("rb"))
            given = self._arguments(place)
            return self.ask.stopped(self._verb, before=before, error=error, **given), place

    def _set(self, name: str) -> Path:
        place = self.ask.folder / name
        place.mkdir()
        if self.old is None:
            (place / OUT).mkdir()
        elif self.links:
            self.old.write_to(place / COPY)
            linked(place / COPY, place / OUT)
        else:
            self.old.write_to(place / OUT)
        return place

    @property
    def _verb(self) -> str:
        return "container.rewrite" if self.writing is None else "container.write"

    def _arguments(self, place: Path) -> dict[str, Any]:
        request = {"path": str(place / OUT)} if self.writing is None else self.writing.request
        return {"out": str(place / OUT), **request}


def spread(changes: int, most: int) -> list[int]:
    """So many of the numbers from 1 to `changes`, the first and the last among them."""
    if changes <= most:
        return list(range(1, changes + 1))
    return sorted({1 + at * (changes - 1) // (most - 1) for at in range(most)})
