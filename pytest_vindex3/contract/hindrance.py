"""What is done from outside to a program that is started for one request (for Python see `hindered.py`)."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pytest_vindex3.contract import preload, privileges
from pytest_vindex3.contract.outcome import Fault, Limits, Reply, Unjudged
from pytest_vindex3.contract.scratch import Scratch


class Hindrance:
    """The hindrances that limits ask for, on one program.

    Attributes:
        variables: what the program's environment gets besides.
        launcher: what starts the program, as the beginning of a command line.
        rest: the limits without them.
        refusal: why nothing can be done here, or an empty text.

    Args:
        limits: with hindrances.
        scratch: where the program can reach a file.
    """

    def __init__(self, limits: Limits, scratch: Scratch) -> None:
        self._limits = limits
        self._counts: preload.Counts | None = None
        self._tally: preload.ReadCounts | None = None
        self.rest = replace(limits, stop=None, file_size=None, unprivileged=False, reading=None)
        self.variables: Mapping[str, str] = {}
        self.launcher = [sys.executable, "-I", "-S", privileges.__file__] if limits.unprivileged else []
        self.refusal = self._why_not()
        if not self.refusal:
            self._load(scratch)

    def begin(self, pid: int) -> str:
        """Hinder the program that was started with the variables; why it cannot be, or an empty text."""
        if self._counts is not None and not self._counts.loaded:
            return "the program does not load the library that stops writers: it may be linked statically"
        if self._tally is not None and not self._tally.loaded:
            return "the program does not load the library that sees reads: it may be linked statically"
        if self._limits.file_size is not None:
            return _hold(pid, self._limits.file_size)
        return ""

    def judged(self, reply: Reply) -> Reply:
        """The reply of the program, with what was counted; an end that was asked for is no fault."""
        counts, stop = self._counts, self._limits.stop
        if self._tally is not None:
            reply = replace(reply, reads=self._tally.reads)
        if counts is None or stop is None:
            return reply
        outcome = reply.outcome
        if counts.stopped and stop.error is None and isinstance(outcome, Fault) and outcome.what == "crash":
            outcome = Unjudged(
                f"the program was ended before its change {counts.changes}, as it was asked to be"
            )
        return replace(reply, outcome=outcome, changes=counts.changes, stopped=counts.stopped)

    def _why_not(self) -> str:
        if sys.platform != "linux":
            return f"programs are not stopped or hindered on {sys.platform}"
        if self._limits.unprivileged and not privileges.can_drop():
            return privileges.WHY_NOT
        if self._limits.beside:
            return "a program is asked one question at a time"
        missing = next((name for name in self._libraries() if preload.library(name) is None), None)
        if missing is not None:
            return f"the library that counts {missing} of files was not built: there was no C compiler"
        return ""

    def _libraries(self) -> list[str]:
        asked = {preload.CHANGES: self._limits.stop, preload.READS: self._limits.reading}
        return [name for name, condition in asked.items() if condition is not None]

    def _load(self, scratch: Scratch) -> None:
        """Provide what the libraries count in, and the environment that loads them."""
        stop, reading = self._limits.stop, self._limits.reading
        shims = [shim for name in self._libraries() if (shim := preload.library(name)) is not None]
        self.variables = preload.loading(shims) if shims else {}
        if stop is not None:
            self._counts = preload.Counts(scratch.folder / scratch.put(bytes(preload.Counts.SIZE)))
            self.variables = {**self.variables, **self._counts.variables(stop)}
        if reading is not None:
            self._tally = preload.ReadCounts(scratch.folder / scratch.put(bytes(preload.ReadCounts.SIZE)))
            self.variables = {**self.variables, **self._tally.variables(reading)}


def _hold(pid: int, size: int) -> str:
    """Let no file of the process grow beyond so many bytes; why that cannot be, or an empty text.

    The kernel sends a signal besides, of which one who does not ignore it dies.
    """
    import resource

    try:
        status = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
        ignored = int(status.partition("\nSigIgn:")[2].split(maxsplit=1)[0], 16)
        if not ignored >> (signal.SIGXFSZ - 1) & 1:
            return "the program does not ignore SIGXFSZ, so that a bound on files would end it"
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        most = size if hard == resource.RLIM_INFINITY else min(size, hard)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, hard))
    except OSError as error:
        return f"the files of process {pid} cannot be bounded ({error.strerror})"
    return ""
