"""Which perturbations a reply would show, all at once."""

from __future__ import annotations

import pytest

from pytest_vindex3.contract.outcome import Answer, Fault, Outcome, Refused
from pytest_vindex3.trust.perturbation import Perturbation
from pytest_vindex3.trust.place import Place
from pytest_vindex3.trust.sight import Sight

PLACES = [
    Place("toy", "", ("count",)),
    Place("toy", "", ("items",)),
    Place("toy", "", ("items", "[]", "tag")),
    Place("toy", "", ("items", "[]", "inner")),
    Place("toy", "", ("items", "[]", "inner", "[]", "deep")),
    Place("toy", "", ("absent",)),
    Place("toy", "truncated", ("at",)),
    Place("toy", "truncated", ("path",)),
    Place("toy", "misaligned", ("at",)),
    Place("other", "", ("count",)),
]
WANTED = [Perturbation(place, how) for place in PLACES for how in ("drop", "alter")]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "outcome",
    [
        Answer({"count": 1, "items": [{"tag": "up", "inner": []}, {"inner": [{"deep": None}]}]}),
        Answer({"items": [{"tag": 1}] * 5 + [{"inner": [{"deep": 2}]}]}),
        Answer({"items": [], "defects": [{"kind": "truncated", "names": {"at": 3}}]}),
        Answer(
            {"defects": [{"kind": "misaligned", "names": {"at": []}}, {"kind": "truncated", "names": {}}]}
        ),
        Answer({"verdicts": [{"refusal": {"kind": "truncated", "names": {"at": 3}}}, {"refusal": None}]}),
        Answer({"count": {}, "items": {"tag": 1}, "truncated": {"at": 1}}),
        Answer([{"count": 1}]),
        Answer(None),
        Refused("truncated", {"at": 3, "path": "a"}),
        Refused("bad-magic", {"at": 3}),
        Fault("crash", "it ended"),
    ],
)
def test_one_walk_sees_what_trying_each_shows(outcome: Outcome) -> None:
    """The walk over a reply finds exactly the perturbations that change it when they are tried."""
    tried = {
        one for one in WANTED if one.place.verb == "toy" and one.place.perturbed(outcome, one.how) is not None
    }
    assert Sight(WANTED).seen("toy", outcome) == tried


def test_the_walk_over_a_rich_answer_finds_something() -> None:
    """Keys at every depth and facts are found, and those of another verb are not."""
    rich = Answer({"count": 1, "items": [{"tag": "x", "inner": [{"deep": 1}]}]})
    names = {str(one) for one in Sight(WANTED).seen("toy", rich)}
    assert "alter toy answer items[].inner[].deep" in names
    assert len(names) == 10
    assert {str(one) for one in Sight(WANTED).seen("other", rich)} == {
        "drop other answer count",
        "alter other answer count",
    }
