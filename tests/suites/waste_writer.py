"""A writer of WASTE that shares nothing with the reference: it makes a whole directory and swaps it in."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from strict_reader import No
from waste_container import MATRICES, Container
from waste_document import Slots, parsed
from waste_numbers import halves, stray, trunk_codes, trunk_row_bytes
from waste_trunk import judge_tensor

__all__ = ["Files", "put", "there", "written"]

MANIFEST = "manifest.json"
BOOKS = "codebooks.bin"


class Plan(Container):
    """A container that is to be: its sizes and packing are judged as a reader would, its files are made."""

    def __init__(self, model: dict[str, Any], path: str) -> None:
        self.model, self.folder = model, path
        keys = ("arch", "tensor_prefix", "config")
        self.manifest = {"format_version": 0, **{key: model[key] for key in keys if key in model}}
        if model.get("expert_quant"):
            quant = {"index_bits": 8, "index_block": 0, **model["expert_quant"]}
            rate = quant["stages"] * quant["index_bits"] / (quant["vec_dim"] or 1)
            self.manifest["expert_quant"] = {**quant, "bits_per_weight": rate}
        self.top = Slots(self.manifest, "", MANIFEST)
        try:
            self.judge_config()
            self.judge_quant()
        except No as problem:
            if problem.kind not in ("unsupported-packing", "partial-block"):
                raise
            value = problem.names.get("value", problem.names.get("columns"))
            raise No("out-of-range", field=problem.names["field"], value=value) from None
        self.old = self.published() if model.get("resume") else {}
        self.files: dict[str, bytes] = {}
        self.make_layers()
        self.make_trunk()
        for name, data in (model.get("sidecars") or {}).items():
            if data is None:
                raise No("missing-file", path=name)
            if os.path.normpath(name) in {*self.files, MANIFEST}:
                raise No("path-collision", paths=[name, os.path.normpath(name)])
            self.files[name] = bytes(data)
        self.files[MANIFEST] = self.manifest_text()

    def published(self) -> dict[str, Any]:
        """The manifest in place, whose settings are those of this run."""
        old: dict[str, Any] = {}
        if Path(self.folder, MANIFEST).is_file():
            old = parsed(Path(self.folder, MANIFEST).read_bytes(), MANIFEST, self.strict)
        for key in ("stages", "vec_dim", "entries", "index_bits", "index_block"):
            default = {"index_bits": 8, "index_block": 0}.get(key)
            there = (old.get("expert_quant") or {}).get(key, default)
            if old.get("expert_quant") and self.packing and there != getattr(self.packing, key):
                found = getattr(self.packing, key)
                raise No("settings-mismatch", field=f"expert_quant.{key}", expected=there, found=found)
        return old

    def manifest_text(self) -> bytes:
        """The manifest's bytes: those in place where they say the same."""
        same = json.dumps(self.old, sort_keys=True) == json.dumps(self.manifest, sort_keys=True)
        if self.old and same:
            return Path(self.folder, MANIFEST).read_bytes()
        return json.dumps(self.manifest, indent=1).encode()

    # -- layers

    def make_layers(self) -> None:
        """Banks and books: those in place where they are done, others behind them."""
        if self.experts > 1 << 16:
            raise No("out-of-range", field="config.num_experts", value=self.experts)
        given = {int(layer): home for layer, home in (self.model.get("layers") or {}).items()}
        for layer in set(given) - set(self.sparse):
            raise No("unexpected-layer", layer=layer)
        self.manifest["layers"] = {}
        if not self.packing:
            return
        size = 16 + 2 * self.packing.entries * self.packing.vec_dim
        there = self.in_place(BOOKS) if self.old else b""
        self.shelf = [there[at : at + size] for at in range(0, len(there) - size + 1, size)]
        for layer in self.sparse:
            if layer in given:
                self.judge_given(layer, given[layer])
            if not self.done(layer):
                if layer not in given:
                    raise No("missing-layer", layer=layer)
                self.make_bank(layer, given[layer])
        if self.sparse:
            self.files[BOOKS] = b"".join(self.shelf)

    def in_place(self, name: str) -> bytes:
        """The bytes of a file, none where it is not there."""
        place = Path(self.folder, name)
        return place.read_bytes() if place.is_file() else b""

    @property
    def stride(self) -> int:
        """The length of a record."""
        return -(-(48 + sum(self.regions()) + self.scale_bytes) // 4096) * 4096

    def done(self, layer: int) -> bool:
        """True where a bank in place fits its entry, and its entry the books."""
        entry = (self.old.get("layers") or {}).get(str(layer))
        data = self.in_place(entry["file"]) if entry else b""
        if not entry or len(data) != self.stride * self.experts or entry["experts"] != self.experts:
            return False
        base = entry["codebook_base"]
        for expert in (0, self.experts - 1):
            header = self.header(layer, expert, base, 0)
            if data[expert * self.stride :][:36] != header[:36]:
                return False
        if base + self.set_size > len(self.shelf):
            return False
        self.manifest["layers"][str(layer)] = entry
        self.files[entry["file"]] = data
        return True

    def header(self, layer: int, expert: int, base: int, crc: int) -> bytes:
        """The 48 bytes of a record."""
        assert self.packing
        offsets = [48]
        for size in self.regions():
            offsets.append(offsets[-1] + size)
        fmt = 8 if self.packing.index_bits == 6 else 4
        fields = (b"WEXP", layer, expert, fmt, 0, base, 0, 0, self.stride // 4096, *offsets, crc, 0, 0)
        return struct.pack("<4sHHBBHHHIIIIIIII", *fields)

    def judge_given(self, layer: int, home: dict[str, Any]) -> None:
        """Lengths and values of what is given for a layer."""
        assert self.packing
        if len(home["experts"]) != self.experts:
            raise No("count-mismatch", layer=layer, expected=self.experts, found=len(home["experts"]))
        if len(home["codebooks"]) != self.set_size:
            raise No("count-mismatch", layer=layer, expected=self.set_size, found=len(home["codebooks"]))
        for k, book in enumerate(home["codebooks"]):
            judge_halves(book, self.packing.entries * self.packing.vec_dim, f"layers.{layer}.codebooks[{k}]")
        for expert in home["experts"]:
            for matrix in MATRICES:
                rows, columns = self.rows(matrix)
                judge_halves(expert[matrix]["scales"], rows, f"layers.{layer}.experts.{matrix}.scales")
                need = rows * (columns // self.packing.vec_dim) * self.packing.stages
                if len(expert[matrix]["indices"]) != need:
                    found = len(expert[matrix]["indices"])
                    raise No("length-mismatch", subject="indices", expected=need, found=found)
                place = stray(self.unpacked(expert, matrix), self.packing.entries)
                if place:
                    raise No("out-of-range", field="indices", value=place["index"], layer=layer)

    def unpacked(self, expert: dict[str, Any], matrix: str) -> Any:
        """Indices of [rows, positions, stages]."""
        assert self.packing
        rows, _ = self.rows(matrix)
        return np.frombuffer(expert[matrix]["indices"], np.uint8).reshape(rows, -1, self.packing.stages)

    def make_bank(self, layer: int, home: dict[str, Any]) -> None:
        """A layer's records, with its books where they are already or behind the last."""
        assert self.packing
        books, entry = home["codebooks"], (self.old.get("layers") or {}).get(str(layer)) or {}
        base = entry.get("codebook_base", len(self.shelf))
        if [book[16:] for book in self.shelf[base : base + len(books)]] != [bytes(book) for book in books]:
            base = len(self.shelf)
            if base + len(books) > 1 << 16:
                raise No("out-of-range", field="codebooks", value=base + len(books))
            for number, book in enumerate(books, base):
                dim, entries = self.packing.vec_dim, self.packing.entries
                self.shelf.append(struct.pack("<4sHBBII", b"WCBK", number, 4, dim, entries, 0) + bytes(book))
        name = entry.get("file", f"experts-L{layer}.bin")
        records = [self.record(layer, k, base, expert) for k, expert in enumerate(home["experts"])]
        self.files[name] = b"".join(records)
        told = {"file": name, "experts": len(records), "bytes": self.stride * len(records)}
        self.manifest["layers"][str(layer)] = {**told, "codebook_base": base}

    def record(self, layer: int, number: int, base: int, expert: dict[str, Any]) -> bytes:
        """A record with its padding."""
        assert self.packing
        regions = [self.packing.pack(self.unpacked(expert, matrix)) for matrix in MATRICES]
        payload = b"".join([*regions, *(bytes(expert[matrix]["scales"]) for matrix in MATRICES)])
        whole = self.header(layer, number, base, zlib.crc32(payload)) + payload
        return whole.ljust(self.stride, b"\0")

    # -- trunk

    def make_trunk(self) -> None:
        """All tensors, one behind the other, scales behind codes."""
        entries: list[dict[str, Any]] = []
        parts: list[bytes] = []
        off = 0
        for k, one in enumerate(self.model["trunk"]):
            entry = {"name": one["name"], "fmt": one["fmt"], "shape": list(one["shape"]), "off": off}
            if one["fmt"]:
                entry |= {"group": one["group"], "scale_off": 0}
            tensor = judge_tensor(Slots(entry, f"trunk[{k}]", MANIFEST), self.strict)
            if one["name"] in [other["name"] for other in entries]:
                raise No("duplicate-id", id=one["name"], field=f"trunk[{k}].name")
            payload, scales = trunk_row_bytes(tensor.fmt, tensor.shape[-1], tensor.group)
            if one["fmt"]:
                entry["scale_off"] = off + tensor.rows * payload
                judge_halves(one["scales"], tensor.rows * scales // 2, f"trunk[{k}].scales")
                codes = trunk_codes(tensor.fmt, tensor.shape[-1], tensor.group or 1, one["codes"])
                parts += [codes, bytes(one["scales"])]
            else:
                parts.append(np.asarray(one["values"], "<f4").tobytes())
            entries.append({**entry, "bytes": tensor.bytes})
            off += tensor.bytes
        self.manifest["trunk"], self.files["trunk.bin"] = entries, b"".join(parts)


def judge_halves(data: Any, count: int, field: str) -> None:
    """So many halves, all of them finite."""
    if len(data) != 2 * count:
        raise No("length-mismatch", subject=field, field=field, expected=2 * count, found=len(data))
    if not np.isfinite(halves(data)).all():
        raise No("non-finite", field=field)


Files = dict[str, bytes]


def written(
    model: dict[str, Any], path: str, publish: Callable[[str, Files], None] | None = None
) -> dict[str, Any]:
    """Make a container of what is described, and publish it: if nothing else is said, by a swap."""
    plan = Plan(model, path)
    same = {name for name, data in plan.files.items() if there(path, name) == data}
    fresh = sorted(set(plan.files) - same, reverse=True)
    if fresh:
        try:
            (publish or swap)(path, plan.files)
        except OSError as problem:
            raise No("io", path=path, reason=str(problem)) from None
    return {"written": fresh, "unchanged": sorted(same, reverse=True)}


def put(place: Path, data: bytes) -> None:
    """Write a new file and see that it lasts."""
    with place.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def there(path: str, name: str) -> bytes | None:
    """The bytes of a file, None where it is not there."""
    place = Path(path, name)
    return place.read_bytes() if place.is_file() else None


def swap(path: str, files: Files) -> None:
    """Put a directory of these files in the place of another, with whatever else lies there."""
    home = Path(path).absolute()
    token = secrets.token_hex(8)
    new, gone = home.with_name(f".{home.name}.{token}.new"), home.with_name(f".{home.name}.{token}.old")
    try:
        new.mkdir(parents=True)
        beside = [one.name for one in home.iterdir() if one.is_file()] if home.is_dir() else []
        for name in {*beside} - {*files}:
            os.link(home / name, new / name)
        for name, data in files.items():
            put(new / name, data)
        if home.exists():
            home.rename(gone)
        try:
            new.rename(home)
        except OSError:
            gone.rename(home)
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
    shutil.rmtree(gone, ignore_errors=True)
