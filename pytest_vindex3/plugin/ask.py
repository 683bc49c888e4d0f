"""`ask`: the one way in which a test reaches the implementation, and the mark for what else it asks."""

from __future__ import annotations

import errno
import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import pytest

from pytest_vindex3.contract.outcome import Answer, Fault, Limits, Reading, Reply, Stop, Unjudged
from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.contract.writable import Writable
from pytest_vindex3.law.registry import Clause
from pytest_vindex3.plugin.check import Failed, Failure, NotRun, SuiteError
from pytest_vindex3.plugin.inputs import Inputs
from pytest_vindex3.plugin.session import Implementation
from pytest_vindex3.plugin.settings import Settings

LARGEST_IN_MEMORY = 64 << 20
"""Bytes of a file, holes included, above which it belongs on a disk."""

_Test = TypeVar("_Test", bound=Callable[..., object])


class NotClaimed(Exception):  # noqa: N818 -- the state of a request
    """A verb is asked that the implementation does not have."""


def needs(*names: str) -> Callable[[_Test], _Test]:
    """Name verbs (`"lyrw.region"`) and options (`"waste.record:before"`) a test asks beyond its clauses'.

    An implementation that lacks one does not claim the test.

    Raises:
        SuiteError: a verb that the contract does not have, or an option it does not give that verb.
    """
    for name in names:
        verb, _, option = name.partition(":")
        if verb not in verbs():
            raise SuiteError(f"no such verb: {verb}")
        if option and option not in verbs()[verb].options:
            raise SuiteError(f"{verb} has no option {option!r}")
    return pytest.mark.vindex3_needs(*names)


on_disk = pytest.mark.vindex3_on_disk
"""Marks a test, or as `pytestmark` a module, whose files must lie on a disk.

That is where large files belong, and where it shows what a request costs and which pages it reads. Files of
other tests may lie in memory, where they are made and removed in no time.
"""


@dataclass(slots=True)
class Ask:
    """The implementation as one test sees it.

    Attributes:
        implementation: whom it asks.
        settings: the settings of the run.
        place: the test's own folder, made on first use of `folder`.
        name: what seeds generated data: the id of the test.
        verbs: what the test may ask; None for everything that is claimed.
        options: the optional arguments the test may give, as (verb, option).
        on_disk: whether its folder is where files usually are, and not in memory.
        inputs: what was handed out, and what became of it.
    """

    implementation: Implementation
    settings: Settings
    place: Path
    name: str
    verbs: frozenset[str] | None = None
    options: frozenset[tuple[str, str]] = frozenset()
    on_disk: bool = True
    inputs: Inputs = field(init=False)
    _last: Reply | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.inputs = Inputs(self.place)

    def __call__(self, verb: str, /, *, limits: Limits | None = None, **arguments: object) -> Reply:
        """Put one request.

        Raises:
            SuiteError: the test asks a verb or gives an option that it did not name, or wants to know the
                cost while its files are in memory.
        """
        self._may(verb, arguments)
        if limits and limits.measure:
            self._must_be_on_disk("measures")
        before = self.inputs.look()
        reply = self._put(verb, arguments, limits or Limits())
        self.inputs.compare(before, verb, arguments)
        return reply

    def often(self, verb: str, times: int, requests: Sequence[Mapping[str, object]]) -> Reply:
        """Put requests for one verb in turn, so many of them; the reply to the last.

        What became of the inputs is looked at once, behind the last of them.

        Raises:
            SuiteError: as for `ask(...)`.
        """
        for request in requests:
            self._may(verb, request)
        before = self.inputs.look()
        replies = (self._put(verb, requests[turn % len(requests)], Limits()) for turn in range(times))
        [last] = deque(replies, maxlen=1)
        self.inputs.compare(before, verb, last.arguments)
        return last

    def stopped(
        self,
        verb: str,
        /,
        *,
        before: int | None,
        error: str | None = None,
        limits: Limits | None = None,
        **arguments: object,
    ) -> Reply:
        """Put one request, and end the implementation before its n-th change of a file below `folder`.

        What counts as a change is told at `Stop`; scratch files, pipes and what lies elsewhere do not.
        The implementation is started anew, or is a fork that nothing else was asked of, so that an end
        is no fault of its own and the next request meets it whole.

        In the reply, `stopped` says whether there was an n-th change; then, without an `error`, there is
        no answer and `check` must not be asked about it: judge what is on the disk. Otherwise the request
        went on to its end, and its outcome is judged as ever. `changes` counts the calls, the last one,
        which did not happen, included. To go through all of them, ask for 1, 2, ... until `stopped` is
        false. A Python implementation takes some milliseconds each time, a program its own start.

        Args:
            verb: the request, as for `ask(...)`.
            before: the change that does not happen, counted from 1; None lets all happen and counts.
            error: the name of an error such as "ENOSPC": that one call fails with it instead.
            limits: other bounds of the request.
            arguments: those of the verb.

        Raises:
            NotRun: writers cannot be stopped here, with the reason.
            SuiteError: as for `ask(...)`.
        """
        code = None if error is None else getattr(errno, error)
        stop = Stop(str(self.folder.resolve()), before, code)
        reply = self(verb, limits=replace(limits or Limits(), stop=stop), **arguments)
        if isinstance(reply.outcome, Unjudged) and not reply.stopped:
            raise NotRun(reply.outcome.reason)
        if isinstance(reply.outcome, Answer) and not reply.changes:
            raise NotRun(f"{verb} was answered, and no call that changes files was seen")
        return reply

    def watched(
        self, verb: str, /, *, reading: Reading, limits: Limits | None = None, **arguments: object
    ) -> Reply:
        """Put one request, see what it reads of a file, and do to these reads what `reading` says.

        The implementation is met as by `stopped`. Its outcome is judged as ever; `reads` in the reply are
        the calls that were seen.

        Args:
            verb: the request, as for `ask(...)`.
            reading: which reads, and how they are hindered.
            limits: other bounds of the request.
            arguments: those of the verb.

        Raises:
            NotRun: reads cannot be seen here, or none was seen or hindered as was asked, with the reason.
            SuiteError: as for `ask(...)`.
        """
        reply = self(verb, limits=replace(limits or Limits(), reading=reading), **arguments)
        if isinstance(reply.outcome, Unjudged):
            raise NotRun(reply.outcome.reason)
        if reply.reads is not None and not (reply.reads.calls or reply.reads.hindered):
            raise NotRun(f"no call was seen that reads {Path(reading.file).name}")
        if reply.reads is not None and reading.hinders and not reply.reads.hindered:
            raise NotRun(f"no call was seen that could be hindered in reading {Path(reading.file).name}")
        return reply

    def together(self, verb: str, requests: Sequence[Mapping[str, object]]) -> list[Reply]:
        """Put requests for one verb at once, each by a thread of its own; their replies, in the same order.

        Raises:
            NotRun: this door takes one request at a time.
            SuiteError: as for `ask(...)`.
        """
        first, *others = requests
        for request in others:
            self._may(verb, request)
        reply = self(verb, limits=Limits(beside=tuple(others)), **first)
        if isinstance(reply.outcome, Unjudged):
            raise NotRun(reply.outcome.reason)
        if isinstance(reply.outcome, Fault) and not reply.beside:
            return [reply] * len(requests)  # the process that all of them shared has ended
        alone = replace(reply, beside=())
        beside = zip(others, reply.beside, strict=True)
        return [alone, *(replace(alone, arguments=one, outcome=outcome) for one, outcome in beside)]

    def file(self, name: str, content: bytes | Writable) -> str:
        """Write an input into the test's folder, before the implementation sees it; gives its path.

        Whatever the implementation left under that name is removed, never followed or waited for.
        """
        if Path(name).name != name:
            raise SuiteError(f"the name of an input is a plain file name, not {name!r}")
        path = self.inputs.put(name, content)
        if self.inputs.largest(name) > LARGEST_IN_MEMORY:
            self._must_be_on_disk("has large files")
        return str(path)

    @property
    def folder(self) -> Path:
        """The test's own folder."""
        return self.inputs.folder()

    def damage(self, error: BaseException | None, clauses: Iterable[Clause]) -> Failed | None:
        """The failure that an error of a file in the test's folder is, if the implementation meddled there.

        Args:
            error: what the test raised.
            clauses: those of the test; the first is failed.
        """
        named = [one for one in _inside(error) if isinstance(one, OSError) and self._is_here(one)]
        law = next(iter(clauses), None)
        if not named or law is None or self._last is None or not self.inputs.meddled:
            return None
        what = self.inputs.told() or "left files in the folder of the test"
        why = named[0].strerror or type(named[0]).__name__
        fault = Fault("damage", f"the implementation {what}, so that the test could not go on ({why})")
        return Failed(Failure(law, self._last, fault=fault))

    def _is_here(self, error: OSError) -> bool:
        names = [name for name in (error.filename, error.filename2) if isinstance(name, (str, os.PathLike))]
        return not names or any(Path(name).is_relative_to(self.place) for name in names)

    def claims(self, verb: str) -> bool:
        """Whether the implementation has this verb."""
        return verb in self.implementation.description.verbs

    @property
    def time_scale(self) -> float:
        """The factor by which a time clause multiplies its bound."""
        return self.settings.time_scale

    @property
    def seed(self) -> int:
        """The seed of the test's generated data: SHA-256 of its id and the seed of the run."""
        text = f"{self.name}\n{self.settings.seed}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")

    def _put(self, verb: str, arguments: Mapping[str, object], limits: Limits) -> Reply:
        scale = self.settings.time_scale
        scaled = limits if scale == 1 else replace(limits, seconds=limits.seconds * scale)
        self._last = _bounded(self.implementation.door.ask(verb, arguments, scaled), scaled)
        return self._last

    def _must_be_on_disk(self, why: str) -> None:
        if not self.on_disk:
            raise SuiteError(f"{self.name} {why}, for which it must be marked as on_disk")

    def _may(self, verb: str, arguments: Mapping[str, object]) -> None:
        if self.verbs is not None and verb not in self.verbs:
            raise SuiteError(f"{self.name} asks {verb}, which neither its clauses nor needs() name")
        if not self.claims(verb):
            raise NotClaimed(verb)
        known = verbs().get(verb)
        for name in arguments:
            optional = known is not None and name in known.options
            if optional and self.verbs is not None and (verb, name) not in self.options:
                raise SuiteError(f"{self.name} gives {verb} the option {name!r}, which needs() does not name")


def _bounded(reply: Reply, limits: Limits) -> Reply:
    """The reply; where memory ran out, with the bound that was exceeded."""
    fault, most = reply.outcome, limits.memory
    if most is None or not (isinstance(fault, Fault) and fault.what == "memory") or str(most) in fault.detail:
        return reply
    detail = f"more than {most} bytes of data memory, the bound of this request\n{fault.detail}"
    return replace(reply, outcome=Fault("memory", detail))


def _inside(error: BaseException | None) -> Iterator[BaseException]:
    """The error, or those of a group."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _inside(one)
    elif error is not None:
        yield error
