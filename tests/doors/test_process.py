"""A running program seen from outside: its lines, its stderr, its end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

import pytest

from pytest_vindex3.contract import process as module
from pytest_vindex3.contract.process import Process, Silence, environment

from .conftest import gone

Starter = Callable[[str], Process]


@pytest.fixture
def start() -> Iterator[Starter]:
    """Starts a bare interpreter with the given source."""
    started: list[Process] = []

    def starter(source: str) -> Process:
        started.append(Process([sys.executable, "-S", "-c", source], environment()))
        return started[-1]

    yield starter
    for process in started:
        process.close()


def test_lines(start: Starter) -> None:
    """Lines come whole and in order, however they were written."""
    process = start("import os\nfor piece in (b'a', b'b\\nc', b'\\n'): os.write(1, piece)\ninput()")
    assert [process.receive(20), process.receive(20)] == [b"ab", b"c"]


def test_unfinished_line_is_not_waited_for(start: Starter) -> None:
    """A partial line that says all there is to say ends the waiting, long before the deadline."""
    process = start("import os; os.write(1, b'whole'); input()")
    asked: list[bytes] = []
    found = process.receive(3600, whole=lambda partial: not asked.append(partial))  # type: ignore[func-returns-value]
    assert found == Silence("late", b"whole")
    assert asked == [b"whole"]


def test_ticking(start: Starter) -> None:
    """While a line is waited for, the caller may look at something now and then."""
    ticks: list[int] = []
    process = start("input()")
    assert process.receive(0.2, tick=0.01, ticking=lambda: ticks.append(1)) == Silence("late", b"")
    assert len(ticks) > 1


def test_stderr_is_kept_small(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of endless stderr only the tail is kept; the file behind it does not grow past its bound."""
    monkeypatch.setattr(module, "_STDERR_CAP", 1 << 16)
    process = start("import os\nos.write(2, b'.' * (1 << 20) + b'the end')\nprint(1, flush=True)\ninput()")
    assert process.receive(20) == b"1"
    process.receive(0.1)
    assert os.fstat(process._stderr.descriptor).st_size < 1 << 16
    assert process.stderr().endswith("...the end")


@pytest.mark.parametrize(
    ("source", "ending"),
    [
        ("raise SystemExit(3)", "exit code 3"),
        ("import os; os.kill(os.getpid(), 15)", "killed by SIGTERM"),
        ("import os; os._exit(139)", "exit code 139, as a shell reports SIGSEGV"),
        ("input()", None),
    ],
)
def test_ending(start: Starter, source: str, ending: str | None) -> None:
    """An end is told by exit code or by the name of the signal; a program that runs has none."""
    assert start(source).ending() == ending


def test_group(start: Starter) -> None:
    """Closing ends the children that the program started too."""
    process = start("import os, time; pid = os.fork(); os.write(1, b'%d\\n' % os.getpid()); time.sleep(60)")
    pids = [int(line) for line in (process.receive(20), process.receive(20)) if isinstance(line, bytes)]
    process.close()
    assert len(pids) == 2
    assert all(gone(pid) for pid in pids)
