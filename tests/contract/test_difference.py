"""Comparison by type and value."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest

from pytest_vindex3.contract.difference import (
    MISSING,
    Difference,
    HexDigits,
    Stored,
    first_difference,
    free_order,
)

OTHER_NAN = struct.unpack("<d", bytes.fromhex("010000000000f8ff"))[0]

VALUES = [
    1,
    1.0,
    True,
    0,
    0.0,
    -0.0,
    False,
    "1",
    b"1",
    None,
    1 << 64,
    float(1 << 64),
    (1 << 64) + 1,
    [],
    {},
    [1],
    [1.0],
]


def test_only_itself_is_alike() -> None:
    """1, 1.0 and true, 0.0 and -0.0, a big integer and its neighbour are all told apart."""
    for row, expected in enumerate(VALUES):
        alike = [place for place, found in enumerate(VALUES) if first_difference(expected, found) is None]
        assert alike == [row], expected


def test_nan_is_one_class() -> None:
    """Every NaN is alike whatever its bits, and like nothing else."""
    assert first_difference(math.nan, OTHER_NAN) is None
    assert first_difference(math.nan, 1.0) == Difference("", math.nan, 1.0)


def test_first_place() -> None:
    """The first differing place is named, in the order of what is expected."""
    expected = {"a": [{"b": 1}, {"b": 2}], "c": 3}
    assert first_difference(expected, {"c": 4, "a": [{"b": 1}, {"b": 2.0}]}) == Difference("a[1].b", 2, 2.0)
    assert first_difference(expected, {"a": [{"b": 1}]}) == Difference("a[1]", {"b": 2}, MISSING)
    assert first_difference({"a": []}, {"a": [7]}) == Difference("a[0]", MISSING, 7)
    assert first_difference(expected, {"a": expected["a"]}) == Difference("c", 3, MISSING)


def test_further_keys_are_no_difference() -> None:
    """Objects may hold more keys at every level; lists may not hold more items."""
    assert first_difference({"a": {"b": 1}}, {"a": {"b": 1, "x": 2}, "y": 3}) is None


def test_a_null_is_not_a_missing_key() -> None:
    """A key that is expected to be null must be there."""
    assert first_difference({"a": None}, {}) == Difference("a", None, MISSING)


ARRAY = np.array([[1, np.nan], [0.0, 2]], "f4")
NEGATIVE_ZERO = np.array([[1, np.nan], [-0.0, 2]], "f4")
ARRAYS = {
    "same": (ARRAY.copy(), None),
    "column order": (np.asfortranarray(ARRAY), None),
    "another nan": (np.copysign(ARRAY, [[1, -1], [1, 1]]).astype("f4"), None),
    "negative zero": (NEGATIVE_ZERO, Difference("data[1][0]", 0.0, -0.0)),
    "number for nan": (np.array([[1, 1], [0, 2]], "f4"), Difference("data[0][1]", ARRAY[0, 1].item(), 1.0)),
    "wider": (ARRAY.astype("f8"), Difference("data.dtype", "float32", "float64")),
    "flat": (ARRAY.reshape(4), Difference("data.shape", "(2, 2)", "(4,)")),
}


@pytest.mark.parametrize(("found", "expected"), ARRAYS.values(), ids=ARRAYS)
def test_arrays(found: object, expected: Difference | None) -> None:
    """Arrays are compared by type, shape and bits, NaN as one class, and the first number is named."""
    assert repr(first_difference({"data": ARRAY}, {"data": found})) == repr(expected)


def test_arrays_of_no_number_are_alike() -> None:
    """Empty arrays of one shape are alike, of two shapes not."""
    assert first_difference(np.zeros((0, 3)), np.zeros((0, 3))) is None
    assert first_difference(np.zeros((0, 3)), np.zeros((3, 0))) is not None


def test_an_array_is_no_list() -> None:
    """A list of the same numbers is another type."""
    assert first_difference(ARRAY, ARRAY.tolist()) is not None


def test_free_order_matches_as_a_whole() -> None:
    """An item that fits several places leaves each other item the one it needs."""
    wanted = free_order([{"k": 1}, {"k": 1, "n": 2}])
    assert wanted.difference([{"k": 1, "n": 2}, {"k": 1}], "p") is None
    assert wanted.difference([{"k": 1}, {"k": 1, "n": 2}], "p") is None
    assert wanted.difference([{"k": 1}, {"k": 1}], "p") == Difference("p", {"k": 1, "n": 2}, [{"k": 1}])


def test_free_order_moves_along_a_chain() -> None:
    """Making room for one item may move several others."""
    found = [{"a": 1, "b": 1}, {"b": 1, "c": 1}, {"c": 1}, {"a": 1}]
    assert free_order([{"c": 1}, {"b": 1}, {"a": 1}, {"a": 1, "b": 1}]).difference(found, "") is None
    assert free_order([{"b": 1}, {"b": 1}, {"b": 1}, {"a": 1}]).difference(found, "") is not None


def test_free_order_counts() -> None:
    """Nothing may be left over, save what is said to be ignored."""
    assert free_order([1]).difference([1, 1], "p") == Difference("p", MISSING, 1)
    ignoring = free_order([{"k": 1}], ignored={"field": "reserved"})
    assert ignoring.difference([{"field": "reserved", "value": 3}, {"k": 1}], "p") is None
    assert ignoring.difference([{"k": 1}, {"field": "flags"}], "p") == Difference(
        "p", MISSING, {"field": "flags"}
    )
    assert free_order([]).difference({}, "p") == Difference("p", [], {})


def test_hex_digits() -> None:
    """Digits are alike in capital and small letters, and are never a number or bytes."""
    assert first_difference(HexDigits("4c59"), "4C59") is None
    for found in ("4C5A", 0x4C59, b"4c59", None):
        assert first_difference(HexDigits("4c59"), found) is not None


STORED = {
    "1 and 1.0": ({"a": 1}, {"a": 1.0}, None),
    "1.0 and 1": ({"a": [1.0]}, {"a": [1]}, None),
    "true is no number": ({"a": 1}, {"a": True}, Difference("a", 1, True)),
    "big integers are exact": (
        {"a": (1 << 53) + 1},
        {"a": float(1 << 53)},
        Difference("a", (1 << 53) + 1, float(1 << 53)),
    ),
    "surplus key": ({"a": {}}, {"a": {"b": 1}}, Difference("a.b", MISSING, 1)),
    "missing key": ({"a": {"b": 1}}, {"a": {}}, Difference("a.b", 1, MISSING)),
    "surplus item": ([1], [1, 2], Difference("[1]", MISSING, 2)),
    "null": ({"a": None}, {}, Difference("a", None, MISSING)),
    "text": ({"a": "1"}, {"a": 1}, Difference("a", "1", 1)),
}


@pytest.mark.parametrize(("document", "found", "expected"), STORED.values(), ids=STORED)
def test_stored_documents(document: object, found: object, expected: Difference | None) -> None:
    """A stored document is compared whole: keys neither more nor fewer, 1 and 1.0 alike."""
    assert first_difference(Stored(document), found) == expected
