"""A reader and verifier of WASTE that shares nothing with the reference and refuses whatever it may."""

from __future__ import annotations

import hashlib
import struct
import sys
import zlib
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from strict_reader import No
from waste_container import MATRICES, Container
from waste_numbers import Packing, combined, halves, stray
from waste_records import Handle, Record
from waste_trunk import tensor_values
from waste_verifying import verified
from waste_writer import written


class Adapter:
    """The verbs over containers of this sort."""

    container: ClassVar[type[Container]] = Container

    def waste_open(self, path: str) -> dict[str, Any]:
        """See the format's text."""
        return self.container(path).describe()

    def waste_record(
        self,
        path: str,
        layer: int,
        expert: int,
        source: str = "auto",
        verify: bool = False,
        before: list[list[int]] | None = None,
        cache_records: int | None = None,
        hold: int | None = None,
        patch: list[dict[str, Any]] | None = None,
        address: int | None = None,
    ) -> dict[str, Any]:
        """See the format's text."""
        held: Record | None = None
        with Handle(self.container(path), cache_records, address) as handle:
            for k, (one_layer, one_expert) in enumerate(before or []):
                put(path, patch, k)
                try:
                    record = handle.record(one_layer, one_expert, source, verify)
                except No:
                    if k == hold:
                        raise
                    continue
                if k == hold:
                    held, handle.held = record, (one_layer, one_expert)
            put(path, patch, len(before or []))
            last = handle.record(layer, expert, source, verify)
            return {
                "held_sha256": held and hashlib.sha256(held.data).hexdigest(),
                "data": last.data,
                "payload_sha256": hashlib.sha256(last.payload(handle.container)).hexdigest(),
                "mode": last.mode,
                "header": last.header,
            }

    def waste_matrix(self, path: str, layer: int, expert: int, matrix: str) -> Any:
        """See the format's text."""
        container = self.container(path)
        if matrix not in MATRICES:
            raise No("no-such-matrix", matrix=matrix)
        with Handle(container) as handle:
            record = handle.record(layer, expert)
        packing = container.packing
        assert packing
        indices = packing.unpack(record.region(matrix), *container.rows(matrix))
        place = stray(indices, packing.entries)
        if place:
            raise No("index-out-of-codebook", layer=layer, expert=expert, matrix=matrix, **place)
        first = record.header["codebook_id"] + MATRICES.index(matrix) * packing.stages
        raw = b"".join(container.book(first + stage)[16:] for stage in range(packing.stages))
        return packing.decode(indices, packing.books(raw), record.scales(container, matrix))

    def waste_tensor(self, path: str, name: str, row: int | None = None) -> Any:
        """See the format's text."""
        container = self.container(path)
        one = next((one for one in container.trunk if one.name == name), None)
        if one is None:
            raise No("missing-tensor", tensor=name)
        place = container.locate("trunk.bin")
        if row is None:
            return tensor_values(place, one, 0, one.rows).reshape(one.shape)
        if not 0 <= row < one.rows:
            raise No("out-of-range", tensor=name, row=row, rows=one.rows, field="row", value=row)
        return tensor_values(place, one, row, 1)[0]

    def waste_verify(self, path: str) -> dict[str, Any]:
        """See the format's text."""
        return verified(self.container(path))

    def waste_write(self, model: dict[str, Any], path: str, workers: int = 1) -> dict[str, Any]:
        """See the format's text."""
        return written(model, path)

    def usage_read(self, path: str) -> dict[str, Any]:
        """See the format's text."""
        container = self.container(path)
        place = Path(path, "usage.waste")
        seen: dict[str, Any] = {"present": place.is_file(), "version": None, "clock": None}
        seen |= {"dropped_bytes": 0, "entries": [], "warm_order": []}
        if not seen["present"]:
            return seen
        raw = place.read_bytes()
        if len(raw) < 16:
            raise No("truncated", path="usage.waste", need=16, have=len(raw))
        magic, seen["version"], seen["clock"] = struct.unpack_from("<4sIQ", raw)
        if magic != b"WUSG":
            raise No("bad-magic", found=magic.hex(), expected=b"WUSG".hex())
        if seen["version"] != 1:
            raise No("unknown-version", path="usage.waste", found=seen["version"], supported=1)
        whole = len(raw) // 16 * 16
        keys = ("layer", "expert", "hits", "last_seen", "next_layer_top")
        for values in struct.iter_unpack("<HHIII", raw[16:whole]):
            bank = container.layers.get(values[0])
            known = bank is not None and values[1] < bank.experts
            seen["entries"].append({**dict(zip(keys, values, strict=True)), "known": known})
        last = {(one["layer"], one["expert"]): one["hits"] for one in seen["entries"] if one["known"]}
        warm = sorted(last, key=lambda pair: (-last[pair], pair))
        return seen | {"dropped_bytes": len(raw) - whole, "warm_order": [list(pair) for pair in warm]}

    def kernel_crc32(
        self,
        data: Any,
        value: int = 0,
        isa: str | None = None,
        combine: dict[str, int] | None = None,
    ) -> dict[str, Any]:
        """See the format's text."""
        judge_isa(isa)
        if combine is not None:
            return {"crc32": combined(value, combine["crc32"], combine["length"]), "isa": "scalar"}
        return {"crc32": zlib.crc32(data, value), "isa": "scalar"}

    def kernel_vq_decode(
        self,
        indices: Any,
        codebooks: Any,
        scales: Any,
        rows: int,
        n_in: int,
        isa: str | None = None,
        threads: int = 1,
        **packing: int,
    ) -> dict[str, Any]:
        """See the format's text."""
        judge_isa(isa)
        taken = prepared(Packing(**packing), rows, n_in, indices, codebooks, scales)
        return {"out": Packing(**packing).decode(*taken), "isa": "scalar"}

    def kernel_vq_matvec(
        self,
        indices: Any,
        codebooks: Any,
        scales: Any,
        rows: int,
        n_in: int,
        x: Any,
        table: str = "f32",
        isa: str | None = None,
        threads: int = 1,
        **packing: int,
    ) -> dict[str, Any]:
        """See the format's text."""
        judge_isa(isa)
        how = Packing(**packing)
        vector = np.asarray(x, np.float32)
        if vector.shape != (n_in,):
            raise No("length-mismatch", subject="x", expected=n_in, found=vector.size)
        if table not in ("f32", "int8") or (table == "int8" and how.index_bits == 8):
            raise No("unsupported-feature", field="table", found=table)
        taken, books, wide = prepared(how, rows, n_in, indices, codebooks, scales)
        product = how.rounded_product if table == "int8" else how.product
        return {"out": product(taken, how.tables(books, vector), wide), "isa": "scalar", "table": table}


def judge_isa(isa: str | None) -> None:
    """There is one variant."""
    if isa not in (None, "scalar"):
        raise No("isa-unavailable", isa=isa, available=["scalar"])


def prepared(
    packing: Packing, rows: int, n_in: int, indices: Any, books: Any, scales: Any
) -> tuple[Any, Any, Any]:
    """Indices, books and scales, judged."""
    needs = {"indices": (indices, packing.size(rows, n_in)), "scales": (scales, 2 * rows)}
    needs["codebooks"] = books, 2 * packing.stages * packing.entries * packing.vec_dim
    for subject, (buffer, need) in needs.items():
        have = memoryview(buffer).nbytes
        if have < need:
            raise No("length-mismatch", subject=subject, expected=need, found=have)
    unpacked = packing.unpack(indices, rows, n_in)
    place = stray(unpacked, packing.entries)
    if place:
        raise No("index-out-of-codebook", **place)
    return unpacked, packing.books(books), halves(memoryview(scales).cast("B")[: 2 * rows])


def put(path: str, patch: list[dict[str, Any]] | None, reads: int) -> None:
    """Change files as is asked for after so many reads."""
    for one in patch or []:
        if one["after"] != reads:
            continue
        place = Path(path, one["file"])
        if one.get("data") is None:
            with place.open("r+b") as file:
                file.truncate(one["length"])
        else:
            with place.open("r+b") as file:
                file.seek(one["offset"])
                file.write(one["data"])


vindex3_adapter = Adapter()
