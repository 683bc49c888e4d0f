"""The judgement of what came back: is it an answer of the verb's type, or a refusal?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

from pytest_vindex3.contract.outcome import Answer, Misfit, Refused
from pytest_vindex3.contract.plain import Exhausted, foreign, plain
from pytest_vindex3.contract.slots import Blob, Document, FloatArray
from pytest_vindex3.contract.verb import Verb
from pytest_vindex3.contract.words import slot_words, word, words

NEVER_REFUSALS: Final = (
    MemoryError,
    RecursionError,
    AssertionError,
    KeyboardInterrupt,
    SystemExit,
    GeneratorExit,
)
"""Exceptions that are no refusal, whatever they carry: the machine or the programme gave up."""

_PLACE = r"(?: - at `\$\.?(?P<where>[^`]*)`)?$"
_WRONG = re.compile(r"Expected `(?P<expected>[^`]*)`, got `(?P<found>[^`]*)`" + _PLACE)
_WRONG_KEY = re.compile(r"Expected `str`.* - at `key` in `\$\.?(?P<where>[^`]*)`$")
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]*)`" + _PLACE)
_OTHER = re.compile(r"(?P<text>.*?)" + _PLACE, re.DOTALL)
ABSENT: Final = object()


class _UnfitError(ValueError):
    """Carries a misfit out of a marked slot; its place is below that slot."""

    def __init__(self, misfit: Misfit) -> None:
        super().__init__(misfit)
        self.misfit = misfit


def judged_answer(verb: Verb, raw: object) -> Answer | Misfit:
    """The answer as plain data of the verb's type, without the keys that the type does not know.

    Further keys are allowed and never read, so they are dropped here, on every door alike. A value
    that is too deep or contains itself is a misfit like any other wrong type.
    """
    try:
        value = msgspec.convert(plain(raw), verb.answer, dec_hook=_marked)
    except Exhausted as reason:
        return Misfit("", "plain data", f"a value that {reason}")
    except msgspec.ValidationError as error:
        return _misfit(verb.answer, str(error), error.__cause__)
    return Answer(value)


def judged_refusal(exception: BaseException) -> Refused | Misfit | None:
    """The refusal that an exception is, or None where it is something else.

    An exception with both `kind` and `names` means to refuse: where they are no string and no mapping
    of plain data, that is a misfit, a refusal of the wrong type. Whether the law has the kind is not
    judged here.
    """
    if issubclass(type(exception), NEVER_REFUSALS):
        return None
    kind, names = carried(exception, "kind"), carried(exception, "names")
    if kind is ABSENT or names is ABSENT:
        return None
    if not issubclass(type(kind), str):
        return Misfit("refused.kind", "string", word(kind))
    if not issubclass(type(names), Mapping):
        return Misfit("refused.names", "object", word(names))
    return _refused(str.__str__(cast("str", kind)), names, exception)


def _refused(kind: str, names: object, exception: BaseException) -> Refused | Misfit:
    try:
        facts = plain(names)
    except Exhausted as reason:
        return Misfit("refused.names", "plain data", f"a value that {reason}")
    if not isinstance(facts, dict):
        return Misfit("refused.names", "object", word(facts))
    if place := foreign(facts):
        return Misfit(_join("refused.names", place[0]), "plain data", word(place[1]))
    return Refused(kind, facts, _message(exception))


def carried(exception: BaseException, name: str) -> object:
    """An attribute of an exception, or `ABSENT` where it has none or reading it raises."""
    try:
        return getattr(exception, name, ABSENT)
    except Exception:
        return ABSENT


def _message(exception: BaseException) -> str:
    message = carried(exception, "message")
    if issubclass(type(message), str):
        return str.__str__(cast("str", message))
    try:
        return str(exception)
    except Exception:
        return ""


def _marked(slot: Any, value: Any) -> object:
    """Judge a slot of `slots.py`; msgspec calls this where a value has not the slot's type already."""
    if slot is Blob and type(value) is bytes:
        return value
    if slot is Blob and type(value).__name__ == "ndarray":
        return value.tobytes()
    if slot is FloatArray and type(value).__name__ == "ndarray" and value.dtype.kind == "f":
        return value.astype(value.dtype.newbyteorder("="), order="C", copy=False)
    place = foreign(value) if slot is Document else ("", value)
    if place is None:
        return value
    raise _UnfitError(Misfit(place[0], words(slot.__name__), word(place[1])))


def _misfit(answer: Any, message: str, cause: BaseException | None) -> Misfit:
    """A misfit out of the message of msgspec, the only form in which it says where and what."""
    if match := _MISSING.match(message):
        where = _join(match["where"] or "", match["name"])
        return Misfit(where, slot_words(answer, where), "missing")
    if match := _WRONG_KEY.match(message):
        return Misfit(match["where"] or "", "string keys", "an object with other keys")
    if match := _WRONG.match(message):
        return Misfit(match["where"] or "", words(match["expected"]), words(match["found"]))
    match = _OTHER.match(message)
    where, text = (match["where"] or "", match["text"]) if match else ("", message)
    if isinstance(cause, _UnfitError):
        return Misfit(_join(where, cause.misfit.where), cause.misfit.expected, cause.misfit.found)
    return Misfit(where, "of the verb's type", f"wrong ({text})")


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where and key and not key.startswith("[") else where + key
