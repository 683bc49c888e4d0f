"""What the law leaves open in a surface: the keys of the group conv_qkv (graph.md, section 10, row 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3.contract.patterns import Present
from pytest_vindex3.plugin.expect import Either, Refuses

if TYPE_CHECKING:
    from pytest_vindex3.plugin.expect import Expectation

_KINDS = ("missing-field", "bad-type", "out-of-range", "unknown-value")


def or_refuses_conv_qkv(document: Any, expected: Expectation) -> Expectation:
    """What is expected; of a graph with a group conv_qkv, a refusal over its inner keys conforms as well."""
    surfaces = [one.get("execution", {}) for one in document["components"]]
    if not any("conv_qkv" in one for one in surfaces):
        return expected
    return Either(expected, Refuses(_KINDS, {"field": Present()}), expected.sides)
