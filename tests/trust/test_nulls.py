"""Null implementations: they have every verb, and what they say fits its type."""

from __future__ import annotations

import pytest

from pytest_vindex3.contract.outcome import Answer
from pytest_vindex3.contract.typed import judged_answer
from pytest_vindex3.contract.verb import verbs
from vindex3_fixtures.mutants.nulls import NULLS

ANSWERING = [name for name in NULLS if name != "refuses-everything"]


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.parametrize("verb", list(verbs()))
def test_an_answer_of_nothing_fits_its_type(name: str, verb: str) -> None:
    """A null that answers is judged by what it says, and not by its type."""
    judged = judged_answer(verbs()[verb], NULLS[name](verbs()[verb]))
    assert isinstance(judged, Answer), judged


def test_who_accepts_says_yes_and_lists_no_defect() -> None:
    """Success without looking is told like success."""
    said = NULLS["accepts-everything"](verbs()["container.verify"])
    assert isinstance(said, dict)
    assert said["verified"] is True
    assert said["defects"] == []
    assert len(said["entries"]) == 1
