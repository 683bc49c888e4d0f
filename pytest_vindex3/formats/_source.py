"""Bytes that are looked at by place: of a buffer, or of a file that is never read whole."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO

_FIRST_LOOK: Final = 64
_LONGEST_LOOK: Final = 1 << 20


class Source:
    """A buffer under a name.

    Attributes:
        name: the file's name, or "" for bytes without one.
        size: the number of its bytes.
    """

    def __init__(self, data: bytes, name: str = "") -> None:
        self.name = name
        self.size = len(data)
        self._data = data

    def read(self, start: int, stop: int) -> bytes:
        """The bytes from `start` to `stop`, both within the source.

        Raises:
            OSError: the file cannot be read, or has become shorter.
        """
        return self._data[start:stop]

    def run(self, start: int, stop: int) -> int:
        """How many bytes from `start` on equal the one at `start`; none at or after `stop` counts."""
        place, look, byte = start, _FIRST_LOOK, self.read(start, start + 1)
        while place < stop:
            block = self.read(place, min(stop, place + look))
            same = len(block) - len(block.lstrip(byte))
            place += same
            if same < len(block):
                break
            if look == _LONGEST_LOOK and byte == b"\0":
                place = min(stop, self.data_from(place))
            look = min(2 * look, _LONGEST_LOOK)
        return place - start

    def data_from(self, place: int) -> int:
        """The first place from `place` on where anything is stored; all before it is zero."""
        return place


class _FileSource(Source):
    def __init__(self, name: str, file: FileIO) -> None:
        super().__init__(b"", name)
        self.size = os.fstat(file.fileno()).st_size
        self._file = file

    def read(self, start: int, stop: int) -> bytes:
        self._file.seek(start)
        data = self._file.read(stop - start)
        if len(data) < stop - start:
            raise OSError(f"{self.name} has become shorter while it was read")
        return data

    def data_from(self, place: int) -> int:
        if not hasattr(os, "SEEK_DATA") or place >= self.size:
            return place
        try:
            return os.lseek(self._file.fileno(), place, os.SEEK_DATA)
        except OSError:  # nothing but a hole up to the end
            return self.size


@contextmanager
def opened(data_or_path: bytes | Path) -> Iterator[Source]:
    """A source of these bytes, or of the regular file at this path.

    Raises:
        OSError: there is no regular file, or it cannot be read.
    """
    if isinstance(data_or_path, bytes):
        yield Source(data_or_path)
        return
    if data_or_path.exists() and not data_or_path.is_file():
        raise OSError(f"{data_or_path} is no regular file")
    with data_or_path.open("rb", buffering=0) as file:
        yield _FileSource(data_or_path.name, file)
