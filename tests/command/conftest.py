"""The command run in this process, and on a terminal of a given width."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from pytest_vindex3.command import vindex3


class Done(NamedTuple):
    """What a run of the command gave."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("inspect", "FILE")` runs the command with its output piped; `stdin` is text."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def once(*arguments: object, stdin: str | None = None) -> Done:
        result = CliRunner().invoke(vindex3, [str(argument) for argument in arguments], input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Done(result.exit_code, result.stdout, result.stderr)

    return once


class Received(NamedTuple):
    """What a terminal received, and the same without the codes for colour and weight."""

    text: str
    bare: str


@pytest.fixture
def on_terminal() -> Callable[..., Received]:
    """`on_terminal(80, "inspect", "FILE", NO_COLOR="1")` gives what a terminal of 80 columns receives."""
    pytest.importorskip("termios", reason="there are no pseudo-terminals here")
    return _on_terminal


def _on_terminal(columns: int, *arguments: object, **environment: str) -> Received:
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    variables |= {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **environment}
    command = [sys.executable, "-m", "pytest_vindex3.command", *map(str, arguments)]
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=variables):
        os.close(theirs)
        received = b""
        try:
            while block := os.read(ours, 1 << 16):
                received += block
        except OSError:  # how Linux says that the other side has closed
            pass
    os.close(ours)
    text = received.decode("utf-8").replace("\r\n", "\n")
    return Received(text, re.sub(r"\x1b\[[0-9;]*m", "", text))
