"""A writer of packs that shares nothing with the reference and does what is asked, and no more.

It writes its files in place, one after the other, with the index as the last of them; it carries what the
index names and nothing else, refuses what it may refuse, spells documents in a way of its own, and writes
down more than anybody asks for.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from container_index import container_open
from container_reader import container_tensor, container_verify
from plain_writer import GRAPH, INDEX, Folder, Stopped, named_files, segment
from strict_reader import No

__all__ = ["container_open", "container_tensor", "container_verify", "pack_add"]


def pack_add(
    *,
    path: str,
    object: str,  # noqa: A002 -- the name of the law
    encoding: str,
    tensors: list[dict[str, Any]],
    out: str | None = None,
    fidelity: str | None = None,
    codec: Any = None,
    encoder: Any = None,
    interrupt_before: str | None = None,
) -> dict[str, Any]:
    """See the format's text."""
    container_open(path)
    source, key = Path(path), f"{object}@{encoding}"
    index, graph = (json.loads((source / name).read_bytes()) for name in (INDEX, GRAPH))
    folder = Folder(out or path, interrupt_before)
    elsewhere = source.resolve() != folder.path.resolve()
    told: dict[str, Any] = {"path": out or path, "added": [], "linked": [], "copied": [], "skipped": []}
    if fidelity == "canonical":
        raise No("asserted-fidelity", representation=key)
    owner = next((one for one in graph["objects"] if one["id"] == object), None)
    if owner is None:
        raise No("dangling-reference", referrer=key, missing=object)
    if key in index["representations"]:
        if elsewhere:
            told |= carried(source, folder, {*named_files(index), INDEX}, {GRAPH, INDEX})
        return {**told, "skipped": [key]}
    first = f"{object}@{owner['representations'][0]['encoding']}"
    table = {one["name"]: one for one in sorted(tensors, key=lambda one: one["name"].encode())}
    head, payload = segment(key, table)
    judge(source, index["representations"][first], first, key, table, payload)
    file = f"segments/{key}.bin"
    digests = {
        "segment_sha256": hashlib.sha256(head + payload).hexdigest(),
        "payload_sha256": hashlib.sha256(payload).hexdigest(),
    }
    index["representations"][key] = {
        **digests,
        "source_representation_digest": index["representations"][first]["payload_sha256"],
        "compiled_from": first,
        "encoder": encoder,
        "codec": codec,
        "payload_bytes": len(payload),
        "tensor_count": len(table),
        "segment": file,
        "encoding": encoding,
        "object": object,
        "written_by": "a plain packer",
    }
    index["segments"][file.removesuffix(".bin")] = 1
    owner["representations"].append({"fidelity": "approximate", "encoding": encoding, "note": None})
    try:
        if elsewhere:
            told |= carried(source, folder, set(named_files(index)) - {file, GRAPH}, set())
        folder.put(file, head + payload)
        folder.put(GRAPH, json.dumps(graph, indent=1, sort_keys=True).encode())
        folder.put(INDEX, json.dumps({**index, "packed": True}, indent="\t").encode())
    except Stopped:
        return {"interrupted": True}
    return {**told, "added": [{"segment": file, "representation": key, **digests, "bytes": len(payload)}]}


def judge(
    source: Path, entry: dict[str, Any], first: str, key: str, table: dict[str, Any], payload: bytes
) -> None:
    """What can be said of a pack before anything is written."""
    data = (source / entry["segment"]).read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    for row in json.loads(data[8:start])["tensors"][::-1]:
        if row["name"] not in table:
            raise No("missing-operand", object=entry["object"], operand=row["name"])
    if payload == data[start:]:
        raise No("duplicate-bytes", subject=first, other=key)


def carried(source: Path, folder: Folder, names: set[str], own: set[str]) -> dict[str, list[str]]:
    """Link files, or copy them where no link can be made or none should be, in place of what is there."""
    linked, copied = [], []
    for name in sorted(names):
        target = folder.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        try:
            if name in own:
                raise OSError
            os.link(source / name, target)
            linked.append(name)
        except OSError:
            folder.put(name, (source / name).read_bytes())
            copied.append(name)
    return {"linked": linked, "copied": copied}
