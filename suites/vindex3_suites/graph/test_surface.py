"""The execution surface: which groups a component calls for, and which it must not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.graph import (
    binding,
    component,
    example,
    execution,
    graph,
    minimal,
    object_,
    policy,
    softmax,
    surface,
)
from vindex3_fixtures.graph import vocabulary as v
from vindex3_fixtures.graph.samples import TARGET_KINDS, target_objects, vision_objects
from vindex3_fixtures.json_text import Way, at, changed, removed
from vindex3_suites.graph.asking import load
from vindex3_suites.graph.expected import defect, loads, reports
from vindex3_suites.graph.unfixed import or_refuses_conv_qkv

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

SURFACE: Way = ("components", 0, "execution")
EXAMPLE = example()


def _missing(group: str, component_id: str = "target") -> dict[str, Any]:
    return defect("missing-surface", component=component_id, group=group)


def _check(ask: Ask, clause_id: str, legal: Any, wrong: Any, named: dict[str, Any]) -> None:
    check(clause_id, load(ask, legal), or_refuses_conv_qkv(legal, loads(legal)))
    check(clause_id, load(ask, wrong), or_refuses_conv_qkv(wrong, reports(wrong, named)))


STACKS = {
    "softmax": [v.SOFTMAX],
    "mla": [v.MLA],
    "conv_qkv_attention": [v.CONV_QKV],
    "softmax_last": [v.MAMBA2, v.KDA, v.SOFTMAX],
    "softmax_first": [v.SOFTMAX, v.GATED_DELTA, v.GATED_DELTA],
    "mla_among_mamba2": [v.MAMBA2, v.MLA, v.MAMBA2],
    "conv_qkv_attention_among_recurrent": [v.RECURRENT, v.CONV_QKV, v.RECURRENT],
}


def _stack(*operators: str) -> Any:
    return minimal([policy(one) for one in operators])


@clause("SURFACE-ATTN-01")
@cases(STACKS)
def test_an_attending_layer_calls_for_attention(ask: Ask, case: list[str]) -> None:
    """One layer that attends is enough for a missing attention group to be reported."""
    legal = _stack(*case)
    wrong = removed(legal, (*SURFACE, "attention"))
    _check(ask, "SURFACE-ATTN-01", legal, wrong, _missing("attention"))


@clause("SURFACE-ATTN-01", "SURFACE-FFN-01")
def test_one_missing_group_hides_no_other(ask: Ask) -> None:
    """Where several groups are missing each is told, of one component as of two."""
    wrong = removed(EXAMPLE, ("components", 1, "execution", "attention"))
    wrong = removed(wrong, ("components", 1, "execution", "ffn"))
    wrong = removed(wrong, ("components", 0, "execution", "attention"))
    first = _missing("attention", EXAMPLE["components"][0]["id"])
    for clause_id in ("SURFACE-ATTN-01", "SURFACE-FFN-01"):
        check(clause_id, load(ask, EXAMPLE), loads(EXAMPLE))
        expected = reports(wrong, first, _missing("attention"), _missing("ffn"))
        check(clause_id, load(ask, wrong), expected)


@clause("SURFACE-ATTN-01")
@cases(drafter=0, target=1, tower=2)
def test_attention_of_any_component_is_called_for(ask: Ask, case: int) -> None:
    """A drafter and a tower are judged as the target is, and each by its own layers."""
    wrong = removed(EXAMPLE, ("components", case, "execution", "attention"))
    named = _missing("attention", EXAMPLE["components"][case]["id"])
    _check(ask, "SURFACE-ATTN-01", EXAMPLE, wrong, named)


@clause("SURFACE-ATTN-01")
def test_a_component_without_policies_calls_for_no_layer_groups(ask: Ask) -> None:
    """Without attention policies, or with an empty list, no programme is declared and no group called for."""
    surface_alone = {key: at(minimal(), SURFACE)[key] for key in ("norm", "head")}
    for document in (removed(minimal(), ("components", 0, "attention")), _stack()):
        legal = changed(document, SURFACE, surface_alone)
        legal = changed(legal, ("components", 0, "num_layers"), 2)
        check("SURFACE-ATTN-01", load(ask, legal), loads(legal))
    wrong = removed(minimal(), (*SURFACE, "attention"))
    check("SURFACE-ATTN-01", load(ask, wrong), reports(wrong, _missing("attention")))


@clause("SURFACE-FFN-01")
@cases(
    {
        **{one: [one] for one in v.OPERATORS if one not in v.FFN_FREE},
        "kda_among_mamba2": [v.MAMBA2, v.MAMBA2, v.KDA],
        "softmax_among_conv_qkv_attention": [v.SOFTMAX, v.CONV_QKV],
    }
)
def test_a_layer_calls_for_ffn(ask: Ask, case: list[str]) -> None:
    """One layer that is neither mamba2 nor conv_qkv_attention calls for the ffn group."""
    legal = _stack(*case)
    _check(ask, "SURFACE-FFN-01", legal, removed(legal, (*SURFACE, "ffn")), _missing("ffn"))


@clause("SURFACE-FFN-01")
@cases(drafter=0, target=1, tower=2)
def test_ffn_of_any_component_is_called_for(ask: Ask, case: int) -> None:
    """A drafter and a tower are judged as the target is."""
    wrong = removed(EXAMPLE, ("components", case, "execution", "ffn"))
    _check(ask, "SURFACE-FFN-01", EXAMPLE, wrong, _missing("ffn", EXAMPLE["components"][case]["id"]))


@clause("SURFACE-MIXER-01")
@cases(
    mamba2=([v.MAMBA2], "mamba2"),
    mamba2_among_softmax=([v.SOFTMAX, v.MAMBA2, v.SOFTMAX], "mamba2"),
    conv_qkv=([v.CONV_QKV], "conv_qkv"),
    conv_qkv_among_softmax=([v.SOFTMAX, v.SOFTMAX, v.CONV_QKV], "conv_qkv"),
)
def test_a_mixer_calls_for_its_group(ask: Ask, case: tuple[list[str], str]) -> None:
    """A mamba2 layer without a mamba2 group is reported, and a conv_qkv_attention one without conv_qkv."""
    operators, group = case
    legal = _stack(*operators)
    _check(ask, "SURFACE-MIXER-01", legal, removed(legal, (*SURFACE, group)), _missing(group))


@clause("SURFACE-PRESENT-01")
@cases(
    mamba2=[v.MAMBA2],
    mamba2_twice=[v.MAMBA2, v.MAMBA2],
    softmax=[v.SOFTMAX],
    softmax_twice=[v.SOFTMAX, v.SOFTMAX],
)
def test_a_pure_stack_has_its_groups(ask: Ask, case: list[str]) -> None:
    """Pure mamba2 needs norm and mamba2 alone, pure softmax attention, ffn and norm."""
    layers = [policy(one) for one in case]
    kinds = [v.DECODER_STACK]
    stack = [object_("target", v.DECODER_STACK, [binding("model.layers")])]
    for legal in (minimal(layers), graph([component("target", v.PRIMARY, layers, kinds)], stack)):
        check("SURFACE-PRESENT-01", load(ask, legal), loads(legal))


@clause("SURFACE-PRESENT-01")
@cases(
    {
        f"{one}_and_{two}": [one, two]
        for one in v.OPERATORS
        for two in v.OPERATORS
        if v.CONV_QKV not in (one, two)
    }
)
def test_every_pair_of_operators_has_its_groups(ask: Ask, case: list[str]) -> None:
    """Any two operators in one stack, with the groups that either calls for, have no surface defect."""
    legal = _stack(*case)
    check("SURFACE-PRESENT-01", load(ask, legal), loads(legal))


@clause("SURFACE-PRESENT-02")
@cases(primary=1, drafter=0)
def test_a_stack_calls_for_an_execution(ask: Ask, case: int) -> None:
    """A component with a decoder_stack and no execution is reported by that word, and by no group's."""
    wrong = removed(EXAMPLE, ("components", case, "execution"))
    _check(
        ask, "SURFACE-PRESENT-02", EXAMPLE, wrong, _missing("execution", EXAMPLE["components"][case]["id"])
    )


@clause("SURFACE-PRESENT-02")
@cases(stack=(v.DECODER_STACK,), stack_and_norm=(v.DECODER_STACK, v.FINAL_NORM), everything=TARGET_KINDS)
def test_a_stack_without_policies_calls_for_an_execution(ask: Ask, case: tuple[str, ...]) -> None:
    """The objects owned call for it, whether there are policies or not; the one defect is execution."""
    objects = [one for one in target_objects() if one["kind"] in case]
    bare = component("target", v.PRIMARY, num_layers=2)
    legal = graph([{**bare, "execution": execution((), case)}], objects)
    wrong = graph([bare], objects)
    _check(ask, "SURFACE-PRESENT-02", legal, wrong, _missing("execution"))


@clause("SURFACE-PRESENT-02")
def test_a_component_without_objects_calls_for_nothing(ask: Ask) -> None:
    """Without objects a component needs no execution, though it has policies."""
    for role in v.ROLES:
        bare = component("one", role, attention=[softmax()], num_layers=1)
        check("SURFACE-PRESENT-02", load(ask, graph([bare])), loads(graph([bare])))
    wrong = removed(minimal(), SURFACE)
    check("SURFACE-PRESENT-02", load(ask, wrong), reports(wrong, _missing("execution")))


def _owner(*kinds: str, role: str = v.PRIMARY) -> Any:
    """A graph of one component with a softmax layer and objects of these kinds, sound in every respect."""
    objects = [object_("target", kind, [binding(kind)]) for kind in kinds]
    return graph([component("target", role, [softmax()], kinds)], objects)


@clause("SURFACE-HEAD-01")
@cases(
    embedding=(v.EMBEDDING,),
    output_head=(v.OUTPUT_HEAD,),
    both=(v.EMBEDDING, v.OUTPUT_HEAD),
    embedding_last=(v.DECODER_STACK, v.FINAL_NORM, v.EMBEDDING),
    output_head_first=(v.OUTPUT_HEAD, v.DECODER_STACK),
)
def test_a_vocabulary_calls_for_a_head(ask: Ask, case: tuple[str, ...]) -> None:
    """An owner of an embedding or an output_head without a head group is reported, whatever its role."""
    for role in v.ROLES:
        legal = _owner(*case, role=role)
        _check(ask, "SURFACE-HEAD-01", legal, removed(legal, (*SURFACE, "head")), _missing("head"))


@clause("SURFACE-HEAD-01")
def test_the_head_of_another_component_does_not_do(ask: Ask) -> None:
    """A drafter with an embedding of its own needs a head of its own; without one it needs none."""
    drafts = object_("draft", v.EMBEDDING, [binding("embed_tokens", "tiny-draft")])
    owner = {**EXAMPLE, "objects": [*EXAMPLE["objects"], drafts]}
    legal = changed(owner, ("components", 0, "execution", "head"), surface.head())
    check("SURFACE-HEAD-01", load(ask, EXAMPLE), loads(EXAMPLE))
    _check(ask, "SURFACE-HEAD-01", legal, owner, _missing("head", "draft"))


@clause("SURFACE-HEAD-01")
def test_a_head_is_called_for_without_policies(ask: Ask) -> None:
    """The objects owned decide, whether the component has policies or not."""
    legal = graph(
        [component("target", v.PRIMARY, (), [v.EMBEDDING], num_layers=1)],
        [object_("target", v.EMBEDDING, [binding("embed")])],
    )
    for document in (legal, removed(legal, ("components", 0, "attention"))):
        _check(ask, "SURFACE-HEAD-01", document, removed(document, (*SURFACE, "head")), _missing("head"))


PLACEMENT: Way = (*SURFACE, "norm", "placement")


@clause("SURFACE-NORM-01")
@cases({role: role for role in v.ROLES})
def test_a_stack_calls_for_a_placement(ask: Ask, case: str) -> None:
    """An owner of a decoder_stack whose norm has no placement is reported, whatever its role and layers."""
    legal = _owner(v.DECODER_STACK, v.FINAL_NORM, role=case)
    _check(ask, "SURFACE-NORM-01", legal, removed(legal, PLACEMENT), _missing("norm.placement"))
    legal = removed(legal, ("components", 0, "attention"))
    _check(ask, "SURFACE-NORM-01", legal, removed(legal, PLACEMENT), _missing("norm.placement"))


@clause("SURFACE-NORM-01")
@cases(drafter=0, target=1)
def test_a_placement_of_each_stack_is_called_for(ask: Ask, case: int) -> None:
    """The placement of one component is none of another's."""
    wrong = removed(EXAMPLE, ("components", case, "execution", "norm", "placement"))
    named = _missing("norm.placement", EXAMPLE["components"][case]["id"])
    _check(ask, "SURFACE-NORM-01", EXAMPLE, wrong, named)


@clause("SURFACE-NORM-01")
def test_without_a_stack_a_placement_is_optional(ask: Ask) -> None:
    """A tower, and a text model of an embedding alone, may have a placement or none."""
    for kinds in ((v.EMBEDDING,), (v.FINAL_NORM, v.OUTPUT_HEAD), (v.EXPERT_BANK,)):
        without = _owner(*kinds)
        for legal in (without, changed(without, PLACEMENT, "pre_post")):
            check("SURFACE-NORM-01", load(ask, legal), loads(legal))
    tower = {**EXAMPLE, "components": EXAMPLE["components"][2:], "objects": vision_objects(), "edges": []}
    for legal in (tower, changed(tower, PLACEMENT, "pre_only")):
        check("SURFACE-NORM-01", load(ask, legal), loads(legal))
    wrong = removed(minimal(), PLACEMENT)
    check("SURFACE-NORM-01", load(ask, wrong), reports(wrong, _missing("norm.placement")))
