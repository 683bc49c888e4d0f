"""Places in what an implementation says: every key of every answer, every fact of every refusal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from pytest_vindex3.contract.difference import MISSING
from pytest_vindex3.contract.outcome import Answer, Outcome, Refused
from pytest_vindex3.contract.verb import Verb

How = Literal["drop", "alter"]
EACH = "[]"
REFUSAL = "refusal"
"""The key of a verdict of one candidate that holds why it was refused (promotion.promote)."""


@dataclass(frozen=True, slots=True)
class Place:
    """One key of a verb's answer, or one fact of a refusal or of a defect that it may give.

    Attributes:
        verb: the verb that says it.
        kind: the kind of refusal or defect whose fact it is, or "" for a key of the answer.
        keys: the way to it, `EACH` standing for every item of a list; below `names` where there is a kind.
    """

    verb: str
    kind: str
    keys: tuple[str, ...]

    def __str__(self) -> str:
        way = ".".join(self.keys).replace(f".{EACH}", EACH)
        return f"{self.verb} {self.kind or 'answer'} {way}"

    def perturbed(self, outcome: Outcome, how: How) -> Outcome | None:
        """The outcome with this place dropped or altered, or None where the outcome lacks it."""
        if isinstance(outcome, Answer) and not self.kind:
            value = _changed(outcome.value, self.keys, how)
            return None if value is MISSING else Answer(value)
        if isinstance(outcome, Refused) and outcome.kind == self.kind:
            names = _changed(dict(outcome.names), self.keys, how)
            return None if not isinstance(names, dict) else Refused(outcome.kind, names, outcome.message)
        if isinstance(outcome, Answer) and isinstance(outcome.value, Mapping):
            changed = {key: self._in_list(value, how) for key, value in outcome.value.items()}
            found = {key: value for key, value in changed.items() if value is not MISSING}
            return Answer({**outcome.value, **found}) if found else None
        return None

    def _in_list(self, value: object, how: How) -> object:
        """A list of defects with the place changed in those of the kind; MISSING where it has none."""
        return _changed_items(value, lambda item: self._in_defect(item, how))

    def _in_defect(self, item: object, how: How) -> object:
        """A defect, or what holds one as its refusal, with the place changed; MISSING where it is another."""
        if not isinstance(item, Mapping):
            return MISSING
        if REFUSAL in item:
            refusal = self._in_defect(item[REFUSAL], how)
            return MISSING if refusal is MISSING else {**item, REFUSAL: refusal}
        if item.get("kind") != self.kind or "names" not in item:
            return MISSING
        return _changed(item, ("names", *self.keys), how)


def answer_places(verb: Verb) -> Iterator[Place]:
    """Every key of the verb's answer, at every depth, by its type."""
    for keys in _keys_of(verb.answer):
        yield Place(verb.name, "", keys)


def _keys_of(slot: Any) -> Iterator[tuple[str, ...]]:
    origin = get_origin(slot)
    if origin in (Union, UnionType, NotRequired):
        for part in get_args(slot):
            yield from _keys_of(part)
    elif origin is list:
        for keys in _keys_of(get_args(slot)[0]):
            yield (EACH, *keys)
    elif is_typeddict(slot):
        for key, part in get_type_hints(slot, include_extras=True).items():
            yield (key,)
            for keys in _keys_of(part):
                yield (key, *keys)


def _changed(value: object, keys: tuple[str, ...], how: How) -> object:
    """`value` with the place changed wherever it occurs; MISSING where it occurs nowhere."""
    if not keys:
        return altered(value)
    if keys[0] == EACH:
        return _changed_items(value, lambda item: _changed(item, keys[1:], how))
    if not isinstance(value, Mapping) or keys[0] not in value:
        return MISSING
    if len(keys) == 1 and how == "drop":
        return {key: item for key, item in value.items() if key != keys[0]}
    inner = _changed(value[keys[0]], keys[1:], how)
    return MISSING if inner is MISSING else {**value, keys[0]: inner}


def _changed_items(value: object, change: Callable[[object], object]) -> object:
    if not isinstance(value, list):
        return MISSING
    items = [change(item) for item in value]
    if all(item is MISSING for item in items):
        return MISSING
    return [old if new is MISSING else new for old, new in zip(value, items, strict=True)]


def altered(value: object) -> object:
    """Another value of the same type; MISSING where there is none, as for an empty list."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case float():
            return math.nextafter(value, math.inf)
        case str():
            return f"{value}~"
        case bytes():
            return bytes([value[0] ^ 1]) + value[1:] if value else b"\0"
        case list():
            return value[:-1] if value else MISSING
        case dict():
            return {}
        case None:
            return 0
        case _:
            return _altered_array(value) if hasattr(value, "dtype") else MISSING


def _altered_array(array: Any) -> object:
    """The array with the lowest bit of its first number changed; MISSING where it has none."""
    if not array.size:
        return MISSING
    data = bytearray(array.tobytes())
    data[0] ^= 1
    return type(array)(array.shape, array.dtype, data)
