"""The role of a tensor, rule by rule, and what the encodings hold."""

from __future__ import annotations

import pytest

from vindex3_reference.representation.eligibility import role_of
from vindex3_reference.representation.encodings import ENCODINGS

STACK, BANK, TEXT = "target.decoder_stack", "target.expert_bank", "primary_text"
MATRIX = (32, 32)

# One row for each test, and one for each pair of tests of which the earlier decides.
ROLES = [
    (STACK, TEXT, "0.self_attn.q_proj.weight", (32,), "small-vector"),
    (STACK, TEXT, "0.self_attn.q_proj.weight", (), "small-vector"),
    (STACK, TEXT, "0.self_attn.q_proj.weight", (2, 32, 32), "small-vector"),
    ("vision.perception_tower", "perception", "0.input_layernorm.weight", (32,), "small-vector"),
    ("draft.decoder_stack", "drafter", "0.self_attn.q_proj.weight", MATRIX, "auxiliary-component"),
    ("vision.embedding", "perception", "weight", MATRIX, "auxiliary-component"),
    ("target.embedding", TEXT, "weight", MATRIX, "embedding"),
    ("target.embed_tokens", TEXT, "norm.weight", MATRIX, "embedding"),
    ("target.embedding_lm_head", TEXT, "weight", MATRIX, "embedding"),
    ("target.output_head", TEXT, "weight", MATRIX, "output-head"),
    ("target.lm_head", TEXT, "norm.weight", MATRIX, "output-head"),
    ("target.final_norm", TEXT, "weight", MATRIX, "norm"),
    (STACK, TEXT, "0.mlp.norm_proj.weight", MATRIX, "norm"),
    (STACK, TEXT, "0.router_norm.weight", MATRIX, "norm"),
    (STACK, TEXT, "0.mlp.router.weight", MATRIX, "router"),
    (STACK, TEXT, "0.mlp.gate.weight", MATRIX, "router"),
    (BANK, TEXT, "0.mlp.gate", MATRIX, "router"),
    (STACK, TEXT, "0.router_bias", MATRIX, "router"),
    (STACK, TEXT, "0.self_attn.q_proj.bias", MATRIX, "small-vector"),
    (BANK, TEXT, "0.down_proj.bias", MATRIX, "small-vector"),
    (BANK, TEXT, "0.3.down_proj.weight", MATRIX, "expert-weight"),
    (BANK, TEXT, "0.3.w2", MATRIX, "expert-weight"),
    (STACK, TEXT, "0.mlp.gate_proj.weight", MATRIX, "decoder-linear"),
    (STACK, TEXT, "0.x_proj.weight", MATRIX, "decoder-linear"),
    (STACK, TEXT, "0.x_proj", MATRIX, "decoder-linear"),
    (STACK, TEXT, "0.self_attn.qkv", MATRIX, "decoder-linear"),
    (STACK, TEXT, "0.attention.qkv", MATRIX, "decoder-linear"),
    (STACK, TEXT, "0.mlp.w1", MATRIX, "decoder-linear"),
    (STACK, TEXT, "0.gateway", MATRIX, "unknown"),
    (STACK, TEXT, "0.projection.weight", MATRIX, "unknown"),
    (STACK, TEXT, "0.MLP.w1", MATRIX, "unknown"),
    ("target.Embedding", TEXT, "weight", MATRIX, "unknown"),
    (STACK, TEXT, "0.bias.weight", MATRIX, "unknown"),
]


@pytest.mark.parametrize(("thing", "component_role", "name", "shape", "role"), ROLES)
def test_the_first_test_that_holds_gives_the_role(thing, component_role, name, shape, role):
    """Shape, component, object and name are looked at in the order of the law."""
    assert role_of(thing, component_role, name, shape) == role


@pytest.mark.parametrize(
    ("encoding", "shape", "size"),
    [
        ("NVFP4", (2560, 8192), 11_796_484),
        ("NVFP4", (1, 16), 13),
        ("NVFP4", (0, 16), 4),
        ("NVFP4", (16, 24), None),
        ("NVFP4", (16,), None),
        ("NVFP4", (2, 2, 16), None),
        ("Q8_0", (3, 64), 204),
        ("Q8_0", (32,), 34),
        ("Q8_0", (2, 3, 32), 204),
        ("Q8_0", (32, 48), None),
        ("Q8_0", (), None),
        ("Q6_K", (2, 512), 840),
        ("Q6_K", (256, 128), None),
        ("Q4_K", (2, 512), 576),
        ("Q4_K", (2, 384), None),
    ],
)
def test_an_encoding_holds_whole_blocks(encoding, shape, size):
    """Bytes where the last dimension is a multiple of the block; None where it does not fit."""
    fits = ENCODINGS[encoding].fits(shape)
    assert (ENCODINGS[encoding].size(shape) if fits else None) == size
    assert fits == (size is not None)
