"""One request over a running process: what is sent, what is waited for, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_vindex3.contract.cost import SAMPLING, Meter, held_to
from pytest_vindex3.contract.door import PROTOCOL, Description, NotLoaded
from pytest_vindex3.contract.hindered import conditions
from pytest_vindex3.contract.messages import (
    DESCRIBE,
    Garbage,
    description_in,
    outcome_in,
    reply_in,
    request,
    shown,
    unjudged_in,
)
from pytest_vindex3.contract.outcome import Cost, Fault, Limits, Outcome, Reads, Unjudged
from pytest_vindex3.contract.process import MAX_LINE, Process, Silence
from pytest_vindex3.contract.scratch import Scratch
from pytest_vindex3.contract.verb import Verb
from pytest_vindex3.contract.wire import from_line, to_line

START_SECONDS = 60.0
"""Seconds of wall time in which a program answers `describe`."""

_AFTER_HANG = "It was ended and starts anew; `vindex3 call` puts the same question alone."
_NOTHING_SAID = "Is standard output flushed after each line, and does it stop loading?"


@dataclass
class Exchange:
    """One request and what came back; while `spoiled`, the process must not be asked again.

    The last four are what the Python host says of a request that something was done to; see `Reply`.
    """

    process: Process
    scratch: Scratch
    number: int
    spoiled: bool = False
    changes: int | None = None
    stopped: bool = False
    reads: Reads | None = None
    beside: tuple[Outcome, ...] = ()

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
            raise Garbage(self._silence(line, Limits(seconds=START_SECONDS), _NOTHING_SAID).detail)
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
        under = conditions(limits) if limits.meddles else None
        sent = to_line(request(self.number, verb.name, arguments, under), self.scratch)
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
            if limits.meddles:
                return self._hindered(line, verb)
            return outcome_in(reply_in(line, self.number), verb, self.scratch)
        except Garbage as error:
            return Fault("garbage", str(error))

    def _hindered(self, line: bytes, verb: Verb) -> Outcome:
        """The outcome of a request that the host did something to, and what it counted."""
        message = unjudged_in(line) or reply_in(line, self.number)
        self.changes, self.stopped = message.get("changes"), message.get("stopped") is True
        if message.get("reads") is not None:
            self.reads = Reads(**message["reads"])
        self.beside = tuple(outcome_in(body, verb, self.scratch) for body in message.get("beside", ()))
        if "unjudged" in message:
            return Unjudged(str(message["unjudged"]))
        return outcome_in(message, verb, self.scratch)

    def _silence(self, silence: Silence, limits: Limits, after_hang: str = _AFTER_HANG) -> Fault:
        partial = silence.partial
        if silence.why == "too much":
            return Fault("garbage", f"a line of more than {MAX_LINE} bytes: {shown(partial)}")
        if partial and _is_json(partial):
            return Fault("garbage", f"the line does not end, a newline is missing: {shown(partial)}")
        begun = f"; it had begun a line: {shown(partial)}" if partial else ""
        if silence.why == "late":
            return Fault("hang", f"no answer within {limits.seconds:g} s{begun}. {after_hang}")
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
