"""Graphs for the reference: typed as documents, and read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from vindex3_reference.graph.model import Graph
from vindex3_reference.graph.validate import defects
from vindex3_reference.slot import Slot

Document = dict[str, Any]

NORM = {"kind": "rms_norm", "eps": 1e-05, "weight_offset": 0.0}
ATTENTION = {
    "num_q_heads": 2,
    "num_kv_heads": 1,
    "head_dim": 8,
    "score_scale": 0.5,
    "qk_norm_scope": "per_head",
    "qk_norm_weight_offset": 0.0,
}
SOFTMAX = {"operator": "softmax", "span": "full", "position": {"kind": "rope", "theta": 10000.0}}


def bound(component: str, kind: str) -> Document:
    """An object under its own id, with one binding and one representation."""
    return {
        "id": f"{component}.{kind}",
        "component": component,
        "kind": kind,
        "source_bindings": [{"artifact": "a", "tensor_prefix": kind, "tensors": 1, "bytes": 2}],
        "representations": [{"encoding": "BF16", "fidelity": "canonical"}],
    }


GRAPH: Document = {
    "schema": 6,
    "components": [
        {
            "id": "target",
            "role": "primary_text",
            "source_artifact": "a",
            "num_layers": 2,
            "hidden_size": 16,
            "attention": [SOFTMAX, SOFTMAX],
            "execution": {
                "attention": ATTENTION,
                "ffn": {"activation": "silu", "ffn_type": "gated"},
                "norm": {"pre": NORM, "final_norm": NORM, "placement": "pre_only"},
                "head": {"vocab_size": 24},
            },
        },
        {"id": "draft", "role": "drafter", "source_artifact": "d", "num_layers": 1, "hidden_size": 16},
    ],
    "objects": [
        bound("target", "embedding"),
        bound("target", "decoder_stack"),
        bound("draft", "feature_projector"),
    ],
    "edges": [
        {
            "producer_component": "target",
            "producer_layers": [1, 0],
            "consumer_component": "draft",
            "consumer_object": "draft.feature_projector",
        }
    ],
}
"""A target that a drafter taps, without a defect."""


@pytest.fixture
def document() -> Document:
    """The graph, to be changed."""
    return json.loads(json.dumps(GRAPH))  # no part is shared with another


@pytest.fixture
def found() -> Callable[[Document], list[tuple[str, dict[str, object]]]]:
    """The defects of a document, as kind and facts."""

    def of(document: Document) -> list[tuple[str, dict[str, object]]]:
        graph = Graph.read(Slot.root(document, "system_graph.json"))
        return [(defect.kind, defect.names) for defect in defects(graph)]

    return of
