"""A writer of containers that shares nothing with the reference and does what is asked, and no more.

It writes its files in place, one after the other, with the index as the last of them; it judges a graph the
other way round, refuses what a reader of graphs may report, spells documents in a way of its own, and drops
in a rewrite whatever it may drop.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import unicodedata
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import refusing_graph
from container_index import container_open
from container_reader import container_verify
from refusing_graph import graph_load
from strict_reader import No

__all__ = ["container_open", "container_rewrite", "container_verify", "container_write", "graph_load"]

WIDTHS = {
    **dict.fromkeys(("F64", "I64", "U64"), 8),
    **dict.fromkeys(("F32", "I32", "U32"), 4),
    **dict.fromkeys(("F16", "BF16", "I16", "U16"), 2),
    **dict.fromkeys(("I8", "U8", "BOOL"), 1),
}
GRAPH, INDEX, TOKENIZER = "system_graph.json", "index.json", "tokenizer.json"
CAPABILITY = (
    "chat_template.jinja",
    "generation_config.json",
    "special_tokens_map.json",
    "tokenizer_config.json",
    TOKENIZER,
)


class Stopped(Exception):  # noqa: N818 -- what the caller asked for
    """The file before which to stop is the next."""


class Folder:
    """A folder that files are written to in place."""

    def __init__(self, path: str, stop: str | None) -> None:
        self.path = Path(path)
        self.stop = stop
        self.published: list[str] = []

    def put(self, name: str, data: bytes) -> None:
        if name == self.stop:
            raise Stopped
        try:
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_bytes(data)
        except OSError as error:
            raise No("io", path=name, reason=str(error)) from None
        self.published.append(name)


def covers(prefix: str, name: str) -> bool:
    return name == prefix or name.startswith(f"{prefix}.")


def shared(prefixes: list[str]) -> str:
    """The dotted parts with which all of them begin."""
    split = [prefix.split(".") for prefix in prefixes]
    common = 0
    while all(len(parts) > common and parts[common] == split[0][common] for parts in split):
        common += 1
    return ".".join(split[0][:common])


def judge(graph: dict[str, Any], sources: dict[str, Any]) -> None:
    """What can be said before anything is written."""
    refusing_graph.read(graph)
    for one in graph["objects"][::-1]:
        if not one["representations"]:
            raise No("missing-representation", object=one["id"])
        for name in (one["representations"][0]["encoding"], one["id"]):
            if name in {".", ".."} or any(sign in name for sign in "/\\\0"):
                raise No("path-escape", path=name)
        for binding in one["source_bindings"][::-1]:
            if binding["artifact"] not in sources:
                raise No("dangling-reference", referrer=one["id"], missing=binding["artifact"])
    for found in refusing_graph.judge(graph):
        raise found
    if not graph["components"]:
        raise No("empty-graph")
    judge_files(graph)


def judge_files(graph: dict[str, Any]) -> None:
    """Whether the segments have files of their own everywhere."""
    files: dict[str, str] = {}
    for one in graph["objects"]:
        file = f"segments/{one['id']}.bin"
        other = files.setdefault(unicodedata.normalize("NFC", file).casefold(), file)
        if other != file:
            raise No("path-collision", paths=sorted([file, other], key=str.encode))


def owned(graph: dict[str, Any], sources: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The tensors of every object."""
    bindings = [
        (binding["artifact"], binding["tensor_prefix"], one["id"])
        for one in graph["objects"]
        for binding in one["source_bindings"]
    ]
    found: dict[str, list[dict[str, Any]]] = {one["id"]: [] for one in graph["objects"]}
    for artifact, tensors in sources.items():
        for tensor in tensors:
            owners = [
                (len(prefix), owner)
                for its, prefix, owner in bindings
                if its == artifact and covers(prefix, tensor["name"])
            ]
            if owners:
                found[max(owners)[1]].append(tensor)
    return found


def table(one: dict[str, Any], tensors: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The tensors of an object by their stored names."""
    prefix = shared([binding["tensor_prefix"] for binding in one["source_bindings"]])
    found: dict[str, dict[str, Any]] = {}
    for tensor in tensors:
        left = tensor["name"][len(prefix) :].lstrip(".") or "weight"
        if left in found:
            raise No("duplicate-id", id=left)
        found[left] = tensor
        width = WIDTHS.get(tensor["dtype"])
        if width and width * prod(tensor["shape"]) != len(tensor["data"]):
            length = width * prod(tensor["shape"])
            raise No("length-mismatch", subject=tensor["name"], expected=length, found=len(tensor["data"]))
    if not found:
        raise No("unmatched-binding", object=one["id"])
    return {name: found[name] for name in sorted(found, key=lambda name: name.encode())}


def segment(key: str, tensors: dict[str, dict[str, Any]]) -> tuple[bytes, bytes]:
    """Everything before the payload, and the payload."""
    rows, end = [], 0
    for name, tensor in tensors.items():
        kept = {"shape": tensor["shape"], "dtype": tensor["dtype"], "name": name}
        rows.append({"len": len(tensor["data"]), "offset": end, **kept})
        end += len(tensor["data"])
    text = json.dumps({"tensors": rows, "representation": key, "schema": 1}, indent=1).encode()
    text += b" " * (-(8 + len(text)) % 16)
    return len(text).to_bytes(8, "little") + text, b"".join(bytes(one["data"]) for one in tensors.values())


def segments(graph: dict[str, Any], sources: dict[str, Any], folder: Folder) -> Iterator[dict[str, Any]]:
    """Write the segments from the last to the first; gives their entries."""
    tensors = owned(graph, sources)
    for one in graph["objects"][::-1]:
        encoding = one["representations"][0]["encoding"]
        rows = table(one, tensors[one["id"]])
        head, payload = segment(f"{one['id']}@{encoding}", rows)
        file = f"segments/{one['id']}.bin"
        folder.put(file, head + payload)
        yield {
            "segment_sha256": hashlib.sha256(head + payload).hexdigest(),
            "payload_sha256": hashlib.sha256(payload).hexdigest(),
            "payload_bytes": len(payload),
            "tensor_count": len(rows),
            "segment": file,
            "encoding": encoding,
            "object": one["id"],
        }


def container_write(
    *,
    out: str,
    graph: dict[str, Any],
    sources: dict[str, Any],
    family: str | None = None,
    profiles: list[Any] | None = None,
    extra: dict[str, Any] | None = None,
    capability_dir: str | None = None,
    interrupt_before: str | None = None,
) -> dict[str, Any]:
    """See the format's text."""
    judge(graph, sources)
    folder = Folder(out, interrupt_before)
    try:
        entries = list(segments(graph, sources, folder))
        folder.put(GRAPH, json.dumps(graph, indent=3, sort_keys=True).encode())
        first = graph["components"][0]
        named = next((one for one in graph["components"] if one["role"] == "primary_text"), first)
        index = {
            **(extra or {}),
            "segments": {entry["segment"].removesuffix(".bin"): 1 for entry in entries},
            "profiles": profiles or [{"name": "exact"}],
            "representations": {f"{entry['object']}@{entry['encoding']}": entry for entry in entries},
            "system_graph": GRAPH,
            "num_layers": named["num_layers"],
            "hidden_size": named["hidden_size"],
            "family": family or "",
            "model": named["source_artifact"],
            "moe_manifest": None,
            "version": 4,
        }
        folder.put(INDEX, json.dumps(index, indent="\t").encode())
        for name in CAPABILITY if capability_dir else ():
            source = Path(str(capability_dir), name)
            if os.path.lexists(source):
                folder.put(name, read(source))
    except Stopped:
        return {"interrupted": True}
    return {"path": out, "published": folder.published, "bytes": sum(one["payload_bytes"] for one in entries)}


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise No("io", path=path.name, reason=str(error)) from None


def container_rewrite(*, path: str, out: str) -> dict[str, Any]:
    """See the format's text."""
    container_open(path)
    source, folder = Path(path), Folder(out, None)
    index = json.loads((source / INDEX).read_bytes())
    before = {one.relative_to(source).as_posix() for one in source.rglob("*") if one.is_file()}
    kept = {TOKENIZER, *named_files(index)} & before
    if source.resolve() == folder.path.resolve():
        for name in before - kept - {INDEX}:
            (source / name).unlink()
    else:
        for name in kept:
            folder.put(name, (source / name).read_bytes())
    folder.put(INDEX, json.dumps(index, sort_keys=True).encode())
    return {
        "path": out,
        "carried_files": sorted(kept),
        "dropped_files": sorted(before - kept - {INDEX}),
    }


def named_files(index: dict[str, Any]) -> Iterator[str]:
    """The files that an index names."""
    yield from (index[key] for key in ("system_graph", "moe_manifest") if index.get(key))
    entries = index.get("representations", {}).values()
    yield from (one["segment"] for one in entries)
    if index.get("moe_manifest"):
        yield from (f"{key}.lyrw" for key in index["segments"])
