"""An implementation in a programme of one's own: ask it questions and get plain data."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from pytest_vindex3.contract import outcome
from pytest_vindex3.contract.door import Door
from pytest_vindex3.contract.opening import open_door, search_roots
from pytest_vindex3.contract.outcome import Answer, Misfit, Refused, Reply
from pytest_vindex3.contract.refusal import Refusal
from pytest_vindex3.contract.verb import Verb, verbs


class Fault(Exception):  # noqa: N818 -- the word of the contract
    """An implementation gave no answer of the verb's type and did not refuse; the message says all.

    Attributes:
        what: "exception", "crash", "hang", "memory", "garbage" or "over-claim", or "misfit" for an
            answer or a refusal of the wrong type.
        detail: the short traceback, or key and types of a misfit.
    """

    def __init__(self, verb: str, what: str, detail: str, stderr: str = "") -> None:
        printed = f"\nIt printed: {stderr.rstrip()}" if stderr.strip() else ""
        super().__init__(f"{verb}: {what}: {detail}{printed}")
        self.what = what
        self.detail = detail


class Loaded:
    """A loaded implementation; also a context manager that closes it.

    Attributes:
        name, version: what it says of itself.
        origin: the file it came from, or its command.
        verbs: the verbs it claims.
        options: the optional arguments it declares, by verb.
    """

    def __init__(self, door: Door) -> None:
        self._door = door
        description = door.describe()
        self.name = description.name
        self.version = description.version
        self.origin = door.origin
        self.verbs = description.verbs
        self.options = description.options

    def call(self, verb: str, /, **arguments: object) -> object:
        """Ask one question; the answer is plain data of the verb's type.

        Raises:
            Refusal: the implementation refused, whatever exception class it has.
            Fault: it gave neither an answer nor a refusal, or one of the wrong type.
            LookupError: there is no such verb, or the implementation does not claim it.
            TypeError: an argument that the verb does not have, or a required one is missing.
        """
        check_request(verb, arguments, self.verbs)
        return _value(self._door.ask(verb, arguments))

    def close(self) -> None:
        """End what was started for this implementation."""
        self._door.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def load(spec: str) -> Loaded:
    """Load the implementation `spec`: a Python one into this process, a program as a child.

    The working directory and the root of the project around it are searched before the import path.

    Raises:
        NotLoaded: it could not be found, imported or started; the text says what was tried.
    """
    return Loaded(open_door(spec, in_process=True, roots=search_roots()))


def find_verb(name: str) -> Verb:
    """The verb of that name.

    Raises:
        LookupError: there is none; the text names the nearest.
    """
    known = verbs()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name.replace("_", "."), list(known), n=3)
    hint = f"nearest: {', '.join(near)}" if near else f"there are: {', '.join(known)}"
    raise LookupError(f"no verb {name!r}; {hint}")


def check_request(verb: str, arguments: Mapping[str, object], claimed: tuple[str, ...]) -> None:
    """See that a request can be put at all.

    Raises:
        LookupError: there is no such verb, or it is not among the `claimed`.
        TypeError: an argument that the verb does not have, or a required one is missing.
    """
    definition = find_verb(verb)
    if verb not in claimed:
        raise LookupError(
            f"the implementation does not claim {verb}; it claims {', '.join(claimed) or 'none'}"
        )
    takes = ", ".join(definition.arguments)
    for name in arguments:
        if name not in definition.arguments:
            raise TypeError(f"{verb} takes no argument {name!r}; it takes {takes}")
    missing = sorted(definition.required - set(arguments))
    if missing:
        raise TypeError(f"{verb} needs {', '.join(missing)}; it takes {takes}")


def _value(reply: Reply) -> object:
    match reply.outcome:
        case Answer(value):
            return value
        case Refused(kind, names, message):
            raise _refusal(kind, names, message)
        case Misfit(where, expected, found):
            raise Fault(
                reply.verb, "misfit", f"{where or 'the answer'} is {found}, not {expected}", reply.stderr
            )
        case outcome.Fault(what, detail):
            raise Fault(reply.verb, what, detail, reply.stderr)
        case outcome.Unjudged(reason):
            raise Fault(reply.verb, "unjudged", reason, reply.stderr)


def _refusal(kind: str, names: Mapping[str, object], message: str) -> Refusal:
    refusal = Refusal(kind, message)
    refusal.names = dict(names)
    return refusal
