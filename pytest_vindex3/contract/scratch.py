"""The scratch folder: where bytes too long for a line of the pipe lie for the length of one request."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path

MAX_FILE = 1 << 30
"""Bytes of one file above which it is not read back."""

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


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
        path = self.folder / name
        try:
            descriptor = os.open(path, os.O_RDONLY | _NOFOLLOW)
        except (OSError, ValueError) as error:
            raise ScratchError(f"no file of that name can be opened in scratch ({_why(error)})") from None
        with open(descriptor, "rb") as file:  # noqa: PTH123 -- a descriptor, not a path
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or (not _NOFOLLOW and path.is_symlink()):
                raise ScratchError("it is not a regular file")
            data = file.read(MAX_FILE + 1) if found.st_size <= MAX_FILE else None
        if data is None or len(data) > MAX_FILE:
            raise ScratchError(f"it has more than {MAX_FILE} bytes")
        path.unlink(missing_ok=True)
        return data

    def empty(self) -> None:
        """Remove whatever either end has left in the folder."""
        with os.scandir(self.folder) as entries:
            left = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries]
        for path, is_folder in left:
            if is_folder:
                shutil.rmtree(path, ignore_errors=True)
            else:
                Path(path).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the folder and everything in it."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _why(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
