"""What is held against an implementation, and what is not."""

from __future__ import annotations

import pytest

from pytest_vindex3.contract.outcome import Answer, Fault, Misfit, Outcome, Refused, Unjudged
from pytest_vindex3.fuzz.demand import Demand, about, always, trouble
from pytest_vindex3.fuzz.documents import closed, closed_to_fractions

DEMAND = Demand(
    refuses={"bad-magic": always, "bad-type": about("model")},
    never=("bad-magic",),
    first={"unknown-version": ("malformed-json",)},
    reports=("overlap",),
    same=("header",),
    closed=lambda data: data != b"open",
)
RIGHT = Answer({"header": 1, "other": 1, "defects": []})
OVERLAP = {"kind": "overlap", "names": {}}

Pair = tuple[Outcome, Outcome]
DEPARTURES: dict[str, Pair] = {
    "answered": (Refused("bad-magic"), RIGHT),
    "answered_the_field": (Refused("bad-type", {"field": "model"}), RIGHT),
    "refused": (RIGHT, Refused("bad-magic")),
    "another_kind_first": (Refused("unknown-version"), Refused("bad-type")),
    "another_value": (RIGHT, Answer({"header": 2, "defects": []})),
    "defect_not_listed": (Answer({"header": 1, "defects": [OVERLAP]}), RIGHT),
    "defect_that_is_none": (RIGHT, Answer({"header": 1, "defects": [OVERLAP]})),
}
CONFORMING: dict[str, Pair] = {
    "same": (RIGHT, RIGHT),
    "advice_answered": (Refused("duplicate-key"), RIGHT),
    "other_field_answered": (Refused("bad-type", {"field": "extra"}), RIGHT),
    "free_refusal": (RIGHT, Refused("trailing-bytes")),
    "another_of_two_faults": (Refused("bad-magic"), Refused("truncated")),
    "stand_in": (Refused("unknown-version"), Refused("malformed-json")),
    "another_defect": (
        Answer({"header": 1, "defects": [OVERLAP]}),
        Answer({"header": 1, "defects": [{"kind": "misaligned", "names": {}}]}),
    ),
    "undetermined_value": (RIGHT, Answer({"header": 1, "other": 2, "defects": []})),
    "not_judged": (RIGHT, Unjudged("no")),
}


@pytest.mark.parametrize("case", DEPARTURES)
def test_a_departure_is_told(case: str) -> None:
    """Each departure is told of a closed input, and of an open one it is not."""
    assert DEMAND.departure(b"closed", *DEPARTURES[case])
    assert not DEMAND.departure(b"open", *DEPARTURES[case])


@pytest.mark.parametrize("case", CONFORMING)
def test_what_conforms_is_no_departure(case: str) -> None:
    """Advice, choices, the other of two faults and undetermined values are no departure."""
    assert DEMAND.departure(b"closed", *CONFORMING[case]) == ""


@pytest.mark.parametrize(
    ("outcome", "wrong"),
    [
        (RIGHT, False),
        (Refused("bad-magic"), False),
        (Unjudged("no"), False),
        (Refused("bad-majic"), True),
        (Misfit("header", "an integer", "a string"), True),
        (Fault("hang", "no answer"), True),
    ],
    ids=["answer", "refusal", "unjudged", "no_kind", "misfit", "fault"],
)
def test_some_outcomes_are_wrong_on_every_input(outcome: Outcome, wrong: bool) -> None:
    """Faults, misfits and kinds outside of the law are trouble; answers and refusals are not."""
    assert bool(trouble(outcome)) is wrong


@pytest.mark.parametrize(
    "text",
    [
        b'{"a":null}',
        b'{"a":-0}',
        b'{"a":12345678901234567890}',
        b'{"a":1e999}',
        b'{"\\u0061":1}',
        b"\xff",
        b"[" * 60,
    ],
    ids=["null", "minus_zero", "beyond_64_bits", "beyond_binary64", "escape", "no_ascii", "deep"],
)
def test_a_document_that_touches_what_is_open_is_not_closed(text: bytes) -> None:
    """Each of these is left open or advised; the same text in a string, or a plain document, is closed."""
    assert not closed(text)
    assert closed(b'{"a":"null -0 1e999 [[[","b":[1,-2,0.5,true,{}]')


def test_whole_numbers_with_a_fraction_are_open_for_waste_alone() -> None:
    """8.0 is bad-type by a must in an index and by advice in a manifest; 3.9 is none in either."""
    assert closed(b'{"a":8.0}')
    assert not closed_to_fractions(b'{"a":8.0}')
    assert not closed_to_fractions(b'{"a":8e0}')
    assert closed_to_fractions(b'{"a":3.9,"b":"8.0"}')
