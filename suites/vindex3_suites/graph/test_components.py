"""Components: their ids, the primary one among them, and those that nobody has read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.container import tiny
from vindex3_fixtures.graph import component, encoder, example, graph, minimal, softmax
from vindex3_fixtures.graph import vocabulary as v
from vindex3_fixtures.graph.samples import (
    TARGET_KINDS,
    draft,
    draft_objects,
    target_objects,
    vision,
    vision_objects,
)
from vindex3_fixtures.json_text import at, changed
from vindex3_suites.graph.asking import load, load_stored
from vindex3_suites.graph.expected import defect, loads, reports

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

EXAMPLE = example()


def _check_reported(ask: Ask, clause_id: str, legal: Any, wrong: Any, named: dict[str, Any]) -> None:
    check(clause_id, load(ask, legal), loads(legal))
    check(clause_id, load(ask, wrong), reports(wrong, named))


def _twice(document: Any, array: str, position: int, to: int) -> Any:
    """The document with one element of an array a second time, there."""
    elements = list(document[array])
    elements.insert(to, elements[position])
    return {**document, array: elements}


@clause("GRAPH-COMP-01")
@cases(
    drafter_beside_itself=("components", 0, 1, "draft"),
    drafter_at_the_end=("components", 0, 3, "draft"),
    perception=("components", 2, 0, "vision"),
    object=("objects", 1, 2, "draft.feature_projector"),
    object_at_the_end=("objects", 0, 9, "draft.decoder_stack"),
    last_object_at_the_start=("objects", 8, 0, "vision.perception_tower"),
)
def test_an_id_is_used_once(ask: Ask, case: tuple[str, int, int, str]) -> None:
    """A component or an object that is there twice gives duplicate-id, naming its id."""
    array, position, to, identity = case
    wrong = _twice(EXAMPLE, array, position, to)
    _check_reported(ask, "GRAPH-COMP-01", EXAMPLE, wrong, defect("duplicate-id", id=identity))


@clause("GRAPH-COMP-01")
def test_an_object_with_other_content_is_a_duplicate_too(ask: Ask) -> None:
    """What two objects of one id say besides makes no difference."""
    wrong = changed(_twice(EXAMPLE, "objects", 3, 9), ("objects", 9, "representations", 0, "encoding"), "F16")
    named = defect("duplicate-id", id="target.decoder_stack")
    _check_reported(ask, "GRAPH-COMP-01", EXAMPLE, wrong, named)


@clause("GRAPH-COMP-01")
def test_components_of_two_sizes_are_duplicates_too(ask: Ask) -> None:
    """A second component of an id with another artifact and width is reported all the same."""
    wrong = _twice(EXAMPLE, "components", 2, 3)
    wrong = changed(wrong, ("components", 3, "source_artifact"), "another")
    wrong = changed(wrong, ("components", 3, "hidden_size"), 32)
    _check_reported(ask, "GRAPH-COMP-01", EXAMPLE, wrong, defect("duplicate-id", id="vision"))


@clause("GRAPH-COMP-01")
def test_ids_alike_are_two_ids(ask: Ask) -> None:
    """Ids that differ in case, by a blank or in their composition are no duplicates."""
    ids = ("tower", "Tower", "tower ", "to\u00e9", "toe\u0301", "tower_2")
    legal = graph([component(one, v.PERCEPTION) for one in ids])
    check("GRAPH-COMP-01", load(ask, legal), loads(legal))


@clause("GRAPH-COMP-01")
def test_a_component_may_have_the_id_of_an_object(ask: Ask) -> None:
    """Components and objects have ids of their own."""
    legal = minimal()
    legal["components"].append(component("target.embedding", v.PERCEPTION))
    check("GRAPH-COMP-01", load(ask, legal), loads(legal))


ANYWHERE = {
    "alone": [("primary", v.PRIMARY)],
    "first": [("z", v.PRIMARY), ("draft", v.DRAFTER), ("vision", v.PERCEPTION)],
    "in_the_middle": [("a", v.DRAFTER), ("m", v.PRIMARY), ("z", v.PERCEPTION)],
    "last": [("target", v.DRAFTER), ("vision", v.PERCEPTION), ("the one", v.PRIMARY)],
    "named_like_a_drafter": [("target", v.DRAFTER), ("draft", v.PRIMARY)],
    "named_like_a_tower": [("primary_text", v.PERCEPTION), ("vision", v.PRIMARY)],
    "without_a_name": [("target", v.PERCEPTION), ("", v.PRIMARY)],
    "of_any_letters": [("target", v.DRAFTER), ("sœur/ü\u0301 ", v.PRIMARY)],
}


@clause("GRAPH-COMP-03")
@cases(ANYWHERE)
def test_the_primary_is_found_by_its_role(ask: Ask, case: list[tuple[str, str]]) -> None:
    """`primary` is the id of the one primary_text component, wherever it stands and whatever its id."""
    document = graph([component(identity, role, num_layers=2) for identity, role in case])
    check("GRAPH-COMP-03", load(ask, document), loads(document))


@clause("GRAPH-COMP-03")
def test_the_primary_of_a_whole_graph_is_found(ask: Ask) -> None:
    """Among components in every order the same one is primary."""
    a, b, c = EXAMPLE["components"]
    for components in ([a, b, c], [b, a, c], [c, a, b], [c, b, a]):
        document = {**EXAMPLE, "components": components}
        check("GRAPH-COMP-03", load(ask, document), loads(document))


def _texts(*ids: str) -> Any:
    """A graph of text models of these ids, each with its objects, and a drafter."""
    texts = [component(one, v.PRIMARY, [softmax()], TARGET_KINDS) for one in ids]
    objects = [stored for one in ids for stored in target_objects(one)]
    return graph([draft(), *texts], [*draft_objects(), *objects])


@clause("GRAPH-COMP-04")
@cases(
    two=(("a", "b"), ["a", "b"]),
    two_the_other_way_round=(("b", "a"), ["a", "b"]),
    target_among_them=(("target_2", "target"), ["target", "target_2"]),
    three=(("m", "z", "a"), ["a", "m", "z"]),
    capitals_before_small_letters=(("a", "B"), ["B", "a"]),
    sorted_by_bytes=(("\U0001f600", "\uff5e", "z"), ["z", "\uff5e", "\U0001f600"]),
)
def test_two_primaries_are_ambiguous(ask: Ask, case: tuple[tuple[str, ...], list[str]]) -> None:
    """Several primary_text components give ambiguous with all of them sorted, and none is primary."""
    ids, candidates = case
    named = defect("ambiguous", candidates=candidates)
    _check_reported(ask, "GRAPH-COMP-04", _texts(ids[0]), _texts(*ids), named)


@clause("GRAPH-COMP-04")
def test_a_deeper_primary_is_taken_no_more_than_the_first(ask: Ask) -> None:
    """More layers make none of two the primary."""
    wrong = changed(_texts("big", "small"), ("components", 1, "num_layers"), 2)
    wrong = changed(wrong, ("components", 1, "attention"), [softmax(), softmax()])
    named = defect("ambiguous", candidates=["big", "small"])
    _check_reported(ask, "GRAPH-COMP-04", _texts("big"), wrong, named)


@clause("GRAPH-COMP-05")
@cases(
    drafter=graph([draft()], draft_objects()),
    perception=graph([vision()], vision_objects()),
    both=graph([draft(), vision()], [*draft_objects(), *vision_objects()]),
    drafter_named_target=graph([component("target", v.DRAFTER, num_layers=1)]),
)
def test_a_graph_may_have_no_primary(ask: Ask, case: Any) -> None:
    """Without a primary_text component `primary` is null, and that is no defect."""
    check("GRAPH-COMP-05", load(ask, case), loads(case))


@clause("GRAPH-COMP-05")
def test_a_container_may_have_no_primary(ask: Ask) -> None:
    """The same holds for the graph of a container."""
    document = changed(tiny().graph, ("components", 0, "role"), v.DRAFTER)
    check("GRAPH-COMP-05", load_stored(ask, document), loads(document))


@clause("GRAPH-COMP-06")
@cases(
    encoder=component("vision", v.PERCEPTION, perception=encoder(), hidden_size=0),
    nothing_known=component("audio", v.PERCEPTION, hidden_size=0),
    unread_encoder=component(
        "audio", v.PERCEPTION, hidden_size=0, perception={"modality": "audio", "transform": {"encoder": {}}}
    ),
    zeros_in_the_encoder=component("vision", v.PERCEPTION, hidden_size=0, perception=encoder(0, 0, 0)),
    with_execution=component(
        "vision", v.PERCEPTION, hidden_size=0, execution=at(EXAMPLE, ("components", 2, "execution"))
    ),
)
def test_a_tower_may_be_unread(ask: Ask, case: Any) -> None:
    """A perception component of no layers, no width and no policies loads as it is."""
    document = minimal()
    document["components"].append(case)
    check("GRAPH-COMP-06", load(ask, document), loads(document))
