"""container.write: what is refused, and that then nothing is written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.container.sources import Writing, source
from vindex3_fixtures.container.writings import ARTIFACT, tower, towers
from vindex3_reference.container.verbs import container_write


def _with(writing: Writing, **more: Any) -> dict[str, Any]:
    return {**writing.request, **more}


REFUSED: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "a profile over a set that is not there": (
        _with(tower(), profiles=[{"name": "fast", "selects": {"a": "b"}}]),
        "unknown-region-set",
        {"region_set": "a", "catalogued": []},
    ),
    "a profile twice": (
        _with(tower(), profiles=["fast", {"name": "fast"}]),
        "duplicate-id",
        {"id": "fast", "field": "profiles"},
    ),
    "an extra key of the format": (
        _with(tower(), extra={"authority": "derived"}),
        "duplicate-key",
        {"path": "index.json", "key": "authority"},
    ),
    "an extra value that nobody reads": (
        _with(tower(), extra={"a": float("nan")}),
        "out-of-range",
        {"path": "index.json"},
    ),
    "an extra key that is no string": (
        _with(tower(), extra={"a": {1: 2}}),
        "bad-type",
        {"path": "index.json", "field": ""},
    ),
    "half a character": (_with(tower(), family="\ud800"), "malformed-json", {"path": "index.json"}),
    "two stored names alike": (
        tower(stored={"weight": "tower.weight", "": "tower"}).request,
        "duplicate-id",
        {"id": "weight", "field": "name"},
    ),
    "data that are no bytes": (
        {**tower().request, "sources": {ARTIFACT: [{**source("tower"), "data": "text"}]}},
        "bad-type",
        {"field": f"{ARTIFACT}[0].data"},
    ),
    "a name without UTF-8": (
        {**tower().request, "sources": {ARTIFACT: [source("tower.\udc00", data=b"12345678")]}},
        "bad-type",
        {"field": f"{ARTIFACT}[0].name"},
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_arguments_that_are_refused(tmp_path, refusal, name):
    """What no reader would take back is refused by name, and no folder is made for it."""
    request, kind, facts = REFUSED[name]
    found_kind, found = refusal(container_write, out=str(tmp_path / "out"), **request)
    assert (found_kind, {fact: found.get(fact) for fact in facts}) == (kind, facts)
    assert list(tmp_path.iterdir()) == []


def test_all_defects_of_sources_together(tmp_path, refusal):
    """Objects without tensors and tensors of a wrong length are listed in the order of the objects."""
    request = towers("a", "b", "c").request
    request["sources"] = {
        ARTIFACT: [source("tower_0.x", "U8", (2,), b"1"), source("tower_2.x", "F64", (2**61,), b"")]
    }
    kind, names = refusal(container_write, out=str(tmp_path / "out"), **request)
    assert (kind, names["subject"], names["expected"], names["found"]) == (
        "length-mismatch",
        "tower_0.x",
        2,
        1,
    )
    assert [
        (each["kind"], each["names"].get("object", each["names"].get("subject"))) for each in names["defects"]
    ] == [
        ("length-mismatch", "tower_0.x"),
        ("unmatched-binding", "b.perception_tower"),
        ("length-mismatch", "tower_2.x"),
    ]


@pytest.mark.parametrize("id_", [".", "a/b", "a\\b", "..", "/", "a\0"])
def test_ids_that_leave_the_folder(tmp_path, refusal, id_):
    """An id that is no part of a file name is refused, and so is such an encoding; one with dots is not."""
    for writing, path in ((tower(id_=f"a{id_}b"), f"a{id_}b.perception_tower"), (tower(encoding=id_), id_)):
        if {"/", "\\", "\0"} & set(path) or path in (".", ".."):
            kind, names = refusal(container_write, out=str(tmp_path / "out"), **writing.request)
            assert (kind, names["path"]) == ("path-escape", path)
        else:
            container_write(out=str(tmp_path / "dots"), **writing.request)
            assert (tmp_path / "dots" / "segments" / f"{path}.bin").is_file()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "pair", [("Vision", "vision"), ("\u00e9", "e\u0301"), ("\u00c9", "e\u0301"), ("ß", "SS")]
)
def test_names_that_are_one_file_elsewhere(tmp_path, refusal, pair):
    """Segments whose names differ in case or composition alone are refused with both paths."""
    kind, names = refusal(container_write, out=str(tmp_path / "out"), **towers(*pair).request)
    files = sorted(f"segments/{id_}.perception_tower.bin" for id_ in pair)
    assert (kind, names) == ("path-collision", {"paths": files})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("nowhere"), os.mkfifo],
                         ids=["folder", "dangling link", "pipe"])  # fmt: skip
def test_a_capability_file_that_cannot_be_read(tmp_path, refusal, make):
    """It is named, and nothing is written."""
    given = tmp_path / "given"
    given.mkdir()
    (given / "tokenizer.json").write_text("{}")
    make(given / "generation_config.json")
    request = _with(tower(), capability_dir=str(given))
    kind, names = refusal(container_write, out=str(tmp_path / "out"), **request)
    assert (kind, names["path"]) == ("io", "generation_config.json")
    assert not (tmp_path / "out").exists()


def test_a_capability_folder_that_is_not_there(tmp_path, refusal):
    """A folder that was named and is not there is no folder without files."""
    folder = str(tmp_path / "none")
    kind, names = refusal(container_write, out=str(tmp_path / "out"), **_with(tower(), capability_dir=folder))
    assert (kind, names["path"]) == ("io", folder)


@pytest.mark.parametrize(
    ("put", "name"),
    [
        (lambda out: out.write_bytes(b""), ""),
        (lambda out: (out / "segments").mkdir(parents=True) or (out / "index.json").mkdir(), "index.json"),
        (lambda out: out.mkdir() or (out / "segments").write_bytes(b""), "segments"),
        (lambda out: out.mkdir() or (out / "segments").symlink_to(out.parent), "segments"),
        (lambda out: out.symlink_to("nowhere"), ""),
    ],
    ids=["file", "folder for the index", "file for the folder", "link for the folder", "dangling link"],
)
def test_a_target_that_cannot_be_written(tmp_path, refusal, put, name):
    """What stands in the way is named and stays as it is; no folder is written through a link."""
    out = tmp_path / "in" / "out"
    out.parent.mkdir()
    put(out)
    before = sorted(out.parent.rglob("*"))
    kind, names = refusal(container_write, out=str(out), **tower().request)
    assert (kind, names["path"]) == ("io", name or str(out))
    assert sorted(out.parent.rglob("*")) == before


@pytest.mark.parametrize("out", ["nul\0", "\ud800"], ids=repr)
def test_a_path_that_no_folder_can_have(refusal, out):
    """A name that the system cannot have is an io refusal."""
    kind, names = refusal(container_write, out=out, **tower().request)
    assert (kind, names["path"]) == ("io", out)
