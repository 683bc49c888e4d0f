"""Whether the end of a file was read, as the system's page cache shows it."""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from pathlib import Path

from pytest_vindex3.plugin.check import NotRun

PAGE = mmap.PAGESIZE


class End:
    """The last page of a file, which is in memory once it was read, by whom and in what way ever.

    Read-ahead from the front stays far below it, so that a file of a GiB tells both apart.

    Raises:
        NotRun: this system does not show it, or keeps pages in memory that nobody reads.
    """

    def __init__(self, path: str) -> None:
        if sys.platform != "linux":
            raise NotRun("this platform does not show which pages of a file are in memory")
        self._path = Path(path)
        size = self._path.stat().st_size
        self._offset = (size - 1) // PAGE * PAGE
        self._length = size - self._offset
        self.forget()
        with self._path.open("rb", buffering=0) as file:
            os.pread(file.fileno(), 1, self._offset)
        if not self.in_memory():
            raise NotRun("this file system does not show that a page was read")

    def forget(self) -> None:
        """Let the system drop the pages of the file.

        Raises:
            NotRun: it keeps the last one.
        """
        with self._path.open("r+b", buffering=0) as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        if self.in_memory():
            raise NotRun("this file system keeps pages in memory that nobody reads")

    def in_memory(self) -> int:
        """Bytes of the last page that are in memory: all or none."""
        with (
            self._path.open("r+b", buffering=0) as file,
            mmap.mmap(file.fileno(), self._length, offset=self._offset) as page,
        ):
            first = ctypes.c_char.from_buffer(page)
            state = (ctypes.c_ubyte * 1)()
            libc = ctypes.CDLL(None, use_errno=True)
            address, length = ctypes.c_void_p(ctypes.addressof(first)), ctypes.c_size_t(self._length)
            failed = libc.mincore(address, length, state)
            del first, address
        if failed:
            raise NotRun(f"the system does not show pages in memory ({os.strerror(ctypes.get_errno())})")
        return self._length * (state[0] & 1)
