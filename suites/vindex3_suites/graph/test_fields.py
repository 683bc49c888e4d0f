"""The keys that must be there, and those that nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.patterns import field
from vindex3_fixtures.container import tiny
from vindex3_fixtures.graph import edge, example, minimal, policy
from vindex3_fixtures.graph import vocabulary as v
from vindex3_fixtures.graph.samples import HYBRID
from vindex3_fixtures.json_text import Way, at, changed, json_text, removed
from vindex3_suites.graph.asking import NAME, load, load_stored
from vindex3_suites.graph.expected import loads

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

EXAMPLE = example()
"""A drafter, a hybrid target and a tower, their objects, and an edge."""

COMPONENT: Way = ("components", 1)
OBJECT: Way = ("objects", 3)
STRUCTS: dict[str, tuple[Way, tuple[str, ...]]] = {
    "graph": ((), ("components", "objects", "edges")),
    "component": (COMPONENT, ("id", "role", "source_artifact", "num_layers", "hidden_size")),
    "perception_component": (("components", 2), ("id", "role", "source_artifact")),
    "object": (OBJECT, ("id", "component", "kind", "source_bindings", "representations")),
    "binding": ((*OBJECT, "source_bindings", 0), ("artifact", "tensor_prefix", "tensors", "bytes")),
    "later_binding": (("objects", 1, "source_bindings", 1), ("artifact", "tensors")),
    "representation": ((*OBJECT, "representations", 0), ("encoding", "fidelity")),
    "edge": (
        ("edges", 0),
        ("producer_component", "producer_layers", "consumer_component", "consumer_object"),
    ),
}
REQUIRED = {f"{key}_of_{name}": (*way, key) for name, (way, keys) in STRUCTS.items() for key in keys}


@clause("GRAPH-FIELD-01")
@cases(REQUIRED)
def test_a_required_key_is_missed(ask: Ask, case: Way) -> None:
    """Without a required key the graph is refused as missing-field; no default takes its place."""
    check("GRAPH-FIELD-01", load(ask, EXAMPLE), loads(EXAMPLE))
    expected = refuses("missing-field", field=field(str(case[-1])))
    check("GRAPH-FIELD-01", load(ask, removed(EXAMPLE, case)), expected)


@clause("GRAPH-FIELD-01")
@cases(
    edges=("edges",),
    num_layers=("components", 0, "num_layers"),
    component=("objects", 2, "component"),
    bytes=("objects", 0, "source_bindings", 0, "bytes"),
    encoding=("objects", 1, "representations", 0, "encoding"),
)
def test_a_required_key_of_a_container_names_the_file(ask: Ask, case: Way) -> None:
    """In a container the refusal names the graph's file beside the key."""
    model = tiny()
    check("GRAPH-FIELD-01", load_stored(ask, model.graph), loads(model.graph))
    expected = refuses("missing-field", path=NAME, field=field(str(case[-1])))
    check("GRAPH-FIELD-01", load_stored(ask, removed(model.graph, case), "wrong"), expected)


@clause("GRAPH-FIELD-01")
@cases({name: (*way, keys[0]) for name, (way, keys) in STRUCTS.items()})
def test_keys_are_compared_by_case(ask: Ask, case: Way) -> None:
    """A required key in capitals is an unknown one, and the required one is missing."""
    check("GRAPH-FIELD-01", load(ask, EXAMPLE), loads(EXAMPLE))
    key = str(case[-1])
    wrong = changed(removed(EXAMPLE, case), (*case[:-1], key.upper()), at(EXAMPLE, case))
    check("GRAPH-FIELD-01", load(ask, wrong), refuses("missing-field", field=field(key)))


@clause("GRAPH-FIELD-02")
@cases(
    minimal=minimal(),
    one_layer=minimal([policy(v.SOFTMAX)]),
    hybrid=minimal([policy(one) for one in (v.SOFTMAX, *HYBRID)]),
)
def test_one_component_is_enough(ask: Ask, case: Any) -> None:
    """One component with its objects and no edge loads, with all of it observed and no defect."""
    check("GRAPH-FIELD-02", load(ask, case), loads(case))


@clause("GRAPH-FIELD-02")
def test_the_graph_of_a_container_is_the_same_graph(ask: Ask) -> None:
    """By the container's path and by the text of its document the answer is one."""
    document = tiny().graph
    check("GRAPH-FIELD-02", load_stored(ask, document), loads(document))
    check("GRAPH-FIELD-02", load(ask, document), loads(document))


UNKNOWN: dict[str, Any] = {
    "comment": "none",
    "": 0,
    "schema_": [1, {"a": None}, 2.5],
    "__class__": "graph",
    "Kind": None,
    "_private": {"role": "oracle", "kind": 5},
}
PLACES: dict[str, Way] = {
    "graph": (),
    "component": COMPONENT,
    "policy": (*COMPONENT, "attention", 0),
    "position": (*COMPONENT, "attention", 0, "position"),
    "scaling": (*COMPONENT, "attention", 1, "position", "scaling"),
    "geometry": (*COMPONENT, "attention", 0, "geometry"),
    "execution": (*COMPONENT, "execution"),
    "attention": (*COMPONENT, "execution", "attention"),
    "ffn": (*COMPONENT, "execution", "ffn"),
    "norm": (*COMPONENT, "execution", "norm"),
    "pre": (*COMPONENT, "execution", "norm", "pre"),
    "head": (*COMPONENT, "execution", "head"),
    "mla": (*COMPONENT, "execution", "mla"),
    "perception": ("components", 2, "perception"),
    "encoder": ("components", 2, "perception", "transform", "encoder"),
    "object": OBJECT,
    "binding": (*OBJECT, "source_bindings", 0),
    "representation": (*OBJECT, "representations", 0),
    "edge": ("edges", 0),
}


def _with_unknown(document: Any, way: Way) -> Any:
    for key, value in UNKNOWN.items():
        document = changed(document, (*way, key), value)
    return document


@clause("GRAPH-FIELD-03")
@cases(PLACES)
def test_unknown_keys_are_kept(ask: Ask, case: Way) -> None:
    """Keys that nobody defined change nothing that is observed, and stay in the document."""
    document = _with_unknown(EXAMPLE, case)
    check("GRAPH-FIELD-03", load(ask, document), loads(document))


@clause("GRAPH-FIELD-03")
@cases(
    gate_in_a_policy=((*COMPONENT, "attention", 0, "output_gate"), {"kind": "sigmoid"}),
    window_of_an_object=((*OBJECT, "window"), -1),
    operator_of_a_component=((*COMPONENT, "operator"), "hyena"),
    schema_of_an_object=((*OBJECT, "schema"), 5),
    edges_of_a_component=((*COMPONENT, "edges"), None),
)
def test_a_key_of_another_place_is_unknown_here(ask: Ask, case: tuple[Way, Any]) -> None:
    """A known name at a place where it has no meaning is an unknown key like any other."""
    document = changed(EXAMPLE, *case)
    check("GRAPH-FIELD-03", load(ask, document), loads(document))


@clause("GRAPH-FIELD-03")
def test_unknown_keys_of_a_container_are_kept(ask: Ask) -> None:
    """The file of a container is given back with its unknown keys."""
    document = _with_unknown(_with_unknown(tiny().graph, ()), ("objects", 0))
    check("GRAPH-FIELD-03", load_stored(ask, document), loads(document))


@clause("GRAPH-FIELD-02")
def test_spacing_and_order_of_keys_say_nothing(ask: Ask) -> None:
    """A text with spaces, and with the keys of every object the other way round, is the same graph."""
    document = example()
    spaced = json_text(document).replace(b",", b" ,\n\t").replace(b":", b" : ").decode()
    check("GRAPH-FIELD-02", ask("graph.load", text=spaced), loads(document))
    check("GRAPH-FIELD-02", load(ask, _turned(document)), loads(document))


def _turned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _turned(inner) for key, inner in reversed(value.items())}
    return [_turned(inner) for inner in value] if isinstance(value, list) else value


@clause("GRAPH-FIELD-02")
def test_an_edge_is_no_part_of_the_minimum(ask: Ask) -> None:
    """With an edge as well as without any, nothing else of the observation changes."""
    with_edge = {**EXAMPLE, "edges": [edge("target", (0,), "draft")]}
    check("GRAPH-FIELD-02", load(ask, with_edge), loads(with_edge))
    without = {**EXAMPLE, "edges": []}
    check("GRAPH-FIELD-02", load(ask, without), loads(without))
