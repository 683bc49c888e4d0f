"""What a fresh container is: its index, its graph, the order of its files, the same bytes again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, refuses
from pytest_vindex3.contract.difference import MISSING, Difference, Stored
from pytest_vindex3.contract.patterns import one_of
from pytest_vindex3.plugin.ask import needs
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.container.index import CAPABILITY_FILES, GRAPH, INDEX
from vindex3_fixtures.container.observation import KNOWN
from vindex3_fixtures.container.sources import Writing, source
from vindex3_fixtures.container.writings import ARTIFACT, perception, text_model, tower, towers, whole_model
from vindex3_fixtures.graph import vocabulary as v
from vindex3_suites.container.on_disk import member, shows
from vindex3_suites.container.writing import OUT, check_refused, said_written, stored, write, write_and_look

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

SMALL, TEXT, WHOLE = tower(), text_model(), whole_model()
EXTRA: dict[str, Any] = {
    "x-note": 'a text with \u00e9, \u4e00, \U0001f600 and "\\\n\t',
    "x-nested": {"b": [1, {"": None}, []], "a": {"version": 3, "profiles": True}},
    "x-numbers": [0, -1, 18446744073709551615, 0.1, 1e300, -2.5],
    "__class__": "int",
    "": False,
    "Version": 3,
    "segments ": {"segments/none": 1},
}
"""Keys that the table of the index does not have."""
MODELS = {
    "text_model": TEXT,
    "whole_model": WHOLE,
    "one_object": SMALL,
    "further_keys": TEXT.given(extra=EXTRA),
}


@dataclass(frozen=True, slots=True)
class Published:
    """Files in the order in which they became visible: segments, graph, index; capability files anywhere."""

    segments: Sequence[str]
    capability: Sequence[str] = ()

    def difference(self, found: object, path: str) -> Difference | None:
        """The first place at which another file stands."""
        listed = found if isinstance(found, list) else []
        rest = [name for name in listed if name not in self.capability]
        expected = [*self.segments, GRAPH, INDEX]
        ordered = [*sorted(rest[: len(self.segments)]), *rest[len(self.segments) :]]
        missing = [name for name in self.capability if listed.count(name) != 1]
        if ordered == sorted(expected[:-2]) + expected[-2:] and not missing:
            return None
        return Difference(path, expected + missing, found if isinstance(found, list) else MISSING)


@clause("PUBLISH-ORDER-01")
@cases(**MODELS, many=towers(*(f"c{at}" for at in range(12))))
def test_the_index_is_last(ask: Ask, case: Writing) -> None:
    """Segments become visible before the graph, and the graph before the index, each of them once."""
    reply = write(ask, case)
    segments = [f"segments/{one}.bin" for one in case.representations]
    check("PUBLISH-ORDER-01", reply, answers(path=str(ask.folder / OUT), published=Published(segments)))


@clause("PUBLISH-ORDER-01")
@cases(all_five=CAPABILITY_FILES, one=CAPABILITY_FILES[:1])
def test_capability_files_alone_may_follow(ask: Ask, case: tuple[str, ...]) -> None:
    """Capability files are published too, before the index or behind it."""
    given = ask.file("given", Folder({name: name.encode() for name in case}))
    segments = [f"segments/{one}.bin" for one in TEXT.representations]
    reply = write(ask, TEXT, capability_dir=given)
    check("PUBLISH-ORDER-01", reply, answers(published=Published(segments, case)))


@clause("PUBLISH-SAME-01")
@cases(MODELS)
def test_the_same_input_gives_the_same_bytes(ask: Ask, case: Writing) -> None:
    """Folders written alike hold the same index, graph and segments, whatever was written between.

    Each is a fresh one: a writer may refuse to write over a container (PUBLISH-REPLACE-01).
    """
    first = None
    for name in ("one", "other", "third"):
        reply, written = write_and_look(ask, "PUBLISH-SAME-01", case, name)
        files = {**written.segments, **{path: written.files.get(path) for path in (GRAPH, INDEX)}}
        first = first or files
        check("PUBLISH-SAME-01", reply, shows("files", sorted(first), sorted(files)))
        for path, data in first.items():
            check("PUBLISH-SAME-01", reply, shows(path, data, files[path]))


@needs("container.open", "container.verify")
@clause("PUBLISH-READBACK-01")
@cases(
    **MODELS,
    profiles=TEXT.given(profiles=["exact", {"name": "other"}], family="tiny"),
    many=towers(*(f"c{at}" for at in range(12))),
    odd_lengths=tower(
        tensors=[
            source("tower.a", "U8", (1,)),
            source("tower.b", "F64", (3,)),
            source("tower.c", "Q9", (3,)),
        ],
        stored={name: f"tower.{name}" for name in "abc"},
    ),
)
def test_what_was_written_opens_and_verifies(ask: Ask, case: Writing) -> None:
    """The writer's own reader opens what it wrote and finds nothing wrong with it."""
    reply = write(ask, case)
    check("PUBLISH-READBACK-01", reply, said_written(ask))
    path = str(ask.folder / OUT)
    check("PUBLISH-READBACK-01", ask("container.open", path=path), answers())
    check("PUBLISH-READBACK-01", ask("container.verify", path=path), answers(verified=True))


@clause("PUBLISH-READBACK-01")
@cases(
    prefix_and_weight=tower(["lm_head"], tensors=[source("lm_head"), source("lm_head.weight")]),
    two_runs_of_dots=tower(tensors=[source("tower.a"), source("tower..a"), source("tower.b")]),
)
def test_one_name_is_not_stored_twice(ask: Ask, case: Writing) -> None:
    """Two source names of one object that would have one stored name are refused."""
    check("PUBLISH-READBACK-01", write(ask, SMALL), said_written(ask))
    check_refused(ask, "PUBLISH-READBACK-01", case, refuses("duplicate-id"))


@needs("container.open")
@clause("PUBLISH-CLEAN-01")
@cases(MODELS)
def test_nothing_is_left_over(ask: Ask, case: Writing) -> None:
    """A fresh container holds what its index names, and no other file beside it appeared."""
    before = sorted(path.name for path in ask.folder.iterdir())
    reply, written = write_and_look(ask, "PUBLISH-CLEAN-01", case)
    named = [f"segments/{one}.bin" for one in case.representations]
    check("PUBLISH-CLEAN-01", reply, shows("files", sorted([*named, GRAPH, INDEX]), sorted(written.files)))
    beside = sorted(path.name for path in ask.folder.iterdir())
    check("PUBLISH-CLEAN-01", reply, shows("files beside the container", sorted([*before, OUT]), beside))
    opened = ask("container.open", path=str(ask.folder / OUT))
    check("PUBLISH-CLEAN-01", opened, answers(unreferenced_files=[]))


FRESH = {"version": 4, "system_graph": GRAPH, "profiles": Stored([{"name": "exact"}])}
LATER_PRIMARY = replace(
    tower(),
    graph={
        **tower().graph,
        "components": [
            perception("audio", "a-first", hidden_size=3, num_layers=7),
            perception("text", "the-primary", role=v.PRIMARY, hidden_size=640, num_layers=11),
            perception(),
        ],
    },
)
NO_PRIMARY = replace(
    LATER_PRIMARY,
    graph={**LATER_PRIMARY.graph, "components": [LATER_PRIMARY.graph["components"][at] for at in (0, 2)]},
)


@clause("PUBLISH-INDEX-01")
@cases(
    text_model=(TEXT, ARTIFACT, 16, 2),
    primary_behind_a_drafter=(WHOLE, ARTIFACT, 16, 7),
    primary_in_the_middle=(LATER_PRIMARY, "the-primary", 640, 11),
    no_primary=(NO_PRIMARY, "a-first", 3, 7),
    an_empty_list_of_profiles=(TEXT.given(profiles=[]), ARTIFACT, 16, 2),
    family=(TEXT.given(family="tiny"), ARTIFACT, 16, 2),
)
def test_the_index_of_a_fresh_write(ask: Ask, case: tuple[Writing, str, int, int]) -> None:
    """Version, root, profiles and the sizes of the primary component stand in the index, no other root."""
    writing, model, hidden_size, num_layers = case
    reply, written = write_and_look(ask, "PUBLISH-INDEX-01", writing)
    sizes = {"model": model, "hidden_size": hidden_size, "num_layers": num_layers}
    named = {"family": writing.more["family"]} if "family" in writing.more else {}
    check("PUBLISH-INDEX-01", reply, shows(INDEX, {**FRESH, **sizes, **named}, written.index))
    for key, allowed in {"authority": MISSING, "moe_manifest": one_of(MISSING, None)}.items():
        check("PUBLISH-INDEX-01", reply, shows(f"{INDEX}: {key}", allowed, member(written.index, key)))


@clause("PUBLISH-INDEX-01")
@cases(
    one=[{"name": "exact"}],
    another=[{"name": "fast"}],
    several=["exact", {"name": "b", "selects": {}}, "a"],
    a_strange_name=["\u00e9 @/+"],
)
def test_given_profiles_are_declared(ask: Ask, case: list[Any]) -> None:
    """Profiles that are given are declared in their order, and no other."""
    reply, written = write_and_look(ask, "PUBLISH-INDEX-01", TEXT.given(profiles=case))
    found = member(written.index, "profiles")
    names = [_profile(one) for one in found] if isinstance(found, list) else found
    check("PUBLISH-INDEX-01", reply, shows("profiles", [_profile(one) for one in case], names))


def _profile(written: Any) -> object:
    """A profile in the longer of its two spellings."""
    if isinstance(written, dict):
        return {**written, "selects": written.get("selects", {})}
    return {"name": written, "selects": {}}


@clause("PUBLISH-INDEX-01")
def test_further_keys_are_kept(ask: Ask) -> None:
    """Keys that are given besides stand in the index with their values, whatever they are called."""
    reply, written = write_and_look(ask, "PUBLISH-INDEX-01", TEXT.given(extra=EXTRA))
    check("PUBLISH-INDEX-01", reply, shows(INDEX, {**FRESH, "model": ARTIFACT}, written.index))
    found = {key: value for key, value in written.index.items() if key not in KNOWN}
    check("PUBLISH-INDEX-01", reply, shows("further keys", Stored(EXTRA), found))


def _noted(graph: Any) -> Any:
    """The graph with unknown keys at every level, none of which has a meaning."""
    if isinstance(graph, dict):
        noted = {key: _noted(value) for key, value in graph.items()}
        return {**noted, "x-note": ["\u00e9\u4e00\U0001f600", 18446744073709551615, 0.1, None, {}]}
    return [_noted(item) for item in graph] if isinstance(graph, list) else graph


SPELT = replace(
    TEXT, graph={"x-first": {"b": 1, "a": [1.0, 1, -0.5, 1e-300]}, **dict(reversed(TEXT.graph.items()))}
)
"""The members of the root the other way round, with numbers of both sorts."""


@needs("graph.load")
@clause("GRAPH-DOC-02")
@cases(
    text_model=TEXT,
    whole_model=WHOLE,
    one_object=SMALL,
    spelt_otherwise=SPELT,
    unknown_keys_of_the_root=replace(TEXT, graph={**TEXT.graph, "x-note": _noted({}), "": None}),
    unknown_keys_of_parts=replace(
        WHOLE,
        graph={**WHOLE.graph, "objects": [{**one, "x-note": _noted([{}])} for one in WHOLE.graph["objects"]]},
    ),
)
def test_the_graph_given_is_the_graph_stored(ask: Ask, case: Writing) -> None:
    """The document comes back from the container with every key and value."""
    check("GRAPH-DOC-02", write(ask, case), said_written(ask))
    loaded = ask("graph.load", path=str(ask.folder / OUT))
    check("GRAPH-DOC-02", loaded, answers(document=Stored(case.graph)))
    check("GRAPH-DOC-02", loaded, shows(GRAPH, Stored(case.graph), stored(ask).graph))
