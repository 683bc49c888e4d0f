"""Who owns a source tensor, and what it is called in its segment."""

from __future__ import annotations

import pytest

from vindex3_reference.container.binding import bound_tensors, common_prefix
from vindex3_reference.container.sources import sources_of
from vindex3_reference.graph.model import Binding, Object


def _object(id_: str, *prefixes: str, artifact: str = "a") -> Object:
    return Object(id_, "c", "embedding", tuple(Binding(artifact, prefix) for prefix in prefixes), ())


def _bound(objects: list[Object], **artifacts: list[str]) -> dict[str, list[tuple[str, str]]]:
    """Stored and source names of each object's tensors."""
    sources = {
        artifact: [{"name": name, "dtype": "U8", "shape": [0], "data": b""} for name in names]
        for artifact, names in artifacts.items()
    }
    found = bound_tensors(objects, sources_of(sources))
    return {id_: [(one.name, one.tensor.name) for one in bound] for id_, bound in found.items()}


@pytest.mark.parametrize(
    ("prefixes", "common"),
    [
        (["model.layers"], "model.layers"),
        (["encoder.fc", "encoder.output_norm_enc"], "encoder"),
        (["fc", "norm"], ""),
        (["ab.c", "abc"], ""),
        (["a.b", "a.b.c"], "a.b"),
        (["a.b.c", "a.x.c"], "a"),
    ],
)
def test_the_common_prefix(prefixes, common):
    """Whole parts between dots count, not characters."""
    assert common_prefix(_object("x", *prefixes)) == common


def test_the_longest_prefix_owns():
    """A longer prefix takes its tensors out of a shorter one's object, whatever the order of the objects."""
    stack, experts = _object("stack", "layers"), _object("experts", "layers.1.experts")
    names = [
        "layers.1.experts.0.w",
        "layers.1.experts_norm",
        "layers.1.experts",
        "layers.0.w",
        "layers_extra.w",
    ]
    expected = {
        "stack": [("0.w", "layers.0.w"), ("1.experts_norm", "layers.1.experts_norm")],
        "experts": [("0.w", "layers.1.experts.0.w"), ("weight", "layers.1.experts")],
    }
    assert _bound([stack, experts], a=names) == expected
    assert _bound([experts, stack], a=names[::-1]) == expected


def test_artifacts_stay_apart():
    """One name in two artifacts is two tensors; an artifact that is not there, or not bound, gives none."""
    objects = [_object("x", "head"), _object("y", "head", artifact="b"), _object("z", "head", artifact="c")]
    assert _bound(objects, a=["head.w"], b=["head.w", "head"], d=["head"]) == {
        "x": [("w", "head.w")],
        "y": [("w", "head.w"), ("weight", "head")],
        "z": [],
    }
