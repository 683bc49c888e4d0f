"""What the release's configuration says of sizes (waste.md, section 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.slot import Slot

MOST_LAYERS = 128
MOST_WIDTH = 1 << 20
MOST_WORDS = 1 << 24
MOST_HEADS = 1 << 16
MOST_EXPERTS = 1 << 20
MOST_AT_ONCE = 64
"""Experts that a token can be sent to."""

OPTIONAL = {
    "num_shared_experts": 64,
    "intermediate_size": MOST_WIDTH,
    "kv_lora_rank": MOST_WIDTH,
    "q_lora_rank": MOST_WIDTH,
    "qk_nope_head_dim": MOST_WIDTH,
    "qk_rope_head_dim": MOST_WIDTH,
    "v_head_dim": MOST_WIDTH,
}
"""Keys that are judged and used for nothing here, with the largest value of each."""
LINEAR_ATTENTION = {"num_heads": 1 << 16, "head_dim": 1 << 16, "short_conv_kernel_size": 64}
FLAGS = ("moe_renormalize", "latent_moe_use_norm", "mla_use_output_gate", "use_full_rank_gate")


class Config(NamedTuple):
    """The sizes of a model.

    Attributes:
        layers: of the whole model.
        hidden: columns of the embedding.
        words: rows of the embedding.
        experts: of each layer that has any; 0 for a dense model.
        first: the first layer with experts, where there are any.
        rows: of the gate and the up matrix of an expert; 0 for a dense model that does not say.
        width: their columns.
        rows_key, width_key: the keys that these two come from.
    """

    layers: int
    hidden: int
    words: int
    experts: int
    first: int
    rows: int
    width: int
    rows_key: str
    width_key: str

    @property
    def moe_layers(self) -> range:
        """The layers that have experts."""
        return range(self.first if self.experts else self.layers, self.layers)


def config_of(given: Slot) -> Config:
    """The sizes in a configuration, or in its `text_config` where that is an object (WASTE-CONFIG-02).

    Raises:
        Refusal: `missing-field`, `bad-type`, `out-of-range`, each with path and field.
    """
    inner = given.optional("text_config")
    config = inner if inner is not None and type(inner.value) is dict else given
    layers = _needed(config, "num_hidden_layers", MOST_LAYERS)
    hidden = _needed(config, "hidden_size", MOST_WIDTH)
    words = _needed(config, "vocab_size", MOST_WORDS)
    _needed(config, "num_attention_heads", MOST_HEADS)
    experts = _upto(config, "num_experts", MOST_EXPERTS)
    rows = _expert_rows(config, experts)
    routed = _upto(config, "routed_expert_hidden_size", MOST_WIDTH)
    first = _upto(config, "first_k_dense_replace", layers)
    _judge_others(config, layers)
    return Config(
        layers,
        hidden,
        words,
        experts,
        first,
        rows,
        routed or hidden,
        f"{config.field}.moe_intermediate_size",
        f"{config.field}.{'routed_expert_hidden_size' if routed else 'hidden_size'}",
    )


def _expert_rows(config: Slot, experts: int) -> int:
    """The rows of gate and up, and how many experts a token has, both of which experts need."""
    if not experts:
        _upto(config, "num_experts_per_token", MOST_AT_ONCE)
        return _upto(config, "moe_intermediate_size", MOST_WIDTH)
    _needed(config, "num_experts_per_token", min(experts, MOST_AT_ONCE))
    return _needed(config, "moe_intermediate_size", MOST_WIDTH)


def _judge_others(config: Slot, layers: int) -> None:
    for key, largest in OPTIONAL.items():
        _upto(config, key, largest)
    _upto(config, "attn_res_block_size", layers)
    linear = config.optional("linear_attn_config")
    if linear is not None:
        for key, largest in LINEAR_ATTENTION.items():
            _upto(linear, key, largest)
    epsilon = config.optional("rms_norm_eps")
    if epsilon is not None and not 0 < (value := epsilon.real()) < 1:
        message = f"{epsilon.path}: {epsilon.field} is not between 0 and 1"
        raise Refusal("out-of-range", message, path=epsilon.path, field=epsilon.field, value=value)
    for key in FLAGS:
        flag = config.optional(key)
        if flag is not None:
            flag.flag()


def _needed(config: Slot, key: str, largest: int) -> int:
    """An integer from 1 that must be there; null is not there (WASTE-CONFIG-06)."""
    given = config.optional(key)
    if given is None:
        field = f"{config.field}.{key}"
        raise Refusal("missing-field", f"{config.path} has no {field}", path=config.path, field=field)
    return given.integer(largest, 1)


def _upto(config: Slot, key: str, largest: int) -> int:
    """An integer that is 0 where it is absent or null."""
    given = config.optional(key)
    return 0 if given is None else given.integer(largest)
