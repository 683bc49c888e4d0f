"""From taps to edges: candidates, depth, and what stays unresolved."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.graph import edge
from vindex3_fixtures.graph.evidence import drafter, nested, projector, text_model
from vindex3_suites.graph.asking import resolve
from vindex3_suites.graph.canary import COMPONENTS
from vindex3_suites.graph.expected import resolves, unresolved
from vindex3_suites.graph.resolving import EDGE, FOUND, no_producer

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

TAPS = {
    "ascending": (0, 2, 4),
    "descending": (5, 3, 1),
    "mixed": (2, 5, 0),
    "one": (3,),
    "first_layer": (0,),
    "every_layer": (0, 1, 2, 3, 4, 5),
}


@clause("EDGE-ONE-01")
@cases({f"{name}_{block}": (taps, block) for name, taps in TAPS.items() for block in (None, 0, 1, 8)})
def test_one_candidate_gives_the_edge(ask: Ask, case: tuple[tuple[int, ...], int | None]) -> None:
    """The edge has producer, taps in declared order, consumer, its projector, and the declared block size."""
    taps, block_size = case
    made = edge("target", taps, "draft", block_size=block_size)
    for artifacts in (
        [text_model(), drafter(taps=taps, block_size=block_size)],
        [drafter(taps=taps, block_size=block_size), text_model()],
    ):
        check("EDGE-ONE-01", resolve(ask, *artifacts), resolves(COMPONENTS, [made], []))


@clause("EDGE-ONE-01")
def test_of_several_text_models_the_deep_enough_one_produces(ask: Ask) -> None:
    """Where depth leaves one candidate, that one is the producer, wherever it stands."""
    models = [text_model("shallow", 2), text_model("deep", 9), text_model("middle", 4)]
    for order in permutations(range(3)):
        artifacts = [models[position] for position in order]
        names = [one["artifact"] for one in artifacts]
        producer = ("target", "target_2", "target_3")[names.index("deep")]
        reply = resolve(ask, *artifacts, drafter(taps=(4, 1)))
        check("EDGE-ONE-01", reply, resolves(None, [edge(producer, (4, 1), "draft")], []))


@clause("EDGE-ONE-01")
def test_edges_are_sorted_by_consumer(ask: Ask) -> None:
    """Two drafters of one target give an edge each, sorted by their ids."""
    edges = [edge("target", (5, 0), "draft", block_size=4), edge("target", (2,), "draft_2")]
    drafters = [drafter("z", (5, 0), 4), drafter("a", (2,))]
    check("EDGE-ONE-01", resolve(ask, *drafters, text_model()), resolves(None, edges, []))


@clause("EDGE-NONE-01")
@cases(
    no_text_model=([], (1, 3)),
    too_shallow=([text_model(num_layers=3)], (1, 3)),
    all_too_shallow=([text_model("a", 1), text_model("b", 3)], (1, 3)),
    deepest_first=([text_model(num_layers=3)], (3, 0)),
    deepest_between=([text_model(num_layers=5)], (1, 5, 2)),
    large=([text_model(num_layers=62)], (4294967296,)),
    far_below=([text_model(num_layers=1)], (1,)),
)
def test_taps_without_an_owner_stay_unresolved(ask: Ask, case: tuple[list[Any], tuple[int, ...]]) -> None:
    """Where no candidate is deep enough, the interface is no-producer with the deepest tap, and no edge."""
    models, taps = case
    legal = resolve(ask, text_model(), drafter())
    check("EDGE-NONE-01", legal, FOUND)
    expected = resolves(None, [], [no_producer(max(taps))])
    check("EDGE-NONE-01", resolve(ask, *models, drafter(taps=taps)), expected)


NUMBERED = sorted(["target", *(f"target_{number}" for number in range(2, 12))])
"""Ids of eleven text models, sorted by bytes: target_10 before target_2."""


@clause("EDGE-MANY-01")
@cases(
    alike=([text_model("a"), text_model("b")], ["target", "target_2"]),
    one_deeper=([text_model("a", 6), text_model("b", 62)], ["target", "target_2"]),
    first_deeper=([text_model("a", 62), text_model("b", 6)], ["target", "target_2"]),
    exactly_deep_enough=([text_model("a", 4), text_model("b", 61)], ["target", "target_2"]),
    closer_name=([text_model("another", 6), text_model("tiny-target", 6)], ["target", "target_2"]),
    name_of_the_drafter=([text_model("x", 6), text_model("tiny-draft-target", 6)], ["target", "target_2"]),
    three=([text_model("c"), text_model("a"), text_model("b")], ["target", "target_2", "target_3"]),
    eleven=([text_model(f"{n}") for n in range(11)], NUMBERED),
    among_shallow_ones=(
        [text_model("a", 1), text_model("b", 9), text_model("c", 2), text_model("d", 8)],
        ["target_2", "target_4"],
    ),
)
def test_two_candidates_are_ambiguous(ask: Ask, case: tuple[list[Any], list[str]]) -> None:
    """Several candidates stay unresolved with all of them sorted; neither depth nor name chooses."""
    models, candidates = case
    check("EDGE-MANY-01", resolve(ask, text_model(), drafter()), FOUND)
    expected = resolves(None, [], [unresolved("ambiguous", "draft", candidates=candidates)])
    for artifacts in ([*models, drafter()], [drafter(), *models]):
        check("EDGE-MANY-01", resolve(ask, *artifacts), expected)


@clause("EDGE-MANY-01")
def test_a_width_chooses_no_candidate(ask: Ask) -> None:
    """Two candidates of one width are ambiguous whatever tensors of theirs would fit."""
    check("EDGE-MANY-01", resolve(ask, text_model(), drafter()), FOUND)
    models = [text_model("a", tensors=[projector(2)]), text_model("b", tensors=[])]
    expected = resolves(None, [], [unresolved("ambiguous", "draft", candidates=["target", "target_2"])])
    check("EDGE-MANY-01", resolve(ask, *models, drafter()), expected)


DEPTHS = {
    "6_layers_own_tap_5": (6, (5,)),
    "6_layers_own_taps_up_to_5": (6, (5, 0, 3)),
    "7_layers_own_tap_5": (7, (5,)),
    "1_layer_owns_tap_0": (1, (0,)),
    "52_layers_own_tap_49": (52, (1, 25, 49)),
    "2_to_the_32_layers": (4294967297, (4294967296,)),
}


@clause("EDGE-DEPTH-01")
@cases(DEPTHS)
def test_a_candidate_is_deeper_than_the_greatest_tap(ask: Ask, case: tuple[int, tuple[int, ...]]) -> None:
    """So many layers own these taps, and as many layers as the greatest tap says do not."""
    layers, taps = case
    made = edge("target", taps, "draft")
    check(
        "EDGE-DEPTH-01",
        resolve(ask, text_model(num_layers=layers), drafter(taps=taps)),
        resolves(None, [made], []),
    )
    if max(taps):
        wrong = resolve(ask, text_model(num_layers=max(taps)), drafter(taps=taps))
        check("EDGE-DEPTH-01", wrong, resolves(None, [], [no_producer(max(taps))]))


@clause("EDGE-DEPTH-01")
def test_depth_tells_two_candidates_apart(ask: Ask) -> None:
    """Of 5 and 6 layers only the 6 own tap 5, so that one candidate is left."""
    for models, producer in (
        ([text_model("five", 5), text_model("six", 6)], "target_2"),
        ([text_model("six", 6), text_model("five", 5)], "target"),
    ):
        reply = resolve(ask, *models, drafter(taps=(5,)))
        check("EDGE-DEPTH-01", reply, resolves(None, [edge(producer, (5,), "draft")], []))


@clause("EDGE-CANDIDATE-01")
@cases(
    tower_of_the_target={"nested": [nested("vision", 62, 16)]},
    towers={"nested": [nested("vision", 62, 16), nested("audio", 4294967295, 16)]},
)
def test_a_tower_is_no_candidate(ask: Ask, case: dict[str, Any]) -> None:
    """However deep, a tower neither produces nor makes the target ambiguous."""
    check("EDGE-CANDIDATE-01", resolve(ask, text_model(**case), drafter()), FOUND)
    wrong = resolve(ask, text_model(num_layers=2, **case), drafter())
    check("EDGE-CANDIDATE-01", wrong, resolves(None, [], [no_producer(3)]))


@clause("EDGE-CANDIDATE-01")
def test_a_drafter_is_no_candidate(ask: Ask) -> None:
    """However deep, another drafter neither produces nor makes the target ambiguous."""
    deep = drafter("deep", (0,), num_layers=90)
    edges = [EDGE, edge("target", (0,), "draft_2")]
    check("EDGE-CANDIDATE-01", resolve(ask, text_model(), drafter(), deep), resolves(None, edges, []))
    entries = [no_producer(3), no_producer(0, "draft_2", "deep")]
    check("EDGE-CANDIDATE-01", resolve(ask, drafter(), deep), resolves(None, [], entries))


@clause("EDGE-CANDIDATE-01")
def test_a_deep_drafter_does_not_feed_itself(ask: Ask) -> None:
    """A drafter with more layers than its taps is not its own producer."""
    check("EDGE-CANDIDATE-01", resolve(ask, text_model(), drafter(num_layers=90)), FOUND)
    expected = resolves(None, [], [no_producer(3)])
    check("EDGE-CANDIDATE-01", resolve(ask, drafter(num_layers=90)), expected)


ONE_ARTIFACT = [
    text_model("both", 62, tensors=[projector(2)]),
    drafter("both", (1, 3), tensors=[projector(2)]),
]


@clause("EDGE-CANDIDATE-02")
@cases(text_model_first=ONE_ARTIFACT, drafter_first=ONE_ARTIFACT[::-1])
def test_no_component_of_the_own_artifact_is_a_candidate(ask: Ask, case: list[Any]) -> None:
    """A text model and a drafter of one artifact stay apart: no-producer, however deep the model is."""
    components = [
        {"id": "draft", "role": "drafter", "source_artifact": "both"},
        {"id": "target", "role": "primary_text", "source_artifact": "both"},
    ]
    wrong = resolves(components, [], [no_producer(3, "draft", "both")])
    check("EDGE-CANDIDATE-02", resolve(ask, *case), wrong)


@clause("EDGE-CANDIDATE-02")
def test_a_text_model_of_another_artifact_is_the_only_candidate(ask: Ask) -> None:
    """Beside the own artifact's text model, that of another artifact produces without ambiguity."""
    for artifacts, producer in (
        ([*ONE_ARTIFACT, text_model("other")], "target_2"),
        ([text_model("other"), *ONE_ARTIFACT], "target"),
    ):
        reply = resolve(ask, *artifacts)
        check("EDGE-CANDIDATE-02", reply, resolves(None, [edge(producer, (1, 3), "draft")], []))
