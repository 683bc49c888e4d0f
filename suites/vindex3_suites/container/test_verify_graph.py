"""Defects of the stored graph, as container.verify lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, either, refuses
from pytest_vindex3.contract.patterns import field
from vindex3_fixtures.container.index import GRAPH
from vindex3_fixtures.container.stored import of_graph
from vindex3_fixtures.graph import component, example, minimal, object_
from vindex3_fixtures.graph import vocabulary as v
from vindex3_fixtures.json_text import changed, json_text, removed
from vindex3_suites.container.test_verify_digests import payload_flipped
from vindex3_suites.container.verifying import SPOILT, defect, finds, intact, verify

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_vindex3.plugin.ask import Ask

EXAMPLE = example()
COMPONENTS = {one["id"]: place for place, one in enumerate(EXAMPLE["components"])}
OBJECTS = {one["id"]: place for place, one in enumerate(EXAMPLE["objects"])}
LAYERS = EXAMPLE["components"][COMPONENTS["target"]]["num_layers"]


def _with(key: str, one: Any) -> Any:
    """The example with one more component, object or edge."""
    return {**EXAMPLE, key: [*EXAMPLE[key], one]}


def _execution(component_id: str, *way: str) -> Any:
    """The example without this part of a component's execution."""
    return removed(EXAMPLE, ("components", COMPONENTS[component_id], "execution", *way))


PRIMARY = component("other", v.PRIMARY, artifact="other")
PERCEPTION = component("vision", v.PERCEPTION, artifact="other", num_layers=1)

FAULTS: dict[str, tuple[Any, Mapping[str, Any]]] = {
    "component_id_twice": (_with("components", PERCEPTION), defect("duplicate-id", id="vision")),
    "object_id_twice": (
        _with("objects", EXAMPLE["objects"][OBJECTS["vision.perception_adapter"]]),
        defect("duplicate-id", id="vision.perception_adapter"),
    ),
    "object_of_no_component": (
        _with("objects", object_("ghost", v.EMBEDDING, [EXAMPLE["objects"][0]["source_bindings"][0]])),
        defect("dangling-reference", referrer="ghost.embedding", missing="ghost"),
    ),
    "object_without_a_binding": (
        changed(EXAMPLE, ("objects", OBJECTS["vision.perception_tower"], "source_bindings"), []),
        defect("unbound-object", object="vision.perception_tower"),
    ),
    "object_id_that_is_not_joined": (
        changed(EXAMPLE, ("objects", OBJECTS["vision.perception_tower"], "id"), "vision.tower"),
        defect("id-mismatch", expected="vision.perception_tower", found="vision.tower"),
    ),
    "two_primary_components": (
        _with("components", PRIMARY),
        defect("ambiguous", candidates=["other", "target"]),
    ),
    "edge_from_nowhere": (
        changed(EXAMPLE, ("edges", 0, "producer_component"), "ghost"),
        defect("dangling-reference", missing="ghost"),
    ),
    "edge_into_nothing": (
        changed(EXAMPLE, ("edges", 0, "consumer_object"), "draft.embedding"),
        defect("dangling-reference", missing="draft.embedding"),
    ),
    "tap_beyond_the_last_layer": (
        changed(EXAMPLE, ("edges", 0, "producer_layers"), [0, LAYERS]),
        defect("edge-depth", component="target", layer=LAYERS, num_layers=LAYERS),
    ),
    "edge_onto_itself": (
        changed(
            changed(EXAMPLE, ("edges", 0, "producer_component"), "draft"),
            ("edges", 0, "producer_layers"),
            [0],
        ),
        defect("self-edge", component="draft"),
    ),
    "no_execution": (_execution("draft"), defect("missing-surface", component="draft", group="execution")),
    "no_attention_group": (
        _execution("draft", "attention"),
        defect("missing-surface", component="draft", group="attention"),
    ),
    "no_head_group": (
        _execution("target", "head"),
        defect("missing-surface", component="target", group="head"),
    ),
    "no_placement": (
        _execution("draft", "norm", "placement"),
        defect("missing-surface", component="draft", group="norm.placement"),
    ),
}


@clause("VERIFY-GRAPH-01")
@cases(FAULTS)
def test_a_defect_of_the_graph_is_listed(ask: Ask, case: tuple[Any, Mapping[str, Any]]) -> None:
    """What graph.load finds is found here with the same facts, or the run is refused with that kind."""
    graph, found = case
    legal, wrong = of_graph(EXAMPLE), of_graph(graph)
    check("VERIFY-GRAPH-01", verify(ask, legal, "legal"), intact(legal))
    expected = either(finds(wrong, found), refuses(found["kind"]))
    check("VERIFY-GRAPH-01", verify(ask, wrong, "wrong"), expected)


REFUSED: dict[str, tuple[bytes, Mapping[str, Any]]] = {
    "schema_5": (
        json_text(changed(EXAMPLE, ("schema",), 5)),
        defect("unknown-version", path=GRAPH, found=5),
    ),
    "no_schema": (
        json_text(removed(EXAMPLE, ("schema",))),
        defect("missing-field", path=GRAPH, field=field("schema")),
    ),
    "no_edges": (
        json_text(removed(EXAMPLE, ("edges",))),
        defect("missing-field", path=GRAPH, field=field("edges")),
    ),
    "unknown_role": (
        json_text(changed(EXAMPLE, ("components", 0, "role"), "primary")),
        defect("unknown-value", field=field("role"), value="primary"),
    ),
    "no_json": (b"graph: none", defect("malformed-json")),
    "nothing": (b"", defect("malformed-json")),
    "cut": (json_text(EXAMPLE)[:-1], defect("malformed-json")),
}


@clause("VERIFY-GRAPH-01")
@cases(REFUSED)
def test_a_graph_that_is_refused_is_listed(ask: Ask, case: tuple[bytes, Mapping[str, Any]]) -> None:
    """A graph that cannot be read as one is listed with the kind of its fault, or the run is refused."""
    text, found = case
    legal = of_graph(EXAMPLE)
    check("VERIFY-GRAPH-01", verify(ask, legal, "legal"), intact(legal))
    wrong = legal.with_file(GRAPH, text)
    expected = either(finds(wrong, found), refuses(found["kind"]))
    check("VERIFY-GRAPH-01", verify(ask, wrong, "wrong"), expected)


@clause("VERIFY-GRAPH-01")
def test_a_defect_of_the_graph_hides_no_segment(ask: Ask) -> None:
    """Where the graph has a defect and the run is not refused, every segment is judged all the same."""
    legal = of_graph(minimal())
    check("VERIFY-GRAPH-01", verify(ask, legal, "legal"), intact(legal))
    spoilt = of_graph(removed(minimal(), ("components", 0, "execution")))
    key = next(iter(spoilt.segments))
    wrong = payload_flipped(spoilt, key)
    found = defect("missing-surface", component="target", group="execution")
    expected = either(finds(wrong, found, flags={key: SPOILT}), refuses("missing-surface"))
    check("VERIFY-GRAPH-01", verify(ask, wrong, "wrong"), expected)
