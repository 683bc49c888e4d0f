"""The directory of representations, the segments, and the files that they name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, needs
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.container.tiny import MXFP4, Q6K
from vindex3_fixtures.graph import representation
from vindex3_suites.container.judging import check_legal, check_opened, check_refused
from vindex3_suites.container.models import (
    BANK,
    BOTH,
    EMBEDDING,
    FULL,
    OPTIONAL_OF_ENTRY,
    PACKED,
    TINY,
    open_,
    opens,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.model import Model

FILE = "segments/target.embedding.bin"
KEY = "segments/target.embedding"


@clause("INDEX-REP-01")
@cases(graph=TINY, everything=FULL, both=BOTH, bank=BANK)
def test_entries_are_observed_as_written(ask: Ask, case: Model) -> None:
    """Every entry has its seven values, and of the optional keys those that are there."""
    check_opened(ask, "INDEX-REP-01", case)


@clause("INDEX-REP-01")
@cases({key: key for key in OPTIONAL_OF_ENTRY})
def test_an_optional_key_stands_where_it_is_written(ask: Ask, case: str) -> None:
    """Each of them is observed by itself, and none appears that was not written."""
    rest = FULL
    for key in OPTIONAL_OF_ENTRY:
        if key != case:
            rest = rest.without_index(("representations", PACKED, key))
    check_opened(ask, "INDEX-REP-01", rest)
    check_opened(ask, "INDEX-REP-01", FULL.without_index(("representations", PACKED, case)))


RECIPES: dict[str, dict[str, Any]] = {
    "empty": {},
    "unknown_family": {"family": "of tomorrow", "revision": 99, "layout": None},
    "deep": {"family": "q8_0", "tables": [[1, 2.5, -3], {"a": {"b": [True, "x"]}}]},
}


@clause("INDEX-REP-01")
@cases(RECIPES)
def test_a_codec_is_no_reason_to_refuse(ask: Ask, case: dict[str, Any]) -> None:
    """Codecs and encoders are observed verbatim, known or not."""
    for key in ("codec", "encoder"):
        check_opened(ask, "INDEX-REP-01", FULL.with_entry(PACKED, key, case))


LABELS = (
    "Q9_MYSTERY", "bf16", "Bf16", "BF16+F32", "NVFP4", "nvfp4-v2", "a b", "\u00e9\u8a9e", "F32.1", "0",
    "x" * 200,
)  # fmt: skip


def _relabelled(label: str) -> Model:
    """The language model whose embedding is stored in this encoding alone."""
    segment = Segment(f"target.embedding@{label}", (Tensor("weight", "U8", (6, 4)),))
    renamed = TINY.without_index(("representations", EMBEDDING)).with_added(segment, FILE)
    objects = [
        {**one, "representations": [representation(label)]} if one["id"] == "target.embedding" else one
        for one in TINY.graph["objects"]
    ]
    return renamed.with_graph(("objects",), objects)


@clause("INDEX-REP-03")
@cases({label[:12]: label for label in LABELS})
def test_an_unknown_encoding_opens(ask: Ask, case: str) -> None:
    """A label that nobody has seen is observed as it is written, case included."""
    check_opened(ask, "INDEX-REP-03", _relabelled(case))


@clause("INDEX-REP-03")
def test_labels_that_are_alike_are_several(ask: Ask) -> None:
    """Encodings that differ in case alone are as many representations of one object."""
    model = TINY
    labels = ("bf16", "Bf16", "q8_0", "Q8_0")
    for label in labels:
        segment = Segment(f"target.embedding@{label}", (Tensor("weight", "U8", (len(label), 3)),))
        model = model.with_added(segment, f"segments/pack_{labels.index(label)}.bin")
    stored = [representation("BF16"), *(representation(label, "approximate") for label in labels)]
    objects = [
        {**one, "representations": stored} if one["id"] == "target.embedding" else one
        for one in TINY.graph["objects"]
    ]
    check_opened(ask, "INDEX-REP-03", model.with_graph(("objects",), objects))


@clause("INDEX-SEG-01")
@cases(zero=0, two=2, three=3, many=1000, largest=(1 << 32) - 1)
def test_a_count_names_no_file(ask: Ask, case: int) -> None:
    """Any count opens, is observed as written, and asks for no other file than a count of 1."""
    for model, key in ((TINY, KEY), (FULL, KEY), (BANK, Q6K), (BANK, MXFP4), (BOTH, KEY), (BOTH, Q6K)):
        check_opened(ask, "INDEX-SEG-01", model.with_index(("segments", key), case))


@clause("INDEX-SEG-01")
def test_segments_are_observed_as_written(ask: Ask) -> None:
    """Every key has its own count; one that no entry refers to needs no file in the graph shape."""
    model = TINY
    for count, key in enumerate(TINY.index["segments"], start=2):
        model = model.with_index(("segments", key), count)
    check_opened(ask, "INDEX-SEG-01", model)
    check_opened(ask, "INDEX-SEG-01", model.with_index(("segments", "segments/of nobody"), 7))


@needs("container.tensor")
@clause("INDEX-SEG-01")
def test_a_count_changes_no_tensor(ask: Ask) -> None:
    """Beside files that a count might mean, the entry's file is the one that is read."""
    model = TINY.with_index(("segments", KEY), 3)
    other = Segment(EMBEDDING, (Tensor("weight", shape=(6, 4), data=bytes(48)),))
    for name in (".0", ".1", "_0", "_1", "-00000-of-00003", ".seg0"):
        model = model.with_file(f"{KEY}{name}.bin", other)
    path = ask.file("model", model.folder)
    reply = ask("container.tensor", path=path, representation=EMBEDDING, tensor="weight")
    check("INDEX-SEG-01", reply, answers(data=TINY.segments[EMBEDDING].data("weight")))
    check("INDEX-SEG-01", open_(ask, model), opens(TINY.with_index(("segments", KEY), 3)))


NAMED: dict[str, tuple[Model, str]] = {
    **{name.rpartition("@")[0]: (TINY, TINY.file_of(name)) for name in TINY.index["representations"]},
    "pack": (FULL, FULL.file_of(PACKED)),
    "bank": (BANK, f"{Q6K}.lyrw"),
    "bank_that_no_layer_names": (BANK, f"{MXFP4}.lyrw"),
    "entry_of_both": (BOTH, FILE),
    "bank_of_both": (BOTH, f"{Q6K}.lyrw"),
}


@clause("INDEX-SEG-02")
@cases(NAMED)
def test_a_named_file_is_there(ask: Ask, case: tuple[Model, str]) -> None:
    """Without it, or with a folder of its name, the container is missing-file, naming it."""
    model, file = case
    check_legal(ask, "INDEX-SEG-02", model)
    gone = model.without_file(file)
    check_refused(ask, "INDEX-SEG-02", gone, "missing-file", path=file)
    check_refused(ask, "INDEX-SEG-02", gone.with_file(file, Folder()), "missing-file", path=file)


@clause("INDEX-SEG-02")
@cases(NAMED)
def test_a_file_is_missed_whatever_its_count(ask: Ask, case: tuple[Model, str]) -> None:
    """A count of 0 or of several files changes nothing of the one that must be there."""
    model, file = case
    for count in (0, 2, 1000):
        counted = model.with_index(("segments", file.rpartition(".")[0]), count)
        check_legal(ask, "INDEX-SEG-02", counted)
        check_refused(ask, "INDEX-SEG-02", counted.without_file(file), "missing-file", path=file)


@clause("INDEX-SEG-02")
@cases(NAMED)
def test_no_other_file_stands_for_it(ask: Ask, case: tuple[Model, str]) -> None:
    """Files of names that are near the right one are not taken instead."""
    model, file = case
    check_legal(ask, "INDEX-SEG-02", model)
    stem, _, extension = file.rpartition(".")
    wrong = model.without_file(file)
    near = (stem, f"{stem}.{extension}.tmp", f"{stem}.0.{extension}", f"{stem}_seg0.{extension}", f"{stem}.x")
    for name in (*near, file.rpartition("/")[2], f"{stem.rpartition('.')[0]}.{extension}", f"sub/{file}"):
        if name not in wrong.files:
            wrong = wrong.with_file(name, model.files[file])
    check_refused(ask, "INDEX-SEG-02", wrong, "missing-file", path=file)


@clause("INDEX-SEG-02")
def test_a_key_of_a_bank_names_its_file(ask: Ask) -> None:
    """Each key of a bank is a file, also one that no catalogue and no manifest knows."""
    check_legal(ask, "INDEX-SEG-02", BANK)
    for key in ("of nobody", "routed/layer_001.q6k", "a.b/c.d", "x.lyrw"):
        wrong = BANK.with_index(("segments", key), 1)
        check_refused(ask, "INDEX-SEG-02", wrong, "missing-file", path=f"{key}.lyrw")
        check_opened(ask, "INDEX-SEG-02", wrong.with_file(f"{key}.lyrw", BANK.files[f"{Q6K}.lyrw"]))


@clause("INDEX-SEG-02")
@cases(another_extension="segments/embedding.dat", two="segments/e.tar.gz", elsewhere="elsewhere/e.bin")
def test_an_entry_names_its_file(ask: Ask, case: str) -> None:
    """The file of an entry is the one it names, whatever object and encoding are called."""
    key = case.rpartition(".")[0]
    segments = {key if one == KEY else one: 1 for one in TINY.index["segments"]}
    named = TINY.with_entry(EMBEDDING, "segment", case).with_index(("segments",), segments)
    moved = replace(named, files={**named.files, case: named.files[FILE]})
    check_refused(ask, "INDEX-SEG-02", named, "missing-file", path=case)
    check_opened(ask, "INDEX-SEG-02", moved.without_file(FILE))
