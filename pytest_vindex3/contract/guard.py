"""A watchman beside a door: ends the door's processes when the process that started them is gone.

A child that waits for its next request sees the end of its standard input and exits by itself; one that
loops, or that a shell started, does not. The watchman is a small process in a session of its own whose
standard input ends with its owner, however that ends (see `watchman.py`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from pytest_vindex3.contract import watchman


class Guard:
    """The owner's end: names the process groups to end, should the owner not do so itself.

    Where there are no process groups, it does nothing.

    Args:
        scratch: the folder to remove in that case.
    """

    def __init__(self, scratch: Path) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if os.name == "posix":
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", watchman.__file__, str(scratch)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                bufsize=0,
            )

    def watch(self, group: int) -> None:
        """Take the process group under watch."""
        self._say(f"+{group}\n")

    def release(self, group: int) -> None:
        """Forget the process group: it has ended."""
        self._say(f"-{group}\n")

    def close(self) -> None:
        """Send the watchman home."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()

    def _say(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            try:
                self._process.stdin.write(line.encode("ascii"))
            except OSError:
                return  # the watchman was ended from outside; the owner still ends its own children
