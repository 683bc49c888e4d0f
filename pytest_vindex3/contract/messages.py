"""The messages of the pipe: requests one way, outcomes the other.

A reply has the `id` of its request and one of `answer`, `refused`, or, as the Python host sends them and
any adapter may, `fault` (`{"what", "detail"}`: what went wrong, with a kind of fault) and `misfit`
(`{"where", "expected", "found"}`: a Python value that has no form on the pipe).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, get_args

from pytest_vindex3.contract.door import PROTOCOL, Description
from pytest_vindex3.contract.outcome import (
    Answer,
    Fault,
    FaultKind,
    Misfit,
    Outcome,
    Reads,
    Refused,
    Unjudged,
)
from pytest_vindex3.contract.scratch import Scratch
from pytest_vindex3.contract.typed import judged_answer, judged_refusal
from pytest_vindex3.contract.verb import Verb
from pytest_vindex3.contract.wire import Unfit, from_line, resolved
from pytest_vindex3.contract.words import word

DESCRIBE = "describe"
_SHOWN = 200


class Garbage(Exception):  # noqa: N818 -- a property of a line
    """A line that is no reply to the request in flight; the text says why."""


def request(
    number: int, verb: str, arguments: Mapping[str, object], under: Mapping[str, object] | None = None
) -> dict[str, object]:
    """The message that puts one request; `under` are the conditions that the Python host makes for it."""
    message: dict[str, object] = {"id": number, "verb": verb, "arguments": dict(arguments)}
    return message if under is None else {**message, "under": dict(under)}


def reply_of(number: int, outcome: Outcome) -> dict[str, object]:
    """The message that carries an outcome back, as the Python host sends it."""
    return {"id": number, **_body(outcome)}


def hindered_reply_of(
    number: int,
    outcomes: Sequence[Outcome],
    *,
    changes: int | None = None,
    stopped: bool = False,
    reads: Reads | None = None,
) -> dict[str, object]:
    """The message of the Python host about a request that something was done to.

    Args:
        number: the request's.
        outcomes: its own, and those of the requests that were put at once with it.
        changes: see `Reply`.
        stopped: see `Reply`.
        reads: see `Reply`.
    """
    outcome, *others = outcomes
    body = {"unjudged": outcome.reason} if isinstance(outcome, Unjudged) else _body(outcome)
    counted = None if reads is None else asdict(reads)
    beside = [_body(other) for other in others]
    return {"id": number, **body, "changes": changes, "stopped": stopped, "reads": counted, "beside": beside}


def _body(outcome: Outcome) -> dict[str, object]:
    match outcome:
        case Answer(value):
            return {"answer": value}
        case Refused(kind, names, message):
            return {"refused": {"kind": kind, "message": message, "names": dict(names)}}
        case Misfit(where, expected, found):
            return {"misfit": {"where": where, "expected": expected, "found": found}}
        case Fault(what, detail):
            return {"fault": {"what": what, "detail": detail}}
        case Unjudged(reason):
            return {"fault": {"what": "exception", "detail": reason}}


def reply_in(line: bytes, number: int) -> dict[str, Any]:
    """The reply in a line, if it is one to request `number`.

    Raises:
        Garbage: no JSON, no object, another id, or not exactly one outcome.
    """
    try:
        message = from_line(line)
    except ValueError as error:
        raise Garbage(f"no JSON object a line ({error}): {shown(line)}") from None
    if not isinstance(message, dict):
        raise Garbage(f"a line that is no object: {shown(line)}")
    if "id" not in message or type(message["id"]) is not int or message["id"] != number:
        found = message.get("id", "none")
        raise Garbage(f"a reply with id {found!r} to the request with id {number}: {shown(line)}")
    outcomes = message.keys() & _READERS.keys()
    if len(outcomes) != 1:
        named = " and ".join(sorted(outcomes)) or "none"
        raise Garbage(f"one of answer and refused is wanted, and there is {named}: {shown(line)}")
    return message


def unjudged_in(line: bytes) -> dict[str, Any] | None:
    """The message in which the Python host says that there is nothing to judge, if the line is one."""
    message = from_line(line)
    return message if isinstance(message, dict) and "unjudged" in message else None


def outcome_in(message: Mapping[str, Any], verb: Verb, scratch: Scratch) -> Outcome:
    """The outcome that a reply of an implementation states, judged by the verb's type."""
    [key] = message.keys() & _READERS.keys()
    return _READERS[key](message[key], verb, scratch)


def description_in(value: object) -> Description:
    """The description in the answer to `describe`.

    Raises:
        Garbage: it has another form, or another protocol.
    """
    if not isinstance(value, dict):
        raise Garbage(f"the answer to describe is an object, not {word(value)}")
    if type(value.get("protocol")) is not int or value["protocol"] != PROTOCOL:
        raise Garbage(f"the protocol is {value.get('protocol')!r}, this kit speaks {PROTOCOL}")
    for key in ("name", "version", "language"):
        if not isinstance(value.get(key), str):
            raise Garbage(f"describe: {key} is a string, not {word(value.get(key))}")
    options = value.get("options", {})
    if not isinstance(options, dict):
        raise Garbage(f"describe: options is an object, not {word(options)}")
    return Description(
        name=value["name"],
        version=value["version"],
        language=value["language"],
        verbs=_words(value.get("verbs"), "verbs"),
        options={verb: _words(names, f"options.{verb}") for verb, names in options.items()},
        origin=value["origin"] if isinstance(value.get("origin"), str) else "",
    )


def shown(line: bytes) -> str:
    """The beginning of a line, quoted for a person."""
    text = repr(line[:_SHOWN].decode("utf-8", "backslashreplace"))
    return f"{text}... ({len(line)} bytes)" if len(line) > _SHOWN else text


def _words(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Garbage(f"describe: {where} is a list of strings")
    return tuple(value)


def _answer(value: object, verb: Verb, scratch: Scratch) -> Outcome:
    try:
        return judged_answer(verb, resolved(verb.answer, value, scratch))
    except Unfit as misfit:
        return Misfit(misfit.where, misfit.expected, misfit.found)


class _CarriedError(Exception):
    """A refusal off the pipe, in the shape in which refusals are judged."""

    def __init__(self, kind: object, names: object, message: object) -> None:
        super().__init__(message)
        self.kind, self.names, self.message = kind, names, message


def _refused(value: object, verb: Verb, scratch: Scratch) -> Outcome:
    del verb, scratch
    if not isinstance(value, dict):
        return Misfit("refused", "object", word(value))
    for key in ("kind", "names"):
        if key not in value:
            return Misfit(f"refused.{key}", "there", "missing")
    judged = judged_refusal(_CarriedError(value["kind"], value["names"], value.get("message", "")))
    return judged or Misfit("refused", "a refusal", word(value))


def _misfit(value: object, verb: Verb, scratch: Scratch) -> Outcome:
    del verb, scratch
    texts = _texts(value, "where", "expected", "found")
    return Misfit(*texts) if texts else Fault("garbage", "misfit: where, expected and found are strings")


def _fault(value: object, verb: Verb, scratch: Scratch) -> Outcome:
    del verb, scratch
    texts = _texts(value, "what", "detail")
    if not texts:
        return Fault("garbage", "fault: what and detail are strings")
    what: FaultKind = next((kind for kind in get_args(FaultKind) if kind == texts[0]), "exception")
    return Fault(what, texts[1])


def _texts(value: object, *keys: str) -> list[str] | None:
    if not isinstance(value, dict) or not all(isinstance(value.get(key), str) for key in keys):
        return None
    return [value[key] for key in keys]


_READERS: Mapping[str, Callable[[object, Verb, Scratch], Outcome]] = {
    "answer": _answer,
    "refused": _refused,
    "misfit": _misfit,
    "fault": _fault,
}
