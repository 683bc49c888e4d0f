"""The scratch folder: where bytes too long for a line of the pipe lie for the length of one request."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MAX_FILE = 1 << 30
"""Bytes of one file above which it is not read back."""

_PLAIN = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
_HAS_FOLDERS = os.open in os.supports_dir_fd


class ScratchError(Exception):
    """A name that does not stand for a readable file in the scratch folder; the text says why."""


class Scratch:
    """A folder that both ends of a pipe can reach.

    Names come from the other end and are hostile: only plain names of regular files in the folder
    itself are opened, and no link is followed.

    Args:
        folder: an existing folder, shared by both ends.
        prefix: tells the files of one end from those of the other.
    """

    def __init__(self, folder: Path, prefix: str) -> None:
        self.folder = folder
        self._prefix = prefix
        self._count = 0

    @classmethod
    def made(cls, prefix: str) -> Scratch:
        """A new, empty folder that only this user can enter."""
        return cls(Path(tempfile.mkdtemp(prefix="vindex3-scratch-")), prefix)

    def put(self, data: bytes | bytearray | memoryview) -> str:
        """Write `data` to a new file and give its name."""
        self._count += 1
        name = f"{self._prefix}-{self._count}"
        with (self.folder / name).open("xb") as file:
            file.write(data)
        return name

    def take(self, name: str) -> bytes:
        """The bytes of the file of that name, which is removed.

        Raises:
            ScratchError: the name is not plain, or no regular file of at most `MAX_FILE` bytes has it.
        """
        if not name or name in {".", ".."} or any(mark in name for mark in "/\\:\0"):
            raise ScratchError("a plain file name is wanted, without a folder")
        try:
            with self._opened() as folder:
                data = _content(os.open(self._place(name, folder), _PLAIN, dir_fd=folder))
                os.unlink(self._place(name, folder), dir_fd=folder)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise ScratchError(f"no file of that name can be read in scratch ({why})") from None
        return data

    def empty(self) -> None:
        """Remove whatever either end has left in the folder, and make it anew if it is gone."""
        try:
            with self._opened() as folder:
                for name in os.listdir(self.folder if folder is None else folder):  # noqa: PTH208 -- of a descriptor
                    self._drop(name, folder)
        except OSError:
            self.folder.mkdir(mode=0o700, exist_ok=True)

    @contextmanager
    def _opened(self) -> Iterator[int | None]:
        """A descriptor of the folder itself, should the other end have put a link in its place."""
        if not _HAS_FOLDERS:
            yield None
            return
        folder = os.open(self.folder, _PLAIN | os.O_DIRECTORY)
        try:
            yield folder
        finally:
            os.close(folder)

    def _place(self, name: str, folder: int | None) -> str:
        return name if folder is not None else str(self.folder / name)

    def _drop(self, name: str, folder: int | None) -> None:
        place = self._place(name, folder)
        try:
            os.unlink(place, dir_fd=folder)
        except OSError:  # a folder, by the words of one platform or another
            shutil.rmtree(place, ignore_errors=True, dir_fd=folder)

    def remove(self) -> None:
        """Remove the folder and everything in it."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _content(descriptor: int) -> bytes:
    """All bytes of an open file, which is closed."""
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise ScratchError("it is not a regular file")
        if found.st_size > MAX_FILE:
            raise ScratchError(f"it has more than {MAX_FILE} bytes")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(found.st_size)
    finally:
        os.close(descriptor)
