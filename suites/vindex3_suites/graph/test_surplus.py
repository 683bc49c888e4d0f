"""Groups of an execution surface that no layer of the component runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.graph import example, minimal, policy, surface
from vindex3_fixtures.graph import vocabulary as v
from vindex3_fixtures.json_text import Way, changed, removed
from vindex3_suites.graph.asking import load
from vindex3_suites.graph.expected import defect, loads, reports
from vindex3_suites.graph.unfixed import or_refuses_conv_qkv

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

SURFACE: Way = ("components", 0, "execution")


def _stack(*operators: str) -> Any:
    return minimal([policy(one) for one in operators])


def _check(ask: Ask, legal: Any, way: Way, group: Any, component: str = "target") -> None:
    """Without the group the graph has no defect, with it exactly this one."""
    check("SURFACE-SURPLUS-01", load(ask, legal), or_refuses_conv_qkv(legal, loads(legal)))
    wrong = changed(legal, way, group)
    named = defect("surplus-surface", component=component, group=way[-1])
    check("SURFACE-SURPLUS-01", load(ask, wrong), or_refuses_conv_qkv(wrong, reports(wrong, named)))


@clause("SURFACE-SURPLUS-01")
@cases(
    kda=[v.KDA],
    gated_delta=[v.GATED_DELTA],
    recurrent=[v.RECURRENT],
    mamba2=[v.MAMBA2],
    all_of_them=[v.KDA, v.GATED_DELTA, v.RECURRENT, v.MAMBA2],
    one_twice=[v.KDA, v.KDA],
)
def test_attention_that_nobody_runs_is_surplus(ask: Ask, case: list[str]) -> None:
    """Where no layer attends, an attention group is surplus-surface."""
    _check(ask, _stack(*case), (*SURFACE, "attention"), surface.attention())


@clause("SURFACE-SURPLUS-01")
@cases(
    mamba2=[v.MAMBA2], mamba2_twice=[v.MAMBA2, v.MAMBA2], conv_qkv=[v.CONV_QKV], both=[v.CONV_QKV, v.MAMBA2]
)
def test_ffn_that_nobody_runs_is_surplus(ask: Ask, case: list[str]) -> None:
    """Where every layer is mamba2 or conv_qkv_attention, an ffn group is surplus-surface."""
    _check(ask, _stack(*case), (*SURFACE, "ffn"), surface.ffn())


@clause("SURFACE-SURPLUS-01")
def test_each_component_is_judged_by_its_own_layers(ask: Ask) -> None:
    """A drafter of kda layers has no use for the attention group that its target needs."""
    kda = [policy(v.KDA)]
    legal = changed(example(), ("components", 0, "attention"), kda)
    legal = removed(legal, (*SURFACE, "attention"))
    legal = changed(legal, (*SURFACE, "kda"), surface.kda())
    _check(ask, legal, (*SURFACE, "attention"), surface.attention(), "draft")


@clause("SURFACE-SURPLUS-01")
@cases(
    absent=lambda document: removed(document, ("components", 0, "attention")),
    empty=lambda document: changed(document, ("components", 0, "attention"), []),
)
def test_without_policies_nothing_is_surplus(ask: Ask, case: Any) -> None:
    """A component without policies declares no programme, so that it may have any group."""
    legal = case(minimal())
    check("SURFACE-SURPLUS-01", load(ask, legal), loads(legal))
    wrong = changed(_stack(v.MAMBA2), (*SURFACE, "ffn"), surface.ffn())
    named = defect("surplus-surface", component="target", group="ffn")
    check("SURFACE-SURPLUS-01", load(ask, wrong), reports(wrong, named))


@clause("SURFACE-SURPLUS-01")
@cases(
    softmax_last=[v.MAMBA2, v.MAMBA2, v.SOFTMAX],
    mla_first=[v.MLA, v.MAMBA2],
    softmax_alone=[v.SOFTMAX],
)
def test_one_layer_is_enough(ask: Ask, case: list[str]) -> None:
    """A group that one layer runs is not surplus; without that layer it is."""
    legal = _stack(*case)
    check("SURFACE-SURPLUS-01", load(ask, legal), loads(legal))
    _check(ask, _stack(v.MAMBA2), (*SURFACE, "attention"), surface.attention())
