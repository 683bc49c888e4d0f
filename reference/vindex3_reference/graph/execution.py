"""The execution surface of a component: the groups there are, and their required keys (graph.md, section 6).

Of values, only words, `eps` and `score_scale` have a type that the law fixes; of the rest it asks
that the required ones are there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vindex3_reference.graph import vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

    from vindex3_reference.slot import Slot


@dataclass(frozen=True, slots=True)
class Execution:
    """What a component declares to run.

    Attributes:
        groups: the groups that are there, `norm` always.
        placement: where norms stand; None where nothing says it.
    """

    groups: frozenset[str]
    placement: str | None

    @classmethod
    def read(cls, execution: Slot) -> Execution:
        """The `execution` of a component.

        Raises:
            Refusal: `missing-field`, `bad-type` or `unknown-value` (SURFACE-FIELD-01, GRAPH-ENUM-01).
        """
        placement = _norms(execution.required("norm"))
        present = {"norm"}
        for name, check in _OPTIONAL_GROUPS.items():
            group = execution.optional(name)
            if group is not None:
                check(group)
                present.add(name)
        return cls(frozenset(present), placement)


def _norms(group: Slot) -> str | None:
    for key in ("pre", "final_norm"):
        _norm(group.required(key))
    placement = group.optional("placement")
    return None if placement is None else placement.word(vocabulary.PLACEMENTS)


def _norm(norm: Slot) -> None:
    norm.required("kind").word(vocabulary.NORM_KINDS)
    norm.required("eps").real()
    norm.required("weight_offset").given()


def _attention(group: Slot) -> None:
    _given(group, "num_q_heads", "num_kv_heads", "head_dim")
    group.required("score_scale").real()
    group.required("qk_norm_scope").word(vocabulary.QK_NORM_SCOPES)
    _given(group, "qk_norm_weight_offset")
    _optional_word(group, "sinks", vocabulary.SINKS)


def _ffn(group: Slot) -> None:
    group.required("activation").word(vocabulary.ACTIVATIONS)
    group.required("ffn_type").word(vocabulary.FFN_TYPES)
    gate = group.optional("gate_policy")
    if gate is not None and gate.required("kind").word(vocabulary.GATE_POLICIES) == vocabulary.CLAMPED_GLU:
        _given(gate, "limit", "alpha")
    moe = group.optional("moe")
    if moe is not None:
        _moe(moe)


def _moe(moe: Slot) -> None:
    _given(moe, "experts", "top_k", "expert_intermediate_size")
    moe.required("router_kind").word(vocabulary.ROUTERS)
    moe.required("routing_policy").word(vocabulary.ROUTING_POLICIES)
    _given(moe, "router_bias")
    moe.required("expert_format").word(vocabulary.EXPERT_FORMATS)
    _given(moe, "shared_experts", "hybrid")
    _optional_word(moe, "gate_up_layout", vocabulary.GATE_UP_LAYOUTS)


def _head(group: Slot) -> None:
    _given(group, "vocab_size")


def _linear_attention(group: Slot) -> None:
    _given(group, "key_heads", "key_head_dim", "value_heads", "value_head_dim", "conv_kernel")


def _kda(group: Slot) -> None:
    _given(group, "num_heads", "head_dim", "conv_kernel")


def _mla(group: Slot) -> None:
    _given(group, "num_heads", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")


def _mamba2(group: Slot) -> None:
    _given(group, "geometry")
    group.required("activation").word(vocabulary.ACTIVATIONS)


def _conv_qkv(group: Slot) -> None:
    group.object()


_OPTIONAL_GROUPS: dict[str, Callable[[Slot], None]] = {
    "attention": _attention,
    "ffn": _ffn,
    "head": _head,
    "linear_attention": _linear_attention,
    "kda": _kda,
    "mla": _mla,
    "mamba2": _mamba2,
    "conv_qkv": _conv_qkv,
}


def _given(group: Slot, *keys: str) -> None:
    for key in keys:
        group.required(key).given()


def _optional_word(group: Slot, key: str, words: tuple[str, ...]) -> None:
    slot = group.optional(key)
    if slot is not None:
        slot.word(words)
