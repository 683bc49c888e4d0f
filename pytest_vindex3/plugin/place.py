"""The bytes that a failure is about: the field that differs, or where a wrong input leaves a legal one."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from pytest_vindex3.formats import annotate, dump
from pytest_vindex3.plugin.check import Failure

MOST_LINES = 4
_WIDTH = 96
_LARGEST = 1 << 20
_FIELDS = 2000
_BEFORE = 4
_AFTER = 16
_STEP = re.compile(r"([A-Za-z_]+)(?:\[(\d+)\])?")


def around(failure: Failure, folder: Path) -> list[str]:
    """A few annotated lines of the input that the failing request was about; none where it has no file."""
    named = failure.reply.arguments.get("path")
    if not isinstance(named, str):
        return []
    path = Path(named)
    try:
        if not path.is_file():
            return []
        start = max(0, _place(failure, path, folder) - _BEFORE)
        lines = islice(annotate(path, start, start + _BEFORE + _AFTER), MOST_LINES)
        return [line[:_WIDTH].encode("ascii", "backslashreplace").decode("ascii").rstrip() for line in lines]
    except OSError:
        return []


def _place(failure: Failure, path: Path, folder: Path) -> int:
    """The offset that the failure is about; 0 where nothing says it."""
    if path.stat().st_size > _LARGEST:
        return 0
    difference = failure.difference.path if failure.difference else ""
    if difference and not difference.startswith(("names", "refused")):
        place = _field(difference, path)
        if place is not None:
            return place
    return _first_change(path, folder)


def _field(difference: str, path: Path) -> int | None:
    """The offset of the field that a difference names, by the names that a dump gives."""
    steps = _STEP.findall(difference)
    key = steps[-1][0] if steps else ""
    containers = [f"{name.removesuffix('s')} {index}" for name, index in steps if index]
    best, place = -1, None
    for line in islice(dump(path, everything=False), _FIELDS):
        name = line.field.rpartition(".")[2]
        if name == key or name.endswith(f"_{key}"):
            score = sum(container in line.field for container in containers) + (name == key)
            if score > best:
                best, place = score, line.offset
    return place


def _first_change(path: Path, folder: Path) -> int:
    """The first byte in which the input differs from another input of its test; 0 where there is none."""
    data = path.read_bytes()
    for other in sorted(folder.glob(f"*{path.suffix}")):
        if other != path and other.is_file() and other.stat().st_size <= _LARGEST:
            twin = other.read_bytes()
            shared = min(len(data), len(twin))
            return next((place for place in range(shared) if data[place] != twin[place]), shared)
    return 0
