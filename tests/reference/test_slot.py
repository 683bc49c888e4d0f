"""Typed access to a document: one JSON type a method, and the field that is wrong by name."""

from __future__ import annotations

import pytest

from vindex3_reference.slot import Slot
from vindex3_reference.strict_json import parse

DOCUMENT = b"""{
 "model": "m", "count": 4, "bank": {"rows": [1, -2, {"len": true}], "note": null, "ratio": 1},
 "big": 18446744073709551615, "real": 4.0, "flag": true, "kind": "routed", "nothing": null, "a.b": {"c": 0}
}"""


@pytest.fixture
def root() -> Slot:
    """The root of the document."""
    return Slot.root(parse(DOCUMENT, "index.json"), "index.json")


def test_each_method_gives_its_type(root):
    """Values come out as the document has them."""
    assert root.required("model").text() == "m"
    assert root.required("count").u32() == 4
    assert root.required("big").u64() == 2**64 - 1
    assert repr(root.required("real").real()) == "4.0"
    assert repr(root.required("bank").required("ratio").real()) == "1"
    assert root.required("flag").flag() is True
    assert root.required("kind").word(("dense", "routed")) == "routed"
    assert root.required("flag").given() is True
    assert [key for key, _ in root.required("bank").members()] == ["rows", "note", "ratio"]
    assert [row.value for row in root.required("bank").required("rows").elements()] == [1, -2, {"len": True}]


def test_null_equals_absent_where_a_field_is_optional(root, refusal):
    """An optional field is None when null or absent, and its slot otherwise."""
    assert root.optional("nothing") is None
    assert root.optional("not there") is None
    model = root.optional("model")
    assert model is not None
    assert model.text() == "m"
    assert refusal(root.required("nothing").text) == ("bad-type", {"path": "index.json", "field": "nothing"})


@pytest.mark.parametrize("key", ["model", "real", "flag", "bank", "nothing"])
def test_an_integer_is_an_integer_literal(root, refusal, key):
    """A string, a fraction, a boolean, an object and null are no integers."""
    expected = ("bad-type", {"path": "index.json", "field": key})
    assert refusal(root.required(key).u32) == expected
    assert refusal(root.required(key).u64) == expected


@pytest.mark.parametrize(
    ("method", "wrong"),
    [
        ("text", ["count", "flag", "bank", "nothing"]),
        ("flag", ["count", "model", "nothing"]),
        ("real", ["flag", "model", "bank", "nothing"]),
        ("object", ["count", "model", "flag", "nothing"]),
        ("elements", ["count", "model", "bank", "nothing"]),
        ("members", ["count", "model", "nothing"]),
        ("given", ["nothing"]),
    ],
)
def test_another_type_is_refused(root, refusal, method, wrong):
    """What is not of the type that is asked for is bad-type, named at once."""
    for key in wrong:
        expected = ("bad-type", {"path": "index.json", "field": key})
        assert refusal(getattr(root.required(key), method)) == expected


@pytest.mark.parametrize(("value", "width"), [(2**32, "u32"), (-1, "u32"), (2**64, "u64"), (-1, "u64")])
def test_an_integer_outside_its_width_is_refused(refusal, value, width):
    """Integers do not wrap: the value is named as it stands."""
    root = Slot.root({"n": value}, "x")
    expected = ("out-of-range", {"path": "x", "field": "n", "value": value})
    assert refusal(getattr(root.required("n"), width)) == expected


def test_the_ends_of_a_width_are_inside():
    """0 and the largest integer of a width are taken."""
    root = Slot.root({"n": [0, 2**32 - 1, 2**64 - 1]}, "x")
    zero, word, long = root.required("n").elements()
    assert (zero.u32(), zero.u64(), word.u32(), long.u64()) == (0, 0, 2**32 - 1, 2**64 - 1)


def test_fields_are_named_by_their_way_from_the_root(root, refusal):
    """A field is a dotted path, with positions in brackets."""
    *_, last = root.required("bank").required("rows").elements()
    assert refusal(last.required("len").u64)[1]["field"] == "bank.rows[2].len"
    expected = ("missing-field", {"path": "index.json", "field": "bank.rows[2].name"})
    assert refusal(last.required, "name") == expected
    assert refusal(root.required("a.b").required("c").text)[1]["field"] == "a.b.c"
    assert refusal(root.required, "Model") == ("missing-field", {"path": "index.json", "field": "Model"})


def test_a_word_outside_the_vocabulary_is_refused(root, refusal):
    """A closed vocabulary takes its words as written and no other; what is no string is bad-type."""
    expected = ("unknown-value", {"path": "index.json", "field": "kind", "value": "routed"})
    assert refusal(root.required("kind").word, ("Routed", "shared")) == expected
    assert refusal(root.required("count").word, ("4",))[0] == "bad-type"


@pytest.mark.parametrize("document", [b"[]", b'"text"', b"1", b"true", b"null"])
def test_the_root_is_an_object(refusal, document):
    """Another root is bad-type of the field with the empty name."""
    expected = ("bad-type", {"path": "index.json", "field": ""})
    assert refusal(Slot.root, parse(document, "index.json"), "index.json") == expected
