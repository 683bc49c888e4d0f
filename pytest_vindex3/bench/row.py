"""Rows of the bench, and the registry that finds them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path


class Unmeasured(Exception):  # noqa: N818 -- a property of the machine
    """The machine has not what a row needs; the message says what."""


class Place(ExitStack):
    """Where rows make their files, and what they keep open until the bench ends.

    Attributes:
        folder: an empty folder at the beginning.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder


def nothing() -> None:
    """What most rows need before a side is timed."""


@dataclass(frozen=True, slots=True)
class Row:
    """Two sides that give the same and are timed against each other; the ratio is theirs over ours.

    Attributes:
        what: our side, in words.
        against: the other side, with its version where it is a library.
        goal: the ratio that is wanted, or None.
        ours, theirs: one call of each side; allocates nothing that the other does not.
        agree: whether the two results are the same, before and after timing.
        calls: calls of each side a round.
        before: is called each time before a side is timed, such as to empty caches.

    A call of a side, and `before`, may raise Unmeasured.
    """

    what: str
    against: str
    goal: float | None
    ours: Callable[[], object]
    theirs: Callable[[], object]
    agree: Callable[[object, object], bool]
    calls: int
    before: Callable[[], object] = nothing


def rows(place: Place) -> Iterator[Row]:
    """The rows of every module of this package that has any; close `place` when none is measured any more."""
    from pytest_vindex3 import bench

    for module in pkgutil.iter_modules(bench.__path__):
        found = importlib.import_module(f"{bench.__name__}.{module.name}")
        if hasattr(found, "bench_rows"):
            yield from found.bench_rows(place)
