"""Inputs of failing tests, kept beside the user so that they can be replayed; capped, and ignored by git."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

FOLDER = Path(".vindex3", "last")
CAP = 64 << 20
"""Bytes on disk that the inputs of one process may take."""
_CHUNK = 1 << 20


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
        """Copy a test's folder; None where there is nothing to keep or no room for it.

        Files that are sparse stay so; one that takes more room than is left is not copied.
        """
        files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
        if not files:
            return None
        target = self._made() / name
        shutil.rmtree(target, ignore_errors=True)
        for file in files:
            size = _on_disk(file)
            if size <= self._room:
                self._room -= size
                with suppress(OSError):  # a test may have made its input unreadable
                    _copy(file, target / file.relative_to(folder))
        return target if target.exists() else None

    def _made(self) -> Path:
        if self._base is None:
            self._base = self._beside() or Path(tempfile.mkdtemp(prefix="vindex3-last-"))
        return self._base

    def _beside(self) -> Path | None:
        base = self._directory / FOLDER
        try:
            base.mkdir(parents=True, exist_ok=True)
            (base.parent / ".gitignore").write_text("*\n", encoding="ascii")
        except OSError:
            return None
        return base if os.access(base, os.W_OK) else None


def _on_disk(path: Path) -> int:
    status = path.stat()
    return min(getattr(status, "st_blocks", 1 << 60) * 512, status.st_size)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    size = source.stat().st_size
    with source.open("rb", buffering=0) as reader, target.open("wb") as writer:
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
