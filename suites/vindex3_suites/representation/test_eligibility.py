"""The roles of tensors: each kind that is compiled, and each that is kept as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.graph.vocabulary import DRAFTER, PERCEPTION
from vindex3_fixtures.representation import Placed, policy, tensor
from vindex3_fixtures.representation import vocabulary as v
from vindex3_fixtures.representation.tensors import EXPERTS, LAST_NORM, LOGITS, TOKENS, linear
from vindex3_suites.representation.compiling import DEFAULT, KEPT, Ruling, compile_, says

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_vindex3.plugin.ask import Ask

USUAL = policy()
BESIDE = linear("0.self_attn.o_proj.weight")
"""Something that compiles, so that a map has something to do."""


def _check(ask: Ask, clause_id: str, tensors: Iterable[Placed], ruling: Ruling) -> None:
    """All these tensors are ruled alike, before and behind one that compiles."""
    listed = list(tensors)
    rulings = [ruling] * len(listed)
    reply = compile_(ask, USUAL, [BESIDE, *listed])
    check(clause_id, reply, says(USUAL, [BESIDE, *listed], [DEFAULT, *rulings]))
    reply = compile_(ask, USUAL, [*listed, BESIDE])
    check(clause_id, reply, says(USUAL, [*listed, BESIDE], [*rulings, DEFAULT]))


LINEAR = {
    "attention": [f"3.self_attn.{one}_proj.weight" for one in "qkvo"],
    "feed_forward": [f"3.mlp.{one}_proj.weight" for one in ("gate", "up", "down")],
    "joined": ["0.self_attn.qkv_proj.weight", "0.mlp.gate_up_proj.weight"],
    "ending_without_weight": ["0.x.out_proj", "out_proj"],
    "any_projection": ["0.x.foo_proj.weight", "0.x_proj.y.z", "foo_proj.weight"],
    "within_attention": ["0.self_attn.dense.weight", "0.attention.query.weight", "5.cross_attention.wo"],
    "within_mlp": ["0.mlp.fc1.weight", "0.mlp.dense_4h_to_h.weight", "0.shared_mlp.x"],
    "without_a_depth": ["self_attn.q_proj.weight", "model.layers.0.mlp.up_proj.weight"],
    "names_of_other_objects": ["0.embed_tokens_proj.weight", "0.mlp.lm_head.weight", "0.self_attn.expert.x"],
    "gate_proj_is_no_router": ["0.mlp.gate_proj.weight", "0.mlp.gate_proj", "0.mlp.gate.proj.weight"],
    "bias_in_the_middle": ["0.self_attn.bias_proj.weight", "0.mlp.bias.x"],
}


@clause("ELIGIBLE-LINEAR-01")
@cases(LINEAR)
def test_a_projection_compiles(ask: Ask, case: list[str]) -> None:
    """Projections of the decoder stack have role decoder-linear and take the map's encoding."""
    _check(ask, "ELIGIBLE-LINEAR-01", map(linear, case), DEFAULT)


EXPERT_NAMES = {
    "projections": [
        f"0.mlp.experts.{at}.{one}_proj.weight" for at in (0, 63) for one in ("gate", "up", "down")
    ],
    "other_names": ["0.block_sparse_moe.experts.0.w1.weight", "7.w2", "weight"],
    "no_projection": ["0.x.y.z", "anything"],
}


@clause("ELIGIBLE-EXPERT-01")
@cases(EXPERT_NAMES)
def test_a_weight_of_an_expert_bank_compiles(ask: Ask, case: list[str]) -> None:
    """Weights of an expert bank are expert-weight, whatever their names, and take the map's encoding."""
    for thing in (EXPERTS, "m2.expert_bank"):
        _check(ask, "ELIGIBLE-EXPERT-01", [tensor(v.EXPERT, name, thing=thing) for name in case], DEFAULT)


@clause("ELIGIBLE-KEEP-01")
@cases(
    embedding=(v.EMBEDDING, (TOKENS, "text.embedding", "target.embed_tokens")),
    output_head=(v.HEAD, (LOGITS, "text.output_head", "target.lm_head")),
)
def test_embedding_and_head_are_kept(ask: Ask, case: tuple[str, tuple[str, ...]]) -> None:
    """They stay at the precision of the source, whatever their shape and their names."""
    role, things = case
    for thing in things:
        tensors = [
            tensor(role, name, shape, thing)
            for name in ("weight", "0.mlp.up_proj.weight")
            for shape in ((256, 256), (151936, 4096), (7, 5), (1, 1))
        ]
        _check(ask, "ELIGIBLE-KEEP-01", tensors, KEPT)


NORMS = (
    "0.input_layernorm.weight",
    "0.self_attn.q_norm.weight",
    "3.mlp.norm.weight",
    "0.self_attn.norm_proj.weight",
    "norm",
    "0.x.normal_proj.weight",
)


@clause("ELIGIBLE-KEEP-02")
@cases(fitting=(256, 256), not_fitting=(3, 5), row=(1, 4096))
def test_norms_are_kept(ask: Ask, case: tuple[int, ...]) -> None:
    """Norms of two dimensions stay at the precision of the source, by object or by name."""
    tensors = [tensor(v.NORM, name, case) for name in NORMS]
    tensors += [tensor(v.NORM, name, case, LAST_NORM) for name in ("weight", "0.mlp.up_proj.weight")]
    tensors += [tensor(v.NORM, name, case, EXPERTS) for name in NORMS]
    _check(ask, "ELIGIBLE-KEEP-02", tensors, KEPT)


ROUTERS = (
    "0.mlp.router.weight",
    "0.router.layer.weight",
    "router",
    "0.block_sparse_moe.gate.weight",
    "0.mlp.shared_expert_gate.weight",
    "0.mlp.gate",
    "12.mlp.x.gate",
    "0.self_attn.router_proj.weight",
)


@clause("ELIGIBLE-KEEP-03")
@cases(of_the_stack=BESIDE.object, of_an_expert_bank=EXPERTS)
def test_routers_are_kept(ask: Ask, case: str) -> None:
    """Routers stay at the precision of the source, in whatever object they are."""
    _check(ask, "ELIGIBLE-KEEP-03", [tensor(v.ROUTER, name, thing=case) for name in ROUTERS], KEPT)


@clause("ELIGIBLE-KEEP-03")
def test_what_looks_like_a_router_is_none(ask: Ask) -> None:
    """A gate_proj, a gate inside a name and a word that begins like one are projections."""
    names = (
        "gate_proj.weight",
        "gate_up_proj.weight",
        "gate.up_proj.weight",
        "gated_proj.weight",
        "rout_proj",
    )
    tensors = [linear(f"0.mlp.{name}") for name in (*names, "xgate")]
    _check(ask, "ELIGIBLE-KEEP-03", tensors, DEFAULT)


VECTORS: dict[str, list[Placed]] = {
    "one_dimension": [tensor(v.VECTOR, f"0.self_attn.{one}_proj.weight", (4096,)) for one in "qkvo"],
    "one_dimension_of_any_object": [
        tensor(v.VECTOR, "weight", (256,), thing) for thing in (TOKENS, LOGITS, LAST_NORM, EXPERTS)
    ],
    "one_value": [tensor(v.VECTOR, "0.mlp.scale", (1,))],
    "biases": [tensor(v.VECTOR, f"0.self_attn.{one}_proj.bias", (512,)) for one in "qkvo"],
    "biases_of_two_dimensions": [
        tensor(v.VECTOR, name, (256, 256))
        for name in (
            "0.self_attn.q_proj.bias",
            "0.mlp.down_proj_bias",
            "bias",
            "0.mlp.e_score_correction_bias",
        )
    ],
    "biases_of_experts": [tensor(v.VECTOR, "0.mlp.experts.0.down_proj.bias", (256, 256), EXPERTS)],
}


@clause("ELIGIBLE-KEEP-04")
@cases(VECTORS)
def test_small_vectors_are_kept(ask: Ask, case: list[Placed]) -> None:
    """Tensors of one dimension and biases of any shape stay at the precision of the source."""
    _check(ask, "ELIGIBLE-KEEP-04", case, KEPT)


AUXILIARY = {
    "perception": (PERCEPTION, ("vision.perception_tower", "audio.perception_adapter")),
    "drafter": (
        DRAFTER,
        ("draft.decoder_stack", "draft.feature_projector", "draft.embedding", "draft.final_norm"),
    ),
}


@clause("ELIGIBLE-KEEP-05")
@cases(AUXILIARY)
def test_other_components_are_kept(ask: Ask, case: tuple[str, tuple[str, ...]]) -> None:
    """Projections, norms, experts and vectors of such a component stay as they are."""
    component_role, things = case
    names = (
        "0.self_attn.q_proj.weight",
        "0.mlp.experts.0.up_proj.weight",
        "0.norm.weight",
        "x",
        "0.q_proj.bias",
    )
    for thing in things:
        tensors = [
            tensor(role, name, shape, thing, component_role=component_role)
            for name in names
            for role, shape in ((v.AUXILIARY, (256, 256)), (v.VECTOR, (256,)))
        ]
        _check(ask, "ELIGIBLE-KEEP-05", tensors, KEPT)


UNKNOWN = {
    "plain": ["0.weight", "weight", "0.mixer.w", "0.x.y.z.weight", "x"],
    "nearly_a_projection": ["0.x.q_projx.weight", "0.x.proj.weight", "0.x.qproj.weight", "0.x.q-proj.weight"],
    "nearly_attention": ["0.self_attnx.w", "0.self_attn", "attention", "0.attn.w", "0.attention_w"],
    "nearly_mlp": ["0.mlp", "mlp", "0.mlpx.w", "0.ml.p.w"],
    "capitals": [
        "0.MLP.w",
        "0.Self_Attn.w",
        "0.Attention.w",
        "0.x.Q_PROJ.weight",
        "0.x.q_Proj",
        "0.Norm.weight",
        "0.Router.w",
        "0.Gate.Weight",
        "0.x.Bias",
    ],
}


@clause("ELIGIBLE-KEEP-06")
@cases(UNKNOWN)
def test_what_no_rule_knows_is_kept(ask: Ask, case: list[str]) -> None:
    """A matrix whose name is like nothing, or like something in another case, has role unknown."""
    _check(ask, "ELIGIBLE-KEEP-06", [tensor(v.UNKNOWN, name) for name in case], KEPT)


@clause("ELIGIBLE-KEEP-06")
def test_objects_are_known_by_their_exact_case(ask: Ask) -> None:
    """Words of an object's id count in exact case alone."""
    ids = (
        "Expert.decoder_stack",
        "EMBED_TOKENS.decoder_stack",
        "LM_Head.decoder_stack",
        "exper.decoder_stack",
    )
    _check(ask, "ELIGIBLE-KEEP-06", [tensor(v.UNKNOWN, "0.w", thing=thing) for thing in ids], KEPT)
