"""Which files were opened while a request was answered: told by the kernel, whoever opened them."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from pytest_vindex3.plugin.check import NotRun

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_OPENED = 0x20
_EVENT = struct.Struct("=iIII")
_BUFFER = 1 << 16


class Watch:
    """Files of a folder that are watched as long as this is entered.

    Args:
        folder: where they are.
        names: their paths below it.

    Raises:
        NotRun: this platform does not tell who opens a file.
    """

    def __init__(self, folder: Path, names: Iterable[str]) -> None:
        if sys.platform != "linux":
            raise NotRun(f"opened files are not watched on {sys.platform}")
        self._folder = folder
        self._names = list(names)
        self._library = ctypes.CDLL(None, use_errno=True)
        self._watched: dict[int, str] = {}
        self._descriptor = -1

    def __enter__(self) -> Watch:
        """Begin to watch.

        Raises:
            NotRun: the kernel refuses to, or tells nothing of an opened file.
        """
        self._descriptor = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        for name in self._names if self._descriptor >= 0 else ():
            number = self._library.inotify_add_watch(
                self._descriptor, os.fsencode(self._folder / name), _OPENED
            )
            self._watched[number] = name
            (self._folder / name).open("rb").close()
        if self._descriptor < 0 or self.opened() != sorted(self._names):
            self._close()
            raise NotRun("the kernel does not tell which files are opened")
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def opened(self) -> list[str]:
        """The files that were opened since this was asked last, each once, sorted."""
        found: set[str] = set()
        with suppress(BlockingIOError):
            while True:
                found |= {
                    self._watched.get(number, "") for number in _watches(os.read(self._descriptor, _BUFFER))
                }
        return sorted(found - {""})

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _watches(events: bytes) -> Iterable[int]:
    """The number of the watch of each event."""
    place = 0
    while place < len(events):
        number, _, _, length = _EVENT.unpack_from(events, place)
        yield number
        place += _EVENT.size + length
