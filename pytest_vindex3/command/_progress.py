"""How far long work has come, on a terminal's stderr and nowhere else."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress, Task, TextColumn

PATIENCE: Final = 0.7
"""Seconds of work before anything is shown."""
_COUNTERS: Final = Path("/proc/self/io")


@contextmanager
def watched(parts: int) -> Iterator[Callable[[str], None]]:
    """Show how many of `parts` are done; what is given says which one begins.

    Where the system counts them, the bytes read are shown as well, with their number a second.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    progress = _progress()
    task = progress.add_task("", total=parts, completed=-1)
    showing = threading.Timer(PATIENCE, progress.start)
    showing.daemon = True
    showing.start()
    try:
        yield lambda what: progress.update(task, advance=1, description=what)
    finally:
        showing.cancel()
        showing.join()
        progress.stop()


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        _rate_column(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        # Lines for a terminal are put above the bar; lines for a pipe are none of its business.
        redirect_stdout=sys.stdout.isatty(),
    )


def _rate_column() -> TextColumn:
    from rich.progress import TextColumn
    from rich.text import Text

    from pytest_vindex3.formats import near

    before = bytes_read()

    class Rate(TextColumn):
        def render(self, task: Task) -> Text:
            read, elapsed = bytes_read(), task.elapsed
            if before is None or read is None or not elapsed:
                return Text("")
            return Text(f"{near(read - before)}, {near(round((read - before) / elapsed))}/s")

    return Rate("")


def bytes_read() -> int | None:
    """Bytes that this process has read so far, None where the system does not count them."""
    try:
        return int(_COUNTERS.read_text("ascii").partition("rchar:")[2].split()[0])
    except (OSError, IndexError, ValueError):
        return None
