"""Which file of an input a failure is about, and what the other inputs of its test have in its place.

A fault and its legal twin are inputs of one test. Where they are folders, the file that is shown is one that
is not the same in both.
"""

from __future__ import annotations

import filecmp
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

_LARGEST = 1 << 20
"""Larger files are not compared."""
_MOST_FILES = 100


@dataclass(frozen=True, slots=True)
class Shown:
    """A file of which some bytes are shown.

    Attributes:
        path: the file.
        name: its name in the folder that was asked about; "" where the file itself was.
        twin: the file of another input that stands in its place.
    """

    path: Path
    name: str
    twin: Path | None


def shown(path: Path, folder: Path, named: Collection[object], keys: Collection[bytes]) -> Shown | None:
    """The file that a failure is about; None where nothing tells which.

    Args:
        path: the file or folder that was asked about.
        folder: that of the inputs of the test.
        named: values of facts, of which one may be the name of a file.
        keys: what the file has in it where neither a twin nor a name tells which.

    Raises:
        OSError: something cannot be read.
    """
    if path.is_file():
        others = (other for other in sorted(folder.glob(f"*{path.suffix}")) if other != path)
        return Shown(path, "", next(filter(_is_compared, others), None))
    if not path.is_dir():
        return None
    names = _files(path)
    told = [name for name in names if name in named]
    for twin in _twins(path, folder):
        changed = [name for name in names if _differs(path / name, twin / name)]
        if changed:
            name = min(changed, key=lambda each: (each not in told, -each.count("/"), each))
            return Shown(path / name, name, twin / name)
    told = told or [name for name in names if place_of(path / name, keys) is not None]
    return Shown(path / told[0], told[0], None) if told else None


def _twins(path: Path, folder: Path) -> Iterator[Path]:
    """The folders that stand in the place of one in the other inputs of its test."""
    parts = path.relative_to(folder).parts if path.is_relative_to(folder) else ()
    for other in sorted(folder.iterdir()) if parts else ():
        twin = other.joinpath(*parts[1:])
        if other.name != parts[0] and twin.is_dir():
            yield twin


def place_of(path: Path, keys: Collection[bytes]) -> int | None:
    """Where the first of these stands in a file; None where none does, or the file is large.

    Raises:
        OSError: it cannot be read.
    """
    data = path.read_bytes() if keys and _is_compared(path) else b""
    places = [data.find(key) for key in keys if key in data]
    return min(places, default=None)


def _files(path: Path) -> list[str]:
    found = sorted(each.relative_to(path).as_posix() for each in _walked(path))
    return found if len(found) <= _MOST_FILES else []


def _walked(path: Path) -> Iterator[Path]:
    for root, _, names in os.walk(path):
        for name in names:
            each = Path(root, name)
            if each.is_file():
                yield each


def _is_compared(path: Path) -> bool:
    return path.is_file() and path.stat().st_size <= _LARGEST


def _differs(one: Path, other: Path) -> bool:
    """Whether both are there and not the same."""
    return _is_compared(one) and _is_compared(other) and not filecmp.cmp(one, other, shallow=False)
