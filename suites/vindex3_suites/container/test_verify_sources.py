"""A container beside the tensors that it was made of: which of the two left the record, if any."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.plugin.expect import Answers
from vindex3_fixtures.container.stored import of_writing
from vindex3_fixtures.container.writings import text_model, whole_model
from vindex3_suites.container.test_verify_digests import payload_flipped
from vindex3_suites.container.verifying import (
    HEADER,
    PAYLOAD,
    SPOILT,
    Flags,
    Holds,
    entries,
    hash_mismatch,
    intact,
    verify,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container import Model
    from vindex3_fixtures.container.sources import Writing

TEXT, WHOLE = text_model(), whole_model()
MODEL = of_writing(TEXT)
ARTIFACT = "tiny-target"
STACK, NORM = "target.decoder_stack@BF16", "target.final_norm@F32"
INSIDE = "model.layers.1.mlp.down_proj.weight"
"""A tensor in the middle of the stack's payload."""


def told(model: Model, stories: Mapping[str, str], flags: Mapping[str, Flags] | None = None) -> Answers:
    """Every entry with its story, which is agree but for those that have another one here."""
    drifted = {name for name, story in stories.items() if story in ("source-drifted", "both")}
    names = [str(one["representation"]) for one in entries(model)]
    listed = [
        {**one, "story": stories.get(name, "agree")}
        for name, one in zip(names, entries(model, flags), strict=True)
    ]
    if not stories and not flags:
        return Answers({"verified": True, "entries": listed, "defects": []})
    found = tuple(hash_mismatch(name, "source") for name in sorted(drifted))
    held = frozenset((name, "source") for name in names if name not in drifted)
    wrong = {"verified": False, "entries": listed, "defects": Holds(found, held)}
    return Answers(wrong, frozenset({"wrong"}))


def _compare(ask: Ask, writing: Writing, model: Model, folder: str = "model") -> Any:
    return verify(ask, model, folder, sources=writing.request["sources"])


def _changed(name: str, **changes: Any) -> Writing:
    """The text model's sources with another tensor of this name."""
    tensor = next(one for one in TEXT.sources[ARTIFACT] if one["name"] == name)
    return TEXT.with_tensor(ARTIFACT, {**tensor, **changes})


def _drifted(name: str, place: int = 0) -> Writing:
    """The text model's sources with a bit of this tensor flipped."""
    tensor = next(one for one in TEXT.sources[ARTIFACT] if one["name"] == name)
    data = bytearray(tensor["data"])
    data[place] ^= 1
    return _changed(name, data=bytes(data))


def _reordered(writing: Writing) -> Writing:
    given = {artifact: list(reversed(tensors)) for artifact, tensors in writing.sources.items()}
    return replace(writing, sources=given)


AGREEING = {
    "one_artifact": TEXT,
    "two_artifacts": WHOLE,
    "in_another_order": _reordered(WHOLE),
    "with_tensors_that_nobody_stores": TEXT.with_tensor(
        ARTIFACT, {"name": "mtp.weight", "dtype": "BF16", "shape": [2], "data": b"\0\1\2\3"}
    ),
}


@clause("VERIFY-SOURCE-01")
@cases(AGREEING)
def test_a_container_agrees_with_its_sources(ask: Ask, case: Writing) -> None:
    """Laid out as a writer would, in whatever order they are given, the sources are what is recorded."""
    model = of_writing(case)
    check("VERIFY-SOURCE-01", _compare(ask, case, model), told(model, {}))


STORIES: dict[str, tuple[Writing, Model, Mapping[str, str], Mapping[str, Flags]]] = {
    "source_drifted": (_drifted(INSIDE), MODEL, {STACK: "source-drifted"}, {}),
    "last_byte_of_the_source": (_drifted("model.norm.weight", -1), MODEL, {NORM: "source-drifted"}, {}),
    "container_changed": (
        TEXT,
        payload_flipped(MODEL, STACK, 5),
        {STACK: "container-changed"},
        {STACK: SPOILT},
    ),
    "both_differ": (
        _drifted(INSIDE),
        payload_flipped(MODEL, STACK, 5),
        {STACK: "both"},
        {STACK: SPOILT},
    ),
    "both_changed_alike": (
        _drifted("model.norm.weight"),
        payload_flipped(MODEL, NORM),
        {NORM: "both"},
        {NORM: SPOILT},
    ),
    "record_changed_alone": (
        TEXT,
        MODEL.with_entry(NORM, "payload_sha256", "0" * 64),
        {NORM: "both"},
        {NORM: PAYLOAD},
    ),
    "each_another_one": (
        _drifted("model.norm.weight"),
        payload_flipped(MODEL, STACK),
        {NORM: "source-drifted", STACK: "container-changed"},
        {STACK: SPOILT},
    ),
}


@clause("VERIFY-SOURCE-01")
@cases(STORIES)
def test_a_story_says_which_side_left_the_record(
    ask: Ask, case: tuple[Writing, Model, Mapping[str, str], Mapping[str, Flags]]
) -> None:
    """The record stands between source and container: each that differs from it is named, or both."""
    writing, model, stories, flags = case
    check("VERIFY-SOURCE-01", _compare(ask, TEXT, MODEL, "legal"), told(MODEL, {}))
    check("VERIFY-SOURCE-01", _compare(ask, writing, model, "wrong"), told(model, stories, flags))


@clause("VERIFY-SOURCE-01")
def test_a_changed_header_leaves_the_story(ask: Ask) -> None:
    """Where only the header's bytes changed, container and source still agree about the payload."""
    padded = replace(MODEL.segments[STACK], stored_padding=b" " * 9)
    legal = MODEL.with_segment(padded)
    check("VERIFY-SOURCE-01", _compare(ask, TEXT, legal, "legal"), told(legal, {}))
    wrong = legal.with_file(legal.file_of(STACK), replace(padded, stored_padding=b"\t" + b" " * 8))
    check("VERIFY-SOURCE-01", _compare(ask, TEXT, wrong, "wrong"), told(wrong, {}, {STACK: HEADER}))


@clause("VERIFY-SOURCE-01")
def test_no_source_is_asked_for(ask: Ask) -> None:
    """Without sources, whatever became of them, the container is judged by itself."""
    check("VERIFY-SOURCE-01", verify(ask, MODEL), intact(MODEL))
    check("VERIFY-SOURCE-01", _compare(ask, _drifted(INSIDE), MODEL), told(MODEL, {STACK: "source-drifted"}))
