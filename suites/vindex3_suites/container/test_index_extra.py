"""What the format does not know in an index, and what lies in the directory unnamed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.contract.outcome import Limits
from pytest_vindex3.plugin.check import NotRun
from pytest_vindex3.plugin.expect import Answers
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.container.index import CAPABILITY_FILES, GRAPH, MANIFEST
from vindex3_fixtures.json_text import Way, json_text
from vindex3_suites.container.judging import check_opened
from vindex3_suites.container.models import BANK, BOTH, FULL, PACKED, SMALLEST, STACK_SET, TINY, open_, opens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.container.model import Model

WHOLE: dict[str, Model] = {"graph": TINY, "bank": BANK, "both": BOTH, "everything": FULL}

VALUES: dict[str, Any] = {
    "text": "a note",
    "empty_text": "",
    "number": 18446744073709551615,
    "negative": -9223372036854775808,
    "fraction": 0.1,
    "small": 5e-324,
    "true": True,
    "null": None,
    "empty_array": [],
    "empty_object": {},
    "array": [3, 1, 2, [None, False], "x", {"b": 1, "a": 2}],
    "object": {"b": {"nested": [1, {"deep": None}]}, "a": 0, "": ""},
}


@clause("INDEX-EXTRA-01")
@cases(VALUES)
def test_an_unknown_key_is_kept(ask: Ask, case: object) -> None:
    """At top level it is observed verbatim, and nothing else changes."""
    for model in (BANK, FULL):
        check_opened(ask, "INDEX-EXTRA-01", model.with_index(("x-unknown",), case))


ELSEWHERE: dict[str, object] = {
    "object": "target.embedding",
    "segment": "segments/nothing.bin",
    "payload_sha256": "0",
    "tensor_count": -1,
    "selects": {"a": "b"},
    "baseline": 1.5,
    "storage": "../x",
    "fidelity": "of a sort",
    "schema_version": 9,
    "layers": [],
    "components": {},
    "system_graph.json": {},
    "generator": {"name": "a tool", "version": [1, 2]},
}


@clause("INDEX-EXTRA-01")
@cases(ELSEWHERE)
def test_a_known_key_of_another_place_is_unknown(ask: Ask, case: object) -> None:
    """A key that means something within an entry or in another document means nothing at the root."""
    for key, value in ELSEWHERE.items():
        if value is case:
            check_opened(ask, "INDEX-EXTRA-01", TINY.with_index((key,), value))


@clause("INDEX-EXTRA-01")
def test_unknown_keys_are_kept_together(ask: Ask) -> None:
    """All of them at once are kept, in any place among the known ones."""
    index = {f"x {name}": value for name, value in VALUES.items()} | FULL.index | ELSEWHERE
    check("INDEX-EXTRA-01", open_(ask, _indexed(FULL, index)), opens(_indexed(FULL, index)))


def _indexed(model: Model, index: dict[str, Any]) -> Model:
    for key, value in index.items():
        model = model.with_index((key,), None).without_index((key,)).with_index((key,), value)
    return model


HOMES: dict[str, Way] = {
    "entry": ("representations", PACKED),
    "plain_entry": ("representations", "target.embedding@BF16"),
    "profile": ("profiles", 0),
    "selecting_profile": ("profiles", 1),
    "set": ("variants", STACK_SET),
    "variant": ("variants", STACK_SET, "variants", "other"),
}


@clause("INDEX-EXTRA-01")
@cases(HOMES)
def test_an_unknown_key_below_changes_nothing(ask: Ask, case: Way) -> None:
    """In an entry, a profile, a set or a variant it leaves the other keys as they are."""
    model = FULL
    for name, value in VALUES.items():
        model = model.with_index((*case, f"x-{name}"), value)
    for key in ("version", "model", "segments", "profiles", "authority"):
        model = model.with_index((*case, key), {"not": "here"})
    check_opened(ask, "INDEX-EXTRA-01", FULL, spelt=model)


@clause("INDEX-EXTRA-01")
def test_an_entry_has_no_fidelity(ask: Ask) -> None:
    """A fidelity on an entry is an unknown key there, whatever its word."""
    for word in ("canonical", "approximate", "source-exact", 1, None):
        check_opened(ask, "INDEX-EXTRA-01", FULL, spelt=FULL.with_entry(PACKED, "fidelity", word))


def _with_files(model: Model, files: Iterable[str], content: bytes = b"") -> Model:
    for name in files:
        model = model.with_file(name, content)
    return model


CONTENTS = {
    "empty": b"",
    "no_json": b"{\x00\xff",
    "cut": b'{"version": "1.0", "model": {',
    "another_root": b"[]",
    "deep": b"[" * 100_000,
    "large": b"x" * 300_000,
    "an_index": json_text(BANK.index),
}


@clause("INDEX-FILES-01")
@cases(CONTENTS)
def test_capability_files_are_not_read(ask: Ask, case: bytes) -> None:
    """Each of the five may be there, absent or damaged; nothing of the observation depends on them."""
    for model in (TINY, BANK):
        check_opened(ask, "INDEX-FILES-01", model)
        check_opened(ask, "INDEX-FILES-01", model, spelt=_with_files(model, CAPABILITY_FILES, case))


STRAYS: dict[str, list[str]] = {
    "notes": ["README.md", "LICENSE", ".gitattributes"],
    "temporaries": [".index.json.tmp", "index.json~", "index.json.1", "system_graph.json.tmp"],
    "segments": ["segments/target.output_head@Q8_0.bin", "segments/other.bin", "target.embedding.bin"],
    "banks": ["routed/layer_001.q6k.lyrw", "layer_000.lyrw", "segments/target.embedding.lyrw"],
    "numbered": [
        "segments/target.embedding.1.bin",
        "segments/target.embedding_1.bin",
        "routed/layer_000.q6k",
    ],
    "of_another_format": ["manifest.json", "config.json", "model.safetensors.index.json", "weights.bin"],
    "in_folders": ["a/b/c/d", "segments/deep/x.bin", "routed/.hidden"],
    "capability_names_elsewhere": ["sub/tokenizer.json", "segments/chat_template.jinja"],
    "index_elsewhere": ["sub/index.json", "segments/index.json"],
    "roots_elsewhere": [f"sub/{GRAPH}", f"segments/{MANIFEST}"],
    "near_capability_names": ["tokenizer.json.bak", "vocab.json", "tokenizer.model", "chat_template.json"],
    "odd_names": ["a b", "#1", "é", "e\u0301x", "語", "-rf", "%41", "~", "'"],
}


@clause("INDEX-FILES-01")
@cases({name: name for name in CAPABILITY_FILES})
def test_each_capability_file_is_by_itself(ask: Ask, case: str) -> None:
    """One of the five alone, and all of them but one, change nothing either."""
    for model in (TINY, BANK):
        rest = [name for name in CAPABILITY_FILES if name != case]
        check_opened(ask, "INDEX-FILES-01", model, spelt=model.with_file(case, b'{"model": '))
        check_opened(ask, "INDEX-FILES-01", model, spelt=_with_files(model, rest, b"{}"))


@clause("INDEX-FILES-01")
@cases(STRAYS)
def test_unnamed_files_change_nothing(ask: Ask, case: list[str]) -> None:
    """Whatever the index does not name has no meaning, however much it looks like a part of the container."""
    for model in (TINY, BANK):
        strays = [name for name in case if name not in model.files]
        check_opened(ask, "INDEX-FILES-01", model, spelt=_with_files(model, strays, b"{}"))


@clause("INDEX-FILES-01")
def test_the_other_root_changes_nothing(ask: Ask) -> None:
    """A graph beside a bank, and a manifest beside a graph, sound or broken, is a file like any other."""
    pairs = ((TINY, MANIFEST, BANK.files[MANIFEST]), (BANK, GRAPH, TINY.files[GRAPH]))
    for model, name, sound in pairs:
        for content in (sound, b"", b"{"):
            check_opened(ask, "INDEX-FILES-01", model, spelt=model.with_file(name, content))


@clause("INDEX-FILES-01")
def test_folders_change_nothing(ask: Ask) -> None:
    """Empty folders are no files, whatever they are called."""
    model: Any = TINY
    for name in ("empty", "segments/x.bin", "moe_manifest.json", "a/b/c"):
        model = model.with_file(name, Folder())
    check_opened(ask, "INDEX-FILES-01", TINY, spelt=model)


# A reader that opens a FIFO waits for ever: only a door that can end it carries the request.
WATCHED = Limits(seconds=10, memory=1 << 30)


@clause("INDEX-FILES-01")
@cases(root=MANIFEST, segment="segments/other.bin", bank="routed/layer_001.q6k.lyrw", note="notes.txt")
def test_unnamed_files_are_not_opened(ask: Ask, case: str) -> None:
    """What no name leads to is not opened, even where opening it never ends."""
    if not hasattr(os, "mkfifo"):
        raise NotRun("this platform makes no FIFO")
    path = ask.file("model", TINY.folder)
    place = ask.folder / "model" / case
    place.parent.mkdir(exist_ok=True)
    os.mkfifo(place)
    check("INDEX-FILES-01", ask("container.open", path=path, limits=WATCHED), opens(TINY))


def _lists(names: Iterable[str]) -> Answers:
    """Exactly these unreferenced files, sorted."""
    listed = sorted(names)
    return Answers({"unreferenced_files": listed}, frozenset({"wrong" if listed else "legal"}))


@clause("INDEX-FILES-02")
@cases({**WHOLE, "smallest": SMALLEST})
def test_what_is_named_is_not_listed(ask: Ask, case: Model) -> None:
    """Index, roots, segments, storage files and capability files are no unreferenced ones."""
    check("INDEX-FILES-02", open_(ask, case), _lists([]))
    check("INDEX-FILES-02", open_(ask, _with_files(case, CAPABILITY_FILES, b"{}")), _lists([]))


@clause("INDEX-FILES-02")
@cases(STRAYS)
def test_unnamed_files_are_listed(ask: Ask, case: list[str]) -> None:
    """Every other file is listed by its path below the container, sorted."""
    for model in (FULL, BANK):
        strays = [name for name in case if name not in model.files]
        check("INDEX-FILES-02", open_(ask, model), _lists([]))
        check("INDEX-FILES-02", open_(ask, _with_files(model, strays, b"{}")), _lists(strays))


@clause("INDEX-FILES-02")
def test_the_list_is_sorted(ask: Ask) -> None:
    """Many files come in one order, whatever order they were made in."""
    names = [f"{name}{number}" for number in range(40) for name in ("z", "a", "M", "_", "0")]
    check("INDEX-FILES-02", open_(ask, TINY), _lists([]))
    check("INDEX-FILES-02", open_(ask, _with_files(TINY, names)), _lists(names))


@clause("INDEX-FILES-02")
def test_the_list_is_sorted_by_bytes(ask: Ask) -> None:
    """Names stand in the order of their UTF-8, which is neither that of UTF-16 nor that of folders."""
    names = ["\ufb00", "\U0001f600", "a/b", "a-b", "a.b", "aB", "\u00e9"]
    check("INDEX-FILES-02", open_(ask, TINY), _lists([]))
    check("INDEX-FILES-02", open_(ask, _with_files(TINY, names)), _lists(names))


@clause("INDEX-FILES-02")
def test_the_root_of_the_other_shape_is_listed(ask: Ask) -> None:
    """A graph in a bank container and a manifest in a graph container are named by nobody."""
    for model, name in ((TINY, MANIFEST), (BANK, GRAPH), (TINY, f"{GRAPH}.bak")):
        check("INDEX-FILES-02", open_(ask, model), _lists([]))
        check("INDEX-FILES-02", open_(ask, model.with_file(name, b"{}")), _lists([name]))


@clause("INDEX-FILES-02")
def test_empty_folders_are_not_listed(ask: Ask) -> None:
    """A folder is no file; only what lies in it is listed."""
    model: Any = TINY.with_file("empty", Folder()).with_file("full", Folder({"x": b"", "y": Folder()}))
    check("INDEX-FILES-02", open_(ask, TINY), _lists([]))
    check("INDEX-FILES-02", open_(ask, model), _lists(["full/x"]))
