"""Expected values whose form is partly free."""

from __future__ import annotations

import pytest

from pytest_vindex3.contract.difference import MISSING, Difference, Pattern, first_difference
from pytest_vindex3.contract.patterns import EachOf, Exactly, Present, element, field, one_of


@pytest.mark.parametrize(
    "found", ["scores", "router.scores", "layers[0].router.scores", "layers.0.router.scores"]
)
def test_a_field_is_named_by_its_key_or_a_path_to_it(found: str) -> None:
    """The key alone and every dotted path that ends with it name the field."""
    assert first_difference(field("scores"), found) is None


@pytest.mark.parametrize(
    "found", ["", "score", "no_scores", "scores.router", "scores[0]", "scores~", "Scores", 7, None, MISSING]
)
def test_anything_else_names_another_field(found: object) -> None:
    """A longer key, a path through the key, a position, another case or no text do not name the field."""
    assert first_difference(field("scores"), found, "field") == Difference("field", "'scores'", found)


def test_one_of_several_fields_may_be_meant() -> None:
    """Where several keys may be meant, each of them fits and no other."""
    either = field("router", "scores")
    assert first_difference(either, "layers[0].router") is None
    assert first_difference(either, "scores") is None
    assert first_difference(either, "layers[0].routed_bank") is not None


def test_the_root_is_the_empty_name() -> None:
    """Only the empty text names the root."""
    assert first_difference(field(""), "") is None
    assert first_difference(field(""), "layers") is not None
    assert first_difference(field(""), "layers.") is not None


@pytest.mark.parametrize("found", ["layers", "layers[1]", "layers.1", "a.layers[1]", "segments.layers"])
def test_an_element_has_the_name_of_its_array(found: str) -> None:
    """The array's name stands with or without the position of the element."""
    assert first_difference(element("layers", 1), found) is None


@pytest.mark.parametrize("found", ["layers[2]", "layers[1].router", "players[1]", "players", "[1]", "1", ""])
def test_another_element_has_another_name(found: str) -> None:
    """Another position, something below the element and another array are told apart."""
    assert first_difference(element("layers", 1), found) is not None


@pytest.mark.parametrize(
    "found", ["counts", "counts.a.b", "counts['a.b']", 'counts["a.b"]', "index.counts.a.b"]
)
def test_a_value_of_an_object_has_the_name_of_the_object(found: str) -> None:
    """The key of the value may stand behind the object's name, in any spelling."""
    assert first_difference(element("counts", "a.b"), found) is None
    assert first_difference(element("counts", "a"), f"{found}~") is not None


def test_something_is_there() -> None:
    """Every value fits, null too; nothing does not."""
    assert first_difference({"supported": Present()}, {"supported": None}) is None
    difference = first_difference({"supported": Present()}, {})
    assert difference == Difference("supported", "anything", MISSING)


def test_one_of_several_values() -> None:
    """Each choice fits by type and value."""
    choice = one_of(None, "a.lyrw", 3)
    assert [first_difference(choice, found) for found in (None, "a.lyrw", 3)] == [None] * 3
    assert first_difference(choice, 3.0) is not None
    assert first_difference(choice, MISSING) is not None


def test_every_item_is_alike() -> None:
    """A list of items that all fit; an empty one, another value and a stray item do not."""
    alike = EachOf({"kind": "truncated"})
    assert first_difference(alike, [{"kind": "truncated", "more": 1}, {"kind": "truncated"}]) is None
    stray = first_difference(alike, [{"kind": "truncated"}, {"kind": "io"}], "reasons")
    assert stray == Difference("reasons[1].kind", "truncated", "io")
    for wrong in ([], {}, "truncated", None):
        assert first_difference(alike, wrong) is not None


def test_patterns_say_themselves_what_fits() -> None:
    """Each is taken for a pattern by the comparison."""
    assert all(isinstance(one, Pattern) for one in (field("a"), Present(), one_of(1), EachOf(1)))


def test_an_object_of_names_has_no_other() -> None:
    """Members are compared one by one, and one too many is found like one too few."""
    wanted = Exactly({"a": 1, "b": Present()})
    assert first_difference(wanted, {"b": None, "a": 1}) is None
    assert first_difference(wanted, {"a": 1}, "segments") == Difference("segments.b", "anything", MISSING)
    assert first_difference(wanted, {"a": 2, "b": 1}) == Difference("a", 1, 2)
    assert first_difference(wanted, {"a": 1, "b": 1, "c": 3}, "x") == Difference("x.c", MISSING, 3)
    assert first_difference(Exactly({}), {}) is None
    assert first_difference(Exactly({}), [], "x") == Difference("x", {}, [])
