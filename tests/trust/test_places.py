"""Places in answers and refusals, and what becomes of them."""

from __future__ import annotations

from typing import NotRequired, TypedDict

import numpy as np
import pytest

from pytest_vindex3.contract.difference import MISSING, first_difference
from pytest_vindex3.contract.outcome import Answer, Refused
from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.trust.perturbation import is_offered, perturbations
from pytest_vindex3.trust.place import Place, altered, answer_places


class Inner(TypedDict):
    """Something in a list."""

    tag: str | int


class Outer(TypedDict):
    """Something with a list."""

    count: int
    items: list[Inner]
    absent: NotRequired[bool]


def test_places_of_an_answer_are_all_its_keys() -> None:
    """Every key at every depth is a place, through lists and optional keys."""
    verb = verbs()["lyrw.parse"].__class__("toy", "", {}, frozenset(), frozenset(), Outer)
    assert [place.keys for place in answer_places(verb)] == [
        ("count",),
        ("items",),
        ("items", "[]", "tag"),
        ("absent",),
    ]


ANSWER = Answer({"count": 1, "items": [{"tag": "up"}, {"tag": 9}]})


@pytest.mark.parametrize(
    ("keys", "how", "changed"),
    [
        (("count",), "drop", {"items": [{"tag": "up"}, {"tag": 9}]}),
        (("count",), "alter", {"count": 2, "items": [{"tag": "up"}, {"tag": 9}]}),
        (("items",), "alter", {"count": 1, "items": [{"tag": "up"}]}),
        (("items", "[]", "tag"), "alter", {"count": 1, "items": [{"tag": "up~"}, {"tag": 10}]}),
        (("items", "[]", "tag"), "drop", {"count": 1, "items": [{}, {}]}),
        (("absent",), "drop", None),
    ],
)
def test_a_key_is_changed_wherever_it_occurs(keys: tuple[str, ...], how: str, changed: object) -> None:
    """A place is dropped or altered in every item that has it, and an answer without it stays."""
    outcome = Place("toy", "", keys).perturbed(ANSWER, how)  # type: ignore[arg-type]
    assert outcome == (None if changed is None else Answer(changed))


def test_a_fact_is_changed_in_refusals_of_its_kind_alone() -> None:
    """A fact of one kind is altered there and left alone in another kind."""
    place = Place("toy", "truncated", ("at",))
    assert place.perturbed(Refused("truncated", {"at": 3}), "alter") == Refused("truncated", {"at": 4})
    assert place.perturbed(Refused("bad-magic", {"at": 3}), "alter") is None
    assert place.perturbed(ANSWER, "alter") is None


def test_a_fact_is_changed_in_defects_of_its_kind_alone() -> None:
    """A fact of a listed defect is dropped in every defect of that kind, and in no other."""
    gap = {"kind": "segment-gap", "names": {"bank_id": 1, "first_entry": 2}}
    other = {"kind": "misaligned", "names": {"bank_id": 1, "offset": 65}}
    listed = Answer({"defects": [gap, other, gap]})
    changed = {"kind": "segment-gap", "names": {"bank_id": 1}}
    place = Place("toy", "segment-gap", ("first_entry",))
    assert place.perturbed(listed, "drop") == Answer({"defects": [changed, other, changed]})
    assert place.perturbed(Answer({"defects": [other]}), "drop") is None


def test_a_fact_is_changed_in_the_refusals_of_candidates() -> None:
    """A verdict holds its refusal one level deeper; it is changed there, and selected candidates stay."""
    refused = {
        "selected": False,
        "refusal": {"kind": "ladder-incomplete", "names": {"missing": ["measured"]}},
    }
    selected = {"selected": True, "refusal": None}
    place = Place("toy", "ladder-incomplete", ("missing",))
    assert place.perturbed(Answer({"verdicts": [selected, refused]}), "drop") == Answer(
        {
            "verdicts": [
                selected,
                {"selected": False, "refusal": {"kind": "ladder-incomplete", "names": {}}},
            ]
        }
    )


def test_perturbations_cover_what_the_law_names() -> None:
    """Each fact that a refusing clause names is dropped and altered, and so is each key of the answer."""
    named = {str(one) for one in perturbations(["lyrw.parse"])}
    assert {"drop lyrw.parse bad-magic found", "alter lyrw.parse truncated have"} <= named
    assert {"drop lyrw.parse answer banks[].schemas[].role", "alter lyrw.parse answer table_bytes"} <= named
    assert not any("lyrw.region" in one for one in named)


def test_perturbations_cover_defects_by_their_own_facts() -> None:
    """Facts of reporting clauses count too; of a clause with two kinds, each has its own facts alone."""
    named = {str(one) for one in perturbations(["lyrw.verify"])}
    assert {"drop lyrw.verify misaligned offset", "alter lyrw.verify overlap other"} <= named
    assert "drop lyrw.verify partial-block block" in named
    assert "drop lyrw.verify zero-dimension block" not in named


def test_a_free_fact_is_dropped_and_never_altered() -> None:
    """What `supported` says is free, so only its absence can be told."""
    names = [str(one) for one in perturbations(["moe.check"]) if "unknown-version" in str(one)]
    assert "drop moe.check unknown-version supported" in names
    assert "alter moe.check unknown-version found" in names
    assert "alter moe.check unknown-version supported" not in names


def test_perturbations_cover_kinds_in_plain_words() -> None:
    """Where no kind of a clause's text stands in backticks, each of its words may be one."""
    named = {str(one) for one in perturbations(["waste.open", "waste.record", "usage.read"])}
    assert {"drop waste.open bad-stride stride", "alter waste.open out-of-range value"} <= named
    assert {"drop waste.record truncated have", "drop usage.read unknown-version supported"} <= named
    assert "drop usage.read truncated found" not in named


def test_a_word_beside_kinds_in_backticks_is_a_word() -> None:
    """A text that marks its kinds means nothing else by a word that happens to be one."""
    named = {str(one) for one in perturbations(["lyrw.parse", "capability.check"])}
    assert "drop lyrw.parse wrong-generation required" in named
    assert not any("truncated required" in one for one in named)
    assert not any("capability.check unsupported-packing" in one for one in named)


def test_words_that_the_law_has_not_are_free() -> None:
    """A reason is altered where some text says its words, and only dropped where none does."""
    names = {str(one) for one in perturbations(["waste.record", "capability.check", "precision.compile"])}
    assert {
        "alter capability.check missing-operand reason",
        "alter precision.compile dead-rule reason",
    } <= names
    assert {"drop waste.record io reason", "drop waste.record direct-unavailable reason"} <= names
    assert not any(one.startswith("alter waste.record") and one.endswith("reason") for one in names)


def test_a_refusal_may_be_one_of_two_ways() -> None:
    """What a full cache may say is offered; what only one kind of several says is not."""
    assert is_offered(Place("waste.record", "cache-exhausted", ("layer",)))
    assert not is_offered(Place("waste.record", "truncated", ("layer",)))
    assert not is_offered(Place("waste.record", "", ("mode",)))


@pytest.mark.parametrize("array", [np.arange(6, dtype=np.float32).reshape(2, 3), np.ones(1, np.float32)])
def test_an_array_is_altered_in_one_number(array: np.ndarray) -> None:
    """An altered array has the same type and shape and another number; one without numbers stays."""
    other = altered(array)
    assert isinstance(other, np.ndarray)
    assert (other.shape, other.dtype) == (array.shape, array.dtype)
    assert first_difference(array, other) is not None
    assert (other != array).sum() == 1
    assert altered(np.empty((0, 3), np.float32)) is MISSING
