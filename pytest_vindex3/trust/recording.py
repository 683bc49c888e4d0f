"""Recording: which tests see which keys and facts, so that a perturbation meets the tests that can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_vindex3.contract.door import NO_LIMITS, Description, Door, DoorKind
from pytest_vindex3.contract.outcome import Limits, Reply
from pytest_vindex3.trust.perturbation import Perturbation


class Recorder:
    """A door that notes, per perturbation, the tests in which it would change something.

    Attributes:
        wanted: the perturbations that are looked for.
        test: the id of the test that asks now.
        tests: per perturbation, the tests that it can change.
    """

    def __init__(self, inner: Door, wanted: Sequence[Perturbation]) -> None:
        self.kind: DoorKind = inner.kind
        self.origin = inner.origin
        self.wanted = wanted
        self.test = ""
        self.tests: dict[Perturbation, set[str]] = {one: set() for one in wanted}
        self._inner = inner

    def describe(self) -> Description:
        """See `Door`."""
        return self._inner.describe()

    def ask(self, verb: str, arguments: Mapping[str, object], limits: Limits = NO_LIMITS) -> Reply:
        """See `Door`."""
        reply = self._inner.ask(verb, arguments, limits)
        for one in self.wanted:
            if one.place.verb == verb and one.place.perturbed(reply.outcome, one.how) is not None:
                self.tests[one].add(self.test)
        return reply

    def close(self) -> None:
        """Leave the door behind open: the trials go on with it."""
