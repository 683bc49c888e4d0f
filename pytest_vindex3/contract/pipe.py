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
from dataclasses import dataclass
from pathlib import Path

from pytest_vindex3.contract.cost import SAMPLING, Meter, Unmeasurable, held_to
from pytest_vindex3.contract.door import NO_LIMITS, PROTOCOL, Description, DoorKind, NotLoaded
from pytest_vindex3.contract.guard import Guard
from pytest_vindex3.contract.messages import (
    DESCRIBE,
    Garbage,
    description_in,
    outcome_in,
    reply_in,
    request,
    shown,
)
from pytest_vindex3.contract.outcome import Cost, Fault, Limits, Outcome, Reply, Unjudged
from pytest_vindex3.contract.process import MAX_LINE, Process, Silence, environment
from pytest_vindex3.contract.scratch import Scratch
from pytest_vindex3.contract.verb import Verb, verbs
from pytest_vindex3.contract.wire import from_line, to_line

START_SECONDS = 60.0
"""Seconds of wall time in which a program answers `describe`."""

_PATIENCE = 2.0
_AFTER_HANG = "It was ended and starts anew; in process (`vindex3 call`) a debugger shows where it stays."
_open: set[Pipe] = set()


class Pipe:
    """An implementation behind a pipe; see `door.Door`.

    Args:
        argv: the program and its arguments.
        kind: "child" for the Python host, "cmd" for any other program.
        origin: what the user named, for texts.
    """

    def __init__(self, argv: Sequence[str], *, kind: DoorKind, origin: str) -> None:
        self.kind: DoorKind = kind
        self.origin = origin
        self._argv = list(argv)
        self._next = 0
        self._process: Process | None = None
        self._household: _Household | None = None
        self._description: Description | None = None
        self._owner = os.getpid()

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
        try:
            process, household = self._running()
        except NotLoaded as error:
            return Reply(verb, arguments, Fault("crash", f"could not be started: {error}"))
        exchange = _Exchange(process, household.scratch, self._number())
        outcome, cost = self._put(exchange, known, arguments, limits)
        stderr = process.stderr()
        if exchange.spoiled:
            self._end()
        household.scratch.empty()
        return Reply(verb, arguments, outcome, cost, stderr)

    def close(self) -> None:
        """End the implementation and everything it started."""
        if self._owner != os.getpid():
            return  # a fork of the owner has no children of its own to end
        _open.discard(self)
        self._end(_PATIENCE)
        if self._household is not None:
            self._household.close()
            self._household = None
        self._description = None

    def _put(
        self, exchange: _Exchange, verb: Verb, arguments: Mapping[str, object], limits: Limits
    ) -> tuple[Outcome, Cost | None]:
        try:
            return exchange.outcome(verb, arguments, limits)
        except Unmeasurable as reason:
            return Unjudged(str(reason)), None
        except BaseException:
            self._end()  # the user's interrupt: what is in flight must not meet a later request
            raise

    def _running(self) -> tuple[Process, _Household]:
        if self._household is None:
            self._household = _Household()
            _open.add(self)
        if self._process is not None and not self._process.alive():
            self._end()
        if self._process is None:
            self._process = self._started(self._household)
        return self._process, self._household

    def _started(self, household: _Household) -> Process:
        try:
            process = Process(self._program(), environment())
        except OSError as error:
            raise NotLoaded(f"{self.origin} cannot be started: {error.strerror or error}") from None
        self._process = process
        household.guard.watch(process.pid)
        try:
            self._description = _Exchange(process, household.scratch, self._number()).description()
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
        return [found, *arguments]

    def _number(self) -> int:
        self._next += 1
        return self._next - 1

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


@dataclass
class _Exchange:
    """One request and what came back; while `spoiled`, the process must not be asked again."""

    process: Process
    scratch: Scratch
    number: int
    spoiled: bool = False

    def description(self) -> Description:
        """Put `describe`.

        Raises:
            NotLoaded: the Python host says why there is nothing to describe.
            Garbage: any other end.
        """
        hello = {"protocol": PROTOCOL, "scratch": str(self.scratch.folder)}
        self.process.send(to_line(request(self.number, DESCRIBE, hello), self.scratch))
        line = self.process.receive(START_SECONDS, whole=_is_json)
        if isinstance(line, Silence):
            raise Garbage(self._silence(line, Limits(seconds=START_SECONDS)).detail)
        message = reply_in(line, self.number)
        if "fault" in message and isinstance(message["fault"], dict):
            raise NotLoaded(str(message["fault"].get("detail", "")))
        if "answer" not in message:
            raise Garbage(f"describe was not answered: {shown(line)}")
        return description_in(message["answer"])

    def outcome(
        self, verb: Verb, arguments: Mapping[str, object], limits: Limits
    ) -> tuple[Outcome, Cost | None]:
        """Put the request and judge the reply.

        Raises:
            Unmeasurable: the limits ask for what cannot be measured.
        """
        stale = self.process.surplus()
        if stale is not None:
            self.spoiled = True
            return Fault("garbage", f"output that no request asked for: {shown(stale)}"), None
        sent = to_line(request(self.number, verb.name, arguments), self.scratch)
        with held_to(self.process.pid, limits.memory):
            line, cost = self._transact(sent, limits)
        outcome = self._verdict(line, verb, limits)
        self.spoiled = isinstance(line, Silence) or (
            isinstance(outcome, Fault) and outcome.what in {"garbage", "memory"}
        )
        return outcome, cost

    def _transact(self, sent: bytes, limits: Limits) -> tuple[bytes | Silence, Cost | None]:
        meter = Meter(self.process.pid) if limits.measure else None
        self.spoiled = True
        self.process.forget_stderr()
        self.process.send(sent)
        if meter is None:
            return self.process.receive(limits.seconds, whole=_is_json), None
        line = self.process.receive(limits.seconds, whole=_is_json, tick=SAMPLING, ticking=meter.look)
        return line, meter.cost(len(sent)) if isinstance(line, bytes) else None

    def _verdict(self, line: bytes | Silence, verb: Verb, limits: Limits) -> Outcome:
        if isinstance(line, Silence):
            return self._silence(line, limits)
        surplus = self.process.surplus()
        if surplus is not None:
            return Fault(
                "garbage", f"more than one line to one request: {shown(line)}, then {shown(surplus)}"
            )
        try:
            return outcome_in(reply_in(line, self.number), verb, self.scratch)
        except Garbage as error:
            return Fault("garbage", str(error))

    def _silence(self, silence: Silence, limits: Limits) -> Fault:
        partial = silence.partial
        if silence.why == "too much":
            return Fault("garbage", f"a line of more than {MAX_LINE} bytes: {shown(partial)}")
        if partial and _is_json(partial):
            return Fault("garbage", f"the line does not end, a newline is missing: {shown(partial)}")
        begun = f"; it had begun a line: {shown(partial)}" if partial else ""
        if silence.why == "late":
            return Fault("hang", f"no answer within {limits.seconds:g} s{begun}. {_AFTER_HANG}")
        ending = self.process.ending()
        if ending is None:
            return Fault("garbage", f"closed its standard output without an answer, and ran on{begun}")
        if limits.memory is not None:
            return Fault("memory", f"{ending} while held to {limits.memory} bytes more of data memory{begun}")
        return Fault("crash", f"{ending}, without an answer{begun}")


def _is_json(partial: bytes) -> bool:
    try:
        return isinstance(from_line(partial), dict)
    except ValueError:
        return False


def _said(process: Process) -> list[str]:
    text = process.stderr().strip()
    return ["It wrote to stderr:", *text.splitlines()[-10:]] if text else []


@atexit.register
def _close_all() -> None:
    for pipe in list(_open):
        pipe.close()
