"""A regular file that is read by position, and what is refused when it is none."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Self

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

_NOT_THERE = {
    errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.ENODEV,
}  # fmt: skip
# A FIFO without a writer opens at once instead of waiting for one.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_SEEK_DATA: int | None = getattr(os, "SEEK_DATA", None)


class Source:
    """A file opened for reading; close it, or use it as a context manager.

    Args:
        path: where the file is.
        name: what refusals call it, where that is not its path.

    Attributes:
        name: what refusals call the file.
        length: bytes in the file when it was opened.

    Raises:
        Refusal: `missing-file` where no regular file is (LYRW-FILE-01), `io` where the system fails.
    """

    __slots__ = ("_descriptor", "length", "name")

    def __init__(self, path: str, name: str | None = None) -> None:
        self.name = path if name is None else name
        try:
            self._descriptor = os.open(path, _FLAGS)
        except OSError as error:
            raise _refused(error, self.name) from None
        except ValueError:  # a NUL or a lone surrogate: no file can have this name
            raise _missing(self.name) from None
        status = os.fstat(self._descriptor)
        if not stat.S_ISREG(status.st_mode):
            self.close()
            raise _missing(self.name)
        self.length = status.st_size

    def read(self, offset: int, length: int) -> bytes:
        """The bytes from `offset`: `length` of them, or fewer where the file ends before.

        Callers hold `offset + length` within `self.length`, so that no claim sizes a buffer; a file
        that shrank since then gives fewer bytes.
        """
        try:
            data = os.pread(self._descriptor, length, offset)
            if len(data) == length:
                return data
            return self._rest(data, offset, length)
        except OSError as error:
            raise _refused(error, self.name) from None

    def read_into(self, offset: int, room: memoryview) -> int:
        """Fill room with the bytes from `offset`, and say how many there were: fewer where the file ends.

        Raises:
            OSError: as the system has it.
        """
        done = 0
        while done < len(room):
            try:
                count = os.preadv(self._descriptor, [room[done:]], offset + done)
            except InterruptedError:
                continue
            if count == 0:
                break
            done += count
        return done

    def status(self) -> os.stat_result:
        """What the system knows of the file at this moment."""
        return os.fstat(self._descriptor)

    def stored(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """The parts of a range that the disk holds, as offsets; what lies between are holes, all zero."""
        while begin < end:
            data, hole = self._next_data(begin, end)
            if data < min(hole, end):
                yield data, min(hole, end)
            begin = hole

    def length_now(self) -> int:
        """Bytes in the file at this moment, for a file that changes while it is read."""
        return os.fstat(self._descriptor).st_size

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _next_data(self, begin: int, end: int) -> tuple[int, int]:
        """Where data begins at or after `begin`, and where the hole after it does; `end` where none is."""
        if _SEEK_DATA is None:
            return begin, end
        try:
            data = os.lseek(self._descriptor, begin, _SEEK_DATA)
            return data, max(begin + 1, os.lseek(self._descriptor, data, os.SEEK_HOLE))
        except OSError as error:
            return (end if error.errno == errno.ENXIO else begin), end

    def _rest(self, first: bytes, offset: int, length: int) -> bytes:
        """Go on after a short read: one call gives 2 GiB at most, and a signal may cut it."""
        pieces = [first]
        have = len(first)
        while pieces[-1] and have < length:
            pieces.append(os.pread(self._descriptor, length - have, offset + have))
            have += len(pieces[-1])
        return b"".join(pieces)


def require(path: str, name: str) -> None:
    """See that a regular file is there, without opening it.

    Raises:
        Refusal: as from opening it as a `Source`, as far as that can be told.
    """
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 -- called for thousands of files
    except OSError as error:
        raise _refused(error, name) from None
    except ValueError:
        raise _missing(name) from None
    if not stat.S_ISREG(mode):
        raise _missing(name)


def _refused(error: OSError, path: str) -> Refusal:
    if error.errno in _NOT_THERE:
        return _missing(path)
    reason = os.strerror(error.errno) if error.errno else str(error)
    return Refusal("io", f"{path} cannot be read: {reason}", path=path, reason=reason)


def _missing(path: str) -> Refusal:
    return Refusal("missing-file", f"{path} is not there as a regular file", path=path)
