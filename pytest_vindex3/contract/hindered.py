"""A request that the Python host answers in a fork, so that something can be done to it: stopping, for one.

The host that forks is asked nothing else. Each fork starts from what the import of the implementation left,
and nothing of its end stays behind.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from pytest_vindex3.contract import changes, privileges
from pytest_vindex3.contract.messages import hindered_reply_of
from pytest_vindex3.contract.outcome import Fault, Limits, Outcome, Stop, Unjudged
from pytest_vindex3.contract.process import ending_of

Message = Mapping[str, object]

_COUNTS = struct.Struct("=Q?")


def conditions(limits: Limits) -> dict[str, object]:
    """What is done to a request, as the host is told."""
    stop = limits.stop
    return {
        "stop": None if stop is None else {"folder": stop.folder, "before": stop.before, "error": stop.error},
        "file_size": limits.file_size,
        "unprivileged": limits.unprivileged,
    }


def reply(
    number: int, under: Mapping[str, Any], ask: Callable[[], Outcome], to_line: Callable[[Message], bytes]
) -> bytes:
    """The line that answers a request under these conditions.

    Args:
        number: the request's.
        under: see `conditions`.
        ask: puts the request to the implementation.
        to_line: makes a line of a message; it may raise what a line cannot be made of.
    """
    if sys.platform != "linux":
        reason = f"writers are not stopped or hindered on {sys.platform}"
        return to_line(hindered_reply_of(number, Unjudged(reason), None, False))
    gate = None if under["stop"] is None else _Gate(Stop(**under["stop"]))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(writing, lambda: _line(number, under, gate, ask, to_line))
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        line = stream.readline()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if line.endswith(b"\n"):
        return line
    if gate is not None and gate.stopped:
        ended: Outcome = Unjudged(
            f"the process was ended before its change {gate.count}, as it was asked to be"
        )
    else:
        ended = Fault("crash", f"{ending_of(code)}, without an answer")
    return to_line(_counted(number, ended, gate))


def _answer(writing: int, line: Callable[[], bytes]) -> NoReturn:
    """All that the fork does."""
    try:
        with os.fdopen(writing, "wb") as stream:
            stream.write(line())
        with suppress(Exception):
            sys.stdout.flush()
    finally:
        os._exit(0)


def _line(
    number: int,
    under: Mapping[str, Any],
    gate: _Gate | None,
    ask: Callable[[], Outcome],
    to_line: Callable[[Message], bytes],
) -> bytes:
    if under["unprivileged"] and not privileges.can_drop():
        return to_line(hindered_reply_of(number, Unjudged(privileges.WHY_NOT), None, False))
    if under["unprivileged"]:
        privileges.drop()
    if gate is not None:
        changes.watch(gate.stop.folder, gate.enter)
    with _no_larger_files(under["file_size"]):
        outcome = ask()
    if gate is not None:
        gate.open = True
    return to_line(_counted(number, outcome, gate))


def _counted(number: int, outcome: Outcome, gate: _Gate | None) -> Message:
    if gate is None:
        return hindered_reply_of(number, outcome, None, False)
    return hindered_reply_of(number, outcome, gate.count, gate.stopped)


class _Gate:
    """Counts changes, and lets one of them not happen; the counts outlive the process that enters.

    Attributes:
        stop: what is not let happen.
        open: whether everything may pass, uncounted.
    """

    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        self.open = False
        self._shared = mmap.mmap(-1, _COUNTS.size)

    @property
    def count(self) -> int:
        """The changes so far, the one that did not happen included."""
        return int(_COUNTS.unpack(self._shared)[0])

    @property
    def stopped(self) -> bool:
        """Whether there was one that did not happen."""
        return bool(_COUNTS.unpack(self._shared)[1])

    def enter(self) -> None:
        """Count a change; end the process before it, or let it fail, if it is the one.

        Raises:
            OSError: it fails.
        """
        if self.open:
            return
        count = self.count + 1
        stopped = count == self.stop.before
        self._shared[:] = _COUNTS.pack(count, stopped or self.stopped)
        if stopped and self.stop.error is not None:
            raise OSError(self.stop.error, os.strerror(self.stop.error))
        if stopped:
            os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def _no_larger_files(size: int | None) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes."""
    if size is None:
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
