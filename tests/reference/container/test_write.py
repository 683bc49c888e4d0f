"""container.write: what it makes, from entries of the law's example to whole models."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vindex3_fixtures.container.sources import source
from vindex3_fixtures.container.writings import (
    ARTIFACT,
    TOWER,
    text_model,
    tower,
    towers,
    whole_model,
)
from vindex3_reference.container.verbs import container_open, container_verify, container_write

WIDTHS = {"BF16": 2, "F32": 4}
LAYER = {
    "input_layernorm.weight": [16],
    "mlp.down_proj.weight": [16, 32],
    "mlp.gate_proj.weight": [32, 16],
    "mlp.up_proj.weight": [32, 16],
    "post_attention_layernorm.weight": [16],
    "self_attn.k_proj.weight": [8, 16],
    "self_attn.o_proj.weight": [16, 16],
    "self_attn.q_proj.weight": [16, 16],
    "self_attn.v_proj.weight": [8, 16],
}
# Payloads in which byte i is i mod 251; the digests are literals of the law's example.
EXAMPLES = {
    "target.decoder_stack@BF16": (
        "model.layers",
        {f"model.layers.{layer}.{name}": shape for layer in range(2) for name, shape in LAYER.items()},
        18,
        9344,
        "a263024edfab9af7fcdd8da22d49a8da02aed7143d10b90a14fc37343454b358",
        "56355bc2e988dd7fbfca6e7fbe5c2dc2ac0a9c7990a1f2d05e1187cc1a762967",
    ),
    "target.embedding@BF16": (
        "model.embed_tokens",
        {"model.embed_tokens.weight": [24, 16]},
        1,
        768,
        "2edf887e0c6de36990912448d1530bf3ee394c592b1bd241236028eebc1df97f",
        "8528d2b5daafd91c02c11c66eb30d51b479859b995321fac415c848a21eb15f4",
    ),
    "target.final_norm@F32": (
        "model.norm",
        {"model.norm.weight": [16]},
        1,
        64,
        "fdeab9acf3710362bd2658cdc9a29e8f9c757fcf9811603a8c447cd1d9151108",
        "0d56bb1560d6f861d32d74eb1c5268a2dff947ee0aa83b3f4a3992e2e509f93a",
    ),
    "vision.perception_adapter@BF16": (
        "model.vision_adapter",
        {"model.vision_adapter.weight": [16, 8]},
        1,
        256,
        "5bc31b283cef0072274e97d74916552954c935794536cab632641e5ea071379d",
        "95580ca8c1c9df147a5903bcd7bb0d0b30dfde128d70080adce052cabe84ca00",
    ),
}


def _example() -> dict[str, Any]:
    """A request whose graph has the objects of the examples, with tensors that give their payloads."""
    request = whole_model().request
    prefixes = tuple(prefix for prefix, *_ in EXAMPLES.values())
    kept = [one for one in request["sources"][ARTIFACT] if not one["name"].startswith(prefixes)]
    for key, (_, shapes, *_) in EXAMPLES.items():
        dtype, at = key.rpartition("@")[2], 0
        for name, shape in shapes.items():
            length = prod(shape) * WIDTHS[dtype]
            kept.append(source(name, dtype, shape, bytes(byte % 251 for byte in range(at, at + length))))
            at += length
    request["sources"][ARTIFACT] = kept[::-1]
    return request


def _tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_the_entries_of_the_example(tmp_path):
    """Counts, lengths and both digests are those that the law's example has."""
    container_write(out=str(tmp_path / "out"), **_example())
    index = json.loads((tmp_path / "out" / "index.json").read_bytes())
    expected = {}
    for key, (*_, count, length, payload, whole) in EXAMPLES.items():
        object_id, _, encoding = key.rpartition("@")
        expected[key] = {
            "object": object_id,
            "encoding": encoding,
            "segment": f"segments/{object_id}.bin",
            "tensor_count": count,
            "payload_bytes": length,
            "payload_sha256": payload,
            "segment_sha256": whole,
        }
    assert {key: index["representations"][key] for key in EXAMPLES} == expected
    for entry in expected.values():
        data = (tmp_path / "out" / str(entry["segment"])).read_bytes()
        assert sha256(data).hexdigest() == entry["segment_sha256"]


def test_the_index_as_text(tmp_path):
    """The smallest index, byte for byte: keys in the law's order, nothing that has no value."""
    writing = tower(stored={"weight": "tower"}, tensors=[source("tower", "U8", (3,), b"abc")])
    container_write(
        out=str(tmp_path), **writing.request, family="späť", extra={"zz": [1.5, None], "a": 2**70}
    )
    header = (
        '{"schema":1,"representation":"vision.perception_tower@BF16","tensors":'
        '[{"name":"weight","dtype":"U8","shape":[3],"offset":0,"len":3}]}'
    )
    padded = header.encode() + b" " * (-(8 + len(header)) % 16)
    segment = len(padded).to_bytes(8, "little") + padded + b"abc"
    assert (tmp_path / "segments" / f"{TOWER}.bin").read_bytes() == segment
    assert (
        (tmp_path / "index.json").read_text()
        == f"""{{
  "version": 4,
  "model": "tiny-target",
  "family": "späť",
  "hidden_size": 8,
  "num_layers": 1,
  "system_graph": "system_graph.json",
  "representations": {{
    "vision.perception_tower@BF16": {{
      "object": "vision.perception_tower",
      "encoding": "BF16",
      "segment": "segments/vision.perception_tower.bin",
      "tensor_count": 1,
      "payload_bytes": 3,
      "payload_sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      "segment_sha256": "{sha256(segment).hexdigest()}"
    }}
  }},
  "profiles": [
    {{
      "name": "exact"
    }}
  ],
  "segments": {{
    "segments/vision.perception_tower": 1
  }},
  "zz": [
    1.5,
    null
  ],
  "a": 1180591620717411303424
}}
"""
    )


def test_what_is_written_verifies(tmp_path):
    """A model of three components opens, verifies and agrees with its sources, and is alone in its folder."""
    request = whole_model().request
    answer = container_write(out=str(tmp_path), **request)
    assert answer["published"] == [
        *(f"segments/{one['id']}.bin" for one in request["graph"]["objects"]),
        "system_graph.json",
        "index.json",
    ]
    assert sorted(_tree(tmp_path)) == sorted(answer["published"])
    verified = container_verify(path=str(tmp_path), sources=request["sources"])
    assert verified["verified"] is True
    assert {entry["story"] for entry in verified["entries"]} == {"agree"}


def test_the_graph_is_stored_as_it_is_given(tmp_path):
    """Unknown keys, their order and numbers of any form stay in the graph."""
    request = deepcopy(text_model().request)
    request["graph"] = {"zz": {"b": 1.0, "a": 2**64, "\u00e9\u2028": None}, **request["graph"]}
    container_write(out=str(tmp_path), **request)
    stored = json.loads((tmp_path / "system_graph.json").read_bytes())
    assert stored == request["graph"]
    assert list(stored) == list(request["graph"])
    assert type(stored["zz"]["b"]) is float


BUFFERS = {
    "bytearray": bytearray,
    "memoryview": memoryview,
    "matrix": lambda data: np.frombuffer(data, "<u2").reshape(2, -1),
    "array with strides": lambda data: np.frombuffer(data, np.uint8).repeat(2)[::2],
}


@pytest.mark.parametrize("make", BUFFERS.values(), ids=list(BUFFERS))
def test_any_buffer_is_bytes(tmp_path, make):
    """Tensor bytes may be any buffer, one that lies in pieces for one."""
    writing = tower(stored={"weight": "tower"}, tensors=[source("tower", "U8", (8,), make(b"01234567"))])
    container_write(out=str(tmp_path), **writing.request)
    assert (tmp_path / "segments" / f"{TOWER}.bin").read_bytes().endswith(b"01234567")


def test_capability_files(tmp_path):
    """Those of the five that a folder has are copied, and nothing else of it."""
    given = tmp_path / "given"
    given.mkdir()
    for name in ("tokenizer.json", "chat_template.jinja", "config.json"):
        (given / name).write_bytes(f"{{ {name} \r\n\xff".encode("latin-1"))
    container_write(out=str(tmp_path / "out"), **tower().request, capability_dir=str(given))
    found = _tree(tmp_path / "out")
    assert {name for name in found if name in _tree(given)} == {"tokenizer.json", "chat_template.jinja"}
    assert all(found[name] == _tree(given)[name] for name in ("tokenizer.json", "chat_template.jinja"))
    assert container_open(path=str(tmp_path / "out"))["unreferenced_files"] == []


@pytest.mark.parametrize(
    "name",
    ["segments/a.perception_tower.bin", "segments/b.perception_tower.bin", "system_graph.json", "index.json"],
)
def test_an_interruption(tmp_path, refusal, name):
    """The files before the named one are there, no other one, and nothing that opens."""
    request = towers("a", "b").request
    order = container_write(out=str(tmp_path / "whole"), **request)["published"]
    assert container_write(out=str(tmp_path / "cut"), **request, interrupt_before=name) == {
        "interrupted": True
    }
    assert sorted(_tree(tmp_path / "cut")) == sorted(order[: order.index(name)])
    assert refusal(container_open, path=str(tmp_path / "cut")) == ("missing-file", {"path": "index.json"})


def test_the_same_input_gives_the_same_bytes(tmp_path):
    """Two writes are equal, and a third over the first touches no file."""
    for name in ("one", "two"):
        container_write(out=str(tmp_path / name), **whole_model().request)
    assert _tree(tmp_path / "one") == _tree(tmp_path / "two")
    nodes = {path: path.stat().st_ino for path in (tmp_path / "one").rglob("*")}
    container_write(out=str(tmp_path / "one"), **whole_model().request)
    assert {path: path.stat().st_ino for path in (tmp_path / "one").rglob("*")} == nodes


@pytest.mark.parametrize("name", [f"segments/{TOWER}.bin", "system_graph.json", "index.json"])
def test_a_damaged_container_is_mended(tmp_path, name):
    """A write over one whose index is right and whose other file is not gives the whole container again."""
    container_write(out=str(tmp_path), **tower().request)
    whole = _tree(tmp_path)
    (tmp_path / name).write_bytes(whole[name][:-1] + b"\xff")
    container_write(out=str(tmp_path), **tower().request)
    assert _tree(tmp_path) == whole


def test_memory_is_that_of_a_piece(tmp_path, bounded):
    """A mapped source of 64 MiB is written with a few MiB of memory."""
    (tmp_path / "source").touch()
    os.truncate(tmp_path / "source", 1 << 26)
    prepare = """
import mmap
from vindex3_fixtures.container.sources import source
from vindex3_fixtures.container.writings import tower
from vindex3_reference.container.verbs import container_write
file = open(sys.argv[1], "rb")
data = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ, flags=mmap.MAP_SHARED)
request = tower(stored={"weight": "tower"}, tensors=[source("tower", "U8", (1 << 26,), data)]).request
"""
    body = "print(container_write(out=sys.argv[2], **request)['published'][-1])"
    assert (
        bounded(prepare, body, str(tmp_path / "source"), str(tmp_path / "out"), allowance=1 << 23)
        == "index.json"
    )
    (tmp_path / "out" / "segments" / f"{TOWER}.bin").unlink()
