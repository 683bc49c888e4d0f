"""The formats: how each is recognised, shown with a ruler, described and judged.

A format is a module of this package that has a `FORMAT`, or a `FOLDER` where it is a folder of files;
private modules are what they share. A new format adds a module and edits none. What a format can do
beyond that is found, not listed: one that has the methods of `Inspects` or `Verifies` has that
capability.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from pytest_vindex3.formats._page import (
    Bar,
    Branch,
    Facts,
    Grid,
    Page,
    Part,
    Piece,
    Tree,
    counted,
    exact,
    near,
)  # fmt: skip
from pytest_vindex3.formats._raw import raw
from pytest_vindex3.formats._ruler import Line, Span, lines, offset_width
from pytest_vindex3.formats._source import Source, opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = [
    "SMALL", "Bar", "Branch", "Facts", "Folder", "Format", "Grid", "Inspects", "Line", "Page", "Part",
    "Piece", "Span", "Tree", "Verifies", "Work", "annotate", "counted", "detect", "detect_folder", "dump",
    "dump_text", "exact", "folders", "formats", "near",
]  # fmt: skip

SMALL: Final = 1 << 20
"""Bytes up to which a dump leaves nothing out."""

LEADING: Final = 64
"""Bytes at the beginning of a file by which a format may be recognised."""

MOST_NAMES: Final = 10_000
"""Names of a folder by which a format may be recognised."""


@dataclass(frozen=True, slots=True)
class Work:
    """How long work is done.

    Attributes:
        tell: hears the bytes that are done and the bytes that there are.
        jobs: how many files or records are read at a time; None is one for each processor.
    """

    tell: Callable[[int, int], None]
    jobs: int | None = None


@runtime_checkable
class Format(Protocol):
    """One file format."""

    @property
    def name(self) -> str:
        """What users call it, such as "lyrw"."""
        ...

    def detect(self, leading: bytes, name: str) -> bool:
        """Whether a file that begins so, and has this name ("" for bytes alone), is taken for one."""
        ...

    def spans(self, source: Source) -> Iterator[Span]:
        """Every byte of the source named, in order, none twice; whatever the bytes are."""
        ...


class Folder(Protocol):
    """A format that is a folder of files."""

    @property
    def name(self) -> str:
        """What users call it, such as "container"."""
        ...

    def holds(self, names: frozenset[str]) -> bool:
        """Whether a folder in which these names stand is taken for one."""
        ...


@runtime_checkable
class Inspects(Protocol):
    """A format whose files can be described."""

    def observe(self, path: str) -> dict[str, object]:
        """The answer of the format's open verb.

        Raises:
            Exception: a refusal, with `kind` and `names`.
        """
        ...

    def describe(self, path: str, observation: Mapping[str, object]) -> Page:
        """What a person reads about a file, given its observation."""
        ...


@runtime_checkable
class Verifies(Protocol):
    """A format whose files can be judged."""

    @property
    def whole(self) -> str:
        """What files make up that are judged together, such as "layer"; "" where each stands alone."""
        ...

    @property
    def binds(self) -> bool:
        """Whether other files can be judged with one, each under a key that the file has for them."""
        ...

    def verify(
        self, paths: Sequence[str], bound: Mapping[str, list[str]] | None, work: Work
    ) -> dict[str, object]:
        """The answer of the format's judging verb: `defects`, and `more` for kinds not listed to the end.

        Raises:
            Exception: a refusal, with `kind` and `names`.
        """
        ...


@cache
def formats() -> Mapping[str, Format]:
    """Every format of this package that is a file, by name."""
    found: dict[str, Format] = {entry.name: entry for entry in _entries("FORMAT")}
    return found


@cache
def folders() -> Mapping[str, Folder]:
    """Every format of this package that is a folder, by name."""
    found: dict[str, Folder] = {entry.name: entry for entry in _entries("FOLDER")}
    return found


def _entries(kind: str) -> Iterator[Any]:
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            home = importlib.import_module(f"{__name__}.{module.name}")
            if hasattr(home, kind):
                yield getattr(home, kind)


def detect_folder(path: Path) -> Folder | None:
    """The format of the folder at this path, or None; only names that stand in it are looked at.

    Raises:
        OSError: it cannot be listed.
    """
    names = frozenset(islice((entry.name for entry in path.iterdir()), MOST_NAMES))
    return next((entry for entry in folders().values() if entry.holds(names)), None)


def detect(data_or_path: bytes | Path) -> Format | None:
    """The format of these bytes or of the file at this path, or None.

    Leading bytes decide; where no format knows them, the name of the file.

    Raises:
        OSError: there is no regular file, or it cannot be read.
    """
    with opened(data_or_path) as source:
        return _detected(source)


def _detected(source: Source) -> Format | None:
    leading = source.read(0, min(source.size, LEADING))
    for name in ("", source.name):
        for entry in formats().values():
            if entry.detect(leading, name):
                return entry
    return None


def dump(
    data_or_path: bytes | Path,
    *,
    form: str | None = None,
    start: int = 0,
    stop: int | None = None,
    everything: bool = True,
) -> Iterator[Line]:
    """The lines that show a file, each byte with its name.

    Args:
        data_or_path: bytes, or a path of a regular file, which is never read whole.
        form: the name of a format to read it as; otherwise the one it is recognised as.
        start: leave out lines that end at this byte or before it.
        stop: leave out lines that begin at this byte or after it.
        everything: False shows long stretches of a file above `SMALL` bytes by their beginning alone.

    Raises:
        OSError: there is no regular file, or it cannot be read.
        KeyError: there is no format of the name `form`.
    """
    with opened(data_or_path) as source:
        for line in _lines(source, form, everything):
            if stop is not None and line.offset + (line.length > 0) > max(stop, start + 1):
                return
            if line.offset + max(line.length, 1) > start:
                yield line


def _lines(source: Source, form: str | None, everything: bool) -> Iterator[Line]:
    entry = formats()[form] if form else _detected(source)
    spans = entry.spans(source) if entry else iter([raw(source, 0, "")])
    if not entry and not source.size:
        spans = iter([Span(0, 0, "no bytes")])
    return lines(source, spans, short=not everything and source.size > SMALL)


def dump_text(data_or_path: bytes | Path, *, form: str | None = None) -> str:
    """The whole dump as annotated bytes: `assemble` gives the file back.

    Raises:
        OSError, KeyError: as `dump`.
    """
    with opened(data_or_path) as source:
        width = offset_width(source)
        return "".join(f"{line.text(width)}\n" for line in _lines(source, form, True))


def annotate(data_or_path: bytes | Path, start: int, stop: int, *, limit: int = 12) -> list[str]:
    """The lines around the bytes from `start` to `stop`, at most `limit`, for a page about them.

    Raises:
        OSError: there is no regular file, or it cannot be read.
    """
    with opened(data_or_path) as source:
        width = offset_width(source)
    shown: list[str] = []
    for line in dump(data_or_path, start=start, stop=stop, everything=False):
        if len(shown) == limit:
            shown[-1] = f"; and so on up to {stop}"
            break
        shown.append(line.text(width))
    return shown
