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
class Limits:
    """Bounds around one request.

    Attributes:
        seconds: wall time after which the request is a hang.
        memory: bytes of data memory the request may add, or None for no bound.
        measure: whether `Reply.cost` is wanted.
    """

    seconds: float = 60.0
    memory: int | None = None
    measure: bool = False


@dataclass(frozen=True, slots=True)
class Cost:
    """What one request took: CPU seconds of the implementation's process, bytes it read from files."""

    cpu_seconds: float
    bytes_read: int


@dataclass(frozen=True, slots=True)
class Reply:
    """A request together with its outcome; `cost` where it was asked for and could be measured.

    `stderr` is the tail of what the implementation printed meanwhile.
    """

    verb: str
    arguments: Mapping[str, object]
    outcome: Outcome
    cost: Cost | None = None
    stderr: str = ""
