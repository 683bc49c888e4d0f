"""Index and graph after a pack was added: one line more, and everything else as it was."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.contract.difference import Stored
from vindex3_fixtures.container.observation import KNOWN
from vindex3_fixtures.container.stored import of_writing
from vindex3_fixtures.container.writings import whole_model
from vindex3_fixtures.json_text import at, changed
from vindex3_fixtures.representation.packs import Pack, encoded, place_of
from vindex3_suites.container.models import FULL, TINY
from vindex3_suites.container.on_disk import member, shows
from vindex3_suites.representation.packing import Keeps, adds
from vindex3_suites.representation.test_pack_added import HEAD, LAST, MAPPED, MIXED, ONE, STACK, TOKENS

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model

WHOLE = of_writing(whole_model())
"""A hybrid text model with a tower, and a drafter that taps it: every key that a graph can have."""


GRAPHS: dict[str, tuple[Model, Pack]] = {
    "one_object": (TINY, ONE),
    "the_first_object": (TINY, MIXED),
    "the_last_object": (TINY, encoded(TINY, HEAD)),
    "behind_another_pack": (FULL, encoded(FULL, TOKENS, "A")),
    "every_key": (WHOLE, encoded(WHOLE, "vision.perception_tower")),
    "an_object_of_a_drafter": (WHOLE, encoded(WHOLE, "draft.feature_projector", "A")),
    "objects_in_another_order": (
        TINY.with_graph(("objects",), TINY.graph["objects"][::-1]),
        encoded(TINY, STACK),
    ),
    "a_label_that_sorts_first": (TINY, encoded(TINY, LAST, "0")),
}


@clause("PACK-GRAPH-01")
@cases(GRAPHS)
def test_the_graph_has_one_line_more(ask: Ask, case: tuple[Model, Pack]) -> None:
    """The pack stands last among the representations of its object; every other value is as it was."""
    model, pack = case
    way = ("objects", place_of(model, pack.object), "representations")
    lines = [*at(model.graph, way), pack.line]
    for made in adds(ask, "PACK-GRAPH-01", model, pack):
        expected = Keeps(changed(model.graph, way, lines))
        check("PACK-GRAPH-01", made.reply, shows(f"the graph, {made.place}", expected, made.after.graph))


NOTES: dict[str, Any] = {
    "x-note": 'a "text" with \\, é, 一, 😀 and \x01',
    "x-numbers": [0, -1, 9007199254740993, 18446744073709551615, 0.1, 1e300, -2.5],
    "x-nested": {"a": [None, True, {"": []}], "representations": {}},
    "Version": 1,
    "__class__": "int",
    "": {"segments": {"segments/none": 1}},
}
PROFILES: dict[str, list[Any]] = {
    "one": [{"name": "exact"}],
    "several": ["exact", {"name": "b", "selects": {}}, "a"],
}


def _noted(index: dict[str, Any], *ways: tuple[str, ...]) -> dict[str, Any]:
    """An index with an unknown key in the objects at these places."""
    for way in ways:
        index = changed(index, (*way, "x-note"), NOTES["x-nested"])
    return index


KNOWN_KEYS = (
    "model",
    "family",
    "hidden_size",
    "num_layers",
    "system_graph",
    "derived_from_model",
    "authority",
)
INDEXES: dict[str, tuple[Model, Pack]] = {
    "tiny": (TINY, ONE),
    "unknown_keys": (replace(TINY, index={**NOTES, **TINY.index}), ONE),
    "unknown_keys_of_entries": (
        replace(
            TINY,
            index=_noted(TINY.index, *(("representations", key) for key in TINY.index["representations"])),
        ),
        ONE,
    ),
    "unknown_keys_of_a_map": (
        replace(MAPPED, index=_noted(MAPPED.index, ("precision_map",))),
        encoded(MAPPED, STACK),
    ),
    "every_key": (FULL, encoded(FULL, HEAD)),
    "beside_a_pack": (FULL, encoded(FULL, TOKENS, "Q6_K")),
    "a_map": (MAPPED, encoded(MAPPED, STACK)),
    "a_count_above_one": (TINY.with_index(("segments", "segments/target.output_head"), 4294967295), ONE),
    "large_numbers": (TINY.with_index(("hidden_size",), 18446744073709551615), ONE),
    **{f"profiles_{word}": (TINY.with_index(("profiles",), some), ONE) for word, some in PROFILES.items()},
}


def _profiles(written: Any) -> object:
    """Profiles in the longer of their two spellings."""
    if not isinstance(written, list):
        return written
    return [
        {"name": one, "selects": {}} if isinstance(one, str) else {"selects": {}, **one}
        for one in written
        if isinstance(one, (str, dict))
    ]


@clause("PACK-KEEP-01")
@cases(INDEXES)
def test_the_rest_of_the_index_is_kept(ask: Ask, case: tuple[Model, Pack]) -> None:
    """Profiles, unknown keys, and entries of everything else have the values that they had."""
    model, pack = case
    before = model.index
    for made in adds(ask, "PACK-KEEP-01", model, pack):
        after = made.after.index
        rest = {key: before[key] for key in (*KNOWN_KEYS, "representations", "segments") if key in before}
        told = {key: before[key] for key in ("variants", "precision_map") if key in before}
        for key, value in {**rest, **told}.items():
            found = member(after, key)
            check("PACK-KEEP-01", made.reply, shows(f"{key}, {made.place}", Keeps(value), found))
        profiles = _profiles(member(after, "profiles"))
        check("PACK-KEEP-01", made.reply, shows("profiles", _profiles(before["profiles"]), profiles))
        for key, value in before.items():
            if key not in KNOWN:
                check("PACK-KEEP-01", made.reply, shows(repr(key), Stored(value), member(after, key)))
