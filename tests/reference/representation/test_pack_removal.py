"""A pack that is taken out again: every byte as before it, and nothing else lost on the way."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.reference.stopping import Counting, Stopped
from vindex3_fixtures.container.model import Model
from vindex3_fixtures.container.sources import source
from vindex3_fixtures.container.tiny import bank, tiny
from vindex3_reference.container.verbs import container_open, container_rewrite, container_verify
from vindex3_reference.disk import Disk
from vindex3_reference.representation.removal import pack_remove
from vindex3_reference.representation.verbs import pack_add

HEAD = "target.output_head"
SEGMENT = f"segments/{HEAD}@Q8_0.bin"


def _tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _lay(model: Model, folder: Path) -> Path:
    """A container whose documents are written as the reference writes them."""
    model.folder.write_to(folder)
    _add(folder, "Q6_K", b"another pack")
    container_rewrite(path=str(folder), out=str(folder))
    return folder


def _add(folder: Path, encoding: str, data: bytes) -> None:
    tensors: Any = [source("weight", encoding, (6, 4), data)]
    pack_add(path=str(folder), object=HEAD, encoding=encoding, tensors=tensors)


@pytest.fixture
def laid(tmp_path) -> Path:
    """A container with a pack that stays."""
    return _lay(tiny(), tmp_path / "model")


def test_adding_and_removing_restores_every_byte(laid):
    """What was added is gone, file by file, and what was there has kept its bytes and its nodes."""
    before = _tree(laid)
    nodes = {name: (laid / name).stat().st_ino for name in before if name.startswith("segments/")}
    _add(laid, "Q8_0", bytes(34))
    assert pack_remove(Disk(), str(laid), HEAD, "Q8_0") == {
        "path": str(laid),
        "removed": f"{HEAD}@Q8_0",
        "files": [SEGMENT],
    }
    assert _tree(laid) == before
    assert {name: (laid / name).stat().st_ino for name in nodes} == nodes
    assert container_verify(path=str(laid))["verified"] is True


@pytest.mark.parametrize("damage", ["gone", "changed"])
def test_a_damaged_pack_can_be_removed(laid, damage):
    """Nobody needs the bytes of a pack to take it out."""
    before = _tree(laid)
    _add(laid, "Q8_0", bytes(34))
    if damage == "gone":
        (laid / SEGMENT).unlink()
    else:
        (laid / SEGMENT).write_bytes(b"damage")
    answer = pack_remove(Disk(), str(laid), HEAD, "Q8_0")
    assert answer["files"] == ([] if damage == "gone" else [SEGMENT])
    assert _tree(laid) == before


def test_links_keep_their_bytes(laid, tmp_path):
    """Another container that shares its files with this one does not change."""
    _add(laid, "Q8_0", bytes(34))
    before = _tree(laid)
    for name in before:
        (tmp_path / "other" / name).parent.mkdir(parents=True, exist_ok=True)
        os.link(laid / name, tmp_path / "other" / name)
    pack_remove(Disk(), str(tmp_path / "other"), HEAD, "Q8_0")
    assert _tree(laid) == before


def test_a_folder_that_is_a_link(laid, tmp_path):
    """What lies behind a link is no file of the container and stays."""
    _add(laid, "Q8_0", bytes(34))
    (laid / "segments").rename(tmp_path / "elsewhere")
    (laid / "segments").symlink_to(tmp_path / "elsewhere")
    assert pack_remove(Disk(), str(laid), HEAD, "Q8_0")["files"] == []
    assert (tmp_path / "elsewhere" / Path(SEGMENT).name).is_file()
    assert container_verify(path=str(laid))["verified"] is True


def test_a_segment_that_another_entry_means_stays(laid):
    """A file that two entries name is taken away from neither by the other one."""
    _add(laid, "Q8_0", bytes(34))
    index = (laid / "index.json").read_text()
    shared = index.replace(f'"segments/{HEAD}@Q6_K.bin"', f'"{SEGMENT}"')
    assert shared != index
    (laid / "index.json").write_text(shared)
    assert pack_remove(Disk(), str(laid), HEAD, "Q8_0")["files"] == []
    assert (laid / SEGMENT).read_bytes()
    assert container_open(path=str(laid))["representations"][f"{HEAD}@Q6_K"]["segment"] == SEGMENT


def test_stopped_before_each_call(tmp_path):
    """At every moment a container stands there that opens and verifies, with the pack or without it."""
    states = []
    for number in range(100):
        folder = _lay(tiny(), tmp_path / f"{number}")
        _add(folder, "Q8_0", bytes(34))
        try:
            pack_remove(Counting(number), str(folder), HEAD, "Q8_0")
        except Stopped:
            opened: Any = container_open(path=str(folder))
            assert container_verify(path=str(folder))["verified"] is True
            assert f"{HEAD}@Q6_K" in opened["representations"]
            states.append(f"{HEAD}@Q8_0" in opened["representations"])
        else:
            break
    assert states == sorted(states, reverse=True)
    assert len(states) > 8
    assert not all(states)


@pytest.mark.parametrize(
    ("thing", "encoding", "expected"),
    [
        ("target.head", "Q8_0", ("dangling-reference", {"missing": "target.head"})),
        (HEAD, "BF16", ("missing-representation", {"object": HEAD})),
        (HEAD, "q6_k", None),
        ("target.final_norm", "Q6_K", None),
    ],
)
def test_what_cannot_be_removed(laid, refusal, thing, encoding, expected):
    """Only a pack that is there is removed, never what it stands beside; nothing is written."""
    before = _tree(laid)
    found = refusal(pack_remove, Disk(), str(laid), thing, encoding)
    if expected is None:
        assert found[0] == "unknown-representation"
        assert found[1]["representation"] == f"{thing}@{encoding}"
    else:
        assert found == expected
    assert _tree(laid) == before
    pack_remove(Disk(), str(laid), HEAD, "Q6_K")


def test_a_bank_has_no_packs(tmp_path, refusal):
    """A container without a graph has no objects."""
    bank().folder.write_to(tmp_path / "bank")
    assert refusal(pack_remove, Disk(), str(tmp_path / "bank"), HEAD, "Q8_0")[0] == "missing-root"
