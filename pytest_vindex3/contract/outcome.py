"""What one request gave: an answer, a refusal, a misfit, a fault, or nothing that could be judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

FaultKind = Literal["exception", "crash", "hang", "memory", "garbage", "over-claim", "damage"]


@dataclass(frozen=True, slots=True)
class Answer:
    """A well-typed answer as plain data (see `plain.py`)."""

    value: object


@dataclass(frozen=True, slots=True)
class Refused:
    """A refusal: kind and facts as plain data; the message is shown and never judged."""

    kind: str
    names: Mapping[str, object] = field(default_factory=dict)
    message: str = ""


@dataclass(frozen=True, slots=True)
class Misfit:
    """An answer or refusal of another type than the verb's: a wrong answer, not a fault.

    `where` is the key, dotted and without a leading `$`; `expected` and `found` name types.
    """

    where: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class Fault:
    """No answer at all: exception, crash, hang, excess of memory, garbage on the pipe, over-claim.

    Damage is what an implementation did to files that it had to read.
    """

    what: FaultKind
    detail: str


@dataclass(frozen=True, slots=True)
class Unjudged:
    """The door could not carry or measure the request; the test is not run, with this reason."""

    reason: str


Outcome = Answer | Refused | Misfit | Fault | Unjudged


@dataclass(frozen=True, slots=True)
class Stop:
    """A change of a file that is not let happen.

    Changes are the calls of the system by which files and folders come, go and get other bytes: opening
    to create or to empty, writing, truncating, renaming, linking, unlinking, making and removing folders,
    copying within the kernel. Only calls that name something in `folder`, or write to a file in it, count.

    Attributes:
        folder: the absolute path of the folder that is watched, with all that is in it.
        before: the number of the change, from 1; None lets all happen and counts them.
        error: the number of the error with which that one call fails; None ends the process before it.
    """

    folder: str
    before: int | None = None
    error: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A part of a file whose reads are counted, and what is done to them.

    Reads are the calls of the system that put bytes of a file into memory. Bytes of a file that is mapped
    come without a call, and are not seen.

    Attributes:
        file: the absolute path of the file, without links.
        start: where the part begins.
        end: where it ends; None is the end of the file.
        direct: whether only descriptors that read past the page cache are hindered.
        most: bytes that one call gives at most; None for no bound.
        length: where the file seems to end; None where it does.
        interrupted: whether each call is interrupted by a signal once, before it reads anything. Python
            calls again by itself, so that nothing of it is seen there.
        error: the number of the error with which a call fails; None where none does.
        opening: whether it is opening the file that fails with the error, and no read.
        times: how many calls fail; None for all.
        swapped: two folders that exchange their names before the first of these calls.
    """

    file: str
    start: int = 0
    end: int | None = None
    direct: bool = False
    most: int | None = None
    length: int | None = None
    interrupted: bool = False
    error: int | None = None
    opening: bool = False
    times: int | None = None
    swapped: tuple[str, str] | None = None

    @property
    def hinders(self) -> bool:
        """Whether more is done than to count."""
        asked = (self.most, self.length, self.error, self.swapped)
        return self.interrupted or any(one is not None for one in asked)


@dataclass(frozen=True, slots=True)
class Reads:
    """The reads of a part of a file that were seen during one request.

    Attributes:
        calls: how many touched the part.
        hindered: how many calls something was done to.
        direct: bytes of the part that came past the page cache.
        buffered: bytes of the part that came through it.
    """

    calls: int = 0
    hindered: int = 0
    direct: int = 0
    buffered: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds around one request, and what else is done to it from outside.

    Attributes:
        seconds: wall time after which the request is a hang.
        memory: bytes of data memory the request may add, or None for no bound.
        measure: whether `Reply.cost` is wanted.
        stop: a change of a file that does not happen.
        file_size: bytes beyond which no file may grow, as on a disk that is full; None for no bound.
        unprivileged: whether permissions of files hold, also where the kit runs as root.
        reading: reads that are counted, and what is done to them.
        beside: the arguments of further requests for the same verb that are put at once, each by a thread
            of its own.
    """

    seconds: float = 60.0
    memory: int | None = None
    measure: bool = False
    stop: Stop | None = None
    file_size: int | None = None
    unprivileged: bool = False
    reading: Reading | None = None
    beside: tuple[Mapping[str, object], ...] = ()

    @property
    def meddles(self) -> bool:
        """Whether more is done than to bound and to measure."""
        one = self.stop is not None or self.file_size is not None or self.reading is not None
        return one or self.unprivileged or bool(self.beside)


@dataclass(frozen=True, slots=True)
class Held:
    """What the implementation's processes hold: open descriptors, threads, bytes of files that are mapped."""

    descriptors: int
    threads: int
    mapped_bytes: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What one request took: CPU seconds of the implementation's process, bytes it read from files.

    `held` is what is still held behind its answer.
    """

    cpu_seconds: float
    bytes_read: int
    held: Held | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A request together with its outcome; `cost` where it was asked for and could be measured.

    `stderr` is the tail of what the implementation printed meanwhile. `changes` are the calls that a `Stop`
    counted, the one that did not happen included; `stopped` says that there was such a one. `reads` are
    those that a `Reading` counted; `beside` is what became of the requests that were put at once.
    """

    verb: str
    arguments: Mapping[str, object]
    outcome: Outcome
    cost: Cost | None = None
    stderr: str = ""
    changes: int | None = None
    stopped: bool = False
    reads: Reads | None = None
    beside: tuple[Outcome, ...] = ()
