"""The program behind `guard.py`: waits for the end of its input, then ends the groups it was told of.

It is run by path and imports next to nothing, so that it costs a start of the bare interpreter.
"""

from __future__ import annotations

import os
import signal
import sys


def watch(scratch: str) -> None:
    """Read `+GROUP` and `-GROUP` lines to the end; then kill what is left and remove `scratch`."""
    groups: set[int] = set()
    for line in sys.stdin.buffer:
        group = int(line[1:])
        (groups.add if line.startswith(b"+") else groups.discard)(group)
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            continue
    if os.path.isdir(scratch):  # noqa: PTH112 -- pathlib would double the start
        import shutil

        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    watch(sys.argv[1])
