"""How far long work has come, on a terminal's stderr and nowhere else."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, Task, TextColumn

PATIENCE: Final = 0.7
"""Seconds of work before anything is shown."""
_COUNTERS: Final = Path("/proc/self/io")


class Watch:
    """Hears of work; without a terminal it keeps it to itself.

    Attributes:
        done: bytes that are done of the part that began last, as far as it tells.
    """

    def __init__(self) -> None:
        self.done = 0

    def begin(self, what: str) -> None:
        """The next part begins, and is called so."""
        del what
        self.done = 0

    def tell(self, done: int, total: int) -> None:
        """So many bytes of the part are done, of so many that there are."""
        del total
        self.done = done


class _Shown(Watch):
    def __init__(self, progress: Progress, parts: int) -> None:
        super().__init__()
        self._progress = progress
        self._parts = parts
        self._before = -1
        self._task = progress.add_task("", total=parts)

    def begin(self, what: str) -> None:
        super().begin(what)
        self._before += 1
        self._progress.update(self._task, completed=self._before, description=what)

    def tell(self, done: int, total: int) -> None:
        super().tell(done, total)
        self._progress.update(self._task, completed=self._before + done / max(1, total))


@contextmanager
def watched(parts: int) -> Iterator[Watch]:
    """Show how many of `parts` are done, and how far the one that is worked on has come.

    Where the system counts them, the bytes read are shown as well, with their number a second.
    """
    if not sys.stderr.isatty():
        yield Watch()
        return
    progress = _progress()
    showing = threading.Timer(PATIENCE, progress.start)
    showing.daemon = True
    showing.start()
    try:
        yield _Shown(progress, parts)
    finally:
        showing.cancel()
        showing.join()
        progress.stop()


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
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
