"""The door to a process of its own: a Python implementation in a child, or any program.

One request is in flight at a time. A crash, a hang, an excess or garbage is the outcome of that one
request; the process is ended, and the next request starts a new one. The time a start takes belongs to
no request.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_vindex3.contract.cost import Unmeasurable
from pytest_vindex3.contract.door import NO_LIMITS, Description, DoorKind, NotLoaded
from pytest_vindex3.contract.exchange import Exchange
from pytest_vindex3.contract.guard import Guard
from pytest_vindex3.contract.hindrance import Hindrance
from pytest_vindex3.contract.messages import Garbage
from pytest_vindex3.contract.outcome import Cost, Fault, Limits, Outcome, Reply, Unjudged
from pytest_vindex3.contract.process import Process, environment
from pytest_vindex3.contract.scratch import Scratch
from pytest_vindex3.contract.verb import Verb, verbs

_PATIENCE = 2.0
_open: set[Pipe] = set()


class Pipe:
    """An implementation behind a pipe; see `door.Door`.

    Args:
        argv: the program and its arguments.
        kind: "child" for the Python host, "cmd" for any other program.
        origin: what the user named, for texts.
        forks: whether every request is answered by a fork of the host, and may be hindered in it.
    """

    def __init__(self, argv: Sequence[str], *, kind: DoorKind, origin: str, forks: bool = False) -> None:
        self.kind: DoorKind = kind
        self.origin = origin
        self._argv = list(argv)
        self._last = 0
        self._process: Process | None = None
        self._household: _Household | None = None
        self._description: Description | None = None
        self._owner = os.getpid()
        self._forks = forks
        self._forking: Pipe | None = None
        self._variables: Mapping[str, str] = {}
        self._launcher: Sequence[str] = ()

    @classmethod
    def to_python(cls, spec: str, roots: Sequence[Path] = ()) -> Pipe:
        """The door to a Python implementation in a child process of this interpreter."""
        flags = ["-P", *["-O"] * sys.flags.optimize]
        host = [sys.executable, *flags, "-m", "pytest_vindex3.contract.host", spec, *map(str, roots)]
        return cls(host, kind="child", origin=spec)

    @classmethod
    def to_program(cls, command: str) -> Pipe:
        """The door to the program of a command line, split as a shell would.

        Raises:
            NotLoaded: quotes in the command line do not close.
        """
        try:
            argv = shlex.split(command, posix=os.name == "posix")
        except ValueError as error:
            raise NotLoaded(f"the command line {command!r} cannot be split: {error}") from None
        return cls(argv, kind="cmd", origin=command)

    def describe(self) -> Description:
        """Start the implementation, if it does not run, and give what it claims.

        Raises:
            NotLoaded: it could not be started, or did not answer `describe`.
        """
        self._running()
        assert self._description is not None
        return self._description

    def ask(self, verb: str, arguments: Mapping[str, object], limits: Limits = NO_LIMITS) -> Reply:
        """Put one request; never raises for anything the implementation does."""
        known = verbs().get(verb)
        if known is None:
            return Reply(
                verb, arguments, Fault("over-claim", f"{verb} is claimed, and no verb of the contract")
            )
        if limits.meddles and not self._forks:
            return self._hindered(verb, arguments, limits)
        try:
            process, household = self._running()
        except NotLoaded as error:
            return Reply(verb, arguments, Fault("crash", f"could not be started: {error}"))
        exchange = Exchange(process, household.scratch, self._number())
        outcome, cost = self._put(exchange, known, arguments, limits)
        stderr = process.stderr()
        if exchange.spoiled:
            self._end()
        household.scratch.empty()
        return Reply(
            verb,
            arguments,
            outcome,
            cost,
            stderr,
            exchange.changes,
            exchange.stopped,
            exchange.reads,
            exchange.beside,
        )

    def close(self) -> None:
        """End the implementation and everything it started."""
        if self._owner != os.getpid():
            return  # a fork of the owner has no children of its own to end
        _open.discard(self)
        if self._forking is not None:
            self._forking.close()
            self._forking = None
        self._end(_PATIENCE)
        if self._household is not None:
            self._household.close()
            self._household = None
        self._description = None

    def _hindered(self, verb: str, arguments: Mapping[str, object], limits: Limits) -> Reply:
        """Put a request that something is done to, to a host of its own that forks for each."""
        if self.kind != "child":
            return self._hindered_program(verb, arguments, limits)
        if self._forking is None:
            self._forking = Pipe(self._argv, kind=self.kind, origin=self.origin, forks=True)
            _open.add(self)
        return self._forking.ask(verb, arguments, limits)

    def _hindered_program(self, verb: str, arguments: Mapping[str, object], limits: Limits) -> Reply:
        """Put such a request to a program that is started for it alone, beside the one that runs."""
        beside, self._process = self._process, None
        try:
            hindrance = Hindrance(limits, self._housed().scratch)
            if hindrance.refusal:
                return Reply(verb, arguments, Unjudged(hindrance.refusal))
            self._variables, self._launcher = hindrance.variables, hindrance.launcher
            process, _ = self._running()
            unfit = hindrance.begin(process.pid)
            if unfit:
                return Reply(verb, arguments, Unjudged(unfit))
            return hindrance.judged(self.ask(verb, arguments, hindrance.rest))
        except NotLoaded as error:
            return Reply(verb, arguments, Fault("crash", f"could not be started: {error}"))
        finally:
            self._end(_PATIENCE)
            self._process, self._variables, self._launcher = beside, {}, ()

    def _put(
        self, exchange: Exchange, verb: Verb, arguments: Mapping[str, object], limits: Limits
    ) -> tuple[Outcome, Cost | None]:
        try:
            return exchange.outcome(verb, arguments, limits)
        except Unmeasurable as reason:
            return Unjudged(str(reason)), None
        except BaseException:
            self._end()  # the user's interrupt: what is in flight must not meet a later request
            raise

    def _running(self) -> tuple[Process, _Household]:
        household = self._housed()
        if self._process is not None and not self._process.alive():
            self._end()
        if self._process is None:
            self._process = self._started(household)
        return self._process, household

    def _housed(self) -> _Household:
        if self._household is None:
            try:
                self._household = _Household()
            except OSError as error:
                raise NotLoaded(f"no scratch folder with a watchman beside it can be made: {error}") from None
            _open.add(self)
        return self._household

    def _started(self, household: _Household) -> Process:
        try:
            process = Process(self._program(), {**environment(), **self._variables})
        except OSError as error:
            raise NotLoaded(f"{self.origin} cannot be started: {error.strerror or error}") from None
        self._process = process
        household.guard.watch(process.pid)
        try:
            self._description = Exchange(process, household.scratch, self._number()).description()
        except Garbage as error:
            text = "\n".join([f"{self.origin} did not describe itself: {error}", *_said(process)])
            self._end()
            raise NotLoaded(text) from None
        except BaseException:
            self._end()
            raise
        return process

    def _program(self) -> list[str]:
        if not self._argv:
            raise NotLoaded("the command line is empty")
        name, *arguments = self._argv
        search = environment()["PATH"]
        found = shutil.which(name, path=search)
        if found is None:
            place = Path(name)
            why = "there, but not executable" if place.is_file() else f"no such file in {Path.cwd()}"
            tried = why if place.name != name else f"not on PATH ({search})"
            raise NotLoaded(f"{self.origin}: no program {name!r}: {tried}")
        return [*self._launcher, found, *arguments]

    def _number(self) -> int:
        self._last += 1
        return self._last

    def _end(self, patience: float = 0.0) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close(patience)
            if self._household is not None:
                self._household.guard.release(process.pid)


class _Household:
    """What a door keeps across restarts: the scratch folder, and the watchman."""

    def __init__(self) -> None:
        self.scratch = Scratch.made("ask")
        self.guard = Guard(self.scratch.folder)

    def close(self) -> None:
        self.scratch.remove()
        self.guard.close()


def _said(process: Process) -> list[str]:
    text = process.stderr().strip()
    return ["It wrote to stderr:", *text.splitlines()[-10:]] if text else []


@atexit.register
def _close_all() -> None:
    for pipe in list(_open):
        pipe.close()
