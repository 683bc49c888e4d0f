"""authority.fold: the table of the law, and every combination of words against an order written down here."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from vindex3_reference.representation.verbs import authority_fold

ANALYSIS, STRUCTURAL, NUMERICAL = "analysis-only", "structurally-approximate", "numerically-approximate"
EQUIVALENT, EXACT = "source-equivalent", "source-exact"
WEAKEST_FIRST = [ANALYSIS, STRUCTURAL, NUMERICAL, EQUIVALENT, EXACT]
OMITTED, REPLACED = {"omitted": ["target.final_norm"]}, {"replaced": "a smaller tower"}

TABLE = [
    ([EXACT, EXACT], True, None, EXACT, False, False),
    ([*[EXACT] * 20, NUMERICAL], True, None, NUMERICAL, False, False),
    ([EQUIVALENT], True, None, EQUIVALENT, False, False),
    ([], True, None, ANALYSIS, False, False),
    ([EXACT], False, None, ANALYSIS, True, False),
    ([EXACT], True, OMITTED, STRUCTURAL, False, True),
    ([EXACT], False, OMITTED, ANALYSIS, True, False),
    ([NUMERICAL], True, OMITTED, STRUCTURAL, False, True),
    ([STRUCTURAL], True, REPLACED, STRUCTURAL, False, False),
    ([ANALYSIS], True, REPLACED, ANALYSIS, False, False),
    ([], False, OMITTED, ANALYSIS, False, False),
    ([ANALYSIS, EXACT], False, None, ANALYSIS, False, False),
]


@pytest.mark.parametrize(("selected", "complete", "structural", "level", "incomplete", "changed"), TABLE)
def test_a_fold_is_as_the_table_has_it(selected, complete, structural, level, incomplete, changed):
    """Level, weakest word and both caps; without a claim nothing is permitted or refused."""
    assert authority_fold(selected=selected, execution_complete=complete, structural=structural) == {
        "level": level,
        "weakest_selected": min(selected, key=WEAKEST_FIRST.index, default=ANALYSIS),
        "capped_by_completeness": incomplete,
        "capped_by_structure": changed,
        "claim_permitted": None,
    }


@pytest.mark.parametrize("derived", WEAKEST_FIRST)
def test_a_claim_stands_up_to_the_level(derived, refused):
    """Equal and weaker claims are permitted, each stronger one is refused with both words."""
    for at, claimed in enumerate(WEAKEST_FIRST):
        request: dict[str, Any] = {"selected": [derived], "execution_complete": True, "claim": claimed}
        if at <= WEAKEST_FIRST.index(derived):
            assert authority_fold(**request)["claim_permitted"] is True
        else:
            facts = {"claimed": claimed, "derived": derived}
            assert refused(authority_fold, **request) == ("overclaim", facts)


def test_a_claim_is_held_to_the_capped_level(refused):
    """What is selected alone carries no claim where operands lack or a component was replaced."""
    request: dict[str, Any] = {"selected": [EXACT], "execution_complete": False, "claim": STRUCTURAL}
    assert refused(authority_fold, **request) == ("overclaim", {"claimed": STRUCTURAL, "derived": ANALYSIS})
    request.update(execution_complete=True, structural=REPLACED)
    assert authority_fold(**request)["claim_permitted"] is True
    request.update(claim=NUMERICAL)
    assert refused(authority_fold, **request) == ("overclaim", {"claimed": NUMERICAL, "derived": STRUCTURAL})


def test_order_and_repetition_change_nothing():
    """Of any three words the weakest is the level."""
    for words in product(WEAKEST_FIRST, repeat=3):
        answer = authority_fold(selected=list(words), execution_complete=True)
        assert answer["level"] == WEAKEST_FIRST[min(map(WEAKEST_FIRST.index, words))]


@pytest.mark.parametrize("word", ["canonical", "approximate", "exact", "Source-exact", "source-exact ", ""])
def test_another_word_is_no_level(word, refused):
    """Selected or claimed."""
    kind, names = refused(authority_fold, selected=[EXACT, word], execution_complete=True)
    assert (kind, names["value"]) == ("unknown-value", word)
    kind, names = refused(authority_fold, selected=[EXACT], execution_complete=True, claim=word)
    assert (kind, names["value"]) == ("unknown-value", word)


@pytest.mark.parametrize(
    ("changes", "kind", "field"),
    [
        ({"selected": None}, "missing-field", "selected"),
        ({"selected": EXACT}, "bad-type", "selected"),
        ({"selected": [EXACT, 1]}, "bad-type", "selected[1]"),
        ({"execution_complete": 1}, "bad-type", "execution_complete"),
        ({"execution_complete": None}, "missing-field", "execution_complete"),
        ({"structural": []}, "bad-type", "structural"),
        ({"structural": {}}, "missing-field", "structural.omitted"),
        ({"structural": {"omitted": [None]}}, "bad-type", "structural.omitted[0]"),
        ({"structural": {"replaced": ["x"]}}, "bad-type", "structural.replaced"),
        ({"claim": 4}, "bad-type", "claim"),
    ],
)
def test_a_request_of_another_form_is_refused(changes, kind, field, refused):
    """Each slot has its type; what is missing is named."""
    request = {"selected": [EXACT], "execution_complete": True, **changes}
    assert refused(authority_fold, **request) == (kind, {"field": field})
