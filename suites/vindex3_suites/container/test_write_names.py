"""Which source tensors belong to which object, and under which names they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.container.sources import Writing, source, sources_of
from vindex3_fixtures.container.writings import ARTIFACT, perception, text_model, tower, whole_model
from vindex3_fixtures.graph import binding, graph, object_
from vindex3_fixtures.graph import vocabulary as v
from vindex3_suites.container.on_disk import shows
from vindex3_suites.container.writing import write_and_look

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


def check_stored(ask: Ask, clause_id: str, writing: Writing) -> None:
    """Write, and compare the names and bytes of every object with what was typed."""
    reply, written = write_and_look(ask, clause_id, writing)
    for object_id, representation in writing.representations.items():
        segment = written.segment(representation)
        names = list(writing.stored[object_id])
        check(clause_id, reply, shows(f"{object_id}: names of the table", names, segment.names))
        check(clause_id, reply, shows(f"{object_id}: payload", writing.payload(object_id), segment.payload))


@clause("SEGMENT-NAME-01")
@cases(
    text_model=text_model(),
    as_the_law_says=tower(
        ["model.layers"],
        {
            "3.self_attn.q_proj.bias": "model.layers.3.self_attn.q_proj.bias",
            "3.self_attn.q_proj.weight": "model.layers.3.self_attn.q_proj.weight",
        },
    ),
    a_prefix_that_comes_twice=tower(
        ["model"], {"model.a.weight": "model.model.a.weight", "z.model": "model.z.model"}
    ),
    a_prefix_of_one_letter=tower(["m"], {"m.m": "m.m.m", "odel.weight": "m.odel.weight"}),
    signs_of_patterns=tower(["t*wer.[0-9]+(x)"], {"$^": "t*wer.[0-9]+(x).$^", "a|b": "t*wer.[0-9]+(x).a|b"}),
)
def test_names_leave_out_the_prefix(ask: Ask, case: Writing) -> None:
    """A stored name is the source name without the prefix of the binding and the dot behind it."""
    check_stored(ask, "SEGMENT-NAME-01", case)


@clause("SEGMENT-NAME-02")
@cases(
    whole_model=whole_model(),
    as_the_law_says=tower(
        ["encoder.fc", "encoder.output_norm_enc"],
        {"fc.weight": "encoder.fc.weight", "output_norm_enc.weight": "encoder.output_norm_enc.weight"},
    ),
    whole_words_alone=tower(
        ["encoder.fc1", "encoder.fc2"],
        {"fc1.weight": "encoder.fc1.weight", "fc2.weight": "encoder.fc2.weight"},
    ),
    nothing_in_common=tower(["fc", "norm"], {"fc.weight": "fc.weight", "norm.weight": "norm.weight"}),
    letters_in_common=tower(
        ["norm_a", "norm_b"], {"norm_a.weight": "norm_a.weight", "norm_b.weight": "norm_b.weight"}
    ),
    one_within_the_other=tower(
        ["encoder", "encoder.fc"], {"a.weight": "encoder.a.weight", "fc.weight": "encoder.fc.weight"}
    ),
    three_of_several_depths=tower(
        ["m.tower.layers", "m.tower.embed.patch", "m.tower.norm"],
        {
            "embed.patch.weight": "m.tower.embed.patch.weight",
            "layers.0.weight": "m.tower.layers.0.weight",
            "norm.weight": "m.tower.norm.weight",
        },
    ),
    the_second_binding_first=tower(["a.z", "a.b"], {"b.weight": "a.b.weight", "z.weight": "a.z.weight"}),
)
def test_several_bindings_lose_what_they_share(ask: Ask, case: Writing) -> None:
    """Of several bindings the longest common run of whole dotted parts is left out."""
    check_stored(ask, "SEGMENT-NAME-02", case)


@clause("SEGMENT-NAME-03")
@cases(
    lm_head=tower(["lm_head"], {"weight": "lm_head.weight"}),
    nothing_left=tower(["lm_head"], {"weight": "lm_head"}),
    nothing_left_of_one_of_two=tower(["a.table"], {"bias": "a.table.bias", "weight": "a.table"}),
    the_whole_name_is_the_prefix=tower(["model.norm.weight"], {"weight": "model.norm.weight"}),
)
def test_what_has_no_name_left_is_weight(ask: Ask, case: Writing) -> None:
    """A tensor whose name is its prefix, or its prefix and weight, is stored as weight."""
    check_stored(ask, "SEGMENT-NAME-03", case)


@clause("SEGMENT-BIND-01")
@cases(
    layers_extra=tower(
        ["model.layers"],
        {"0.bias": "model.layers.0.bias", "0.weight": "model.layers.0.weight"},
        unbound=["model.layers_extra.0.weight", "model.layers2", "model.layer.0.weight", "model"],
    ),
    the_prefix_elsewhere=tower(
        ["layers"],
        {"0.bias": "layers.0.bias", "0.weight": "layers.0.weight"},
        unbound=["model.layers.1.weight", "Layers.2.weight", ".layers.3.weight", "layers/4.weight"],
    ),
    equal_to_the_prefix=tower(
        ["table"], {"bias": "table.bias", "weight": "table"}, unbound=["tables", "table_weight", "tabl"]
    ),
)
def test_bindings_cover_whole_parts_alone(ask: Ask, case: Writing) -> None:
    """A name is covered where the prefix ends with it or a dot follows; what nobody covers is not stored."""
    check_stored(ask, "SEGMENT-BIND-01", case)


def _objects(
    *bound: tuple[str, str, str], stored: dict[str, dict[str, str]], **sources: list[str]
) -> Writing:
    """A graph of one object for each component, kind and prefix; a component has its id's own artifact."""
    artifacts = {one: "left" if one == "left" else ARTIFACT for one, _, _ in bound}
    components = [perception(one, artifact) for one, artifact in artifacts.items()]
    objects = [object_(one, kind, [binding(prefix, artifacts[one])]) for one, kind, prefix in bound]
    given = {ARTIFACT: sources["target"], **({"left": sources["left"]} if "left" in sources else {})}
    tensors = {
        artifact: [source(name, "U8", (3 + at,)) for at, name in enumerate(names)]
        for artifact, names in given.items()
    }
    return Writing(graph(components, objects), tensors, stored)


EXPERTS = _objects(
    ("target", v.EXPERT_BANK, "model.layers.0.experts"),
    ("target", v.PERCEPTION_TOWER, "model.layers"),
    stored={
        "target.expert_bank": {
            "0.down": "model.layers.0.experts.0.down",
            "1.down": "model.layers.0.experts.1.down",
        },
        "target.perception_tower": {
            "0.experts_norm": "model.layers.0.experts_norm",
            "0.norm": "model.layers.0.norm",
        },
    },
    target=[
        "model.layers.0.norm",
        "model.layers.0.experts.0.down",
        "model.layers.0.experts_norm",
        "model.layers.0.experts.1.down",
    ],
)
ACROSS_COMPONENTS = _objects(
    ("audio", v.PERCEPTION_TOWER, "model.towers.audio"),
    ("vision", v.PERCEPTION_TOWER, "model"),
    stored={
        "audio.perception_tower": {"a.w": "model.towers.audio.a.w", "b.w": "model.towers.audio.b.w"},
        "vision.perception_tower": {"towers.w": "model.towers.w", "z.w": "model.z.w"},
    },
    target=["model.z.w", "model.towers.audio.b.w", "model.towers.w", "model.towers.audio.a.w"],
)
THE_LONGER_BEHIND = _objects(
    ("audio", v.PERCEPTION_TOWER, "m"),
    ("vision", v.PERCEPTION_ADAPTER, "m.towers"),
    ("vision", v.PERCEPTION_TOWER, "m.towers.vision"),
    stored={
        "audio.perception_tower": {"a": "m.a", "b": "m.b"},
        "vision.perception_adapter": {"a": "m.towers.a", "b": "m.towers.b"},
        "vision.perception_tower": {"a": "m.towers.vision.a", "b": "m.towers.vision.b"},
    },
    target=["m.a", "m.b", "m.towers.a", "m.towers.b", "m.towers.vision.a", "m.towers.vision.b"],
)
THREE_DEEP = _objects(
    ("vision", v.FEATURE_PROJECTOR, "m.a.b"),
    ("vision", v.PERCEPTION_ADAPTER, "m.a"),
    ("vision", v.PERCEPTION_TOWER, "m"),
    stored={
        "vision.feature_projector": {"c": "m.a.b.c", "d": "m.a.b.d"},
        "vision.perception_adapter": {"c": "m.a.c", "d": "m.a.d"},
        "vision.perception_tower": {"c": "m.c", "d": "m.d"},
    },
    target=["m.a.b.c", "m.a.b.d", "m.a.c", "m.a.d", "m.c", "m.d"],
)
LONGER_ELSEWHERE = _objects(
    ("left", v.PERCEPTION_TOWER, "m.layers.0"),
    ("vision", v.PERCEPTION_TOWER, "m.layers"),
    stored={
        "left.perception_tower": {"a": "m.layers.0.a", "b": "m.layers.0.b"},
        "vision.perception_tower": {"0.a": "m.layers.0.a", "1.a": "m.layers.1.a"},
    },
    left=["m.layers.0.a", "m.layers.0.b", "m.layers.1.a"],
    target=["m.layers.0.a", "m.layers.1.a"],
)


@clause("SEGMENT-BIND-02")
@cases(
    expert_bank=EXPERTS,
    across_components=ACROSS_COMPONENTS,
    the_longer_behind=THE_LONGER_BEHIND,
    three_deep=THREE_DEEP,
    a_longer_one_of_another_artifact=LONGER_ELSEWHERE,
)
def test_the_longest_prefix_owns(ask: Ask, case: Writing) -> None:
    """A tensor that several bindings of its artifact cover is stored once, under the longest prefix."""
    check_stored(ask, "SEGMENT-BIND-02", case)


def _two_artifacts(left: str, right: str) -> Writing:
    """Two towers of two artifacts that have the same names, and bytes of their own."""
    names = ("tower.a.weight", "tower.b.weight")
    objects = [
        object_("left", v.PERCEPTION_TOWER, [binding("tower", left)]),
        object_("right", v.PERCEPTION_TOWER, [binding("tower", right)]),
    ]
    sources = {left: sources_of(left, names)[left], right: [source(name, "F32", (2,)) for name in names]}
    stored = {one["id"]: {"a.weight": names[0], "b.weight": names[1]} for one in objects}
    return Writing(graph([perception("left", left), perception("right", right)], objects), sources, stored)


@clause("SEGMENT-BIND-06")
@cases(
    two_artifacts=_two_artifacts("tiny-draft", "tiny-target"),
    in_the_other_order=_two_artifacts("tiny-target", "tiny-draft"),
    one_name_within_the_other=_two_artifacts("tiny", "tiny-target"),
    names_that_are_paths=_two_artifacts("org/model", "org/model/sub"),
)
def test_one_name_in_two_artifacts(ask: Ask, case: Writing) -> None:
    """Each object stores the bytes of its own artifact."""
    check_stored(ask, "SEGMENT-BIND-06", case)
