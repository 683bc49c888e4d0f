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
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import Any, NoReturn

from pytest_vindex3.contract import changes, privileges, reads, wrapping
from pytest_vindex3.contract.messages import hindered_reply_of
from pytest_vindex3.contract.outcome import Fault, Limits, Outcome, Reading, Stop, Unjudged
from pytest_vindex3.contract.process import ending_of
from pytest_vindex3.contract.tally import Tally

Message = Mapping[str, object]
Question = Callable[[], Outcome]

_COUNTS = struct.Struct("=Q?")


def conditions(limits: Limits) -> dict[str, object]:
    """What is done to a request, as the host is told."""
    stop, reading = limits.stop, limits.reading
    return {
        "stop": None if stop is None else {"folder": stop.folder, "before": stop.before, "error": stop.error},
        "file_size": limits.file_size,
        "unprivileged": limits.unprivileged,
        "reading": None if reading is None else asdict(reading),
        "beside": list(limits.beside),
    }


def reply(
    number: int,
    under: Mapping[str, Any],
    questions: Sequence[Question],
    to_line: Callable[[Message], bytes],
) -> bytes:
    """The line that answers a request under these conditions.

    Args:
        number: the request's.
        under: see `conditions`.
        questions: puts the request to the implementation, and those that are put at once with it.
        to_line: makes a line of a message; it may raise what a line cannot be made of.
    """
    if sys.platform != "linux":
        reason = f"requests are not stopped or hindered on {sys.platform}"
        return to_line(hindered_reply_of(number, [Unjudged(reason)]))
    fork = _Fork(number, under)
    wrapping.places()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(writing, lambda: to_line(fork.message(questions)))
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        line = stream.readline()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return line if line.endswith(b"\n") else to_line(fork.ended(code))


def _answer(writing: int, line: Callable[[], bytes]) -> NoReturn:
    """All that the fork does."""
    try:
        with os.fdopen(writing, "wb") as stream:
            stream.write(line())
        with suppress(Exception):
            sys.stdout.flush()
    finally:
        os._exit(0)


class _Fork:
    """One request under its conditions, as the fork and the host that waits for it see it."""

    def __init__(self, number: int, under: Mapping[str, Any]) -> None:
        self._number = number
        self._under = under
        self._gate = None if under["stop"] is None else _Gate(Stop(**under["stop"]))
        self._reading = None if under["reading"] is None else Reading(**under["reading"])
        self._tally = None if self._reading is None else Tally()

    def message(self, questions: Sequence[Question]) -> Message:
        """The reply; it is made in the fork."""
        if self._under["unprivileged"]:
            if not privileges.can_drop():
                return hindered_reply_of(self._number, [Unjudged(privileges.WHY_NOT)])
            privileges.drop()
        self._watch()
        with _no_larger_files(self._under["file_size"]):
            outcomes = _at_once(questions)
        if self._gate is not None:
            self._gate.open = True
        return self._counted(outcomes)

    def ended(self, code: int) -> Message:
        """The reply where the fork ended without one."""
        if self._gate is not None and self._gate.stopped:
            reason = f"the process was ended before its change {self._gate.count}, as it was asked to be"
            return self._counted([Unjudged(reason)])
        return self._counted([Fault("crash", f"{ending_of(code)}, without an answer")])

    def _watch(self) -> None:
        if self._gate is not None:
            changes.watch(self._gate.stop.folder, self._gate.enter)
        if self._reading is not None and self._tally is not None:
            reads.watch(self._reading, self._tally)

    def _counted(self, outcomes: Sequence[Outcome]) -> Message:
        gate, tally = self._gate, self._tally
        return hindered_reply_of(
            self._number,
            outcomes,
            changes=None if gate is None else gate.count,
            stopped=gate is not None and gate.stopped,
            reads=None if tally is None else tally.reads,
        )


def _at_once(questions: Sequence[Question]) -> list[Outcome]:
    """The outcomes of questions; where there are several each has a thread, and all begin together."""
    if len(questions) == 1:
        return [questions[0]()]
    found: dict[int, Outcome] = {}
    barrier = threading.Barrier(len(questions))

    def put(place: int) -> None:
        barrier.wait()
        found[place] = questions[place]()

    threads = [threading.Thread(target=put, args=(place,)) for place in range(len(questions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[place] for place in range(len(questions))]


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
