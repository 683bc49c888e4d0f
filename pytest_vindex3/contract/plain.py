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
from typing import Any

MOST_DEPTH = 256
MOST_VALUES = 1 << 25

_ATOMS = frozenset({type(None), bool, int, float, str, bytes})
_BYTE_FORMATS = frozenset({"B", "b", "c"})
_ARRAY_KINDS = frozenset("fiu")


class Exhausted(Exception):  # noqa: N818 -- the bounds below were exhausted
    """A value nests too deep, contains itself, or holds too many values to be an answer."""


class _Stranger:
    """Base of the classes that stand for what is not plain."""


def plain(value: object) -> Any:
    """The value as plain data.

    Raises:
        Exhausted: it nests deeper than `MOST_DEPTH` levels, as a value that contains itself does, or
            holds more than `MOST_VALUES` values.
    """
    return _Normaliser().normal(value, 0)


def foreign(value: object, path: str = "") -> tuple[str, object] | None:
    """The first place of plain data that JSON has no form for, and what stands there; else None.

    Foreign to JSON are bytes, arrays, strangers, and keys that are no strings.
    """
    if isinstance(value, list):
        places = ((f"{path}[{index}]", item) for index, item in enumerate(value))
        return next(filter(None, (foreign(item, place) for place, item in places)), None)
    if isinstance(value, dict):
        for key, item in value.items():
            if type(key) is not str:
                return path, key
            if found := foreign(item, f"{path}.{key}" if path else key):
                return found
        return None
    return None if type(value) in _ATOMS and type(value) is not bytes else (path, value)


class _Normaliser:
    def __init__(self) -> None:
        self._left = MOST_VALUES

    def normal(self, value: object, depth: int) -> object:
        self._left -= 1
        if self._left < 0:
            raise Exhausted(f"more than {MOST_VALUES} values")
        if type(value) in _ATOMS:
            return value
        if isinstance(value, Mapping):
            return self._dict(value, depth + 1)
        if isinstance(value, (list, tuple)):
            below = self._deeper(depth)
            return [self.normal(item, below) for item in _items(value)]
        return _atom(value)

    def _dict(self, value: Mapping[object, object], depth: int) -> object:
        below = self._deeper(depth - 1)
        try:
            pairs = list(dict.items(value) if isinstance(value, dict) else value.items())
            return {_key(key): self.normal(item, below) for key, item in pairs}
        except Exhausted:
            raise
        except Exception:
            return stranger(type(value).__name__)

    @staticmethod
    def _deeper(depth: int) -> int:
        if depth >= MOST_DEPTH:
            raise Exhausted(f"nests deeper than {MOST_DEPTH} levels, or contains itself")
        return depth + 1


def _items(value: list[object] | tuple[object, ...]) -> list[object]:
    return list.copy(value) if isinstance(value, list) else list(tuple.__iter__(value))


def _key(key: object) -> object:
    return str.__str__(key) if isinstance(key, str) else stranger(type(key).__name__)


def _atom(value: object) -> object:
    for form in (_base, _index, _buffer):
        try:
            return form(value)
        except Exception:  # noqa: S112 -- whatever it raises, it has not this form
            continue
    return stranger(type(value).__name__)


def _base(value: object) -> object:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
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
