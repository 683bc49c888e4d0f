"""Types in the words of this kit: integer, number, string, boolean, null, list, object, bytes, ..."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import inspect

_WORDS = {
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "str": "string",
    "none": "null",
    "any": "plain data",
    "array": "list",
    "dict": "object",
    "typeddict": "object",
    "ndarray": "array of numbers",
    "numpy.ndarray": "array of numbers",
    "FloatArray": "array of floats",
    "Blob": "bytes",
    "Document": "plain data",
}
_STEP = re.compile(r"\[[^\]]*\]|[^.\[]+")


def word(value: object) -> str:
    """The type of a value."""
    if value is None:
        return "null"
    if issubclass(type(value), Mapping):
        return "object"
    if issubclass(type(value), (list, tuple)):
        return "list"
    return words(type(value).__name__)


def words(types: str) -> str:
    """Names of types, parted by `|`, as words; a name without a word stays as it is."""
    return " or ".join(_WORDS.get(name, name) for name in types.split(" | "))


def slot_words(annotation: Any, where: str) -> str:
    """The types that the slot at the dotted path `where` of an annotated type takes."""
    slots = [inspect.type_info(annotation)]
    for step in _STEP.findall(where):
        slots = [below for slot in slots for below in _below(slot, step)]
    found = dict.fromkeys(type_word(one) for slot in slots for one in _members(slot))
    return " or ".join(found) or "plain data"


def type_word(slot: inspect.Type) -> str:
    """The word for one type that is no union."""
    if isinstance(slot, inspect.CustomType):
        return words(slot.cls.__name__)
    return words(
        "array" if isinstance(slot, inspect.ListType) else type(slot).__name__.removesuffix("Type").lower()
    )


def _members(slot: inspect.Type) -> tuple[inspect.Type, ...]:
    return slot.types if isinstance(slot, inspect.UnionType) else (slot,)


def _below(slot: inspect.Type, step: str) -> list[inspect.Type]:
    found: list[inspect.Type] = []
    for one in _members(slot):
        if isinstance(one, inspect.TypedDictType):
            found += [field.type for field in one.fields if field.name == step]
        elif isinstance(one, inspect.ListType):
            found.append(one.item_type)
        elif isinstance(one, inspect.DictType):
            found.append(one.value_type)
    return found
