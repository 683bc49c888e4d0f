"""Graphs as documents: the fault that is named, and what the law leaves free."""

from __future__ import annotations

import json

import pytest

from vindex3_reference.graph.model import Graph
from vindex3_reference.graph.verbs import graph_load
from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import Slot

REMOVED = [
    "schema",
    "edges",
    "components[0].role",
    "components[0].attention[1].operator",
    "components[0].attention[1].position.theta",
    "components[0].execution.norm",
    "components[0].execution.norm.pre.eps",
    "objects[2].source_bindings[0].bytes",
    "objects[2].representations[0].fidelity",
    "edges[0].consumer_object",
]

YARN = {"kind": "yarn", "theta": 1, "scaling": {"factor": 2, "beta_fast": 32, "beta_slow": 1}}
M_ROPE = {"kind": "m_rope", "theta": 1, "rotary_fraction": 1, "basis": "rotary_width", "interleaved": True}
CHANGED = [
    ("schema", 5, "unknown-version", {"found": 5, "supported": 6}),
    ("schema", 6.0, "bad-type", {"field": "schema"}),
    ("schema", -1, "out-of-range", {"field": "schema", "value": -1}),
    ("components[0].num_layers", 2**64, "out-of-range",
     {"field": "components[0].num_layers", "value": 2**64}),
    ("components[0].role", "text", "unknown-value", {"field": "components[0].role", "value": "text"}),
    ("components[0].execution.attention.score_scale", "1", "bad-type",
     {"field": "components[0].execution.attention.score_scale"}),
    ("components[0].execution.attention.head_dim", None, "bad-type",
     {"field": "components[0].execution.attention.head_dim"}),
    ("components[0].execution.ffn.gate_policy", {"kind": "clamped_glu", "limit": 1}, "missing-field",
     {"field": "components[0].execution.ffn.gate_policy.alpha"}),
    ("components[0].attention[0].position", {**YARN}, "missing-field",
     {"field": "components[0].attention[0].position.scaling.original_max_position_embeddings"}),
    ("components[0].attention[0].position", {**M_ROPE, "section": [1, 2]}, "bad-type",
     {"field": "components[0].attention[0].position.section"}),
    ("components[0].perception", {"modality": "image", "transform": {"mirror": {}}}, "unknown-value",
     {"field": "components[0].perception.transform", "value": "mirror"}),
    ("objects[0].representations[0].fidelity", "validated-substitute", "unknown-value",
     {"field": "objects[0].representations[0].fidelity", "value": "validated-substitute"}),
]  # fmt: skip

FREE = [
    ("components[0].execution.norm.placement", "post_only"),
    ("components[0].execution.attention", None),
    ("components[0].execution.attention.sinks", None),
    ("components[0].execution.ffn.gate_policy", {"kind": "situ_glu"}),
    ("components[0].attention[0].position", {**M_ROPE, "section": [1, 2, 3]}),
    ("components[0].perception", {"modality": "audio", "transform": {"direct_projection": {}, "later": 1}}),
    ("objects[0].kind", "hyper_connection_head"),
    ("objects[0].representations[0].encoding", "Q9_NOBODY"),
]


def place(document, path):
    """The container that holds the last step of a path, and that step."""
    steps = [
        int(step) if step.isdigit() else step for step in path.replace("]", "").replace("[", ".").split(".")
    ]
    for step in steps[:-1]:
        document = document[step]
    return document, steps[-1]


def refused(document):
    """Kind and facts of the refusal of a document."""
    with pytest.raises(Refusal) as caught:
        Graph.read(Slot.root(document, "system_graph.json"))
    return caught.value.kind, caught.value.names


@pytest.mark.parametrize("path", REMOVED)
def test_an_absent_key_is_named(document, path):
    """Each required key that is absent is missing-field by its way from the root."""
    home, step = place(document, path)
    del home[step]
    assert refused(document) == ("missing-field", {"path": "system_graph.json", "field": path})


@pytest.mark.parametrize(("path", "value", "kind", "facts"), CHANGED, ids=lambda value: str(value)[:40])
def test_a_wrong_value_is_named(document, path, value, kind, facts):
    """A value of another type, width or vocabulary is refused with the facts of its kind."""
    home, step = place(document, path)
    home[step] = value
    assert refused(document) == (kind, {"path": "system_graph.json", **facts})


@pytest.mark.parametrize(("path", "value"), FREE, ids=lambda value: str(value)[:40])
def test_what_the_law_leaves_free_is_read(document, path, value):
    """Late spellings, nulls for what is optional and unknown labels are read."""
    home, step = place(document, path)
    home[step] = value
    assert Graph.read(Slot.root(document, "x")).document is document


def test_the_schema_is_judged_before_all_else():
    """An older graph is refused by its number, whatever else is in it."""
    expected = ("unknown-version", {"path": "system_graph.json", "found": 5, "supported": 6})
    assert refused({"schema": 5, "components": "none"}) == expected


def test_a_text_has_no_file_to_name():
    """What is wrong with a document given as text is named without a path."""
    for text in ("{", '{"schema": 6}', "[]", '{"\ud800": 1}'):
        with pytest.raises(Refusal) as caught:
            graph_load(text=text)
        assert "path" not in caught.value.names


def test_the_answer_keeps_order_and_document(document):
    """Components, taps and unknown keys are given back as stored; block_size is there where it is stored."""
    document["components"].reverse()
    document["edges"].append({**document["edges"][0], "block_size": 0, "unknown": [1.0, {"a": None}]})
    answer = graph_load(text=json.dumps(document))
    assert [component["id"] for component in answer["components"]] == ["draft", "target"]
    assert [edge["producer_layers"] for edge in answer["edges"]] == [[1, 0], [1, 0]]
    assert ["block_size" in edge for edge in answer["edges"]] == [False, True]
    assert answer["document"] == document
    assert (answer["schema"], answer["primary"], answer["defects"]) == (6, "target", [])


def test_of_a_flood_of_defects_only_so_many_are_listed(document):
    """Taps of two bytes each give no more defects than are listed of one kind; the answer says so."""
    document["edges"][0]["producer_layers"] = [2] * 300_000
    answer = graph_load(text=json.dumps(document))
    assert answer["more"] == ["edge-depth"]
    assert len(answer["defects"]) == 10_000
