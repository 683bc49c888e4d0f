"""What becomes plain data, and what cannot."""

from __future__ import annotations

import array
import collections
import enum
import mmap
import pathlib
import types
from typing import Any

import numpy as np
import pytest

from pytest_vindex3.contract.plain import MOST_DEPTH, Exhausted, foreign, plain


class Word(str, enum.Enum):  # noqa: UP042 -- the older form, which str() spells otherwise
    """A vocabulary as implementers write it."""

    GATE = "gate"


class Number(enum.IntEnum):
    """An integer with a name."""

    TWO = 2


class Loud(str):
    """A string that lies about itself."""

    __slots__ = ()

    def __str__(self) -> str:
        raise ZeroDivisionError

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError

    __hash__ = str.__hash__


class Indexed:
    """Nothing but an index."""

    def __index__(self) -> int:
        return 1 << 70


class BadIndex:
    """An index that raises."""

    def __index__(self) -> int:
        raise ZeroDivisionError


class BadMapping(collections.UserDict[str, int]):
    """A mapping whose iteration raises."""

    def __iter__(self) -> Any:
        raise ZeroDivisionError


Pair = collections.namedtuple("Pair", "left right")
MAPPED = mmap.mmap(-1, 4)

SAME_VALUE = {
    "bool stays": (True, True),
    "none stays": (None, None),
    "big int stays": (1 << 200, 1 << 200),
    "numpy int": (np.int32(-5), -5),
    "numpy u64": (np.uint64(2**64 - 1), 2**64 - 1),
    "numpy rank 0": (np.array(7), 7),
    "numpy bool": (np.True_, True),
    "numpy f32": (np.float32(0.5), 0.5),
    "numpy f64": (np.float64(0.1), 0.1),
    "numpy str": (np.str_("x"), "x"),
    "numpy bytes": (np.bytes_(b"x"), b"x"),
    "int enum": (Number.TWO, 2),
    "str enum": (Word.GATE, "gate"),
    "lying str": (Loud("x"), "x"),
    "__index__": (Indexed(), 1 << 70),
    "tuple": ((1, (2,)), [1, [2]]),
    "named tuple": (Pair(1, 2), [1, 2]),
    "ordered dict": (collections.OrderedDict(a=(1,)), {"a": [1]}),
    "mapping": (types.MappingProxyType({"a": 1}), {"a": 1}),
    "enum key": ({Word.GATE: 1}, {"gate": 1}),
    "bytearray": (bytearray(b"ab"), b"ab"),
    "memoryview": (memoryview(b"abcd")[::2], b"ac"),
    "mmap": (MAPPED, bytes(4)),
    "uint8 array": (np.array([[1, 2], [3, 4]], "u1"), b"\1\2\3\4"),
    "array of bytes": (array.array("B", [1, 2]), b"\1\2"),
}


@pytest.mark.parametrize(("value", "expected"), SAME_VALUE.values(), ids=SAME_VALUE)
def test_plain_forms(value: object, expected: object) -> None:
    """A value becomes plain data of the base type and of the same value."""
    made = plain(value)
    assert type(made) is type(expected)
    assert made == expected


def test_items_are_exact_types() -> None:
    """Items and keys inside containers are of base types too."""
    made = plain({Word.GATE: [Number.TWO, np.float64(1.0)]})
    [(key, [first, second])] = made.items()
    assert [type(key), type(first), type(second)] == [str, int, float]


@pytest.mark.parametrize(
    "source", [np.array([1.5], ">f4"), array.array("f", [1.5]), memoryview(np.float32([1.5]))]
)
def test_float_buffers_stay_arrays(source: Any) -> None:
    """A buffer of floats keeps type and shape, for the slots that want them."""
    made = plain(source)
    assert (made.dtype.kind, made.dtype.itemsize, made.shape, made.tolist()) == ("f", 4, (1,), [1.5])


def test_snapshot() -> None:
    """What the implementation changes after it answered changes nothing in the answer."""
    kept: list[object] = [1]
    made = plain({"a": kept})
    kept.append(2)
    assert made == {"a": [1]}


STRANGERS = [
    pathlib.Path("x"),
    {1},
    object(),
    BadIndex(),
    BadMapping(a=1),
    1j,
    np.array(["x"]),
    range(2),
    Pair,
]


@pytest.mark.parametrize("value", STRANGERS, ids=lambda value: type(value).__name__)
def test_strangers_keep_their_name(value: object) -> None:
    """What is no plain data becomes an object of a class with its type's name, and nothing raises."""
    made = plain([value])[0]
    assert type(made).__name__ == type(value).__name__
    assert foreign([made]) == ("[0]", made)


def test_wrong_keys_are_strangers() -> None:
    """A key that is no string stays visible, and is not turned into one."""
    [key] = plain({1: 2})
    assert type(key) is not str
    assert type(key).__name__ == "int"


def nested(levels: int) -> object:
    """A list in lists."""
    value: list[object] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_depth_is_bounded() -> None:
    """The deepest allowed value passes; one level more, or a cycle, ends in no RecursionError."""
    plain(nested(MOST_DEPTH))
    cycle: list[object] = []
    cycle.append({"again": cycle})
    for value in (nested(MOST_DEPTH + 1), nested(100_000), cycle):
        with pytest.raises(Exhausted, match="deeper than 256 levels"):
            plain(value)


def test_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small object that unfolds into very many values is cut off."""
    monkeypatch.setattr("pytest_vindex3.contract.plain.MOST_VALUES", 1000)
    doubled: list[object] = [1]
    for _ in range(60):
        doubled = [doubled, doubled]
    with pytest.raises(Exhausted, match="more than 1000 values"):
        plain(doubled)


def test_foreign_names_the_first_place() -> None:
    """The first place that JSON cannot hold is named by its path."""
    assert foreign({"a": [1, {"b": b"x"}], "c": b"y"}) == ("a[1].b", b"x")
    assert foreign({"a": [1, 2.5, None, True, "x", {}]}) is None
