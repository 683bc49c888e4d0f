"""How much of a long pass is done, counted by several threads at once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Progress = Callable[[int, int], None]
    """Called with the bytes that are done and the bytes that there are, by one thread at a time."""


class Stopped(BaseException):
    """The pass was given up by the thread that started it."""


class Meter:
    """A count of bytes, and the word that the pass is given up.

    Args:
        progress: whom to tell, or None.
        total: the bytes that there are; 0 where nobody is told.
    """

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0
        self._stopped = False
        self._one = threading.Lock()

    def add(self, count: int) -> None:
        """Count bytes that are done.

        Raises:
            Stopped: the pass is given up.
        """
        if self._stopped:
            raise Stopped
        if self._progress is not None:
            with self._one:
                self._done += count
                self._progress(self._done, self._total)

    def stop(self) -> None:
        """Give the pass up: every thread ends where it counts next."""
        self._stopped = True
