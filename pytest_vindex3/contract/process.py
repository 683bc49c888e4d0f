"""One running program: its pipes, its lines, what it wrote to stderr, and its end.

Threads read and write the pipes on every platform, but for short lines that a pipe has room for, so that
neither a full pipe nor a silent program can hold the caller beyond its deadline. Nothing here knows what the
lines say.
"""

from __future__ import annotations

import os
import queue
import select
import signal
import subprocess
import sysconfig
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, ClassVar, Literal, Protocol

if os.name == "posix":
    import fcntl

MAX_LINE = 16 << 20
"""Bytes of one line above which a program is taken to have lost its way."""

_TAIL = 8 << 10
_STDERR_CAP = 64 << 20
_TICK = 0.05
_GRACE = 1.0
_OWN_VARIABLES = "PYTEST_"


@dataclass(frozen=True, slots=True)
class Silence:
    """No line came: `partial` is what there was of one."""

    why: Literal["late", "ended", "too much"]
    partial: bytes


def environment() -> dict[str, str]:
    """The user's environment without what belongs to the running test session.

    The scripts of the running interpreter come last on PATH: a command line with `vindex3` in it works
    in an environment that was not activated.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith(_OWN_VARIABLES)}
    scripts = sysconfig.get_path("scripts")
    kept["PATH"] = os.pathsep.join(part for part in (kept.get("PATH", os.defpath), scripts) if part)
    return kept


class Program(Protocol):
    """A running program, as `subprocess.Popen` has it."""

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, awaited.

        Raises:
            subprocess.TimeoutExpired: it still runs after so many seconds.
        """
        ...

    def kill(self) -> None:
        """End it."""
        ...


class Starter(Protocol):
    """What starts programs; see `started`."""

    def __call__(self, argv: Sequence[str], variables: Mapping[str, str], stderr: int) -> Program:
        """Start one."""
        ...


def started(argv: Sequence[str], variables: Mapping[str, str], stderr: int) -> Program:
    """A program in a session of its own, with unbuffered pipes and a descriptor for its stderr.

    Raises:
        OSError: it cannot be started.
    """
    return subprocess.Popen(
        list(argv),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=dict(variables),
        start_new_session=True,
        bufsize=0,
    )


class Process:
    """A program in a session of its own, with its standard streams held by this object.

    Args:
        argv: the program and its arguments.
        variables: its whole environment.

    Attributes:
        start: what starts programs.

    Raises:
        OSError: it cannot be started.
    """

    start: ClassVar[Starter] = staticmethod(started)

    def __init__(self, argv: Sequence[str], variables: Mapping[str, str]) -> None:
        self._stderr = _Stderr()
        try:
            self._popen = self.start(argv, variables, self._stderr.descriptor)
        except BaseException:
            self._stderr.close()
            raise
        self.pid = self._popen.pid
        self._changed = threading.Condition()
        self._lines: deque[bytes] = deque()
        self._partial = bytearray()
        self._over: Literal["ended", "too much"] | None = None
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._handed = self._done = 0
        self._threads = [
            threading.Thread(target=work, name=f"vindex3-{self.pid}", daemon=True)
            for work in (self._read, self._write)
        ]
        for thread in self._threads:
            thread.start()

    def send(self, line: bytes) -> None:
        """Hand one line to the program: at once where it cannot hold the caller, else by a thread."""
        if not self._written(line):
            self._handed += 1
            self._outgoing.put(line)

    def forget_stderr(self) -> None:
        """Let go of what the program wrote to stderr so far: what follows belongs to the next line."""
        self._stderr.forget()

    def receive(
        self,
        seconds: float,
        *,
        tick: float = _TICK,
        ticking: Callable[[], None] = lambda: None,
        whole: Callable[[bytes], bool] = lambda partial: False,
    ) -> bytes | Silence:
        """The next line without its end, or why there is none after `seconds` of wall time.

        Args:
            seconds: how long to wait at most.
            tick: seconds between two calls of `ticking` while waiting.
            ticking: called now and then meanwhile.
            whole: asked once, of a partial line that did not grow for a second, whether waiting on is vain.
        """
        deadline = time.monotonic() + seconds
        grown, asked_at = 0, time.monotonic() + _GRACE
        while True:
            with self._changed:
                if not self._lines and self._over is None:
                    self._changed.wait(max(0.0, min(tick, deadline - time.monotonic())))
                if self._lines:
                    return self._lines.popleft()
                if self._over is not None:
                    return Silence(self._over, bytes(self._partial))
                size = len(self._partial)
            self._stderr.trim()
            ticking()
            now = time.monotonic()
            if size != grown:
                grown, asked_at = size, now + _GRACE
            late = now >= deadline
            if late or (size and asked_at <= now):
                partial = bytes(self._partial)
                if late or whole(partial):
                    return Silence("late", partial)
                asked_at = deadline

    def surplus(self) -> bytes | None:
        """The beginning of what the program wrote beyond the lines received, or None."""
        with self._changed:
            rest = self._lines[0] if self._lines else bytes(self._partial)
            return rest[:200] if self._lines or self._partial else None

    def stderr(self) -> str:
        """The tail of what the program wrote to stderr since `forget_stderr`, or its start."""
        return self._stderr.tail()

    def alive(self) -> bool:
        """Whether the program runs and its standard output is open."""
        return self._over != "ended" and self._popen.poll() is None

    def ending(self) -> str | None:
        """How the program ended, waiting a second for it; None while it runs."""
        try:
            return ending_of(self._popen.wait(_GRACE))
        except subprocess.TimeoutExpired:
            return None

    def close(self, patience: float = 0.0) -> None:
        """End the program and all of its group; it has `patience` seconds to go by itself."""
        self._outgoing.put(None)
        if patience:
            with suppress(subprocess.TimeoutExpired):
                self._popen.wait(patience)
        self._kill()
        for thread in self._threads:
            thread.join(_GRACE)  # or it ends with the process outside the group that holds its pipe open
        self._stderr.close()

    def _kill(self) -> None:
        with suppress(OSError):  # nothing of the group may be left
            if os.name == "posix":
                os.killpg(self.pid, signal.SIGKILL)
            else:
                self._popen.kill()
        with suppress(subprocess.TimeoutExpired):  # in the kernel's hands no signal reaches it
            self._popen.wait(_GRACE * 5)

    def _read(self) -> None:
        assert self._popen.stdout is not None
        with self._popen.stdout as stream:
            while self._over is None:
                try:
                    chunk = os.read(stream.fileno(), 1 << 16)
                except OSError:
                    chunk = b""
                with self._changed:
                    self._take(chunk)
                    self._changed.notify_all()

    def _take(self, chunk: bytes) -> None:
        first, *others = chunk.split(b"\n")
        self._partial += first
        for piece in others:
            self._lines.append(bytes(self._partial))
            self._partial = bytearray(piece)
        if not chunk:
            self._over = "ended"
        elif len(self._partial) > MAX_LINE or len(self._lines) > 1:
            self._over = "too much"

    def _written(self, line: bytes) -> bool:
        """Write a line that the pipe takes whole; a pipe that can be written to has room for a short one."""
        if os.name != "posix" or len(line) > select.PIPE_BUF or self._handed != self._done:
            return False
        stream, poll = self._popen.stdin, select.poll()
        if stream is None or stream.closed:
            return False
        poll.register(stream, select.POLLOUT)
        if [event for _, event in poll.poll(0)] != [select.POLLOUT]:
            return False
        with suppress(OSError):  # as below
            stream.write(line)
        return True

    def _write(self) -> None:
        assert self._popen.stdin is not None
        with self._popen.stdin as stream, suppress(OSError):
            # a program that no longer reads is noticed where its lines are waited for
            while (line := self._outgoing.get()) is not None:
                rest = memoryview(line)
                while rest:
                    rest = rest[stream.write(rest) or 0 :]
                self._done += 1


class _Stderr:
    """A nameless file that takes what a program writes to stderr and keeps the end of it."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 -- closed by close()
        self.descriptor = self._file.fileno()
        self._before = b""
        self._appends = os.name == "posix"
        if self._appends:
            flags = fcntl.fcntl(self.descriptor, fcntl.F_GETFL)
            fcntl.fcntl(self.descriptor, fcntl.F_SETFL, flags | os.O_APPEND)

    def forget(self) -> None:
        """Let go of what has been written so far."""
        self._before = b""
        if self._appends and os.fstat(self.descriptor).st_size:
            os.ftruncate(self.descriptor, 0)

    def trim(self) -> None:
        """Keep the file small: past the cap only its tail is kept, in memory."""
        if self._appends and os.fstat(self.descriptor).st_size > _STDERR_CAP:
            self._before = self._end()
            os.ftruncate(self.descriptor, 0)

    def tail(self) -> str:
        """The last few thousand bytes, undecodable ones replaced."""
        return (self._before + self._end())[-_TAIL:].decode("utf-8", "replace")

    def close(self) -> None:
        """Let go of the file; the tail can no longer be asked."""
        self._file.close()

    def _end(self) -> bytes:
        size = os.fstat(self.descriptor).st_size
        if hasattr(os, "pread"):
            return os.pread(self.descriptor, _TAIL, max(0, size - _TAIL))
        self._file.seek(max(0, size - _TAIL))
        tail = self._file.read(_TAIL)
        self._file.seek(0, os.SEEK_END)  # the program shares the position
        return tail


def ending_of(code: int) -> str:
    """An exit code in words; a negative one is a signal's number."""
    if code >= 0:
        signalled = f", as a shell reports {_signal_name(code - 128)}" if 128 < code < 193 else ""
        return f"exit code {code}{signalled}"
    return f"killed by {_signal_name(-code)}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
