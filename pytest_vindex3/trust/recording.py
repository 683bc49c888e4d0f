"""Recording: what each test sees and comes by, so that whoever is tried meets the tests that can tell."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from pytest_vindex3.contract.door import NO_LIMITS, Description, Door, DoorKind
from pytest_vindex3.contract.outcome import Limits, Reply
from pytest_vindex3.trust.perturbation import Perturbation
from pytest_vindex3.trust.sight import Sight


class Record(msgspec.Struct):
    """What was seen while the oracle was asked by tests.

    Attributes:
        seconds: what each test took.
        changed: per perturbation, as text, the tests that it can change.
        reached: per test, the places of the reference that it came by; a test that is not there may have
            come by any.
    """

    seconds: dict[str, float] = msgspec.field(default_factory=dict)
    changed: dict[str, list[str]] = msgspec.field(default_factory=dict)
    reached: dict[str, frozenset[str]] = msgspec.field(default_factory=dict)

    @classmethod
    def together(cls, parts: Iterable[Record]) -> Record:
        """What several processes saw, as one."""
        whole = cls()
        for part in parts:
            whole.seconds |= part.seconds
            whole.reached |= part.reached
            for perturbation, tests in part.changed.items():
                whole.changed.setdefault(perturbation, []).extend(tests)
        return whole

    def can_tell(self, test: str, places: frozenset[str] | None) -> bool:
        """Whether a test can tell the oracle from one with other things in these places; None is anywhere."""
        reached = self.reached.get(test)
        return places is None or reached is None or not places.isdisjoint(reached)


class Recorder:
    """A door that notes, per perturbation, the tests in which it would change something.

    Args:
        inner: the door to the oracle.
        wanted: the perturbations that are looked for.

    Attributes:
        test: the id of the test that asks now.
        tests: per perturbation, the tests that it can change.
    """

    def __init__(self, inner: Door, wanted: Sequence[Perturbation]) -> None:
        self.kind: DoorKind = inner.kind
        self.origin = inner.origin
        self.test = ""
        self.tests: dict[Perturbation, set[str]] = {one: set() for one in wanted}
        self._inner = inner
        self._sight = Sight(wanted)

    def describe(self) -> Description:
        """See `Door`."""
        return self._inner.describe()

    def ask(self, verb: str, arguments: Mapping[str, object], limits: Limits = NO_LIMITS) -> Reply:
        """See `Door`."""
        reply = self._inner.ask(verb, arguments, limits)
        for one in self._sight.seen(verb, reply.outcome):
            self.tests[one].add(self.test)
        return reply

    def close(self) -> None:
        """Leave the door behind open: the trials go on with it."""


class Notes:
    """The file in which the traced reference notes the places that it comes by.

    Args:
        path: the file, which is made.
        places: their ids, in the order of the notes.
    """

    def __init__(self, path: Path, places: Sequence[str]) -> None:
        self._places = places
        self._none = bytes(len(places))
        path.write_bytes(self._none)
        with path.open("r+b") as file:
            self._notes = mmap.mmap(file.fileno(), len(places))

    @classmethod
    def of_reference(cls, folder: Path) -> Notes:
        """Those of the traced reference, which is told of their file by the environment of this process."""
        from vindex3_fixtures.mutants import traced

        path = folder / f"notes-{os.getpid()}"
        os.environ[traced.NOTES] = str(path)
        return cls(path, list(traced.traceable()))

    def taken(self) -> frozenset[str]:
        """The places that were come by since they were last taken."""
        found = frozenset(place for place, note in zip(self._places, bytes(self._notes), strict=True) if note)
        self._notes[:] = self._none
        return found
