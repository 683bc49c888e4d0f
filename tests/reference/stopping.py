"""A disk on which a writer is stopped, or one of its calls fails."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from vindex3_reference.disk import Disk


class Stopped(BaseException):
    """The process has ended: nothing after it is done, no clearing up either."""


@dataclass
class Counting(Disk):
    """A disk that counts its calls and may stop before one, or let one fail.

    Attributes:
        before: the number of the call, from 0; None lets all of them pass.
        error: the number of the system's error; None stops. A write that is stopped has written a part.
        calls: the names of the calls so far.
    """

    before: int | None = None
    error: int | None = None
    calls: list[str] = field(default_factory=list)

    def call(self, function: Any, *arguments: Any) -> Any:
        """Make a call of the system, unless it is the one that does not happen."""
        number = len(self.calls)
        self.calls.append(function.__name__)
        if self.before is not None and self.error is None and number >= self.before:
            if number == self.before and function is os.write:
                function(arguments[0], arguments[1][: len(arguments[1]) // 2])
            raise Stopped
        if number == self.before and self.error is not None:
            raise OSError(self.error, os.strerror(self.error))
        if function is os.fsync:
            return None  # nothing here outlives the system's own memory
        return super().call(function, *arguments)
