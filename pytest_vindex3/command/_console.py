"""The console that tables are printed on: as wide as the terminal, or wide enough for a log."""

from __future__ import annotations

import sys

from rich.console import Console

LOG_WIDTH = 160


def console() -> Console:
    """A console on standard output; in a log or a pipe nothing is folded to a terminal's width."""
    return Console(width=None if sys.stdout.isatty() else LOG_WIDTH)
