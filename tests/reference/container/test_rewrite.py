"""container.rewrite: what is carried, what is dropped and named, and what never changes on the way."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.container.tiny import bank, tiny
from vindex3_fixtures.container.writings import whole_model
from vindex3_reference.container.verbs import container_open, container_rewrite, container_write

# An index and a graph as another hand writes them: spacing, escapes and keys of its own at every level.
INDEX = """ {"zz" : 1e2, "version":3,"model":"m\\u00e9","family":"","hidden_size":1,"num_layers":1,
"system_graph":"system_graph.json", "profiles":["exact",{"name":"fast","selects":{"r":"v"},"later":[null]}],
"variants":{"r":{"baseline":"v","variants":{"v":{"storage":"segments/x","fidelity":"source-exact","k":1.0}},"w":0}},
"segments":{"segments/x":4294967295},"precision_map":{"roles":null,"a":{"b":18446744073709551616}},
"representations":{"x@Q":{"object":"x","encoding":"Q","segment":"segments/x.q.bin","tensor_count":0,
"payload_bytes":0,"payload_sha256":"-","segment_sha256":"-","codec":{"c":[]},"encoder":null,"odd":{"":""}}},
"derived_from_model":null,"authority":"derived","\\u0061a":{"z":1,"a":[true,-0.5]}}
"""
GRAPH = b'\t{"schema" : 6,\r\n"objects":[], "edges" :[],"components":[ ] ,"\\u0078":"\\/"}\n\n'


@pytest.fixture
def odd(tmp_path) -> Path:
    """A container that nobody here would write."""
    folder = tmp_path / "odd"
    (folder / "segments" / "deep").mkdir(parents=True)
    (folder / "index.json").write_text(INDEX)
    (folder / "system_graph.json").write_bytes(GRAPH)
    (folder / "segments" / "x.q.bin").write_bytes(b"no segment at all")
    (folder / "segments" / "deep" / "notes.txt").write_bytes(b"notes")
    (folder / "tokenizer.json").write_bytes(b"\xff\x00 no JSON")
    return folder


def _tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("place", ["elsewhere", "in place", "in place by another way"])
def test_nothing_is_lost(odd, tmp_path, place):
    """Unknown keys keep their values and order at every level, and every other file its bytes."""
    ways = {"in place": odd, "in place by another way": tmp_path / "way", "elsewhere": tmp_path / "out"}
    (tmp_path / "way").symlink_to(odd)
    out = ways[place]
    before = _tree(odd)
    answer = container_rewrite(path=str(odd), out=str(out))
    assert answer == {"path": str(out), "carried_files": sorted(before), "dropped_files": []}
    after = _tree(out)
    stored = json.loads(after.pop("index.json"))
    assert json.dumps(stored) == json.dumps(json.loads(before.pop("index.json")))
    assert after == before
    assert (tmp_path / "way").is_symlink()


@pytest.mark.parametrize("make", [tiny, bank], ids=["graph", "bank"])
def test_both_shapes(tmp_path, make):
    """A container of either shape opens alike after it was rewritten."""
    make().folder.write_to(tmp_path / "in")
    container_rewrite(path=str(tmp_path / "in"), out=str(tmp_path / "out"))
    assert container_open(path=str(tmp_path / "out")) == container_open(path=str(tmp_path / "in"))


def test_what_is_dropped(odd, tmp_path):
    """What is no file, a link that nothing asks for and the remains of a stopped writer are named."""
    os.mkfifo(odd / "pipe")
    (odd / "link").symlink_to("index.json")
    (odd / "folder").symlink_to("segments")
    (odd / ".0123456789abcdef.part").touch()
    (odd / "segments" / ".0123456789abcdef.part").touch()
    dropped = [".0123456789abcdef.part", "folder", "link", "pipe", "segments/.0123456789abcdef.part"]
    answer = container_rewrite(path=str(odd), out=str(tmp_path / "out"))
    assert answer["dropped_files"] == dropped
    assert sorted(_tree(tmp_path / "out")) == answer["carried_files"]
    assert not set(dropped) & {
        str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*")
    }
    answer = container_rewrite(path=str(odd), out=str(odd))
    assert (answer["dropped_files"], set(dropped) - set(answer["carried_files"])) == ([], set())


def test_links_that_the_index_asks_for(odd, tmp_path):
    """The bytes behind a linked segment or tokenizer are carried, in files of their own."""
    for name in ("segments/x.q.bin", "tokenizer.json"):
        (odd / name).rename(tmp_path / Path(name).name)
        (odd / name).symlink_to(tmp_path / Path(name).name)
    container_rewrite(path=str(odd), out=str(tmp_path / "out"))
    assert _tree(tmp_path / "out")["segments/x.q.bin"] == b"no segment at all"
    assert _tree(tmp_path / "out")["tokenizer.json"] == b"\xff\x00 no JSON"


def test_copies_are_no_links(odd, tmp_path):
    """A file that is changed in place in one of the two containers is not changed in the other."""
    container_rewrite(path=str(odd), out=str(tmp_path / "out"))
    nodes = {path.stat().st_ino for path in odd.rglob("*")}
    assert nodes.isdisjoint(path.stat().st_ino for path in (tmp_path / "out").rglob("*"))


def test_a_target_that_links_to_the_source(odd, tmp_path):
    """Links in the target give way to files, and the source keeps its bytes."""
    before = _tree(odd)
    out = tmp_path / "out"
    (out / "segments").mkdir(parents=True)
    for name in before:
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).symlink_to(odd / name)
    container_rewrite(path=str(odd), out=str(out))
    assert _tree(odd) == before
    assert {name: data for name, data in _tree(out).items() if name != "index.json"} == {
        name: data for name, data in before.items() if name != "index.json"
    }


def test_a_missing_segment(odd, tmp_path, refusal):
    """A container that does not open is not rewritten, and no folder is made."""
    (odd / "segments" / "x.q.bin").unlink()
    for out in (tmp_path / "out", odd):
        found = refusal(container_rewrite, path=str(odd), out=str(out))
        assert found == ("missing-file", {"path": "segments/x.q.bin"})
    assert not (tmp_path / "out").exists()
    assert (odd / "index.json").read_text() == INDEX


def test_holes_stay_holes(odd, tmp_path):
    """A sparse segment of a gigabyte takes as little room in the copy, and reads alike."""
    path = odd / "segments" / "x.q.bin"
    with path.open("wb") as file:
        for at in (1 << 20, 1 << 29):
            file.seek(at)
            file.write(b"data")
        file.truncate(1 << 30)
    if path.stat().st_blocks * 512 > 1 << 24:
        pytest.skip("this file system makes no sparse files")
    container_rewrite(path=str(odd), out=str(tmp_path / "out"))
    copy = tmp_path / "out" / "segments" / "x.q.bin"
    assert copy.stat().st_size == 1 << 30
    assert copy.stat().st_blocks * 512 <= 1 << 24
    with copy.open("rb") as file:
        for at in (1 << 20, 1 << 29):
            file.seek(at - 4)
            assert file.read(12) == b"\0\0\0\0data\0\0\0\0"


def test_a_written_container_is_its_own_rewriting(tmp_path):
    """What container.write makes is not changed by a rewrite, and no file of it is touched in place."""
    request: Any = whole_model().request
    container_write(out=str(tmp_path / "in"), **request)
    nodes = {path: path.stat().st_ino for path in (tmp_path / "in").rglob("*")}
    for out in (tmp_path / "in", tmp_path / "out"):
        container_rewrite(path=str(tmp_path / "in"), out=str(out))
        assert _tree(out) == _tree(tmp_path / "in")
    assert {path: path.stat().st_ino for path in (tmp_path / "in").rglob("*")} == nodes


def test_a_name_that_is_no_text(odd, tmp_path):
    """A file whose name is no UTF-8 is carried, and shown with escapes."""
    name = os.fsdecode(b"caf\xe9")
    (odd / name).write_bytes(b"bytes")
    answer = container_rewrite(path=str(odd), out=str(tmp_path / "out"))
    assert "caf\\xe9" in answer["carried_files"]
    assert (tmp_path / "out" / name).read_bytes() == b"bytes"


def test_a_folder_that_cannot_be_listed(odd, tmp_path, refusal, monkeypatch):
    """What lies in it would vanish unnamed, so that nothing is written; in place it is no hindrance."""
    scandir = os.scandir

    def closed(path: str) -> Any:
        if path.endswith("deep/"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)
    found = refusal(container_rewrite, path=str(odd), out=str(tmp_path / "out"))
    assert found == ("io", {"path": str(odd), "reason": "Permission denied"})
    assert not (tmp_path / "out").exists()
    container_rewrite(path=str(odd), out=str(odd))
    assert (odd / "segments" / "deep" / "notes.txt").read_bytes() == b"notes"
