"""Plain data: what an answer is made of before it is judged, the same on every door.

Plain are None, bool, int, float, str, bytes, lists, dicts with string keys, and numpy arrays of
numbers. What has `__index__`, bool apart, becomes an int, a tuple a list, a buffer of bytes `bytes`,
any other buffer of numbers an array, a subclass its base. What is none of these is replaced by an
object of a class that bears its type's name and fits no slot; nothing an implementation hands over
can raise here, save `Exhausted`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, cast

MOST_DEPTH = 256
MOST_VALUES = 1 << 25

_TOO_DEEP = f"nests deeper than {MOST_DEPTH} levels, or contains itself"
_ATOMS = frozenset({type(None), bool, int, float, str, bytes})
_JSON_ATOMS = _ATOMS - {bytes}
_BYTE_FORMATS = frozenset({"B", "b", "c"})
_ARRAY_KINDS = frozenset("fiu")


class Exhausted(Exception):  # noqa: N818 -- the bounds below were exhausted
    """A value nests too deep, contains itself, or holds too many values to be an answer."""


class _Stranger:
    """Base of the classes that stand for what is not plain."""


def plain(value: object) -> Any:
    """The value as plain data; what it returns shares no container with it.

    Raises:
        Exhausted: it nests deeper than `MOST_DEPTH` levels, as a value that contains itself does, or
            holds more than `MOST_VALUES` values.
    """
    try:
        return _Normaliser().normal(value, MOST_DEPTH)
    except RecursionError:
        raise Exhausted(_TOO_DEEP) from None


def foreign(value: object) -> tuple[str, object] | None:
    """The first place of plain data that JSON has no form for, and what stands there; else None.

    Foreign to JSON are bytes, arrays, strangers, and keys that are no strings.
    """
    waiting: list[tuple[str, object]] = [("", value)]
    while waiting:
        path, one = waiting.pop()
        if isinstance(one, dict):
            wrong = next((key for key in one if type(key) is not str), None)
            if wrong is not None:
                return path, wrong
            inner = [(key, item) for key, item in one.items() if type(item) not in _JSON_ATOMS]
            waiting += reversed([(f"{path}.{key}" if path else key, item) for key, item in inner])
        elif isinstance(one, list):
            listed = [(index, item) for index, item in enumerate(one) if type(item) not in _JSON_ATOMS]
            waiting += reversed([(f"{path}[{index}]", item) for index, item in listed])
        elif type(one) not in _JSON_ATOMS:
            return path, one
    return None


class _Normaliser:
    """One pass over a value; a level of nesting takes one frame, so that deep values fit the stack."""

    def __init__(self) -> None:
        self._left = MOST_VALUES - 1

    def normal(self, value: Any, levels: int) -> object:
        kind = type(value)
        if kind in _ATOMS:
            return value
        items = list(value.items()) if kind is dict else value if kind is list else _items(value)
        if items is None:
            return _atom(value)
        if levels == 0:
            raise Exhausted(_TOO_DEEP)
        self._left -= len(items)
        if self._left < 0:
            raise Exhausted(f"holds more than {MOST_VALUES} values")
        if kind is dict or issubclass(kind, Mapping):
            made: dict[object, object] = {}
            for key, item in items:
                same = type(item) in _ATOMS
                name = key if type(key) is str else _key(key)
                made[name] = item if same else self.normal(item, levels - 1)
            return made
        listed: list[object] = []
        for item in items:
            same = type(item) in _ATOMS
            listed.append(item if same else self.normal(item, levels - 1))
        return listed


def _items(value: object) -> list[Any] | None:
    """What a container holds, pairs of a mapping included; None where it is no container, or raises."""
    kind = type(value)  # never isinstance, which asks the value itself what it is
    if issubclass(kind, dict):
        return list(dict.items(cast("dict[Any, Any]", value)))
    if issubclass(kind, list):
        return list.copy(cast("list[Any]", value))
    if issubclass(kind, tuple):
        return list(tuple.__iter__(cast("tuple[Any, ...]", value)))
    if issubclass(kind, Mapping):
        mapping = cast("Mapping[Any, Any]", value)
        try:
            return [(key, mapping[key]) for key in mapping]
        except Exception:
            return None
    return None


def _key(key: object) -> object:
    return _base(key) if issubclass(type(key), str) else stranger(type(key).__name__)


def _atom(value: object) -> object:
    for form in (_base, _index, _buffer):
        try:
            return form(value)
        except Exception:  # noqa: S112 -- whatever it raises, it has not this form
            continue
    return stranger(type(value).__name__)


def _base(value: object) -> object:
    if issubclass(type(value), str):
        return str.__str__(cast("str", value))
    if issubclass(type(value), int):
        return int.__int__(cast("int", value))
    if issubclass(type(value), float):
        return float.__float__(cast("float", value))
    raise TypeError


def _index(value: object) -> int:
    return int.__int__(operator.index(value))  # type: ignore[arg-type]


def _buffer(value: object) -> object:
    view = memoryview(value)  # type: ignore[arg-type]
    if view.format.lstrip("<>=@!") in _BYTE_FORMATS and view.ndim:
        return view.tobytes()
    import numpy as np

    array = np.array(view)
    if array.ndim == 0:
        return _scalar(array.dtype.kind, array.dtype.itemsize, array.item)
    if array.dtype.kind not in _ARRAY_KINDS:
        raise TypeError
    return array


def _scalar(kind: str, size: int, item: Callable[[], Any]) -> object:
    if kind == "b" or (kind == "f" and size <= 8):
        return item()
    raise TypeError


@lru_cache(maxsize=1024)
def _stranger_class(name: str) -> type[_Stranger]:
    return type(name, (_Stranger,), {})


def stranger(name: str) -> object:
    """An object that fits no slot, of a class called `name`."""
    return _stranger_class(name)()
