"""From evidence to components: roles, ids and their order."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.graph import edge
from vindex3_fixtures.graph.derivation import derived
from vindex3_fixtures.graph.evidence import (
    artifact,
    drafter,
    interface,
    nested,
    projector,
    tensor,
    text_model,
)
from vindex3_suites.graph.asking import resolve
from vindex3_suites.graph.expected import resolves

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


def _component(identity: str, role: str, source: str) -> dict[str, str]:
    return {"id": identity, "role": role, "source_artifact": source}


TARGET = _component("target", "primary_text", "tiny-target")
DRAFT = _component("draft", "drafter", "tiny-draft")
VISION = _component("vision", "perception", "tiny-target")

PATHS = {
    "of_a_group": "dflash_config.target_layer_ids",
    "alone": "target_layer_ids",
    "deep": "a.b.c.d.target_layer_ids",
    "of_another_group": "eagle_config.target_layer_ids",
    "twice": "target_layer_ids.target_layer_ids",
}


@clause("EDGE-ROLE-01")
@cases(PATHS)
def test_taps_make_a_drafter(ask: Ask, case: str) -> None:
    """An artifact with an interface path that ends in target_layer_ids is a drafter."""
    reply = resolve(ask, text_model(), drafter(interfaces=[interface((1, 3), case)]))
    check("EDGE-ROLE-01", reply, resolves([DRAFT, TARGET], [edge("target", (1, 3), "draft")], []))


@clause("EDGE-ROLE-01")
def test_a_drafter_is_known_by_its_interface_alone(ask: Ask) -> None:
    """Neither its name nor its size says it: an artifact with taps and many layers is a drafter."""
    artifacts = [drafter("tiny-target", num_layers=80), text_model("tiny-draft", 4)]
    expected = [
        _component("draft", "drafter", "tiny-target"),
        _component("target", "primary_text", "tiny-draft"),
    ]
    check("EDGE-ROLE-01", resolve(ask, *artifacts), resolves(expected, [edge("target", (1, 3), "draft")], []))


@clause("EDGE-ROLE-01")
def test_one_interface_of_several_is_enough(ask: Ask) -> None:
    """Beside interfaces that say nothing, one of that name makes the drafter, and one edge."""
    others = [interface((0,), "mtp_config.layer_ids"), interface((2,), "draft_config.block")]
    declared = [others[0], interface((1, 3)), others[1]]
    reply = resolve(ask, text_model(), drafter(interfaces=declared))
    check("EDGE-ROLE-01", reply, resolves([DRAFT, TARGET], [edge("target", (1, 3), "draft")], []))


@clause("EDGE-ROLE-01")
def test_a_drafter_without_a_target_is_a_drafter(ask: Ask) -> None:
    """What becomes of its interface makes no difference to the role."""
    reply = resolve(ask, drafter())
    check("EDGE-ROLE-01", reply, resolves([DRAFT]))


@clause("EDGE-ROLE-02")
@cases(vision="vision", audio="audio")
def test_a_nested_component_perceives(ask: Ask, case: str) -> None:
    """A nested component becomes a perception component of its artifact, beside the artifact's own."""
    reply = resolve(ask, text_model(nested=[nested(case, 27, 8)]))
    expected = [TARGET, _component(case, "perception", "tiny-target")]
    check("EDGE-ROLE-02", reply, resolves(sorted(expected, key=lambda one: one["id"]), [], []))


@clause("EDGE-ROLE-02")
@cases(
    in_order=[nested("audio"), nested("vision")],
    the_other_way_round=[nested("vision"), nested("audio")],
    unread=[nested("vision", 0, 0), nested("audio", 0, 0)],
)
def test_two_nested_components_perceive(ask: Ask, case: list[Any]) -> None:
    """Each of several becomes a component of its own, unread or not."""
    reply = resolve(ask, text_model(nested=case))
    audio = _component("audio", "perception", "tiny-target")
    check("EDGE-ROLE-02", reply, resolves([audio, TARGET, VISION], [], []))


@clause("EDGE-ROLE-02")
def test_a_drafter_may_nest_a_tower(ask: Ask) -> None:
    """A tower of a drafter's artifact is a perception component, and takes no edge."""
    reply = resolve(ask, text_model(), drafter(nested=[nested("vision", 40)]))
    tower = _component("vision", "perception", "tiny-draft")
    check("EDGE-ROLE-02", reply, resolves([DRAFT, TARGET, tower], [edge("target", (1, 3), "draft")], []))


@clause("EDGE-ROLE-02")
@cases(absent={}, empty={"nested": [], "interfaces": []})
def test_nothing_nested_is_nothing(ask: Ask, case: dict[str, Any]) -> None:
    """An absent and an empty list of nested components, or of interfaces, are alike."""
    check("EDGE-ROLE-02", resolve(ask, text_model(**case)), resolves([TARGET], [], []))


@clause("EDGE-ROLE-03")
@cases(
    draft="tiny-draft",
    drafter="drafter",
    vision="model-vision",
    audio="audio",
    speculator="eagle3-speculator",
    mtp="mtp",
)
def test_a_name_is_no_evidence(ask: Ask, case: str) -> None:
    """An artifact without evidence is primary_text whatever it is called."""
    reply = resolve(ask, text_model(case))
    check("EDGE-ROLE-03", reply, resolves([_component("target", "primary_text", case)], [], []))


@clause("EDGE-ROLE-03")
@cases(
    vision=("vision_tower.patch_embed.weight", "vision_tower.layers.0.weight"),
    drafter=("draft.layers.0.weight", "target_layer_ids.weight"),
    projector=("encoder.fc.weight",),
    mtp=("mtp.fc.weight",),
)
def test_names_of_tensors_are_no_evidence(ask: Ask, case: tuple[str, ...]) -> None:
    """Tensors whose names suggest a tower or a drafter make none; a projector's shape makes none either."""
    tensors = [projector(2, name=name) for name in case]
    reply = resolve(ask, artifact("tiny-target", 6, tensors=tensors))
    check("EDGE-ROLE-03", reply, resolves([TARGET], [], []))


@clause("EDGE-ROLE-03")
@cases(
    layers_of_something="dflash_config.target_layers",
    singular="dflash_config.target_layer_id",
    key_below="target_layer_ids.count",
    another_key="eagle_config.layer_ids",
    capitals="dflash_config.Target_Layer_Ids",
    blank_behind="dflash_config.target_layer_ids ",
    slash="dflash_config/target_layer_idx",
)
def test_another_interface_is_no_evidence(ask: Ask, case: str) -> None:
    """An interface of another name makes no drafter and gives no edge."""
    declared = [interface((1, 3), case)]
    artifacts = [text_model(), artifact("other", 2, tensors=[projector(2)], interfaces=declared)]
    expected = [TARGET, _component("target_2", "primary_text", "other")]
    check("EDGE-ROLE-03", resolve(ask, *artifacts), resolves(expected, [], []))


@clause("EDGE-ROLE-03")
def test_nothing_but_sizes_is_a_text_model(ask: Ask) -> None:
    """An artifact without tensors, or without a list of them, is primary_text."""
    for tensors in (None, [], [tensor("x", 1)]):
        reply = resolve(ask, artifact("tiny-target", 2, tensors=tensors))
        check("EDGE-ROLE-03", reply, resolves([TARGET]))


THREE = [text_model("b", 4), text_model("c", 6), text_model("a", 8)]


@clause("EDGE-ID-01")
@cases({"".join(map(str, order)): order for order in permutations(range(3))})
def test_later_text_models_are_numbered(ask: Ask, case: tuple[int, ...]) -> None:
    """The first text model is target, the next ones target_2 and target_3, in input order."""
    names = [THREE[position]["artifact"] for position in case]
    ids = ("target", "target_2", "target_3")
    expected = [_component(identity, "primary_text", name) for identity, name in zip(ids, names, strict=True)]
    reply = resolve(ask, *(THREE[position] for position in case))
    check("EDGE-ID-01", reply, resolves(expected, [], []))


@clause("EDGE-ID-01")
def test_ids_are_sorted_by_bytes_and_not_by_their_numbers(ask: Ask) -> None:
    """Of eleven text models target_10 and target_11 stand before target_2."""
    models = [text_model(f"{number:02}") for number in range(1, 12)]
    expected = [
        _component("target" if number == 1 else f"target_{number}", "primary_text", f"{number:02}")
        for number in (1, 10, 11, *range(2, 10))
    ]
    check("EDGE-ID-01", resolve(ask, *models), resolves(expected, [], []))


@clause("EDGE-ID-01")
def test_later_drafters_are_numbered(ask: Ask) -> None:
    """Three drafters are draft, draft_2 and draft_3 in input order, each with its own edge."""
    drafters = [drafter(name, taps) for name, taps in (("z", (1,)), ("m", (0, 2)), ("a", (4, 1)))]
    ids = ("draft", "draft_2", "draft_3")
    components = [
        _component(identity, "drafter", one["artifact"]) for identity, one in zip(ids, drafters, strict=True)
    ]
    edges = [edge("target", taps, one) for one, taps in zip(ids, ((1,), (0, 2), (4, 1)), strict=True)]
    for artifacts in ([text_model(), *drafters], [*drafters, text_model()]):
        check("EDGE-ID-01", resolve(ask, *artifacts), resolves([*components, TARGET], edges, []))


@clause("EDGE-ID-01")
def test_later_towers_are_numbered(ask: Ask) -> None:
    """Towers of one name in several artifacts are numbered in input order, whoever nests them."""
    artifacts = [
        text_model("z", nested=[nested("vision"), nested("audio")]),
        drafter("m", nested=[nested("vision")]),
        text_model("a", nested=[nested("audio"), nested("vision")]),
    ]
    expected = [
        _component("audio", "perception", "z"),
        _component("audio_2", "perception", "a"),
        _component("draft", "drafter", "m"),
        _component("target", "primary_text", "z"),
        _component("target_2", "primary_text", "a"),
        _component("vision", "perception", "z"),
        _component("vision_2", "perception", "m"),
        _component("vision_3", "perception", "a"),
    ]
    check("EDGE-ID-01", resolve(ask, *artifacts), resolves(expected))


@clause("EDGE-ID-01")
@cases({"".join(map(str, order)): order for order in permutations(range(4))})
def test_ids_follow_the_input_and_components_the_ids(ask: Ask, case: tuple[int, ...]) -> None:
    """In every order of four artifacts ids are given in input order, and components are sorted."""
    every = [
        text_model("x", 3, nested=[nested("vision")]),
        text_model("y", 9),
        drafter("d", (1, 5)),
        drafter("e", (2,), nested=[nested("vision")]),
    ]
    artifacts = [every[position] for position in case]
    expected = derived(artifacts)
    check("EDGE-ID-01", resolve(ask, *artifacts), resolves(expected["components"]))
