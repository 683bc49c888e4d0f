"""A reader of containers that shares nothing with the reference and takes every liberty.

It judges a segment as a whole before it serves a byte of it, the rows that nobody asked for included, refuses
a run where a clause lets it, lists defects the other way round, and says more than it is asked for.
"""

from __future__ import annotations

import hashlib
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import container_graph
import free_judge
from container_file import File, Text, served
from strict_reader import Layer, No

__all__ = ["container_tensor", "container_verify"]

HEX = set("0123456789abcdef")


class Container:
    """A container as its index has it."""

    def __init__(self, path: str) -> None:
        self.folder = Path(path)
        self.index = self.document("index.json")
        self.entries: dict[str, dict[str, Any]] = self.index.get("representations") or {}

    def document(self, name: str) -> dict[str, Any]:
        if not (self.folder / name).is_file():
            raise No("missing-file", path=name)
        root: dict[str, Any] = Text((self.folder / name).read_bytes(), name).root
        return root

    def graph(self) -> dict[str, Any]:
        name = self.index["system_graph"]
        graph = self.document(name)
        why = container_graph.refused(graph, name)
        if why:
            raise No(why[0], **why[1])
        return graph

    def objects(self) -> list[dict[str, Any]]:
        return list(self.graph()["objects"]) if self.index.get("system_graph") else []

    def key_of(self, object_id: str, encoding: str | None) -> str:
        one = next(one for one in self.objects() if one["id"] == object_id)
        listed = [stored["encoding"] for stored in one["representations"]]
        there = {
            entry["encoding"]: key for key, entry in self.entries.items() if entry["object"] == object_id
        }
        wanted = listed[0] if encoding is None else encoding
        if wanted not in listed or wanted not in there:
            present = sorted(set(listed) & set(there), key=str.encode)
            raise No("absent-variant", region_set=object_id, requested=wanted, present=present)
        return there[wanted]


def container_tensor(
    path: str,
    tensor: str,
    representation: str | None = None,
    object: str | None = None,  # noqa: A002 -- the name of the law
    encoding: str | None = None,
) -> dict[str, Any]:
    """See the format's text."""
    home = Container(path)
    key = representation if object is None else home.key_of(object, encoding)
    if key not in home.entries:
        present = sorted(home.entries, key=str.encode)
        raise No("unknown-representation", representation=key, present=present)
    entry = home.entries[key]
    file = File(home.folder, entry["segment"])
    row = served(key, file, tensor)
    begin = file.start + row["offset"]
    stored = {"dtype": row["dtype"], "shape": row["shape"], "data": file.bytes[begin : begin + row["len"]]}
    return {"representation": key, **stored, "segment": entry["segment"]}


class Judge:
    """A verification in the making: what is found is put in front of what was found before."""

    def __init__(self, path: str, sources: dict[str, Any] | None) -> None:
        self.home = Container(path)
        self.sources = sources
        self.found: list[dict[str, Any]] = []

    def put(self, kind: str, **names: Any) -> None:
        self.found.insert(0, {"kind": kind, "names": {**names, "hint": "see the format's text"}})

    def answer(self) -> dict[str, Any]:
        home = self.home
        for entry in home.entries.values():
            for key in ("payload_sha256", "segment_sha256"):
                if len(entry[key]) != 64 or not set(entry[key]) <= HEX:
                    raise No("unknown-value", path="index.json", field=key, value=entry[key])
        if home.index.get("system_graph"):
            self.judge_graph()
        if home.index.get("moe_manifest"):
            self.judge_banks(str(home.folder / home.index["moe_manifest"]))
        told = [self.entry(key) for key in sorted(home.entries, key=str.encode)]
        whole = all(one["segment_ok"] and one["payload_ok"] for one in told)
        verified = whole and not self.found
        return {
            "verified": verified,
            "examined": len(told),
            "entries": told,
            "defects": self.found,
            "by": "me",
        }

    def judge_graph(self) -> None:
        graph = self.home.graph()
        for kind, names in container_graph.defects(graph):
            raise No(kind, **names)
        objects = {one["id"] for one in graph["objects"]}
        stored = {entry["object"] for entry in self.home.entries.values()}
        for one in sorted(objects - stored):
            self.put("missing-representation", object=one)
        for key, entry in self.home.entries.items():
            if entry["object"] not in objects:
                self.put("dangling-reference", referrer=key, missing=entry["object"])

    def judge_banks(self, manifest: str) -> None:
        home = self.home
        own = {entry["segment"].rpartition(".")[0] for entry in home.entries.values()}
        keys = [key for key in home.index["segments"] if key not in own]
        files = {key: [str(home.folder / f"{key}.lyrw")] for key in keys}
        for one in free_judge.moe_check(manifest, files)["defects"]:
            self.put(one["kind"], **one["names"])
        for [path] in files.values():
            try:
                Layer(path)
            except No as no:
                self.put(no.kind, **no.names)

    def entry(self, key: str) -> dict[str, Any]:
        entry = self.home.entries[key]
        told: dict[str, Any] = {"representation": key, "segment_ok": False, "payload_ok": False}
        joined = "@".join((entry["object"], entry["encoding"]))
        if joined != key:
            self.put("id-mismatch", expected=joined, found=key)
        file = File(self.home.folder, entry["segment"])
        told["segment_ok"] = self.digest(key, "segment", file.bytes)
        try:
            payload = file.bytes[file.start :]
        except No as no:
            self.put(no.kind, **no.names)
        else:
            told["payload_ok"] = self.digest(key, "payload", payload)
            self.judge_length(key, file)
        story = self.story(key, told["payload_ok"])
        return {**told, "note": None} if story is None else {**told, "story": story}

    def digest(self, key: str, which: str, data: Any) -> bool:
        holds: bool = hashlib.sha256(data).hexdigest() == self.home.entries[key][f"{which}_sha256"]
        if not holds:
            self.put("hash-mismatch", subject=key, digest=which)
        return holds

    def judge_length(self, key: str, file: File) -> None:
        entry = self.home.entries[key]
        whole = file.start + entry["payload_bytes"]
        if whole != file.size:
            self.put("length-mismatch", subject=key, expected=whole, found=file.size)
        try:
            named, _, rows = file.header()
        except No as no:
            self.put(no.kind, **no.names)
            return
        if named != key:
            self.put("id-mismatch", expected=key, found=named)
        if len(rows) != entry["tensor_count"]:
            self.put("count-mismatch", subject=key, expected=entry["tensor_count"], found=len(rows))
        names = [row["name"].encode() for row in rows]
        fallen = [low for high, low in pairwise(names) if low < high]
        if fallen:
            self.put("table-order", path=file.name, tensor=fallen[0].decode())
        ends = [0, *(row["offset"] + row["len"] for row in rows)]
        if [*(row["offset"] for row in rows), entry["payload_bytes"]] != ends:
            self.put("table-layout", path=file.name)

    def story(self, key: str, holds: bool) -> str | None:
        """What the sources say of a first representation."""
        home = self.home
        firsts = {home.key_of(one["id"], None): one for one in home.objects()} if self.sources else {}
        if key not in firsts:
            return None
        same = hashlib.sha256(self.laid_out(firsts[key])).hexdigest() == home.entries[key]["payload_sha256"]
        if not same:
            self.put("hash-mismatch", subject=key, digest="source")
        return {
            (True, True): "agree",
            (False, True): "source-drifted",
            (True, False): "container-changed",
            (False, False): "both",
        }[same, holds]

    def laid_out(self, one: dict[str, Any]) -> bytes:
        """The payload that a writer would make of an object."""
        mine = [tuple(each["tensor_prefix"].split(".")) for each in one["source_bindings"]]
        shared = 0
        while all(len(each) > shared and each[shared] == mine[0][shared] for each in mine):
            shared += 1
        stored = {}
        for artifact, tensors in (self.sources or {}).items():
            for tensor in tensors:
                parts = tensor["name"].split(".")
                if self.owner(artifact, parts) is not None and self.owner(artifact, parts) == one["id"]:
                    stored[".".join(parts[shared:]) or "weight"] = tensor["data"]
        return b"".join(data for _, data in sorted(stored.items(), key=lambda item: item[0].encode()))

    def owner(self, artifact: str, parts: list[str]) -> str | None:
        """The object whose binding covers most of a name."""
        claims = [
            (len(prefix), one["id"])
            for one in self.home.objects()
            for each in one["source_bindings"]
            for prefix in [each["tensor_prefix"].split(".")]
            if each["artifact"] == artifact and parts[: len(prefix)] == prefix
        ]
        return max(claims)[1] if claims else None


def container_verify(path: str, sources: dict[str, Any] | None = None) -> dict[str, Any]:
    """See the format's text."""
    return Judge(path, sources).answer()
