"""What one layer runs: a policy of a component's attention list (graph.md, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vindex3_reference.graph import vocabulary
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.slot import Slot

AXES = 3
"""The integers of an `m_rope` section: time, height, width."""


@dataclass(frozen=True, slots=True)
class Policy:
    """One layer, with what its operator is judged by.

    Attributes:
        operator: what the layer runs; names of tensors never say it.
        span: None where there is none.
        window: positions, None where there is none.
        theta: the base of a rotation; None where the position is `none`, which is no rotation by zero.
    """

    operator: str
    span: str | None
    window: int | None
    theta: int | float | None

    @classmethod
    def read(cls, layer: Slot) -> Policy:
        """One element of `attention`.

        Raises:
            Refusal: `missing-field`, `bad-type`, `out-of-range` or `unknown-value` (GRAPH-POLICY-01, 02).
        """
        operator = layer.required("operator").word(vocabulary.OPERATORS)
        span, window = layer.optional("span"), layer.optional("window")
        policy = cls(
            operator=operator,
            span=None if span is None else span.word(vocabulary.SPANS),
            window=None if window is None else window.u64(),
            theta=_theta(layer.required("position")),
        )
        _check_rest(layer)
        return policy


def _theta(position: Slot) -> int | float | None:
    """The theta of a position that has one, after all keys of its kind were looked at."""
    kind = position.required("kind").word(vocabulary.POSITIONS)
    if kind == "none":
        return None
    theta = position.required("theta").real()
    if kind == "yarn":
        _check_scaling(position.required("scaling"))
    if kind in ("partial_rope", "m_rope"):
        position.required("rotary_fraction").real()
        position.required("basis").word(vocabulary.BASES)
    if kind == "m_rope":
        _check_section(position.required("section"))
        position.required("interleaved").flag()
    return theta


def _check_scaling(scaling: Slot) -> None:
    for key in ("factor", "beta_fast", "beta_slow"):
        scaling.required(key).real()
    scaling.required("original_max_position_embeddings").u64()
    scaling.required("truncate").flag()
    for key in ("mscale", "mscale_all_dim"):
        scale = scaling.optional(key)
        if scale is not None:
            scale.real()


def _check_section(section: Slot) -> None:
    axes = [axis.u64() for axis in section.elements()]
    if len(axes) != AXES:
        raise Refusal(
            "bad-type",
            f"{section.path}: {section.field} has {len(axes)} integers, not {AXES}",
            path=section.path,
            field=section.field,
        )


def _check_rest(layer: Slot) -> None:
    """Look at the types of what no rule reads."""
    geometry = layer.optional("geometry")
    if geometry is not None:
        for key in ("head_dim", "num_kv_heads"):
            extent = geometry.optional(key)
            if extent is not None:
                extent.u64()
    from_k, declared = layer.optional("v_from_k"), layer.optional("declared_span")
    if from_k is not None:
        from_k.flag()
    if declared is not None:
        declared.text()
