"""The door without a process of its own: verb functions are called where we are.

Nothing can be bounded or measured here, and a crash ends everything; for debuggers, for single
questions, and, inside a child, for the process behind the pipe.
"""

from __future__ import annotations

import inspect
import platform
from collections.abc import Callable, Mapping

from pytest_vindex3.contract.door import NO_LIMITS, Description, DoorKind
from pytest_vindex3.contract.find import Found
from pytest_vindex3.contract.frames import brief
from pytest_vindex3.contract.outcome import Fault, Limits, Outcome, Reply, Unjudged
from pytest_vindex3.contract.plain import Exhausted, plain
from pytest_vindex3.contract.typed import ABSENT, NEVER_REFUSALS, carried, judged_answer, judged_refusal
from pytest_vindex3.contract.verb import Verb, verbs


class InProcess:
    """A loaded implementation in this process; see `door.Door`."""

    def __init__(self, found: Found) -> None:
        self.kind: DoorKind = "in process"
        self.origin = found.origin
        self._found = found
        self._parameters: dict[str, frozenset[str] | None] = {}

    def describe(self) -> Description:
        """What the implementation claims."""
        found = self._found
        language = f"Python {platform.python_version()}"
        return Description(
            found.name, found.version, language, found.claimed, found.options, origin=found.origin
        )

    def ask(self, verb: str, arguments: Mapping[str, object], limits: Limits = NO_LIMITS) -> Reply:
        """Put one request. A KeyboardInterrupt of the user passes through; nothing else does."""
        if limits.memory is not None or limits.measure:
            outcome: Outcome = Unjudged("memory, time and reads cannot be measured in process")
        elif limits.meddles:
            outcome = Unjudged("requests are not stopped or hindered in process, nor put at once")
        else:
            outcome = self._outcome(verb, arguments)
        return Reply(verb, dict(arguments), outcome)

    def close(self) -> None:
        """Nothing to end."""

    def _outcome(self, name: str, arguments: Mapping[str, object]) -> Outcome:
        verb, function = verbs().get(name), self._found.functions.get(name)
        if verb is None or function is None:
            missing = name.replace(".", "_")
            return Fault("over-claim", f"{name} is claimed, but there is no function {missing}")
        if name not in self._parameters:
            self._parameters[name] = _parameters(function)
        taken = self._parameters[name]
        untaken = "" if taken is None else next((one for one in arguments if one not in taken), "")
        if untaken:
            return self._refuses_arguments(name, untaken)
        try:
            own = plain(arguments)  # an implementation that changes its arguments changes its own
        except Exhausted as reason:
            return Unjudged(f"the request {reason}")
        return _judged(verb, function, verb.offered(own))

    def _refuses_arguments(self, verb: str, untaken: str) -> Fault:
        if untaken in self._found.options.get(verb, ()):
            return Fault(
                "over-claim", f"the option {untaken} of {verb} is declared, but its function lacks it"
            )
        return Fault("exception", f"the function of {verb} takes no argument {untaken}")


def _judged(verb: Verb, function: Callable[..., object], arguments: Mapping[str, object]) -> Outcome:
    try:
        return judged_answer(verb, function(**arguments))
    except BaseException as exception:
        if type(exception) is KeyboardInterrupt and not vars(exception):
            raise  # the user's own: an adapter that means to say something has dressed it up
        return judged_refusal(exception) or _fault(exception)


def _fault(exception: BaseException) -> Fault:
    if issubclass(type(exception), MemoryError):
        return Fault("memory", brief(exception))
    detail = brief(exception)
    if carried(exception, "kind") is not ABSENT and not issubclass(type(exception), NEVER_REFUSALS):
        detail += "\nIt has a kind, but no mapping names: so it is no refusal."
    return Fault("exception", detail)


def _parameters(function: Callable[..., object]) -> frozenset[str] | None:
    """The arguments that the function takes by keyword; None where it takes any, or does not say."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return None
    return frozenset(
        one.name for one in parameters if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)
    )
