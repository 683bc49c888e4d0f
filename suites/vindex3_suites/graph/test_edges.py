"""Stored edges: from whom, to whom, and which layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.graph import binding, edge, example, graph, object_
from vindex3_fixtures.graph import vocabulary as v
from vindex3_fixtures.graph.samples import two_drafters, vision, vision_objects
from vindex3_fixtures.json_text import changed
from vindex3_suites.container.graphs import TAPPED
from vindex3_suites.graph.asking import load
from vindex3_suites.graph.expected import defect, loads, reports

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

EXAMPLE = example()
LAYERS = EXAMPLE["components"][1]["num_layers"]
"""How many layers the target has that the drafter taps."""


PROJECTING = {
    **EXAMPLE,
    "objects": [
        *EXAMPLE["objects"],
        *(object_(one, v.FEATURE_PROJECTOR, [binding("projector")]) for one in ("target", "vision")),
    ],
}
"""The example in which every component owns a projector."""


def _with_edge(one: Any) -> Any:
    return {**EXAMPLE, "edges": [one]}


def _check(ask: Ask, clause_id: str, legal: Any, wrong: Any, *named: dict[str, Any]) -> None:
    check(clause_id, load(ask, legal), loads(legal))
    check(clause_id, load(ask, wrong), reports(wrong, *named))


END_KEYS = ("producer_component", "consumer_component", "consumer_object")


@clause("EDGE-LOAD-01")
@cases(
    {
        f"{key}_{name}": (key, identity)
        for key in END_KEYS
        for name, identity in {
            "nobody": "ghost",
            "capital": "Target" if key == "producer_component" else "Draft.feature_projector",
            "empty": "",
            "artifact": "tiny-draft",
            "role": "drafter",
        }.items()
    }
)
def test_an_edge_names_what_is_there(ask: Ask, case: tuple[str, str]) -> None:
    """A component or object that the graph lacks gives dangling-reference, naming what is missing."""
    key, identity = case
    wrong = changed(EXAMPLE, ("edges", 0, key), identity)
    _check(ask, "EDGE-LOAD-01", EXAMPLE, wrong, defect("dangling-reference", missing=identity))


@clause("EDGE-LOAD-01")
@cases(
    component_as_object=("consumer_object", "draft"),
    kind_as_object=("consumer_object", "feature_projector"),
    representation_as_object=("consumer_object", "draft.feature_projector@BF16"),
    object_as_consumer=("consumer_component", "draft.feature_projector"),
    object_as_producer=("producer_component", "target.decoder_stack"),
)
def test_an_id_of_another_sort_is_not_there(ask: Ask, case: tuple[str, str]) -> None:
    """Components are named by components' ids, objects by objects'."""
    key, identity = case
    wrong = changed(EXAMPLE, ("edges", 0, key), identity)
    _check(ask, "EDGE-LOAD-01", EXAMPLE, wrong, defect("dangling-reference", missing=identity))


@clause("EDGE-LOAD-01")
@cases({key: key for key in END_KEYS})
def test_a_later_edge_is_judged_as_well(ask: Ask, case: str) -> None:
    """Of two edges the second one's ends are looked for too."""
    legal = two_drafters()
    wrong = changed(legal, ("edges", 1, case), "ghost")
    _check(ask, "EDGE-LOAD-01", legal, wrong, defect("dangling-reference", missing="ghost"))


def _too_deep(*layers: int, producer: str = "target", num_layers: int = LAYERS) -> list[dict[str, Any]]:
    return [defect("edge-depth", component=producer, layer=one, num_layers=num_layers) for one in layers]


@clause("EDGE-LOAD-02")
@cases(
    at_the_end=([LAYERS], [LAYERS]),
    past_the_end=([LAYERS + 1], [LAYERS + 1]),
    far_past=([4294967296], [4294967296]),
    largest=([(1 << 64) - 1], [(1 << 64) - 1]),
    last_of_three=([0, 3, LAYERS], [LAYERS]),
    first_of_three=([LAYERS, 3, 0], [LAYERS]),
    between_others=([1, LAYERS + 2, 2], [LAYERS + 2]),
    two_of_them=([LAYERS, 0, LAYERS + 5], [LAYERS, LAYERS + 5]),
)
def test_a_tap_is_a_layer_of_the_producer(ask: Ask, case: tuple[list[int], list[int]]) -> None:
    """Each tap at or past the producer's num_layers gives edge-depth with layer and number of layers."""
    taps, deep = case
    legal = _with_edge(edge("target", (LAYERS - 1, 0), "draft", block_size=4))
    wrong = _with_edge(edge("target", taps, "draft", block_size=4))
    _check(ask, "EDGE-LOAD-02", legal, wrong, *_too_deep(*deep))


@clause("EDGE-LOAD-02")
def test_a_tap_is_counted_by_num_layers(ask: Ask) -> None:
    """The producer's own number decides: not the consumer's, not that of another component."""
    legal = _with_edge(edge("target", (1,), "draft"))  # the drafter itself has one layer
    wrong = {**PROJECTING, "edges": [edge("draft", (1,), "vision")]}
    named = _too_deep(1, producer="draft", num_layers=1)
    _check(ask, "EDGE-LOAD-02", legal, wrong, *named)


@clause("EDGE-LOAD-02")
@cases(at_the_end=(27, 27), past_the_end=(3, 1000))
def test_taps_into_a_tower_are_judged(ask: Ask, case: tuple[int, int]) -> None:
    """A perception component whose layers were read has no more of them than any other."""
    layers, tap = case
    legal, wrong = _projected(layers, layers - 1), _projected(layers, tap)
    _check(ask, "EDGE-LOAD-02", legal, wrong, *_too_deep(tap, producer="vision", num_layers=layers))


@clause("EDGE-LOAD-02")
def test_taps_of_a_later_edge_are_judged(ask: Ask) -> None:
    """Of two edges the second one's taps are counted too."""
    legal = two_drafters()
    wrong = changed(legal, ("edges", 1, "producer_layers"), [2])
    _check(ask, "EDGE-LOAD-02", legal, wrong, *_too_deep(2, num_layers=2))


@clause("EDGE-LOAD-02")
def test_a_tap_of_a_container_is_judged(ask: Ask) -> None:
    """The graph of a container is judged as its text is."""
    legal = ask("graph.load", path=ask.file("model", TAPPED.folder))
    check("EDGE-LOAD-02", legal, loads(TAPPED.graph))
    wrong = TAPPED.with_graph(("edges", 0, "producer_layers"), [0, 2])
    reply = ask("graph.load", path=ask.file("wrong", wrong.folder))
    check("EDGE-LOAD-02", reply, reports(wrong.graph, *_too_deep(2, num_layers=2)))


@clause("EDGE-LOAD-03")
@cases(drafter="draft", primary="target", tower="vision")
def test_states_flow_to_another_component(ask: Ask, case: str) -> None:
    """An edge from a component into itself gives self-edge, naming it."""
    wrong = {**PROJECTING, "edges": [edge(case, (0,), case)]}
    _check(ask, "EDGE-LOAD-03", PROJECTING, wrong, defect("self-edge", component=case))


@clause("EDGE-LOAD-03")
def test_a_later_edge_may_not_return(ask: Ask) -> None:
    """Of two edges the second one is judged too."""
    legal = two_drafters()
    wrong = changed(legal, ("edges", 1, "producer_component"), "draft_2")
    wrong = changed(wrong, ("edges", 1, "producer_layers"), [0])
    _check(ask, "EDGE-LOAD-03", legal, wrong, defect("self-edge", component="draft_2"))


TAPS = {
    "ascending": [0, 2, 5],
    "descending": [6, 3, 1],
    "mixed": [4, 0, 6, 2],
    "one": [3],
    "all": list(range(LAYERS)),
    "all_backward": list(reversed(range(LAYERS))),
}


@clause("EDGE-LOAD-04")
@cases({f"{name}_{block}": (taps, block) for name, taps in TAPS.items() for block in (None, 0, 1, 16)})
def test_taps_keep_their_order(ask: Ask, case: tuple[list[int], int | None]) -> None:
    """producer_layers are observed as declared, and block_size where it is stored alone."""
    taps, block_size = case
    document = _with_edge(edge("target", taps, "draft", block_size=block_size))
    check("EDGE-LOAD-04", load(ask, document), loads(document))


@clause("EDGE-LOAD-04")
@cases(two_to_the_31=1 << 31, two_to_the_32=1 << 32, beyond_binary64=(1 << 53) + 1)
def test_taps_have_64_bits(ask: Ask, case: int) -> None:
    """A tap, a block_size and a num_layers above 32 bits are those numbers."""
    document = changed(EXAMPLE, ("components", 2, "num_layers"), case + 1)
    document = changed(document, ("components", 2, "attention"), [])
    projected = {**PROJECTING, "components": document["components"]}
    stored = {**projected, "edges": [edge("vision", (case, 0), "target", block_size=case)]}
    check("EDGE-LOAD-04", load(ask, stored), loads(stored))


@clause("EDGE-LOAD-04")
def test_a_block_of_one_edge_is_none_of_another(ask: Ask) -> None:
    """Two edges, one with a block_size, are observed each with its own."""
    document = two_drafters()
    for stored in (document, {**document, "edges": document["edges"][::-1]}):
        check("EDGE-LOAD-04", load(ask, stored), loads(stored))


def _projected(layers: int, *taps: int) -> Any:
    """The example with an edge from its tower into a projector of the target."""
    tower = PROJECTING["components"][2]
    tower = {**tower, "num_layers": layers, "attention": tower["attention"] * layers}
    document = changed(PROJECTING, ("components", 2), tower)
    return {**document, "edges": [*EXAMPLE["edges"], edge("vision", taps, "target")]}


@clause("EDGE-LOAD-05")
@cases(one=(1, 0), first_of_27=(27, 0), last_of_27=(27, 26), several=(27, 25, 3, 0))
def test_a_tower_may_produce(ask: Ask, case: tuple[int, ...]) -> None:
    """An edge from a perception component to a projector of another loads without a defect."""
    document = _projected(*case)
    check("EDGE-LOAD-05", load(ask, document), loads(document))


@clause("EDGE-LOAD-05")
def test_a_tower_may_be_all_that_produces(ask: Ask) -> None:
    """It may be the only edge, and its producer have the primary's artifact or another."""
    for artifact in ("tiny-target", "another"):
        projected = _projected(1, 0)
        document = {**projected, "edges": projected["edges"][1:]}
        document = changed(document, ("components", 2, "source_artifact"), artifact)
        check("EDGE-LOAD-05", load(ask, document), loads(document))


@clause("EDGE-LOAD-05")
def test_a_tower_may_feed_a_drafter(ask: Ask) -> None:
    """In a graph without any text model a tower's states may flow into a drafter's projector."""
    text = two_drafters()
    drafter, objects = text["components"][0], text["objects"][:3]
    document = graph([drafter, vision()], [*objects, *vision_objects()], [edge("vision", (0,), "draft")])
    check("EDGE-LOAD-05", load(ask, document), loads(document))
