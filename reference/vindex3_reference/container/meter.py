"""How much of a long pass is done, counted by the threads that do it."""

from __future__ import annotations

import threading


class Stopped(BaseException):
    """The pass was given up by whoever started it."""


class Meter:
    """A count of bytes that goes one way, and the word back that the pass is given up.

    Attributes:
        done: the bytes so far.
    """

    def __init__(self) -> None:
        self.done = 0
        self._stopped = False
        self._one = threading.Lock()

    def add(self, count: int) -> None:
        """Count bytes that are done.

        Raises:
            Stopped: the pass is given up.
        """
        if self._stopped:
            raise Stopped
        with self._one:
            self.done += count

    def stop(self) -> None:
        """Give the pass up: every thread ends where it counts next."""
        self._stopped = True
