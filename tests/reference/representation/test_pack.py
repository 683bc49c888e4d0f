"""pack.add: what stands in a container afterwards, and what is never touched on the way."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.container.sources import source
from vindex3_fixtures.container.tiny import tiny
from vindex3_reference.container.verbs import container_open, container_tensor, container_verify
from vindex3_reference.disk import Disk
from vindex3_reference.representation.pack import Addition
from vindex3_reference.representation.verbs import pack_add

HEAD = "target.output_head"
SEGMENT = f"segments/{HEAD}@Q8_0.bin"
DATA = bytes(range(34))
PACK: Any = {"object": HEAD, "encoding": "Q8_0", "tensors": [source("weight", "Q8_0", (6, 4), DATA)]}
STACK: Any = {
    "object": "target.decoder_stack",
    "encoding": "NVFP4",
    "codec": {"family": "NVFP4", "group_elems": 16},
    "encoder": {"algorithm": "nearest", "revision": 1},
}


@pytest.fixture
def laid(tmp_path) -> Path:
    """A container of four objects, with a tokenizer and a file that nobody knows."""
    model = tiny().with_file("tokenizer.json", b"{}").with_file("notes.txt", b"notes")
    model = model.with_index(("later",), {"key": [1.0, None]}).with_index(("profiles",), ["exact", "fast"])
    model.folder.write_to(tmp_path / "model")
    return tmp_path / "model"


def _tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _nodes(folder: Path) -> dict[str, tuple[int, int]]:
    found = {str(path.relative_to(folder)): path.stat() for path in folder.rglob("*") if path.is_file()}
    return {name: (status.st_ino, status.st_mtime_ns) for name, status in found.items()}


def _stack(data: bytes = b"code") -> list[dict[str, Any]]:
    """The tensors of the stack, backwards: norms verbatim, everything else other bytes."""
    stored = tiny().segments["target.decoder_stack@BF16"]
    return [
        source(row["name"], "BF16", row["shape"], stored.data(row["name"]))
        if "norm" in row["name"]
        else source(row["name"], "NVFP4", row["shape"], data)
        for row in reversed(stored.rows)
    ]


def _without_pack(tree: dict[str, bytes], key: str) -> dict[str, Any]:
    """Every file of a container from which a pack is taken out, documents as values."""
    index, graph = (json.loads(tree[name]) for name in ("index.json", "system_graph.json"))
    entry = index["representations"].pop(key)
    assert index["segments"].pop(entry["segment"].removesuffix(".bin")) == 1
    for thing in graph["objects"]:
        if thing["id"] == entry["object"]:
            assert thing["representations"].pop() == {
                "encoding": entry["encoding"],
                "fidelity": "approximate",
            }
    files = {name: data for name, data in tree.items() if name != entry["segment"]}
    return {**files, "index.json": index, "system_graph.json": graph}


@pytest.mark.parametrize("place", ["in place", "named in place", "by another way", "elsewhere"])
def test_what_is_added(laid, tmp_path, place):
    """One segment, one entry, one key and one line; taken out again, every file is as it was."""
    (tmp_path / "way").symlink_to(laid)
    ways = {"named in place": laid, "by another way": tmp_path / "way", "elsewhere": tmp_path / "out"}
    out = ways.get(place)
    before = _tree(laid)
    answer = pack_add(path=str(laid), **({} if out is None else {"out": str(out)}), **PACK)
    after = _tree(out or laid)
    segment = Segment(f"{HEAD}@Q8_0", (Tensor("weight", "Q8_0", (6, 4), DATA),))
    digests = {"payload_sha256": segment.payload_sha256, "segment_sha256": segment.segment_sha256}
    assert after[SEGMENT] == segment.bytes()
    assert answer["path"] == str(out or laid)
    assert answer["added"] == [{"representation": f"{HEAD}@Q8_0", "segment": SEGMENT, **digests}]
    assert answer["skipped"] == []
    assert json.loads(after["index.json"])["representations"][f"{HEAD}@Q8_0"] == {
        "object": HEAD,
        "encoding": "Q8_0",
        "segment": SEGMENT,
        "tensor_count": 1,
        "payload_bytes": 34,
        **digests,
        "compiled_from": f"{HEAD}@BF16",
        "source_representation_digest": tiny().segments[f"{HEAD}@BF16"].payload_sha256,
    }
    documents = {name: json.loads(before[name]) for name in ("index.json", "system_graph.json")}
    assert _without_pack(after, f"{HEAD}@Q8_0") == {**before, **documents}
    assert container_verify(path=str(out or laid))["verified"] is True


def test_in_place_nothing_else_is_touched(laid):
    """Every file but index and graph keeps node, time and bytes; both lists are empty."""
    before = _nodes(laid)
    answer = pack_add(path=str(laid), **PACK)
    after = _nodes(laid)
    assert (answer["linked"], answer["copied"]) == ([], [])
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {SEGMENT, "index.json", "system_graph.json"}


def test_elsewhere_segments_are_linked(laid, tmp_path):
    """Segments are names of the source's files; what may be changed in place is a file of its own."""
    before, nodes = _tree(laid), _nodes(laid)
    answer = pack_add(path=str(laid), out=str(tmp_path / "out"), **PACK)
    segments = sorted(name for name in before if name.startswith("segments/"))
    assert (answer["linked"], answer["copied"]) == (segments, ["notes.txt", "tokenizer.json"])
    after = _nodes(tmp_path / "out")
    assert {name for name in nodes if after[name] == nodes[name]} == set(segments)
    assert (_tree(laid), _nodes(laid)) == (before, nodes)


class _Linkless(Disk):
    """A file system without hard links."""

    def call(self, function: Any, *arguments: Any) -> Any:
        if function is os.link:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return super().call(function, *arguments)


def test_without_links_segments_are_copied(laid, tmp_path):
    """Where no link can be made, the same container comes to be of copies, and none is called a link."""
    addition = Addition(str(laid), **_given(PACK))
    answer: Any = addition.write(_Linkless(), str(tmp_path / "out"))
    assert answer["linked"] == []
    assert answer["copied"] == sorted(_tree(laid).keys() - {"index.json", "system_graph.json"})
    pack_add(path=str(laid), out=str(tmp_path / "linked"), **PACK)
    assert _tree(tmp_path / "out") == _tree(tmp_path / "linked")
    nodes = {inode for inode, _ in _nodes(laid).values()}
    assert nodes.isdisjoint(inode for inode, _ in _nodes(tmp_path / "out").values())


def _given(pack: dict[str, Any]) -> dict[str, Any]:
    """A request as the arguments of an addition."""
    return {
        "thing": pack["object"],
        "encoding": pack["encoding"],
        "tensors": pack["tensors"],
        "codec": None,
        "encoder": None,
    }


@pytest.mark.parametrize("link", [os.link, os.symlink], ids=["hard", "symbolic"])
def test_nothing_is_written_through_links(laid, tmp_path, link):
    """A target, and a container that is added to in place, may share all their files with another one."""
    before = _tree(laid)
    for name in ("out", "in place"):
        for file in before:
            (tmp_path / name / file).parent.mkdir(parents=True, exist_ok=True)
            link(laid / file, tmp_path / name / file)
    answer = pack_add(path=str(laid), out=str(tmp_path / "out"), **PACK)
    assert answer["linked"] == sorted(name for name in before if name.startswith("segments/"))
    assert all((laid / name).samefile(tmp_path / "out" / name) for name in answer["linked"])
    assert not any((tmp_path / "out" / name).is_symlink() for name in _tree(tmp_path / "out"))
    pack_add(path=str(tmp_path / "in place"), **PACK)
    assert _tree(laid) == before


def test_a_segment_that_is_a_link_is_copied(laid, tmp_path):
    """A link out of the container is no file of it: its bytes come along in a file of their own."""
    name = f"segments/{HEAD}.bin"
    (laid / name).rename(tmp_path / "blob")
    (laid / name).symlink_to(tmp_path / "blob")
    answer = pack_add(path=str(laid), out=str(tmp_path / "out"), **PACK)
    assert name in answer["copied"]
    assert name not in answer["linked"]
    assert not (tmp_path / "out" / name).is_symlink()
    assert (tmp_path / "out" / name).stat().st_ino != (tmp_path / "blob").stat().st_ino


def test_a_pack_of_a_stack(laid):
    """Tensors lie in the order of their names, some verbatim; codec and encoder are recorded as given."""
    pack_add(path=str(laid), tensors=_stack(), **STACK)
    entry: Any = container_open(path=str(laid))["representations"]
    stored = tiny().segments["target.decoder_stack@BF16"]
    for row in stored.rows:
        answer = container_tensor(
            path=str(laid), object="target.decoder_stack", encoding="NVFP4", tensor=row["name"]
        )
        kept = "norm" in row["name"]
        assert answer["data"] == (stored.data(row["name"]) if kept else b"code")
        assert answer["dtype"] == ("BF16" if kept else "NVFP4")
    recorded = entry["target.decoder_stack@NVFP4"]
    assert (recorded["codec"], recorded["encoder"]) == (STACK["codec"], STACK["encoder"])
    assert container_verify(path=str(laid))["verified"] is True


def test_a_pack_is_opt_in_and_independent(laid):
    """Requests without an encoding are answered as before, also when the pack is damaged."""
    asked: Any = {"path": str(laid), "object": HEAD, "tensor": "weight"}
    before = container_tensor(**asked)
    pack_add(path=str(laid), **PACK)
    assert container_tensor(**asked) == before
    (laid / SEGMENT).write_bytes(b"damage")
    assert container_tensor(**asked) == before
    answer: Any = container_verify(path=str(laid))
    flags = {entry["representation"]: entry["segment_ok"] for entry in answer["entries"]}
    assert [key for key, ok in flags.items() if not ok] == [f"{HEAD}@Q8_0"]


@pytest.mark.parametrize("encoding", ["Q8_0", "BF16"])
def test_what_is_there_is_skipped(laid, tmp_path, encoding):
    """What is stored is not replaced: in place no file is touched, elsewhere all of them come along."""
    pack_add(path=str(laid), **PACK)
    before, nodes = _tree(laid), _nodes(laid)
    again = {**PACK, "encoding": encoding, "tensors": []}
    answer = pack_add(path=str(laid), **again)
    lists = {"added": [], "linked": [], "copied": [], "skipped": [f"{HEAD}@{encoding}"]}
    assert answer == {"path": str(laid), **lists}
    assert _nodes(laid) == nodes
    answer = pack_add(path=str(laid), out=str(tmp_path / "out"), **again)
    assert answer["skipped"] == [f"{HEAD}@{encoding}"]
    assert _tree(tmp_path / "out") == _tree(laid) == before
    assert sorted([*answer["linked"], *answer["copied"]]) == sorted(before)


def test_one_input_gives_the_same_bytes(laid, tmp_path):
    """Neither the place nor the order in which tensors are given is seen in the result."""
    results = [tmp_path / "a", tmp_path / "b"]
    for out, tensors in zip(results, [_stack(), _stack()[::-1]], strict=True):
        pack_add(path=str(laid), out=str(out), tensors=tensors, **STACK)
    pack_add(path=str(laid), tensors=_stack(), **STACK)
    assert _tree(laid) == _tree(results[0]) == _tree(results[1])


@pytest.mark.parametrize("stop", [SEGMENT, "system_graph.json", "index.json"])
def test_stopped_before_a_file(laid, tmp_path, stop):
    """A stop leaves the source as it was and an in-place target that opens alike; going on ends it."""
    opened, before = container_open(path=str(laid)), _tree(laid)
    elsewhere = {"path": str(laid), "out": str(tmp_path / "out")}
    assert pack_add(**elsewhere, interrupt_before=stop, **PACK) == {"interrupted": True}
    assert _tree(laid) == before
    assert not (tmp_path / "out" / stop).exists()
    assert pack_add(path=str(laid), interrupt_before=stop, **PACK) == {"interrupted": True}
    assert container_open(path=str(laid)) == {
        **opened,
        "unreferenced_files": ["notes.txt"] if stop == SEGMENT else ["notes.txt", SEGMENT],
    }
    assert container_verify(path=str(laid))["verified"] is True
    pack_add(path=str(laid), **PACK)
    (tmp_path / "fresh").mkdir()
    for name, data in before.items():
        (tmp_path / "fresh" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "fresh" / name).write_bytes(data)
    pack_add(path=str(tmp_path / "fresh"), **PACK)
    assert _tree(laid) == _tree(tmp_path / "fresh")


@pytest.mark.parametrize("fidelity", ["canonical", "approximate", "source-exact", 7])
def test_a_stated_fidelity_changes_nothing(laid, tmp_path, fidelity):
    """What a request states of fidelity is not believed, whatever it is."""
    pack_add(path=str(laid), out=str(tmp_path / "stated"), fidelity=fidelity, **PACK)
    pack_add(path=str(laid), **PACK)
    assert _tree(tmp_path / "stated") == _tree(laid)


def test_packs_beside_packs(laid):
    """Several packs of several objects stand beside each other, and every digest is that of its bytes."""
    pack_add(path=str(laid), **PACK)
    pack_add(path=str(laid), **{**PACK, "encoding": "Q6_K", "tensors": [source("weight", "Q6_K", (6, 4))]})
    pack_add(path=str(laid), tensors=_stack(), **STACK)
    opened: Any = container_open(path=str(laid))["representations"]
    assert [*opened][-3:] == [f"{HEAD}@Q8_0", f"{HEAD}@Q6_K", "target.decoder_stack@NVFP4"]
    for entry in opened.values():
        data = (laid / entry["segment"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == entry["segment_sha256"]
    assert container_verify(path=str(laid))["verified"] is True
