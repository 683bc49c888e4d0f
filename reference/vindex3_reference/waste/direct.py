"""Reads past the page cache, where the system allows them (waste.md, section 11)."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from vindex3_reference.kernels import native
from vindex3_reference.waste.memory import PAGE, address_of, room

if TYPE_CHECKING:
    from vindex3_reference.source import Source

_FLAG: int | None = getattr(os, "O_DIRECT", None)
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_NOT_DIRECT = {errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP}


class Unavailable(Exception):  # noqa: N818 -- a property of the file, and mostly no error
    """A file cannot be read direct; the message says why."""


class Direct:
    """A second descriptor of an open file, for direct reads.

    Whole pages at whole pages of memory suit every known system; one that says it wants more gets it.
    That it opens is no proof: one aligned page is read before anything else (DIO-PROBE-01, DIO-PROBE-02).

    Args:
        path: where the file is.
        source: the same file, opened before; another one under its name is not read.

    Raises:
        Unavailable: the system has no such reads, or not for this file.
    """

    def __init__(self, path: str, source: Source) -> None:
        if _FLAG is None:
            raise Unavailable("the system has no direct reads")
        try:
            self._descriptor = os.open(path, _FLAGS | _FLAG)
        except OSError as error:
            raise Unavailable(os.strerror(error.errno or 0)) from None
        self._alignment = PAGE
        try:
            self._align()
            self._probe(source)
        except BaseException:
            self.close()
            raise

    def read_into(self, offset: int, view: memoryview) -> int:
        """Fill memory at any address with the bytes from any offset, and say how many there were.

        They are fewer where the file ends, and where the system delivers again and again less than a page.

        Raises:
            Unavailable: this file is not read direct after all.
            OSError: any other failure.
        """
        unit = self._alignment
        if is_aligned(offset, len(view), address_of(view), unit):
            return self._read(offset, view)
        begin = offset - offset % unit
        bounce = room(-(-(offset + len(view) - begin) // unit) * unit, alignment=unit)
        count = max(0, min(self._read(begin, bounce) - (offset - begin), len(view)))
        view[:count] = bounce[offset - begin : offset - begin + count]
        return count

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self._descriptor)

    def _align(self) -> None:
        """Take the alignment that the system asks for, where it says any."""
        asked = native.direct_alignment(self._descriptor)
        if asked == (0, 0):
            raise Unavailable("the system says that it has none for this file")
        if asked is not None:
            self._alignment = max(PAGE, *asked)

    def _probe(self, source: Source) -> None:
        if not os.path.samestat(os.fstat(self._descriptor), source.status()):
            raise Unavailable("another file has its name now")
        try:
            if not self._read(0, room(self._alignment, alignment=self._alignment)):
                raise Unavailable("a direct read delivers nothing")
        except OSError as error:
            raise Unavailable(os.strerror(error.errno or 0)) from None

    def _read(self, offset: int, view: memoryview) -> int:
        """Read into aligned memory; what is cut inside a unit is read again from where that begins."""
        done = 0
        while done < len(view):
            at = done - done % self._alignment
            try:
                count = os.preadv(self._descriptor, [view[at:]], offset + at)
            except InterruptedError:
                continue
            except OSError as error:
                if error.errno in _NOT_DIRECT:
                    raise Unavailable(os.strerror(error.errno or 0)) from None
                raise
            if at + count <= done:
                break
            done = at + count
        return done


def is_aligned(offset: int, length: int, address: int, unit: int = PAGE) -> bool:
    """Whether a read can go to the system as it is: offset, length and address are whole units."""
    return not (offset % unit or length % unit or address % unit)
