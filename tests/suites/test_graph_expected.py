"""What the suite expects of graphs holds for right answers alone, and for refusals where they conform."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_vindex3.contract.difference import first_difference
from pytest_vindex3.contract.outcome import Answer, Outcome, Refused
from vindex3_fixtures.graph import edge, example, minimal, policy
from vindex3_fixtures.graph.observation import observation
from vindex3_fixtures.json_text import changed, removed
from vindex3_suites.graph.expected import Defects, defect, loads, reports, resolves, unresolved
from vindex3_suites.graph.test_unplaced import Unplaced, Without
from vindex3_suites.graph.unfixed import or_refuses_conv_qkv

GRAPH = example()
FOUND = defect("edge-depth", component="target", layer=9, num_layers=7)
OTHER = defect("edge-depth", component="target", layer=8, num_layers=7)


def answered(document: Any, /, *defects: Any, **keys: object) -> Outcome:
    """An answer about this document, with keys changed."""
    return Answer({**observation(document), "document": document, "defects": list(defects)} | keys)


def test_a_right_answer_is_expected() -> None:
    """The whole observation, in stored order, without a defect."""
    assert loads(GRAPH).difference(answered(GRAPH)) is None


@pytest.mark.parametrize(
    "keys",
    [
        {"schema": 5},
        {"primary": None},
        {"primary": "draft"},
        {"components": observation(GRAPH)["components"][::-1]},
        {"objects": observation(GRAPH)["objects"][1:]},
        {"edges": []},
        {"edges": [{**observation(GRAPH)["edges"][0], "producer_layers": [1, 0]}]},
        {"document": removed(GRAPH, ("edges",))},
        {"document": changed(GRAPH, ("components", 1, "attention", 0, "v_from_k"), False)},
        {"document": changed(GRAPH, ("objects", 0, "source_bindings", 0, "bytes"), 1)},
        {"primary": "target", "defects": [FOUND]},
    ],
)
def test_another_answer_is_not(keys: dict[str, Any]) -> None:
    """Whatever differs in one key is found."""
    assert loads(GRAPH).difference(answered(GRAPH, **keys)) is not None


def test_a_block_size_is_expected_where_it_is_stored_alone() -> None:
    """An edge that is observed with a block_size of nobody's is a difference."""
    document = {**GRAPH, "edges": [edge("target", (0,), "draft")]}
    invented = [{**document["edges"][0], "block_size": 1}]
    assert loads(document).difference(answered(document)) is None
    assert loads(document).difference(answered(document, edges=invented)) is not None


@pytest.mark.parametrize(
    "outcome",
    [
        answered(GRAPH, FOUND),
        answered(GRAPH, {**FOUND, "names": {**FOUND["names"], "more": 1}}),
        answered(GRAPH, defect("unbound-object", object="x"), FOUND),
        answered(GRAPH, FOUND, FOUND),
        Refused("edge-depth", FOUND["names"], ""),
    ],
)
def test_a_reported_defect_conforms_either_way(outcome: Outcome) -> None:
    """In the list, with others or twice, or as the refusal."""
    assert reports(GRAPH, FOUND).difference(outcome) is None


@pytest.mark.parametrize(
    "outcome",
    [
        answered(GRAPH),
        answered(GRAPH, OTHER),
        answered(GRAPH, FOUND, OTHER),
        answered(GRAPH, {"kind": "edge-depth", "names": {"component": "target", "layer": 9}}),
        answered(GRAPH, FOUND, document={}),
        Refused("edge-depth", {"component": "target", "layer": 9}, ""),
        Refused("self-edge", FOUND["names"], ""),
    ],
)
def test_a_defect_that_is_not_reported_does_not(outcome: Outcome) -> None:
    """None at all, another one, one too many, one without its facts, a refusal of another kind."""
    assert reports(GRAPH, FOUND).difference(outcome) is not None


def test_of_two_defects_both_are_listed_or_one_refuses() -> None:
    """A list must have both; a refusal names the facts of one, never of a third."""
    both = reports(GRAPH, FOUND, OTHER)
    assert both.difference(answered(GRAPH, OTHER, FOUND)) is None
    assert both.difference(answered(GRAPH, FOUND)) is not None
    assert both.difference(Refused("edge-depth", OTHER["names"], "")) is None
    assert both.difference(Refused("edge-depth", {**OTHER["names"], "layer": 10}, "")) is not None


def test_a_list_of_defects_is_a_list() -> None:
    """Anything else differs."""
    assert Defects((FOUND,)).difference({}, "defects") is not None


def test_only_a_group_of_no_fixed_keys_may_be_refused() -> None:
    """A refusal over conv_qkv conforms where that group is there, and nowhere else."""
    refused = Refused("missing-field", {"field": "kernel"}, "")
    plain, late = minimal(), minimal([policy("conv_qkv_attention")])
    assert or_refuses_conv_qkv(late, loads(late)).difference(refused) is None
    assert or_refuses_conv_qkv(late, loads(late)).difference(answered(late)) is None
    assert or_refuses_conv_qkv(plain, loads(plain)).difference(refused) is not None


def test_what_stays_unresolved_has_its_facts() -> None:
    """Entries may stand in any order and say more; a fact that differs, or an entry too many, is found."""
    one = unresolved("no-projector", "draft", consumer="draft")
    two = unresolved("no-producer", "draft_2", "b", consumer="draft_2", deepest_tap=3)
    expected = resolves(None, [], [one, two])
    assert expected.difference(Answer({"edges": [], "unresolved": [two, one]})) is None
    assert expected.difference(Answer({"edges": [], "unresolved": [one]})) is not None
    wrong = {**two, "names": {"consumer": "draft_2", "deepest_tap": 4}}
    assert expected.difference(Answer({"edges": [], "unresolved": [one, wrong]})) is not None
    assert expected.difference(Answer({"edges": [], "unresolved": [one, two, two]})) is not None


MTP = {"artifact": "a", "prefix": "mtp"}
ZORB = {"artifact": "a", "prefix": "zorb"}


@pytest.mark.parametrize(
    ("found", "fits"),
    [
        ([MTP, ZORB], True),
        ([MTP, {"artifact": "a", "prefix": "zorb.weight"}], True),
        ([{"artifact": "a", "prefix": "alien"}, MTP, ZORB], True),
        ([ZORB, MTP], False),
        ([MTP], False),
        ([ZORB], False),
        ([MTP, {"artifact": "b", "prefix": "zorb"}], False),
        ([MTP, {"artifact": "a", "prefix": "zor"}], False),
        ([MTP, {"artifact": "a", "prefix": ""}], False),
        ([{"artifact": "a", "prefix": "mtp.fc"}, ZORB], False),
        (None, False),
    ],
)
def test_unplaced_names_are_covered(found: Any, fits: bool) -> None:
    """The entry is there, each name is covered by a whole prefix of its artifact, and the list is sorted."""
    expected = Unplaced((MTP,), (("a", "zorb.weight"),))
    assert (first_difference(expected, found) is None) == fits


def test_an_entry_of_nothing_is_found() -> None:
    """An mtp entry without such tensors is a difference."""
    assert first_difference(Without("mtp"), [ZORB]) is None
    assert first_difference(Without("mtp"), [MTP]) is not None
