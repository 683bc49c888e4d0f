"""A file that comes to be as a whole or not at all."""

from __future__ import annotations

import io
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from vindex3_reference.disk import Disk, io_refusal, refusing

if TYPE_CHECKING:
    from types import TracebackType

    from _typeshed import ReadableBuffer

_BUFFER = 1 << 20


class Target:
    """A new file that takes the place of a name when it is published; use it as a context manager.

    Bytes go to a file of another name in the same folder, which vanishes unless it is published. Only the
    name is replaced: a symbolic link under it gives way to the file, what the link led to and other
    hard links to a former file keep their bytes. A former file's permissions are kept. What is neither
    a regular file nor a link (a folder, a device) is not replaced.

    Args:
        path: the name to be replaced.
        name: what refusals call the file, where that is not its path.
        disk: what makes the calls of the system.

    Raises:
        Refusal: `io` with path and reason, wherever the system fails.
    """

    def __init__(self, path: str, name: str | None = None, disk: Disk | None = None) -> None:
        self._path = path
        self._name = path if name is None else name
        self._disk = disk or Disk()
        self._part = part_beside(path)
        with refusing(self._name):
            former = former_file(path, self._name)
            # Nobody may read or write the part who may not read or write the file that it replaces.
            mode = 0o666 if former is None else stat.S_IMODE(former.st_mode) & 0o666
            descriptor = self._disk.create(self._part, mode)
        self._file = io.BufferedWriter(_Raw(descriptor, self._disk), _BUFFER)
        self._length = 0
        self._ends_in_hole = False
        self._waiting = True

    def write(self, data: bytes | memoryview) -> None:
        """Append bytes."""
        with refusing(self._name):
            self._file.write(data)
        self._length += len(data)
        self._ends_in_hole = False

    def skip(self, length: int) -> None:
        """Append a hole of so many bytes, which reads as zeros and takes no room."""
        with refusing(self._name):
            self._file.flush()
            os.lseek(self._file.fileno(), length, os.SEEK_CUR)
        self._length += length
        self._ends_in_hole = True

    def seal(self) -> None:
        """Take no more bytes, and see to it that those written are on the disk."""
        if self._file.closed:
            return
        with refusing(self._name):
            self._file.flush()
            if self._ends_in_hole:
                self._disk.truncate(self._file.fileno(), self._length)
            self._disk.sync(self._file.fileno())
            self._file.close()

    def publish(self) -> None:
        """Put the file in its place, once its bytes are on the disk."""
        self.seal()
        with refusing(self._name):
            former = former_file(self._path, self._name)
            if former is not None:
                self._disk.chmod(self._part, stat.S_IMODE(former.st_mode))
            self._disk.replace(self._part, self._path)
        self._waiting = False

    def discard(self) -> None:
        """Give up what was not published."""
        with suppress(OSError):  # bytes that are given up may still be in the buffer of a full disk
            self._file.close()
        if self._waiting:
            self._waiting = False
            with suppress(OSError):
                self._disk.unlink(self._part)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()


def part_beside(path: str) -> str:
    """A name in the same folder that nobody has, for what is to take the place of this one."""
    return str(Path(path).parent / f".{secrets.token_hex(8)}.part")


def former_file(path: str, name: str) -> os.stat_result | None:
    """The regular file that stands under a name; None where the name is free or a link.

    Raises:
        OSError: as the system has it.
        Refusal: `io`, for what is neither a regular file nor a link and is not replaced.
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISREG(status.st_mode):
        return status
    if stat.S_ISLNK(status.st_mode):
        return None
    raise io_refusal(name, "no regular file")


class _Raw(io.RawIOBase):
    """A descriptor that is written to by way of a disk."""

    def __init__(self, descriptor: int, disk: Disk) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._disk = disk

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def write(self, data: ReadableBuffer, /) -> int:
        return self._disk.write(self._descriptor, memoryview(data))

    def close(self) -> None:
        if not self.closed:
            super().close()
            os.close(self._descriptor)
