"""Graphs and evidence that are drawn: sound ones, ones with one fault, and artifacts in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from pytest_vindex3 import check, clause
from pytest_vindex3.plugin.generated import generated
from pytest_vindex3.strategies.graph import evidence, graphs
from vindex3_fixtures.graph import binding, object_
from vindex3_fixtures.graph import vocabulary as v
from vindex3_fixtures.graph.derivation import derived
from vindex3_fixtures.json_text import changed
from vindex3_suites.graph.asking import load, resolve
from vindex3_suites.graph.expected import defect, loads, reports, resolves

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

GHOST = "a component that is nowhere"
PLACES = st.integers(0, 1 << 16)
"""Where to spoil a graph: positions, modulo how many there are."""


@clause("GRAPH-DOC-01", "GRAPH-ORDER-01", "GRAPH-OBJ-04")
@generated(graphs())
def test_a_drawn_graph_loads(ask: Ask, drawn: Any) -> None:
    """Any sound graph is given back as it is, observed in its own order and without a defect."""
    reply = load(ask, drawn)
    for clause_id in ("GRAPH-DOC-01", "GRAPH-ORDER-01", "GRAPH-OBJ-04"):
        check(clause_id, reply, loads(drawn))


@clause("GRAPH-COMP-03", "GRAPH-ENUM-02", "SURFACE-PRESENT-01")
@generated(graphs(drafters=1, towers=1, layers=8))
def test_a_drawn_stack_is_sound(ask: Ask, drawn: Any) -> None:
    """Any stack of known operators, with the groups that they call for, is free of surface defects."""
    reply = load(ask, drawn)
    for clause_id in ("GRAPH-COMP-03", "GRAPH-ENUM-02", "SURFACE-PRESENT-01"):
        check(clause_id, reply, loads(drawn))


def _check(ask: Ask, clause_id: str, legal: Any, wrong: Any, named: dict[str, Any]) -> None:
    check(clause_id, load(ask, legal), loads(legal))
    check(clause_id, load(ask, wrong), reports(wrong, named))


@clause("GRAPH-COMP-01")
@generated(st.tuples(graphs(), PLACES), examples=20)
def test_a_drawn_duplicate_is_reported(ask: Ask, drawn: tuple[Any, int]) -> None:
    """Any object of any graph, put in a second time, is a duplicate-id."""
    legal, place = drawn
    objects = legal["objects"]
    again = objects[place % len(objects)]
    wrong = {**legal, "objects": [*objects, again]}
    _check(ask, "GRAPH-COMP-01", legal, wrong, defect("duplicate-id", id=again["id"]))


@clause("GRAPH-OBJ-01")
@generated(st.tuples(graphs(), PLACES, st.sampled_from(v.KINDS)), examples=20)
def test_a_drawn_stray_object_is_reported(ask: Ask, drawn: tuple[Any, int, str]) -> None:
    """An object of a component that is nowhere is a dangling-reference, wherever it stands."""
    legal, place, kind = drawn
    stray = object_(GHOST, kind, [binding("stray")])
    objects = list(legal["objects"])
    objects.insert(place % (len(objects) + 1), stray)
    named = defect("dangling-reference", referrer=stray["id"], missing=GHOST)
    _check(ask, "GRAPH-OBJ-01", legal, {**legal, "objects": objects}, named)


@clause("GRAPH-OBJ-02")
@generated(st.tuples(graphs(), PLACES), examples=20)
def test_a_drawn_unbound_object_is_reported(ask: Ask, drawn: tuple[Any, int]) -> None:
    """Any object of any graph without its bindings is an unbound-object."""
    legal, place = drawn
    position = place % len(legal["objects"])
    wrong = changed(legal, ("objects", position, "source_bindings"), [])
    named = defect("unbound-object", object=legal["objects"][position]["id"])
    _check(ask, "GRAPH-OBJ-02", legal, wrong, named)


ENDS = ("producer_component", "consumer_component", "consumer_object")


@clause("EDGE-LOAD-01")
@generated(
    st.tuples(graphs().filter(lambda drawn: bool(drawn["edges"])), PLACES, st.sampled_from(ENDS)), examples=20
)
def test_a_drawn_dangling_edge_is_reported(ask: Ask, drawn: tuple[Any, int, str]) -> None:
    """Any end of any edge that leads nowhere is a dangling-reference."""
    legal, place, end = drawn
    wrong = changed(legal, ("edges", place % len(legal["edges"]), end), GHOST)
    _check(ask, "EDGE-LOAD-01", legal, wrong, defect("dangling-reference", missing=GHOST))


@clause("EDGE-ID-01", "EDGE-DEPTH-01", "EDGE-APART-01")
@generated(evidence())
def test_drawn_evidence_is_resolved(ask: Ask, drawn: list[Any]) -> None:
    """Of any artifacts in any order, components, edges and what is unresolved follow by the tables."""
    reply = resolve(ask, *drawn)
    for clause_id in ("EDGE-ID-01", "EDGE-DEPTH-01", "EDGE-APART-01"):
        check(clause_id, reply, resolves(**derived(drawn)))


@clause("EDGE-ONE-01")
@generated(st.tuples(evidence(text_models=1), st.randoms(use_true_random=False)), examples=20)
def test_the_order_of_drawn_evidence_changes_ids_alone(ask: Ask, drawn: tuple[list[Any], Any]) -> None:
    """Of artifacts in another order the same interfaces give edges, under the ids of that order."""
    artifacts, random = drawn
    check("EDGE-ONE-01", resolve(ask, *artifacts), resolves(**derived(artifacts)))
    shuffled = random.sample(artifacts, len(artifacts))
    check("EDGE-ONE-01", resolve(ask, *shuffled), resolves(**derived(shuffled)))
