"""Which role a tensor has, on which depends what a map compiles (representation.md, section 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.graph.vocabulary import PRIMARY_TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALL_VECTOR = "small-vector"
AUXILIARY_COMPONENT = "auxiliary-component"
EMBEDDING = "embedding"
OUTPUT_HEAD = "output-head"
NORM = "norm"
ROUTER = "router"
EXPERT_WEIGHT = "expert-weight"
DECODER_LINEAR = "decoder-linear"
UNKNOWN = "unknown"


def role_of(thing: str, component_role: str, name: str, shape: Sequence[int]) -> str:
    """The role of a tensor: the first test that holds gives it (ELIGIBLE-ORDER-01).

    Args:
        thing: the id of its object.
        component_role: the role of the component that the object belongs to.
        name: its stored name; as everywhere, compared in exact case.
        shape: extent of each axis; what an encoding makes of it is no matter of roles (ELIGIBLE-SHAPE-01).
    """
    if len(shape) != 2:
        return SMALL_VECTOR
    if component_role != PRIMARY_TEXT:
        return AUXILIARY_COMPONENT
    return _of_matrix(thing, name)


def _of_matrix(thing: str, name: str) -> str:
    """The role of a matrix of the text model."""
    tests = (
        (_has(thing, "embedding", "embed_tokens"), EMBEDDING),
        (_has(thing, "output_head", "lm_head"), OUTPUT_HEAD),
        (_has(thing, "final_norm") or _has(name, "norm"), NORM),
        (_has(name, "router", "gate.weight") or name.endswith(".gate"), ROUTER),
        (name.endswith("bias"), SMALL_VECTOR),
        (_has(thing, "expert"), EXPERT_WEIGHT),
        (_has(name, "_proj.", "self_attn.", "attention.", "mlp.") or name.endswith("_proj"), DECODER_LINEAR),
    )
    return next((role for holds, role in tests if holds), UNKNOWN)


def _has(text: str, *parts: str) -> bool:
    return any(part in text for part in parts)
