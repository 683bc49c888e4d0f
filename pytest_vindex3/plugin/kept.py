"""Inputs of failing tests, kept beside the user so that they can be replayed; capped, and ignored by git."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from itertools import islice
from pathlib import Path

from pytest_vindex3.contract import fresh

FOLDER = Path(".vindex3", "last")
CAP = 64 << 20
"""Bytes on disk that the inputs of one process may take."""
_CHUNK = 1 << 20
_MOST_FILES = 10_000
_NEITHER_LINK_NOR_WAIT = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)


class Kept:
    """The folder of kept inputs: `.vindex3/last` in the working directory, else a temporary one."""

    def __init__(self, directory: Path, cap: int = CAP) -> None:
        self._directory = directory
        self._room = cap
        self._base: Path | None = None

    def clear(self) -> None:
        """Forget the inputs of the run before."""
        with suppress(OSError):
            shutil.rmtree(self._directory / FOLDER)

    def keep(self, folder: Path, name: str) -> Path | None:
        """Copy a test's folder with the folders in it; None where there is nothing to keep or no room for it.

        Files that are sparse stay so; one that takes more room than is left is not copied.
        """
        files, folders = _below(folder)
        if not files or folder.is_symlink():
            return None
        target = self._made() / name
        with suppress(OSError):
            fresh.remove(target)
        for file in files:
            with suppress(OSError):  # a test may have made its input unreadable
                size = _on_disk(file)
                if size <= self._room:
                    self._room -= size
                    _copy(file, target / file.relative_to(folder))
        for empty in folders:
            with suppress(OSError):
                (target / empty.relative_to(folder)).mkdir(parents=True, exist_ok=True)
        return target if target.exists() else None

    def _made(self) -> Path:
        if self._base is None:
            self._base = self._beside() or Path(tempfile.mkdtemp(prefix="vindex3-last-"))
        return self._base

    def _beside(self) -> Path | None:
        base = self._directory / FOLDER
        try:
            base.mkdir(parents=True, exist_ok=True)
            fresh.write(base.parent / ".gitignore", b"*\n")
        except OSError:
            return None
        return base if os.access(base, os.W_OK) else None


def _below(folder: Path) -> tuple[list[Path], list[Path]]:
    """The regular files below a folder, sorted, and the folders in which there is nothing."""
    files, folders = [], []
    for at, inner, names in islice(os.walk(folder), _MOST_FILES):
        files += [path for path in (Path(at, name) for name in names) if _is_regular(path)]
        if not inner and not names:
            folders.append(Path(at))
        if len(files) > _MOST_FILES:
            break
    return sorted(files[:_MOST_FILES]), folders


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _on_disk(path: Path) -> int:
    status = path.lstat()
    return min(getattr(status, "st_blocks", 1 << 60) * 512, status.st_size)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(source, _NEITHER_LINK_NOR_WAIT)
    with os.fdopen(descriptor, "rb", buffering=0) as reader, target.open("xb") as writer:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return
        size = status.st_size
        place = 0
        while (span := _data(reader.fileno(), place, size)) is not None:
            place, end = span
            reader.seek(place)
            writer.seek(place)
            while place < end:
                chunk = reader.read(min(_CHUNK, end - place))
                writer.write(chunk)
                place += len(chunk) or end - place
        writer.truncate(size)


def _data(descriptor: int, place: int, size: int) -> tuple[int, int] | None:
    """The next stretch that is no hole, or None; the whole rest where the system cannot tell."""
    if place >= size:
        return None
    if not hasattr(os, "SEEK_DATA"):
        return place, size
    try:
        start = os.lseek(descriptor, place, os.SEEK_DATA)
    except OSError:
        return None  # nothing but a hole is left
    return start, os.lseek(descriptor, start, os.SEEK_HOLE)
