"""Containers that most tests begin with, and how waste.open is asked and answers, as expectations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3.contract.patterns import Exactly, one_of
from pytest_vindex3.plugin.expect import Answers, answers
from vindex3_fixtures.waste import Waste, blocked, dense, packed, pairs, single, tiny

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask

TINY: Final = tiny()
"""A dense layer and two of 3 experts; 3 whole-byte stages."""
DENSE: Final = dense()
"""Two layers without experts: no expert_quant, no codebooks, no bank."""
PACKED: Final = packed()
"""6-bit indices in blocks of 64 rows; one layer of 2 experts behind a dense one."""
BLOCKED: Final = blocked()
"""Whole bytes in blocks of 64 rows."""
PAIRS: Final = pairs()
"""vec_dim 2, two stages of 5 entries."""
SINGLE: Final = single()
"""One of everything."""

SHAPES: Final[dict[str, Waste]] = {
    "tiny": TINY,
    "dense": DENSE,
    "packed": PACKED,
    "blocked": BLOCKED,
    "pairs": PAIRS,
    "single": SINGLE,
}

EMBEDDING, HEAD, NORM, QUERY = (tensor.name for tensor in TINY.tensors)
"""The trunk's tensors, one of each format: Q4G, Q8G, F32, Q3G."""


def _idle() -> Waste:
    """A model that has experts by its config and no layer that uses them: its numbers need no file."""
    model = DENSE.with_config("first_k_dense_replace", 2)
    for key, value in (("num_experts", 4), ("num_experts_per_token", 2), ("moe_intermediate_size", 16)):
        model = model.with_config(key, value)
    return model


IDLE: Final = _idle()

OPTIONAL_SIZES: Final = (
    "intermediate_size",
    "kv_lora_rank",
    "q_lora_rank",
    "qk_nope_head_dim",
    "qk_rope_head_dim",
    "v_head_dim",
    "routed_expert_hidden_size",
)
FLAGS: Final = ("moe_renormalize", "latent_moe_use_norm", "mla_use_output_gate", "use_full_rank_gate")


def _full() -> Waste:
    """The tiny container with every optional key of config, each with a legal value that sizes nothing."""
    model = TINY
    for key in OPTIONAL_SIZES:
        model = model.with_config(key, 24 if key == "routed_expert_hidden_size" else 32)
    attention = {"num_heads": 2, "head_dim": 8, "short_conv_kernel_size": 4}
    rest = {"num_shared_experts": 1, "attn_res_block_size": 2, "rms_norm_eps": 1e-05}
    for key, value in {**rest, "linear_attn_config": attention, **dict.fromkeys(FLAGS, True)}.items():
        model = model.with_config(key, value)
    return model


FULL: Final = _full()


def open_(ask: Ask, model: Waste, name: str = "model") -> Reply:
    """Ask for a container."""
    return ask("waste.open", path=ask.file(name, model.folder))


def opens(model: Waste, **changes: object) -> Answers:
    """The whole observation, with no layer beside those of the model."""
    return answers(exact({**model.opened(), **changes}))


def exact(observation: dict[str, Any]) -> dict[str, Any]:
    """The observation with its layers free of others, and real numbers in either spelling."""
    quant = observation["expert_quant"]
    if quant is not None and quant["bits_per_weight"] is not None:
        bits = quant["bits_per_weight"]
        quant = {**quant, "bits_per_weight": one_of(float(bits), int(bits)) if bits == int(bits) else bits}
    return {**observation, "expert_quant": quant, "layers": Exactly(observation["layers"])}
