"""Advice on layer policies: rotations by nothing, spans and windows without sense, layers not counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.contract.patterns import field
from vindex3_fixtures.graph import POSITIONS, component, example, graph, minimal, policy, sliding, softmax
from vindex3_fixtures.graph import vocabulary as v
from vindex3_fixtures.graph.policies import no_position
from vindex3_fixtures.graph.samples import draft, draft_objects
from vindex3_fixtures.json_text import Way, changed, removed
from vindex3_suites.graph.asking import load
from vindex3_suites.graph.expected import defect, loads, reports

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

EXAMPLE = example()


def _check(ask: Ask, clause_id: str, legal: Any, wrong: Any, named: dict[str, Any]) -> None:
    check(clause_id, load(ask, legal), loads(legal))
    check(clause_id, load(ask, wrong), reports(wrong, named))


def _inconsistent(name: str, layer: int = 0, component_id: str = "target") -> dict[str, Any]:
    return defect("inconsistent-policy", component=component_id, layer=layer, field=field(name))


THETAS = {
    "zero": 0,
    "zero_point_zero": 0.0,
    "minus_one": -1,
    "small_and_negative": -1e-300,
    "far_below": -1e300,
}


@clause("GRAPH-POLICY-04")
@cases({f"{name}_of_{kind}": (kind, theta) for kind in v.ROTARY for name, theta in THETAS.items()})
def test_a_rotation_has_a_base_above_0(ask: Ask, case: tuple[str, float]) -> None:
    """A theta of 0 or less is inconsistent-policy of theta, and the position stays what it is."""
    kind, theta = case
    layers = [softmax(no_position()), softmax(POSITIONS[kind]())]
    legal = minimal(layers)
    wrong = changed(legal, ("components", 0, "attention", 1, "position", "theta"), theta)
    _check(ask, "GRAPH-POLICY-04", legal, wrong, _inconsistent("theta", 1))


@clause("GRAPH-POLICY-04")
@cases(
    drafter=(("components", 0, "attention", 0, "position", "theta"), "draft", 0),
    latent=(("components", 1, "attention", 6, "position", "theta"), "target", 6),
)
def test_a_rotation_of_any_component_is_judged(ask: Ask, case: tuple[Way, str, int]) -> None:
    """The defect names the component, and the layer by its position in it."""
    way, identity, layer = case
    named = _inconsistent("theta", layer, identity)
    _check(ask, "GRAPH-POLICY-04", EXAMPLE, changed(EXAMPLE, way, 0), named)


@clause("GRAPH-POLICY-04")
def test_a_small_base_is_one(ask: Ask) -> None:
    """Any theta above 0 is no defect."""
    for theta in (1, 1e-300, 0.5, 1e300, 10000):
        legal = minimal([softmax({"kind": "rope", "theta": theta})])
        check("GRAPH-POLICY-04", load(ask, legal), loads(legal))


@clause("GRAPH-POLICY-05")
@cases(one_more=(2, 3), one_less=(3, 2), one_of_many=(100, 1), one_of_none=(0, 1), many_of_one=(1, 7))
def test_there_is_a_policy_per_layer(ask: Ask, case: tuple[int, int]) -> None:
    """Another number of policies than of layers is count-mismatch with both numbers."""
    layers, policies = case
    legal = minimal([softmax()] * policies)
    wrong = changed(legal, ("components", 0, "num_layers"), layers)
    named = defect("count-mismatch", subject="target", expected=layers, found=policies)
    _check(ask, "GRAPH-POLICY-05", legal, wrong, named)


@clause("GRAPH-POLICY-05")
def test_layers_of_a_drafter_are_counted(ask: Ask) -> None:
    """A drafter with another number of policies is reported by its id."""
    wrong = changed(EXAMPLE, ("components", 0, "num_layers"), 2)
    named = defect("count-mismatch", subject="draft", expected=2, found=1)
    _check(ask, "GRAPH-POLICY-05", EXAMPLE, wrong, named)


@clause("GRAPH-POLICY-05")
def test_no_policies_are_not_counted(ask: Ask) -> None:
    """A component of some layers may have no table of policies, or an empty one."""
    for spoilt in (changed(draft(), ("attention",), []), removed(draft(), ("attention",))):
        legal = graph([{**spoilt, "num_layers": 2}], draft_objects())
        check("GRAPH-POLICY-05", load(ask, legal), loads(legal))


@clause("GRAPH-POLICY-06")
@cases(
    {f"{span}_of_{operator}": (operator, span) for operator in v.SPANLESS for span in ("full", "windowed")}
)
def test_a_layer_without_span_has_none(ask: Ask, case: tuple[str, str]) -> None:
    """A span on an operator that has none is inconsistent-policy of span."""
    operator, span = case
    legal = minimal([softmax(), policy(operator)])
    wrong = changed(legal, ("components", 0, "attention", 1, "span"), span)
    _check(ask, "GRAPH-POLICY-06", legal, wrong, _inconsistent("span", 1))


@clause("GRAPH-POLICY-06")
@cases({kind: kind for kind in v.POSITIONS})
def test_a_softmax_layer_has_a_span(ask: Ask, case: str) -> None:
    """A softmax layer without span is inconsistent-policy of span."""
    legal = minimal([softmax(POSITIONS[case]())])
    wrong = removed(legal, ("components", 0, "attention", 0, "span"))
    _check(ask, "GRAPH-POLICY-06", legal, wrong, _inconsistent("span"))


@clause("GRAPH-POLICY-06")
@cases(full="full", windowed="windowed")
def test_a_window_slides(ask: Ask, case: str) -> None:
    """A window on another span than sliding is inconsistent-policy of window."""
    legal = minimal([sliding(), softmax(span=case)])
    wrong = changed(legal, ("components", 0, "attention", 1, "window"), 4)
    _check(ask, "GRAPH-POLICY-06", legal, wrong, _inconsistent("window", 1))


@clause("GRAPH-POLICY-06")
@cases({operator: operator for operator in v.SPANLESS})
def test_a_window_without_a_span_does_not_slide(ask: Ask, case: str) -> None:
    """A window on a layer without span is inconsistent-policy of window."""
    legal = minimal([policy(case)])
    wrong = changed(legal, ("components", 0, "attention", 0, "window"), 4)
    _check(ask, "GRAPH-POLICY-06", legal, wrong, _inconsistent("window"))


@clause("GRAPH-POLICY-06")
def test_a_span_of_a_tower_is_judged(ask: Ask) -> None:
    """The defect names the tower, and the layer by its position in it."""
    wrong = removed(EXAMPLE, ("components", 2, "attention", 0, "span"))
    _check(ask, "GRAPH-POLICY-06", EXAMPLE, wrong, _inconsistent("span", 0, "vision"))


@clause("GRAPH-POLICY-06")
def test_latent_attention_may_have_a_span_or_none(ask: Ask) -> None:
    """On an operator of which nothing is said, a span may be there or not."""
    spanless = {key: value for key, value in policy(v.MLA).items() if key != "span"}
    tower = component("tower", v.PERCEPTION, [policy(v.MLA), spanless])
    legal = graph([tower])
    check("GRAPH-POLICY-06", load(ask, legal), loads(legal))
