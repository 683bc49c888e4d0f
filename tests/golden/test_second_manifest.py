"""Every pinned manifest read a second time, with the standard library and the table of defaults."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_vindex3.contract.difference import first_difference
from vindex3_fixtures.goldens import goldens

MANIFESTS = [
    name
    for name, golden in goldens().items()
    if name.startswith("moe/") and any(request.verb == "moe.load" for request in golden.requests)
]
REFUSED = [name for name in MANIFESTS if goldens()[name].verdict == "refuse"]
DEFAULTS = {
    ("layers",): {"transforms": None, "shared_bank": None, "routed_output_norm": None},
    ("layers", "routed_bank"): {"expert_dims": None},
    ("layers", "shared_bank"): {"expert_dims": None},
    ("layers", "router"): {"post": {}, "shared_expert_sink": False},
    ("layers", "router", "post"): {
        "renormalise": False,
        "norm_after_top_k": False,
        "quantile_balanced": False,
        "gate_bias": None,
        "route_scale": None,
    },
}


def filled(value: Any, way: tuple[str, ...] = ()) -> Any:
    """The document with the default of every field that is left out."""
    if isinstance(value, list):
        return [filled(item, way) for item in value]
    if not isinstance(value, dict):
        return value
    whole = {**DEFAULTS.get(way, {}), **value}
    return {key: filled(item, (*way, key)) for key, item in whole.items()}


@pytest.mark.parametrize("name", [name for name in MANIFESTS if name not in REFUSED])
def test_a_second_reading_agrees(name: str) -> None:
    """The expected answer of moe.load is the document itself with every default filled in."""
    golden = goldens()[name]
    [request] = [request for request in golden.requests if request.verb == "moe.load"]
    document = filled(json.loads(golden.path.read_bytes()))
    assert request.answer is not None
    assert first_difference(request.answer, document) is None


@pytest.mark.parametrize("name", [name for name in REFUSED if goldens()[name].requests[0].kind])
def test_a_wrong_manifest_is_wrong_as_described(name: str) -> None:
    """What must be malformed is no JSON to the standard library; every other fault is there to be seen."""
    golden = goldens()[name]
    [request] = golden.requests
    data = golden.path.read_bytes()
    if request.kind == "malformed-json":
        with pytest.raises(ValueError, match=r"."):
            json.loads(data.decode("utf-8"))
        return
    [layer] = json.loads(data)["layers"]
    seen = {
        "missing-field": "combine" not in layer,
        "unknown-value": layer["router"]["activation"] not in ("softmax", "sigmoid"),
        "bad-type": type(layer["routed_bank"]["experts"]) is not int,
        "duplicate-key": data.count(b'"layer"') == 2,
    }
    assert [kind for kind, there in seen.items() if there] == [request.kind]
