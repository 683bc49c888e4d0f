"""Layer policies: the operator, the position with the keys of its kind, and what names do not say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.patterns import FieldName, field
from vindex3_fixtures.container import tiny
from vindex3_fixtures.graph import POSITIONS, example, minimal, policy, softmax
from vindex3_fixtures.graph import vocabulary as v
from vindex3_fixtures.graph.policies import m_rope, no_position, yarn
from vindex3_fixtures.json_text import Raw, Way, changed, removed
from vindex3_suites.graph.asking import load, load_stored
from vindex3_suites.graph.expected import defect, loads, reports

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Refuses

EXAMPLE = example()
LAYER: Way = ("components", 0, "attention", 0)
POSITION: Way = (*LAYER, "position")
OPERATORS = ["softmax", *v.SPANLESS, "mla"]
"""Operators whose group in the execution has a known form."""


def _check_refused(ask: Ask, clause_id: str, legal: Any, wrong: Any, expected: Refuses) -> None:
    check(clause_id, load(ask, legal), loads(legal))
    check(clause_id, load(ask, wrong), expected)


@clause("GRAPH-POLICY-01")
@cases({operator: operator for operator in OPERATORS})
def test_an_operator_is_required(ask: Ask, case: str) -> None:
    """A policy without operator is missing-field, whatever else of the layer or its groups suggests one."""
    legal = minimal([policy(case)])
    wrong = removed(legal, (*LAYER, "operator"))
    _check_refused(ask, "GRAPH-POLICY-01", legal, wrong, refuses("missing-field", field=field("operator")))


@clause("GRAPH-POLICY-01")
@cases(
    drafter=("components", 0, "attention", 0, "operator"),
    last_layer=("components", 1, "attention", 6, "operator"),
    tower=("components", 2, "attention", 0, "operator"),
)
def test_every_layer_has_its_operator(ask: Ask, case: Way) -> None:
    """Also a later layer, and one of another component, needs an operator."""
    wrong = removed(EXAMPLE, case)
    expected = refuses("missing-field", field=field("operator"))
    _check_refused(ask, "GRAPH-POLICY-01", EXAMPLE, wrong, expected)


@clause("GRAPH-POLICY-01")
def test_an_empty_policy_is_no_softmax(ask: Ask) -> None:
    """Of a policy without any key one of the required ones is missed."""
    wrong = changed(minimal(), LAYER, {})
    expected = refuses("missing-field", field=field("operator", "position"))
    _check_refused(ask, "GRAPH-POLICY-01", minimal(), wrong, expected)


@clause("GRAPH-POLICY-02")
@cases({operator: operator for operator in OPERATORS})
def test_a_position_is_required(ask: Ask, case: str) -> None:
    """A policy without position is missing-field; its absence never means none."""
    legal = minimal([policy(case)])
    wrong = removed(legal, (*LAYER, "position"))
    _check_refused(ask, "GRAPH-POLICY-02", legal, wrong, refuses("missing-field", field=field("position")))


KEYS = {
    "rope": ("theta",),
    "yarn": ("theta", "scaling"),
    "partial_rope": ("theta", "rotary_fraction", "basis"),
    "m_rope": ("theta", "rotary_fraction", "basis", "section", "interleaved"),
}


def _positioned(kind: str) -> Any:
    return minimal([softmax(POSITIONS[kind]()), softmax(no_position())])


@clause("GRAPH-POLICY-02")
@cases(
    {
        "kind": ("none", "kind"),
        **{f"{key}_of_{kind}": (kind, key) for kind, keys in KEYS.items() for key in keys},
    }
)
def test_a_position_has_the_keys_of_its_kind(ask: Ask, case: tuple[str, str]) -> None:
    """Without one of them the graph is refused as missing-field or bad-type, naming the key."""
    kind, key = case
    legal = _positioned(kind)
    expected = refuses("missing-field", "bad-type", field=field(key))
    _check_refused(ask, "GRAPH-POLICY-02", legal, removed(legal, (*POSITION, key)), expected)


@clause("GRAPH-POLICY-02")
@cases(
    {key: key for key in ("factor", "beta_fast", "beta_slow", "original_max_position_embeddings", "truncate")}
)
def test_a_scaling_has_its_keys(ask: Ask, case: str) -> None:
    """Of yarn's scaling each required key is asked for."""
    legal = _positioned("yarn")
    expected = refuses("missing-field", "bad-type", field=field(case, "scaling"))
    _check_refused(ask, "GRAPH-POLICY-02", legal, removed(legal, (*POSITION, "scaling", case)), expected)


ILL_TYPED: dict[str, tuple[str, str, str]] = {
    "theta_as_string": ("rope", "theta", '"10000"'),
    "theta_as_null": ("rope", "theta", "null"),
    "theta_as_boolean": ("rope", "theta", "true"),
    "theta_as_array": ("rope", "theta", "[10000]"),
    "scaling_as_number": ("yarn", "scaling", "4.0"),
    "scaling_as_null": ("yarn", "scaling", "null"),
    "rotary_fraction_as_string": ("partial_rope", "rotary_fraction", '"1/4"'),
    "rotary_fraction_as_null": ("partial_rope", "rotary_fraction", "null"),
    "basis_as_null": ("m_rope", "basis", "null"),
    "section_as_number": ("m_rope", "section", "3"),
    "section_as_string": ("m_rope", "section", '"2,1,1"'),
    "section_as_null": ("m_rope", "section", "null"),
    "section_as_object": ("m_rope", "section", '{"t":2,"h":1,"w":1}'),
    "interleaved_as_number": ("m_rope", "interleaved", "1"),
    "interleaved_as_null": ("m_rope", "interleaved", "null"),
    "kind_as_null": ("none", "kind", "null"),
}


@clause("GRAPH-POLICY-02")
@cases(ILL_TYPED)
def test_the_keys_of_a_position_have_their_types(ask: Ask, case: tuple[str, str, str]) -> None:
    """A key with a value of another type is there as little as an absent one."""
    kind, key, literal = case
    legal = _positioned(kind)
    expected = refuses("missing-field", "bad-type", field=field(key))
    wrong = changed(legal, (*POSITION, key), Raw(literal))
    _check_refused(ask, "GRAPH-POLICY-02", legal, wrong, expected)


@clause("GRAPH-POLICY-02")
@cases(
    none=([], "0"),
    one=([4], "1"),
    two=([2, 2], "2"),
    four=([1, 1, 1, 1], "3"),
    fraction=([2, 1.5, 1], "1"),
    string=([2, 1, "1"], "2"),
    null=([None, 1, 1], "0"),
    nested=([[2, 1, 1]], "0"),
)
def test_a_section_has_three_integers(ask: Ask, case: tuple[list[Any], str]) -> None:
    """A section of another length, or of other values, is refused by its name."""
    section, element = case
    legal = _positioned("m_rope")
    expected = refuses("missing-field", "bad-type", field=FieldName(("section",), element))
    wrong = changed(legal, (*POSITION, "section"), section)
    _check_refused(ask, "GRAPH-POLICY-02", legal, wrong, expected)


@clause("GRAPH-POLICY-02")
@cases(string='"rope"', null="null", number="10000", array='["rope"]', empty_array="[]")
def test_a_position_is_an_object(ask: Ask, case: str) -> None:
    """A position that is no object is refused by its name."""
    wrong = changed(minimal(), POSITION, Raw(case))
    expected = refuses("missing-field", "bad-type", field=field("position", "kind"))
    _check_refused(ask, "GRAPH-POLICY-02", minimal(), wrong, expected)


@clause("GRAPH-POLICY-02")
def test_numbers_of_a_position_may_be_integers(ask: Ask) -> None:
    """A theta or a factor spelt as an integer is a number like any other; optional scales may be there."""
    for position in (
        {"kind": "rope", "theta": 10000},
        yarn(1000000, factor=4, beta_fast=32, mscale=1, mscale_all_dim=0.707),
        {**m_rope(), "rotary_fraction": 1, "section": [16, 24, 24], "interleaved": False},
    ):
        legal = minimal([softmax(position)])
        check("GRAPH-POLICY-02", load(ask, legal), loads(legal))


@clause("GRAPH-POLICY-03")
@cases({operator: operator for operator in OPERATORS})
def test_no_position_stays_none(ask: Ask, case: str) -> None:
    """A position of kind none is given back as it is: no theta, no rope, between layers that have one."""
    document = minimal([policy(case), softmax(), policy(case)])
    check("GRAPH-POLICY-03", load(ask, document), loads(document))


@clause("GRAPH-POLICY-03")
def test_every_position_stays_what_it_is(ask: Ask) -> None:
    """Layers of all kinds of position keep theirs, in a container as well."""
    document = minimal([softmax(make()) for make in (*POSITIONS.values(), no_position)])
    check("GRAPH-POLICY-03", load(ask, document), loads(document))
    stored = changed(tiny().graph, ("components", 0, "attention", 1, "position"), no_position())
    check("GRAPH-POLICY-03", load_stored(ask, stored), loads(stored))


def _bound_by(document: Any, prefix: str) -> Any:
    return changed(document, ("objects", 0, "source_bindings", 0, "tensor_prefix"), prefix)


SELF_ATTENTION = "model.layers.0.self_attn.q_proj"


@clause("GRAPH-POLICY-07")
@cases({operator: operator for operator in v.SPANLESS})
def test_a_name_makes_no_attention(ask: Ask, case: str) -> None:
    """A layer that does not attend calls for no attention group, though self_attn.q_proj is in its names."""
    legal = _bound_by(minimal([policy(case)]), SELF_ATTENTION)
    check("GRAPH-POLICY-07", load(ask, legal), loads(legal))
    wrong = _bound_by(minimal([softmax()]), SELF_ATTENTION)
    wrong = removed(wrong, ("components", 0, "execution", "attention"))
    named = defect("missing-surface", component="target", group="attention")
    check("GRAPH-POLICY-07", load(ask, wrong), reports(wrong, named))


@clause("GRAPH-POLICY-07")
@cases(
    mixer="model.layers.0.mixer", linear="model.layers.0.linear_attn.in_proj", ssm="backbone.ssm", plain="x"
)
def test_a_name_takes_no_attention_away(ask: Ask, case: str) -> None:
    """A softmax layer calls for the attention group whatever its tensors are called."""
    legal = _bound_by(minimal([softmax()]), case)
    check("GRAPH-POLICY-07", load(ask, legal), loads(legal))
    wrong = removed(legal, ("components", 0, "execution", "attention"))
    named = defect("missing-surface", component="target", group="attention")
    check("GRAPH-POLICY-07", load(ask, wrong), reports(wrong, named))
