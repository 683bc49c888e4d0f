"""Files on the command line: which format they are of, and what is said where one is refused."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pytest_vindex3.command._page import legible
from pytest_vindex3.command._values import for_people
from pytest_vindex3.formats import annotate, detect, detect_folder, dump, folders, formats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_vindex3.formats import Folder, Format

_SEARCHED: Final = 50_000
"""Lines of a dump that are looked through for the place of a refusal."""
_BEFORE: Final = 8


def format_option(_: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """The value of `--format`, which names a format that there is."""
    known = {**formats(), **folders()}
    if value is not None and value not in known:
        raise click.BadParameter(f"{value!r} is none of {', '.join(known)}", param=option)
    return value


def format_of(path: str, form: str | None) -> Format | Folder:
    """The format of a file or folder: as named, as recognised, of a file that cannot be read by its name.

    Raises:
        click.UsageError: no format knows it.
    """
    if form is not None:
        return formats().get(form) or folders()[form]
    try:
        if Path(path).is_dir():
            return _folder_at(path)
        found = detect(Path(path))
    except OSError as error:
        by_name = [entry for entry in formats().values() if entry.detect(b"", Path(path).name)]
        if by_name:
            return by_name[0]
        raise click.UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    if found is None:
        known = ", ".join(formats())
        raise click.UsageError(f"{path} is of no format that is known here ({known}); --format names one")
    return found


def _folder_at(path: str) -> Folder:
    found = detect_folder(Path(path))
    if found is None:
        known = ", ".join(folders())
        inner = [one for one in sorted(Path(path).iterdir()) if one.is_dir() and detect_folder(one)]
        hint = f"{inner[0]} is one that is" if inner else "--format names one"
        raise click.UsageError(f"{path} is a folder of no format that is known here ({known}); {hint}")
    return found


def refusal(error: Exception) -> dict[str, Any]:
    """Kind, message and names of an exception that is a refusal, as one object.

    Raises:
        Exception: `error` itself, where it is none.
    """
    kind, names = getattr(error, "kind", None), getattr(error, "names", None)
    if not isinstance(kind, str) or not isinstance(names, dict):
        raise error
    return {"kind": kind, "message": str(getattr(error, "message", "")), "names": names}


def refused_lines(title: str, said: Mapping[str, Any]) -> Iterator[str]:
    """What a person reads about a refusal: kind, facts, message."""
    yield f"{title}: {click.style('refused', fg='yellow', bold=True)} as {said['kind']}"
    for name, fact in said["names"].items():
        yield f"  {name} = {legible(for_people(fact))}"
    if said["message"]:
        yield f"  {legible(said['message'])}"


def refused_file_lines(path: str, said: Mapping[str, Any]) -> Iterator[str]:
    """The same about a file, with the bytes at the place and their names."""
    yield from refused_lines(path, said)
    named = said["names"].get("path")
    yield from _bytes_there(named if isinstance(named, str) else path, said["kind"], said["names"])


def _bytes_there(path: str, kind: str, names: Mapping[str, Any]) -> Iterator[str]:
    try:
        place = _place(Path(path), kind, names)
        lines = annotate(Path(path), max(0, place[0] - _BEFORE), place[1]) if place else []
    except (OSError, ValueError):
        return
    yield from (f"  {line}" for line in lines)


def _place(path: Path, kind: str, names: Mapping[str, Any]) -> tuple[int, int] | None:
    """Where the dump of a file has its mark for a kind, or the offset that is among the facts."""
    if isinstance(names.get("offset"), int):
        return names["offset"], names["offset"] + 1
    for line in islice(dump(path, everything=False), _SEARCHED):
        if any(mark.startswith(kind) for mark in line.marks) or kind in line.note:
            return line.offset, line.offset + max(1, line.length)
    return None
