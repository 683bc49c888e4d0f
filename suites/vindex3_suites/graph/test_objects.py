"""Objects: whose they are, what they are bound to, and which encoding is canonical."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.container import tiny
from vindex3_fixtures.graph import binding, component, example, graph, minimal, object_, representation
from vindex3_fixtures.graph import vocabulary as v
from vindex3_fixtures.json_text import Way, changed
from vindex3_suites.graph.asking import load, load_stored
from vindex3_suites.graph.expected import defect, loads, reports

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

EXAMPLE = example()


def _check_reported(ask: Ask, clause_id: str, legal: Any, wrong: Any, named: dict[str, Any]) -> None:
    check(clause_id, load(ask, legal), loads(legal))
    check(clause_id, load(ask, wrong), reports(wrong, named))


@clause("GRAPH-OBJ-01")
@cases(
    nobody="ghost",
    capitals="Target",
    object_id="target.embedding",
    role="primary_text",
    artifact="tiny-target",
    empty="",
    blank=" target",
)
def test_an_object_belongs_to_a_component(ask: Ask, case: str) -> None:
    """An object of a component that is not there gives dangling-reference, naming both."""
    stray = object_(case, v.EXPERT_BANK, [binding("model.experts")])
    for position in (0, 9):
        objects = list(EXAMPLE["objects"])
        objects.insert(position, stray)
        wrong = {**EXAMPLE, "objects": objects}
        named = defect("dangling-reference", referrer=stray["id"], missing=case)
        _check_reported(ask, "GRAPH-OBJ-01", EXAMPLE, wrong, named)


@clause("GRAPH-OBJ-01")
def test_an_object_may_stand_before_others_of_its_component(ask: Ask) -> None:
    """Whose an object is follows from its component alone, in whatever order they stand."""
    legal = {**EXAMPLE, "objects": EXAMPLE["objects"][::-1], "components": EXAMPLE["components"][::-1]}
    wrong = {**legal, "objects": [*legal["objects"], object_("ghost", v.EMBEDDING, [binding("e")])]}
    named = defect("dangling-reference", referrer="ghost.embedding", missing="ghost")
    _check_reported(ask, "GRAPH-OBJ-01", legal, wrong, named)


@clause("GRAPH-OBJ-02")
@cases({str(stored["id"]).replace(".", "_"): position for position, stored in enumerate(EXAMPLE["objects"])})
def test_an_object_is_bound(ask: Ask, case: int) -> None:
    """An empty source_bindings gives unbound-object, naming the object."""
    wrong = changed(EXAMPLE, ("objects", case, "source_bindings"), [])
    named = defect("unbound-object", object=EXAMPLE["objects"][case]["id"])
    _check_reported(ask, "GRAPH-OBJ-02", EXAMPLE, wrong, named)


@clause("GRAPH-OBJ-02")
def test_a_binding_of_nothing_is_a_binding(ask: Ask) -> None:
    """A binding whose counts are 0 binds the object; what it matches is not asked here."""
    legal = changed(EXAMPLE, ("objects", 4, "source_bindings"), [binding("none", tensors=0, length=0)])
    wrong = changed(EXAMPLE, ("objects", 4, "source_bindings"), [])
    _check_reported(ask, "GRAPH-OBJ-02", legal, wrong, defect("unbound-object", object="target.embedding"))


@clause("GRAPH-OBJ-02")
def test_an_object_of_a_container_is_bound(ask: Ask) -> None:
    """The graph of a container is judged as its text is."""
    legal = tiny().graph
    wrong = changed(legal, ("objects", 2, "source_bindings"), [])
    check("GRAPH-OBJ-02", load_stored(ask, legal), loads(legal))
    expected = reports(wrong, defect("unbound-object", object="target.final_norm"))
    check("GRAPH-OBJ-02", load_stored(ask, wrong, "wrong"), expected)


NORM: Way = ("objects", 5)
"""The target's final norm, which no edge names."""
MISNAMED = {
    "kind_alone": "final_norm",
    "component_alone": "target",
    "another_kind": "target.expert_bank",
    "another_component": "vision.final_norm",
    "turned_round": "final_norm.target",
    "slash": "target/final_norm",
    "two_dots": "target..final_norm",
    "no_dot": "targetfinal_norm",
    "capital": "Target.final_norm",
    "capital_kind": "target.Final_norm",
    "blank_behind": "target.final_norm ",
    "blank_around_the_dot": "target . final_norm",
    "number_behind": "target.final_norm_2",
    "dot_behind": "target.final_norm.",
    "more_behind": "target.final_norm.weight",
    "empty": "",
    "encoding_behind": "target.final_norm@F32",
}


@clause("GRAPH-OBJ-03")
@cases(MISNAMED)
def test_an_object_is_named_by_component_and_kind(ask: Ask, case: str) -> None:
    """An id that is not its component, a dot and its kind gives id-mismatch with both spellings."""
    wrong = changed(EXAMPLE, (*NORM, "id"), case)
    named = defect("id-mismatch", expected="target.final_norm", found=case)
    _check_reported(ask, "GRAPH-OBJ-03", EXAMPLE, wrong, named)


@clause("GRAPH-OBJ-03")
@cases(dots="a.b.c", a_kind="embedding", dot_at_the_end="a.", letters="Ü/é ", empty="")
def test_a_component_id_is_taken_as_it_is(ask: Ask, case: str) -> None:
    """Whatever stands in a component's id, the joined spelling is right and another one is not."""
    tower = component(case, v.PERCEPTION, (), [v.PERCEPTION_TOWER])
    stored = object_(case, v.PERCEPTION_TOWER, [binding("tower")])
    legal = graph([tower], [stored])
    wrong = graph([tower], [{**stored, "id": f"x{stored['id']}"}])
    named = defect("id-mismatch", expected=f"{case}.perception_tower", found=f"x{case}.perception_tower")
    _check_reported(ask, "GRAPH-OBJ-03", legal, wrong, named)


CANONICAL = representation("BF16")
APPROXIMATE = representation("Q4_K", "approximate")


@clause("GRAPH-OBJ-04")
@cases(
    one=[CANONICAL],
    canonical_first=[CANONICAL, APPROXIMATE],
    approximate_first=[APPROXIMATE, CANONICAL],
    approximate_alone=[APPROXIMATE],
    three=[representation("Z"), representation("A"), APPROXIMATE],
    canonical_last=[APPROXIMATE, representation("Q6_K", "approximate"), CANONICAL],
    wider_second=[representation("F16"), representation("F32")],
    empty_label=[representation(""), CANONICAL],
)
def test_the_first_representation_is_canonical(ask: Ask, case: list[Any]) -> None:
    """`canonical` is the first encoding, whatever follows and whatever its fidelity word."""
    for position in (0, 3):
        document = changed(minimal(), ("objects", position, "representations"), case)
        check("GRAPH-OBJ-04", load(ask, document), loads(document))
