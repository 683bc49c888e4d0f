"""Plans that writers refuse: bindings, lengths, graphs; and what is on disk afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.container.segment import WIDTHS
from vindex3_fixtures.container.sources import Writing, source
from vindex3_fixtures.container.writings import ARTIFACT, TOWER, perception, text_model, tower, whole_model
from vindex3_fixtures.graph import graph
from vindex3_fixtures.graph import vocabulary as v
from vindex3_fixtures.json_text import Way, at, changed, removed
from vindex3_suites.container.writing import OUT, check_refused, holds_nothing, said_written, write

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

SMALL, TEXT, WHOLE = tower(), text_model(), whole_model()
STACK = "target.decoder_stack"


def with_graph(writing: Writing, way: Way, value: object) -> Writing:
    """With another value at this place of the graph."""
    return replace(writing, graph=changed(writing.graph, way, value))


def without_graph(writing: Writing, way: Way) -> Writing:
    """Without what stands at this place of the graph."""
    return replace(writing, graph=removed(writing.graph, way))


def position(writing: Writing, object_id: str) -> int:
    """Where an object stands in the graph."""
    return [one["id"] for one in writing.graph["objects"]].index(object_id)


def bound_by(writing: Writing, object_id: str, **changes: Any) -> Writing:
    """With another first binding of an object."""
    way = ("objects", position(writing, object_id), "source_bindings", 0)
    return with_graph(writing, way, {**at(writing.graph, way), **changes})


def without_tensors(writing: Writing, artifact: str, *prefixes: str) -> Writing:
    """Without the source tensors whose names begin so."""
    left = [one for one in writing.sources[artifact] if not one["name"].startswith(prefixes)]
    return replace(writing, sources={**writing.sources, artifact: left})


UNMATCHED: dict[str, tuple[Writing, Writing, str]] = {
    "no_tensor_at_all": (SMALL, replace(SMALL, sources={ARTIFACT: []}), TOWER),
    "a_prefix_of_nothing": (SMALL, bound_by(SMALL, TOWER, tensor_prefix="towers"), TOWER),
    "a_part_of_a_name": (SMALL, bound_by(SMALL, TOWER, tensor_prefix="tower.stem.weight"), TOWER),
    "letters_of_a_part": (SMALL, bound_by(SMALL, TOWER, tensor_prefix="towe"), TOWER),
    "another_case": (SMALL, bound_by(SMALL, TOWER, tensor_prefix="Tower"), TOWER),
    "the_first_object": (TEXT, without_tensors(TEXT, ARTIFACT, "model.layers."), STACK),
    "the_last_object": (TEXT, without_tensors(TEXT, ARTIFACT, "lm_head"), "target.output_head"),
    "two_bindings": (WHOLE, without_tensors(WHOLE, "tiny-draft", "encoder."), "draft.feature_projector"),
    "a_tensor_of_another_artifact": (
        WHOLE,
        bound_by(WHOLE, "draft.final_norm", artifact=ARTIFACT),
        "draft.final_norm",
    ),
}


@clause("SEGMENT-BIND-03")
@cases(UNMATCHED)
def test_bindings_match_a_tensor(ask: Ask, case: tuple[Writing, Writing, str]) -> None:
    """An object none of whose bindings covers a source tensor is refused by name."""
    legal, wrong, object_id = case
    check("SEGMENT-BIND-03", write(ask, legal), said_written(ask))
    check_refused(ask, "SEGMENT-BIND-03", wrong, refuses("unmatched-binding", object=object_id))


@clause("SEGMENT-BIND-04")
@cases(
    no_source=(SMALL, replace(SMALL, sources={}), TOWER, ARTIFACT),
    one_of_two=(
        WHOLE,
        bound_by(WHOLE, "draft.final_norm", artifact="tiny-drafts"),
        "draft.final_norm",
        "tiny-drafts",
    ),
    another_case=(
        WHOLE,
        bound_by(WHOLE, "vision.perception_adapter", artifact="Tiny-Target"),
        "vision.perception_adapter",
        "Tiny-Target",
    ),
)
def test_bindings_name_a_source(ask: Ask, case: tuple[Writing, Writing, str, str]) -> None:
    """A binding to an artifact that is not supplied is refused with object and artifact."""
    legal, wrong, object_id, artifact = case
    check("SEGMENT-BIND-04", write(ask, legal), said_written(ask))
    refused = refuses("dangling-reference", referrer=object_id, missing=artifact)
    check_refused(ask, "SEGMENT-BIND-04", wrong, refused)


def _of_length(dtype: str, shape: tuple[int, ...], found: int, expected: int) -> tuple[Writing, int, int]:
    """A tower with a tensor of so many bytes, where dtype and shape give `expected`."""
    wrong = SMALL.with_tensor(ARTIFACT, source("tower.stem", dtype, shape, bytes(found)))
    return wrong, expected, found


LENGTHS: dict[str, tuple[Writing, int, int]] = {
    "one_short": _of_length("BF16", (3,), 5, 6),
    "one_long": _of_length("BF16", (3,), 7, 6),
    "nothing": _of_length("F32", (2, 2), 0, 16),
    "one_value_short": _of_length("F32", (2, 2), 12, 16),
    "one_value_long": _of_length("F32", (2, 2), 20, 16),
    "a_scalar_of_nothing": _of_length("F64", (), 0, 8),
    "no_values": _of_length("F32", (0, 5), 4, 0),
    "the_sum_of_the_shape": _of_length("U8", (4, 5), 9, 20),
    "as_many_values_as_bytes": _of_length("BF16", (4, 5), 20, 40),
    "2_to_the_32": _of_length("U8", (65536, 65536), 0, 1 << 32),
    "the_most_of_64_bits": _of_length("U8", ((1 << 64) - 1,), 8, (1 << 64) - 1),
    **{f"of_{dtype}": _of_length(dtype, (2, 3), 6 * width - 1, 6 * width) for dtype, width in WIDTHS.items()},
}


@clause("SEGMENT-BIND-05")
@cases(LENGTHS)
def test_bytes_are_as_many_as_the_shape_says(ask: Ask, case: tuple[Writing, int, int]) -> None:
    """A tensor of a known width with more or fewer bytes is refused with its source name and both numbers."""
    wrong, expected, found = case
    check("SEGMENT-BIND-05", write(ask, SMALL), said_written(ask))
    refused = refuses("length-mismatch", subject="tower.stem", expected=expected, found=found)
    check_refused(ask, "SEGMENT-BIND-05", wrong, refused)


@clause("GRAPH-COMP-02")
def test_a_graph_has_a_component(ask: Ask) -> None:
    """A graph without components is refused, with sources or without."""
    check("GRAPH-COMP-02", write(ask, SMALL), said_written(ask))
    for sources in (SMALL.sources, {}):
        check_refused(ask, "GRAPH-COMP-02", Writing(graph(), sources, {}), refuses("empty-graph"))


@clause("GRAPH-OBJ-05")
@cases(
    the_only_object=(SMALL, TOWER),
    the_first=(TEXT, STACK),
    the_last=(TEXT, "target.output_head"),
    a_projector=(WHOLE, "draft.feature_projector"),
)
def test_an_object_has_a_representation(ask: Ask, case: tuple[Writing, str]) -> None:
    """An object without representations is refused by name."""
    legal, object_id = case
    check("GRAPH-OBJ-05", write(ask, legal), said_written(ask))
    wrong = with_graph(legal, ("objects", position(legal, object_id), "representations"), [])
    check_refused(ask, "GRAPH-OBJ-05", wrong, refuses("missing-representation", object=object_id))


TARGET = 1
"""The position of the text model in the whole model's components."""
GROUPS: dict[str, tuple[Writing, Way, str, str]] = {
    "execution": (TEXT, ("components", 0, "execution"), "target", "execution"),
    "head": (TEXT, ("components", 0, "execution", "head"), "target", "head"),
    "placement": (TEXT, ("components", 0, "execution", "norm", "placement"), "target", "norm.placement"),
    "attention": (TEXT, ("components", 0, "execution", "attention"), "target", "attention"),
    "ffn": (TEXT, ("components", 0, "execution", "ffn"), "target", "ffn"),
    "mamba2": (WHOLE, ("components", TARGET, "execution", "mamba2"), "target", "mamba2"),
    "of_the_drafter": (WHOLE, ("components", 0, "execution", "ffn"), "draft", "ffn"),
}


@clause("SURFACE-WRITE-01")
@cases(GROUPS)
def test_a_surface_is_complete(ask: Ask, case: tuple[Writing, Way, str, str]) -> None:
    """A component that lacks a group which its layers or objects call for is not written."""
    legal, way, component, group = case
    check("SURFACE-WRITE-01", write(ask, legal), said_written(ask))
    refused = refuses("missing-surface", component=component, group=group)
    reply = check_refused(ask, "SURFACE-WRITE-01", without_graph(legal, way), refused)
    check("SURFACE-WRITE-01", reply, holds_nothing(ask.folder / "refused", "index.json"))


@clause("PUBLISH-REFUSED-01")
@cases(
    the_last_object=(TEXT, UNMATCHED["the_last_object"][1], "target.output_head"),
    the_first_object=(TEXT, UNMATCHED["the_first_object"][1], STACK),
    the_last_of_nine=(WHOLE, without_tensors(WHOLE, ARTIFACT, "model.vision_tower."), TOWER),
)
def test_unmatched_plans_leave_no_index(ask: Ask, case: tuple[Writing, Writing, str]) -> None:
    """After a refusal for a binding a fresh target has no index, whether its folder was there or not."""
    legal, wrong, object_id = case
    check("PUBLISH-REFUSED-01", write(ask, legal), said_written(ask))
    for name in ("absent", "empty"):
        if name == "empty":
            (ask.folder / name).mkdir()
        reply = write(ask, wrong, name)
        check("PUBLISH-REFUSED-01", reply, refuses("unmatched-binding", object=object_id))
        check("PUBLISH-REFUSED-01", reply, holds_nothing(ask.folder / name, "index.json"))


@clause("PUBLISH-REFUSED-01")
@cases(
    length=(
        TEXT.with_tensor(ARTIFACT, source("lm_head.weight", "BF16", (24, 16), bytes(767))),
        "length-mismatch",
    ),
    no_source=(bound_by(WHOLE, TOWER, artifact="nobody"), "dangling-reference"),
    no_representation=(
        with_graph(TEXT, ("objects", 3, "representations"), []),
        "missing-representation",
    ),
    surface=(without_graph(TEXT, GROUPS["ffn"][1]), "missing-surface"),
    an_unknown_word=(with_graph(TEXT, ("components", 0, "role"), "text"), "unknown-value"),
    no_schema=(without_graph(TEXT, ("schema",)), "missing-field"),
)
def test_refused_plans_leave_no_index(ask: Ask, case: tuple[Writing, str]) -> None:
    """After a refusal for graph or source tensors a fresh target has no index."""
    wrong, kind = case
    check("PUBLISH-REFUSED-01", write(ask, TEXT), said_written(ask, OUT))
    reply = check_refused(ask, "PUBLISH-REFUSED-01", wrong, refuses(kind))
    check("PUBLISH-REFUSED-01", reply, holds_nothing(ask.folder / "refused", "index.json"))


def _twice(writing: Writing, way: Way) -> Writing:
    """With the last element of a list of the graph twice."""
    listed = at(writing.graph, way)
    return with_graph(writing, way, [*listed, listed[-1]])


def _second_primary(writing: Writing) -> Writing:
    """With a second text model, which owns nothing and declares no programme."""
    second = perception("zz", role=v.PRIMARY)
    return with_graph(writing, ("components",), [*writing.graph["components"], second])


@clause("PUBLISH-REFUSED-02")
@cases(
    one_component_twice=(WHOLE, _twice(WHOLE, ("components",)), "duplicate-id"),
    one_object_twice=(TEXT, _twice(TEXT, ("objects",)), "duplicate-id"),
    an_object_without_bindings=(
        TEXT,
        with_graph(TEXT, ("objects", 3, "source_bindings"), []),
        "unbound-object",
    ),
    an_object_of_nobody=(
        WHOLE,
        without_graph(WHOLE, ("components", 2)),
        "dangling-reference",
    ),
    an_edge_from_nobody=(
        WHOLE,
        with_graph(WHOLE, ("edges", 0, "producer_component"), "targets"),
        "dangling-reference",
    ),
    an_edge_to_nothing=(
        WHOLE,
        with_graph(WHOLE, ("edges", 0, "consumer_object"), "draft.projector"),
        "dangling-reference",
    ),
    two_text_models=(WHOLE, _second_primary(WHOLE), "ambiguous"),
)
def test_graphs_are_judged_before_the_first_byte(ask: Ask, case: tuple[Writing, Writing, str]) -> None:
    """A graph that breaks an invariant is refused, and the target holds no file."""
    legal, wrong, kind = case
    check("PUBLISH-REFUSED-02", write(ask, legal), said_written(ask))
    reply = check_refused(ask, "PUBLISH-REFUSED-02", wrong, refuses(kind))
    check("PUBLISH-REFUSED-02", reply, holds_nothing(ask.folder / "refused"))
