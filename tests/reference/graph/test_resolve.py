"""From evidence to components and edges: the rules of the law by cases worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from vindex3_reference.graph.placement import unplaced
from vindex3_reference.graph.verbs import graph_resolve
from vindex3_reference.refusal import Refusal


def text(name: str, layers: int = 6, **more: Any) -> dict[str, Any]:
    """A text model without evidence of anything else."""
    return {"artifact": name, "num_layers": layers, "hidden_size": 4, "tensors": [], **more}


def drafter(name: str, taps: list[int], **more: Any) -> dict[str, Any]:
    """An artifact that taps layers, with a projector for them."""
    tensors = [{"name": "fc.weight", "shape": [4, 4 * len(taps)]}]
    interfaces = [{"path": "dflash.target_layer_ids", "taps": taps}]
    return text(name, 1, **{"interfaces": interfaces, "tensors": tensors, **more})


def unresolved(*artifacts: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Kind and facts of what gives no edge, where nothing does."""
    answer = graph_resolve(artifacts=list(artifacts))
    assert answer["edges"] == []
    return [(entry["kind"], entry["names"]) for entry in answer["unresolved"]]


def test_ids_are_claimed_in_input_order():
    """Ids go by role and nested name; later claimants get a number, and no id is given twice."""
    nested = [{"name": name, "num_layers": 1, "hidden_size": 4} for name in ("vision", "text", "vision_2")]
    answer = graph_resolve(
        artifacts=[text("z", nested=nested), text("a", nested=nested[:1]), drafter("d", [9]), text("a")]
    )
    assert answer["components"] == [
        {"id": "draft", "role": "drafter", "source_artifact": "d"},
        {"id": "target", "role": "primary_text", "source_artifact": "z"},
        {"id": "target_2", "role": "primary_text", "source_artifact": "a"},
        {"id": "target_3", "role": "primary_text", "source_artifact": "a"},
        {"id": "vision", "role": "perception", "source_artifact": "z"},
        {"id": "vision_2", "role": "perception", "source_artifact": "z"},
        {"id": "vision_3", "role": "perception", "source_artifact": "a"},
    ]


def test_one_candidate_gives_an_edge():
    """Taps keep their order; block_size is there where it is declared."""
    interfaces = [
        {"path": "a.target_layer_ids", "taps": [5, 1], "block_size": 0},
        {"path": "target_layer_ids", "taps": [0, 2]},
        {"path": "target_layer_ids.size", "taps": [0]},
    ]
    answer = graph_resolve(artifacts=[drafter("d", [0, 1], interfaces=interfaces), text("t")])
    ends = {
        "producer_component": "target",
        "consumer_component": "draft",
        "consumer_object": "draft.feature_projector",
    }
    assert answer["edges"] == [
        {**ends, "producer_layers": [5, 1], "block_size": 0},
        {**ends, "producer_layers": [0, 2]},
    ]
    assert answer["unresolved"] == []


def test_a_producer_is_a_deep_enough_text_of_another_artifact():
    """Depth decides at num_layers exactly; drafters, towers and the drafter's own artifact are none."""
    none = [("no-producer", {"consumer": "draft", "deepest_tap": 5})]
    assert unresolved(drafter("d", [5]), text("t", 5)) == none
    assert graph_resolve(artifacts=[drafter("d", [5]), text("t", 6)])["edges"]
    tower = [{"name": "vision", "num_layers": 99, "hidden_size": 4}]
    assert unresolved(drafter("d", [5]), text("t", 5, nested=tower)) == none
    assert unresolved(drafter("d", [5]), text("d", 99)) == none


def test_two_candidates_are_ambiguous():
    """Depth and names decide nothing among candidates, which are named sorted."""
    names = {"subject": "draft", "candidates": ["target", "target_2"]}
    assert unresolved(text("far", 60), drafter("near-draft", [1]), text("near", 2)) == [("ambiguous", names)]


@pytest.mark.parametrize(
    ("shape", "edges"), [([4, 8], 1), ([8, 4], 1), ([8, 4, 1], 0), ([4, 4], 0), ([32], 0)]
)
def test_the_projector_measures_taps_times_hidden_by_hidden(shape, edges):
    """Either way round counts, and no other shape."""
    tensors = [{"name": "fc.weight", "shape": shape}]
    answer = graph_resolve(artifacts=[drafter("d", [0, 1], tensors=tensors), text("t")])
    assert len(answer["edges"]) == edges
    kinds = [(entry["kind"], entry["names"]) for entry in answer["unresolved"]]
    assert kinds == ([] if edges else [("no-projector", {"consumer": "draft"})])


def test_an_inventory_is_asked_before_candidates():
    """Without a tensor list nothing else is looked at; a list in another entry of the artifact is one."""
    bare = drafter("d", [0], tensors=None)
    assert unresolved(bare) == [("missing-inventory", {"artifact": "d"})]
    listing = text("d", tensors=[{"name": "fc.weight", "shape": [4, 4]}])
    assert len(graph_resolve(artifacts=[bare, listing, text("t")])["edges"]) == 1


def test_one_unresolved_interface_leaves_the_others_alone():
    """Two drafters, of which one taps too deep: one edge, one entry, all components."""
    answer = graph_resolve(artifacts=[drafter("d", [9]), drafter("e", [0]), text("t")])
    assert [edge["consumer_component"] for edge in answer["edges"]] == ["draft_2"]
    assert [entry["component"] for entry in answer["unresolved"]] == ["draft"]
    assert len(answer["components"]) == 3


@pytest.mark.parametrize(
    ("names", "prefixes"),
    [
        (["model.layers.0.q.weight", "lm_head.weight", "model.embed_tokens.weight"], set()),
        (["mtp.layers.0.norm.weight", "mtp.fc.weight", "model.norm.weight"], {"mtp"}),
        (["extra.a.weight", "extra.b"], {"extra"}),
        (["model.layers.0.w", "model.rope.freq", "model.rope.base"], {"model.rope"}),
        (["model", "model.norm.weight"], {"model"}),
        (["mtp_like.weight"], {"mtp_like"}),
    ],
)
def test_prefixes_cover_what_no_rule_owns(names, prefixes):
    """A prefix is as short as it can be without covering a name that a rule owns."""
    assert unplaced(names, ()) == prefixes


def test_evidence_of_another_form_is_refused():
    """A request is read like any document."""
    with pytest.raises(Refusal) as caught:
        graph_resolve(artifacts=[drafter("d", [-1])])
    assert caught.value.kind == "out-of-range"
    with pytest.raises(Refusal) as caught:
        graph_resolve(artifacts={"artifact": "d"})
    assert (caught.value.kind, caught.value.names["field"]) == ("bad-type", "artifacts")
