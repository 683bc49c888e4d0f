"""What is wrong with a graph that reads: every invariant by a case worked by hand."""

from __future__ import annotations

import copy

import pytest

FULL = {"operator": "softmax", "span": "full", "position": {"kind": "none"}}
MAMBA = {"operator": "mamba2", "position": {"kind": "none"}}
CONV = {"operator": "conv_qkv_attention", "position": {"kind": "none"}}
KDA = {"operator": "kda", "position": {"kind": "none"}}
MLA = {"operator": "mla", "position": {"kind": "none"}}


def test_a_sound_graph_has_no_defect(document, found):
    """The graph that all cases start from is free of defects."""
    assert found(document) == []


def test_ids_used_twice(document, found):
    """Each repeated id is named once; the first component of an id is the one that is meant."""
    second = copy.deepcopy(document["components"][1])
    second.update(role="perception", num_layers=0)
    document["components"] += [second, second]
    document["objects"].append(document["objects"][2])
    assert found(document) == [
        ("duplicate-id", {"id": "draft"}),
        ("duplicate-id", {"id": "draft.feature_projector"}),
    ]


def test_objects_without_home_or_source(document, found):
    """An object of no component, one without a binding and one under another id are named."""
    first, second, third = document["objects"]
    first["component"], first["id"] = "nobody", "nobody.embedding"
    second["source_bindings"] = []
    third["id"] = "draft.projector"
    document["edges"] = []
    assert found(document) == [
        ("dangling-reference", {"referrer": "nobody.embedding", "missing": "nobody"}),
        ("unbound-object", {"object": "target.decoder_stack"}),
        (
            "id-mismatch",
            {
                "subject": "draft.projector",
                "expected": "draft.feature_projector",
                "found": "draft.projector",
            },
        ),
    ]


def test_edges_to_nowhere(document, found):
    """Each end of an edge that is not there is named."""
    document["edges"] = [
        {"producer_component": "p", "producer_layers": [9], "consumer_component": "c", "consumer_object": "o"}
    ]
    assert [names["missing"] for _, names in found(document)] == ["p", "c", "o"]


def test_taps_past_the_end(document, found):
    """Each tap at or past num_layers is a defect; of an unread tower none is."""
    document["edges"][0]["producer_layers"] = [2, 0, 7]
    assert found(document) == [
        ("edge-depth", {"component": "target", "layer": 2, "num_layers": 2}),
        ("edge-depth", {"component": "target", "layer": 7, "num_layers": 2}),
    ]
    tower = {**document["components"][1], "id": "vision", "role": "perception", "num_layers": 0}
    document["components"].append(tower)
    document["edges"][0]["producer_component"] = "vision"
    assert found(document) == []


def test_an_edge_into_its_own_producer(document, found):
    """A component that feeds itself is named."""
    document["edges"][0].update(consumer_component="target", consumer_object="target.embedding")
    assert found(document) == [("self-edge", {"component": "target"})]


def test_two_primaries(document, found):
    """Two primary_text components are ambiguous, by their ids sorted; none is not a defect."""
    document["components"][1]["role"] = "primary_text"
    assert found(document) == [("ambiguous", {"candidates": ["draft", "target"]})]
    for component in document["components"]:
        component["role"] = "drafter"
    assert found(document) == []


SURFACES = [
    ([FULL], ["norm", "ffn"], ["attention"], []),
    ([MLA, KDA], ["norm", "ffn"], ["attention"], []),
    ([FULL], ["norm", "attention"], ["ffn"], []),
    ([KDA], ["norm", "ffn"], [], []),
    ([KDA], ["norm", "ffn", "attention"], [], ["attention"]),
    ([MAMBA], ["norm", "mamba2"], [], []),
    ([MAMBA], ["norm"], ["mamba2"], []),
    ([MAMBA], ["norm", "mamba2", "attention", "ffn"], [], ["attention", "ffn"]),
    ([CONV], ["norm", "attention"], ["conv_qkv"], []),
    ([CONV, MAMBA], ["norm", "attention", "conv_qkv", "mamba2", "ffn"], [], ["ffn"]),
    ([], ["norm", "attention", "ffn"], [], []),
]


@pytest.mark.parametrize(("layers", "groups", "missing", "surplus"), SURFACES)
def test_groups_follow_the_operators(document, found, layers, groups, missing, surplus):
    """A programme calls for its groups, and what it does not run is surplus; no policies ask nothing."""
    drafter = document["components"][1]
    known = {
        **document["components"][0]["execution"],
        "mamba2": {"geometry": {}, "activation": "silu"},
        "conv_qkv": {},
    }
    drafter.update(num_layers=len(layers), attention=layers, execution={key: known[key] for key in groups})
    expected = [("missing-surface", {"component": "draft", "group": group}) for group in missing]
    expected += [("surplus-surface", {"component": "draft", "group": group}) for group in surplus]
    assert found(document) == expected


def test_groups_follow_the_objects(document, found):
    """An embedding calls for the head group, a decoder_stack for a placement and an execution at all."""
    target = document["components"][0]
    del target["execution"]["head"], target["execution"]["norm"]["placement"]
    assert found(document) == [
        ("missing-surface", {"component": "target", "group": "head"}),
        ("missing-surface", {"component": "target", "group": "norm.placement"}),
    ]
    del target["execution"]
    assert found(document) == [("missing-surface", {"component": "target", "group": "execution"})]
    del document["objects"][1]
    assert found(document) == []


def test_policies_are_counted(document, found):
    """Another number of policies than of layers is a defect of text and drafting components alone."""
    document["components"][0]["num_layers"] = 3
    expected = [("count-mismatch", {"subject": "target", "expected": 3, "found": 2})]
    assert found(document) == expected
    document["components"][0]["role"] = "perception"
    assert found(document) == []


@pytest.mark.parametrize(
    ("policy", "fields"),
    [
        ({"operator": "softmax", "position": {"kind": "none"}}, ["span"]),
        ({**KDA, "span": "full"}, ["span"]),
        ({**MLA, "span": "windowed"}, []),
        ({**FULL, "window": 4}, ["window"]),
        ({**FULL, "span": "sliding", "window": 4}, []),
        ({**FULL, "position": {"kind": "rope", "theta": 0}}, ["theta"]),
        ({**FULL, "position": {"kind": "rope", "theta": -0.5}}, ["theta"]),
        ({**FULL, "position": {"kind": "rope", "theta": 1}}, []),
    ],
)
def test_policies_that_contradict_themselves(document, found, policy, fields):
    """A span, window or theta that makes no sense is named with component and layer."""
    target = document["components"][0]
    target["attention"][1] = policy
    target["attention"][0] = FULL
    expected = [
        ("inconsistent-policy", {"component": "target", "layer": 1, "field": field}) for field in fields
    ]
    assert [defect for defect in found(document) if defect[0] == "inconsistent-policy"] == expected
