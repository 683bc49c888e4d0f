"""The groups of an execution surface and the keys that each of them must have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.patterns import field
from vindex3_fixtures.container import tiny
from vindex3_fixtures.graph import example, surface
from vindex3_fixtures.json_text import Way, at, changed, removed
from vindex3_suites.graph.asking import NAME, load, load_stored
from vindex3_suites.graph.expected import loads

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

EXAMPLE = example()
"""A drafter, a hybrid target and a tower."""
COMPONENT: Way = ("components", 1)


def _complete() -> Any:
    """The example with every group whose form is known, and a second feed-forward network of experts."""
    ffn = at(EXAMPLE, (*COMPONENT, "execution", "ffn"))
    return changed(EXAMPLE, (*COMPONENT, "execution", "ffn"), {**ffn, "moe": surface.moe()})


COMPLETE = _complete()
SURFACE: Way = (*COMPONENT, "execution")
GROUPS: dict[str, tuple[str, ...]] = {
    "execution": ("norm",),
    "attention": (
        "num_q_heads",
        "num_kv_heads",
        "head_dim",
        "score_scale",
        "qk_norm_scope",
        "qk_norm_weight_offset",
    ),
    "ffn": ("activation", "ffn_type"),
    "ffn.moe": (
        "experts",
        "top_k",
        "expert_intermediate_size",
        "router_kind",
        "routing_policy",
        "router_bias",
        "expert_format",
        "shared_experts",
        "hybrid",
    ),
    "norm": ("pre", "final_norm"),
    "norm.pre": ("kind", "eps", "weight_offset"),
    "norm.final_norm": ("kind", "eps", "weight_offset"),
    "head": ("vocab_size",),
    "linear_attention": ("key_heads", "key_head_dim", "value_heads", "value_head_dim", "conv_kernel"),
    "kda": ("num_heads", "head_dim", "conv_kernel"),
    "mla": ("num_heads", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"),
    "mamba2": ("geometry", "activation"),
}


def _group(name: str) -> Way:
    return SURFACE if name == "execution" else (*SURFACE, *name.split("."))


@clause("SURFACE-FIELD-01")
@cases({f"{key}_of_{name}": (*_group(name), key) for name, keys in GROUPS.items() for key in keys})
def test_a_group_has_its_required_keys(ask: Ask, case: Way) -> None:
    """Without one of the keys that a group must have, the graph is refused as missing-field."""
    check("SURFACE-FIELD-01", load(ask, COMPLETE), loads(COMPLETE))
    expected = refuses("missing-field", field=field(str(case[-1])))
    check("SURFACE-FIELD-01", load(ask, removed(COMPLETE, case)), expected)


@clause("SURFACE-FIELD-01")
@cases(norm=("norm",), eps=("norm", "pre", "eps"), vocab_size=("head", "vocab_size"))
def test_a_group_of_a_container_names_the_file(ask: Ask, case: Way) -> None:
    """In a container the refusal names the graph's file beside the key."""
    model, way = tiny(), ("components", 0, "execution", *case)
    check("SURFACE-FIELD-01", load_stored(ask, model.graph), loads(model.graph))
    expected = refuses("missing-field", path=NAME, field=field(str(case[-1])))
    check("SURFACE-FIELD-01", load_stored(ask, removed(model.graph, way), "wrong"), expected)


@clause("SURFACE-FIELD-01")
@cases(
    drafter=("components", 0, "execution", "norm"),
    perception=("components", 2, "execution", "norm"),
)
def test_every_component_has_its_norm(ask: Ask, case: Way) -> None:
    """An execution of a drafter or a tower needs its norm as well."""
    check("SURFACE-FIELD-01", load(ask, EXAMPLE), loads(EXAMPLE))
    expected = refuses("missing-field", field=field("norm"))
    check("SURFACE-FIELD-01", load(ask, removed(EXAMPLE, case)), expected)


@clause("SURFACE-FIELD-01")
@cases({name: name for name in GROUPS if name not in ("execution", "norm.pre", "norm.final_norm", "mamba2")})
def test_optional_keys_may_be_absent(ask: Ask, case: str) -> None:
    """A group with nothing but its required keys is whole."""
    group = at(COMPLETE, _group(case))
    keys = (*GROUPS[case], "placement") if case == "norm" else GROUPS[case]
    document = changed(COMPLETE, _group(case), {key: group[key] for key in keys})
    check("SURFACE-FIELD-01", load(ask, document), loads(document))
