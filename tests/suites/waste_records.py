"""Records of WASTE, read by somebody who knows the text alone: through a handle that remembers."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import struct
import sys
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from strict_reader import No
from waste_container import MATRICES, Bank, Container

__all__ = ["BEHIND", "Handle", "Record", "extent", "judge_header"]

PAGE = 4096
BEHIND = {"gate": "up_off", "up": "down_off", "down": "correction_off"}
FIELDS = (
    *("magic", "layer", "expert_id", "fmt", "flags", "codebook_id", "lowrank_id", "reserved0"),
    *("record_4k_blocks", "gate_off", "up_off", "down_off", "correction_off", "crc32"),
)


class Record(NamedTuple):
    """A record that has passed the checks of its header, whose bytes came by this mode."""

    data: Any
    header: dict[str, Any]
    mode: str
    verified: bool

    def payload(self, container: Container) -> Any:
        """The bytes that the checksum covers."""
        return memoryview(self.data)[48 : self.header["correction_off"] + container.scale_bytes]

    def region(self, matrix: str) -> Any:
        """The indices of a matrix, and whatever is behind them."""
        at = MATRICES.index(matrix)
        offsets = [self.header[f"{name}_off"] for name in (*MATRICES, "correction")]
        return memoryview(self.data)[offsets[at] : offsets[at + 1]]

    def scales(self, container: Container, matrix: str) -> Any:
        """The scales of a matrix, widened."""
        first = container.inner * MATRICES.index(matrix)
        rows, _ = container.rows(matrix)
        at = self.header["correction_off"] + 2 * first
        return np.frombuffer(self.data, "<f2", rows, at).astype(np.float32)


def judge_header(container: Container, bank: Bank, layer: int, expert: int, data: Any) -> dict[str, Any]:
    """The header of a record, in which nothing is wrong."""
    values = struct.unpack_from("<4sHHBBHHHIIIIII", data)
    header: dict[str, Any] = dict(zip(FIELDS, values, strict=True))
    header["magic"] = values[0].hex()
    header["reserved1"] = struct.unpack_from("<II", data, 40)
    why = wrong(container, bank, layer, expert, header)
    if why:
        raise No(why[0], layer=layer, expert=expert, **why[1])
    return header


def wrong(
    container: Container, bank: Bank, layer: int, expert: int, header: dict[str, Any]
) -> tuple[str, dict[str, Any]] | None:
    """The kind and the facts of the first fault of a header."""
    if header["magic"] != b"WEXP".hex():
        return "bad-magic", {"found": header["magic"], "expected": b"WEXP".hex()}
    found = {"found_layer": header["layer"], "found_expert": header["expert_id"]}
    if tuple(found.values()) != (layer, expert):
        return "record-identity", found
    assert container.packing
    good = {8} if container.packing.index_bits == 6 else {4, 5}
    book = {"found": header["codebook_id"], "expected": bank.codebook_base, "books": container.count}
    size = header["record_4k_blocks"] * PAGE
    faults: list[tuple[bool, str, dict[str, Any]]] = [
        (size != bank.record_bytes, "record-length", {"found": size, "expected": bank.record_bytes}),
        (header["fmt"] not in good, "record-format", {"found": header["fmt"], "expected": sorted(good)}),
        (
            bool(header["lowrank_id"]),
            "unsupported-feature",
            {"field": "lowrank_id", "found": header["lowrank_id"]},
        ),
        (book["found"] != book["expected"], "codebook-mismatch", book),
    ]
    for is_so, kind, names in faults:
        if is_so:
            return kind, names
    return wrong_offset(container, bank, header)


def extent(container: Container, matrix: str, begin: int, end: int, size: int) -> dict[str, Any]:
    """A region of another size than this: by the offset behind it or, unless one is strict, by lengths."""
    if container.strict:
        return {"field": BEHIND[matrix], "found": end, "need": begin + size, "expected": begin + size}
    if end <= begin:
        return {"field": f"{matrix}_off", "found": begin, "need": end - size}
    return {"field": f"{matrix}_off", "found": end - begin, "need": size, "expected": size}


def wrong_offset(
    container: Container, bank: Bank, header: dict[str, Any]
) -> tuple[str, dict[str, Any]] | None:
    """The first offset that is not where it may be."""
    if header["gate_off"] != 48:
        return "record-offsets", {"field": "gate_off", "found": header["gate_off"], "need": 48}
    need = 48
    for name, size in zip(MATRICES, container.regions(), strict=True):
        field = BEHIND[name]
        if header[field] < need + size:
            return "record-offsets", extent(container, name, need, header[field], size)
        need = header[field]
    if need + container.scale_bytes > bank.record_bytes:
        most = bank.record_bytes - container.scale_bytes
        return "record-offsets", {"field": "correction_off", "found": need, "need": most}
    return None


class Handle:
    """An open container whose banks stay open, with the records read last in memory."""

    def __init__(self, container: Container, slots: int | None = None, address: int | None = None) -> None:
        self.container, self.address = container, address
        self.slots = 3 * container.strict if slots is None else slots
        self.kept: dict[tuple[int, int], Record] = {}
        self.held: tuple[int, int] | None = None
        self.buffered: dict[int, int] = {}
        self.direct: dict[int, int] = {}
        self.proven: set[int] = set()

    def __enter__(self) -> Handle:
        for layer, bank in self.container.layers.items():
            try:
                place = self.container.locate(bank.file)
                self.buffered[layer] = os.open(place, os.O_RDONLY)
            except OSError as problem:
                self.__exit__()
                raise No("io", path=bank.file, reason=str(problem)) from None
            with contextlib.suppress(OSError, AttributeError):
                self.direct[layer] = os.open(place, os.O_RDONLY | os.O_DIRECT)
        return self

    def __exit__(self, *_: object) -> None:
        for file in (*self.buffered.values(), *self.direct.values()):
            os.close(file)

    def probed(self, layer: int) -> bool:
        """True for a bank that can be read past the page cache."""
        if layer in self.direct and layer not in self.proven:
            with mmap.mmap(-1, PAGE) as page, contextlib.suppress(OSError):
                if os.preadv(self.direct[layer], [page], 0) == PAGE:
                    self.proven.add(layer)
        return layer in self.proven

    def record(self, layer: int, expert: int, source: str = "auto", verify: bool = False) -> Record:
        """A record, from memory where it may be."""
        bank = self.container.layers.get(layer)
        if bank is None or not 0 <= expert < bank.experts:
            raise No("no-such-record", layer=layer, expert=expert)
        there = self.kept.pop((layer, expert), None)
        if there and (there.verified or not verify):
            self.kept[layer, expert] = there
            return there._replace(mode="cache")
        data, mode = self.read(bank, layer, expert, source)
        header = judge_header(self.container, bank, layer, expert, data)
        one = Record(data, header, mode, verify)
        if verify:
            self.judge_sum(one)
        self.keep((layer, expert), one)
        return one

    def judge_sum(self, one: Record) -> None:
        """A record against its checksum."""
        computed, stored = zlib.crc32(one.payload(self.container)), one.header["crc32"]
        if computed != stored:
            place = {"layer": one.header["layer"], "expert": one.header["expert_id"]}
            raise No("checksum-mismatch", **place, stored=stored, computed=computed)

    def keep(self, key: tuple[int, int], one: Record) -> None:
        """Put a record in the place of one that is not held: the first or the last that was asked for."""
        free = [other for other in self.kept if other != self.held][:: 1 if self.container.strict else -1]
        if len(self.kept) >= self.slots:
            if not free and self.slots and self.container.strict:
                raise No("cache-exhausted", layer=key[0], expert=key[1])
            for other in free[:1]:
                del self.kept[other]
        if len(self.kept) < self.slots:
            self.kept[key] = one

    def read(self, bank: Bank, layer: int, expert: int, source: str) -> tuple[Any, str]:
        """The bytes of a record, and how they came."""
        if source not in ("auto", "direct", "buffered"):
            raise No("unknown-value", field="source", value=source)
        if source != "buffered" and self.probed(layer):
            whole = self.filled(self.direct[layer], bank, layer, expert)
            if whole is not None:
                return whole, "direct"
        whole = self.filled(self.buffered[layer], bank, layer, expert)
        if whole is None:
            start, end = expert * bank.record_bytes, os.fstat(self.buffered[layer]).st_size
            told = {"path": bank.file, "need": start + bank.record_bytes, "have": min(end, self.reached)}
            raise No("truncated", layer=layer, expert=expert, **told)
        if source == "direct":
            raise No("direct-unavailable", path=bank.file, reason="it has been tried")
        return whole, "buffered"

    def filled(self, file: int, bank: Bank, layer: int, expert: int) -> Any:
        """A record, or None where it was not read whole; after a cut nobody goes on reading direct."""
        size, start, done, got = bank.record_bytes, expert * bank.record_bytes, 0, 1
        buffer = mmap.mmap(-1, size)
        try:
            with memoryview(buffer) as view:
                while done < size and got and not (done % PAGE and file == self.direct.get(layer)):
                    got = os.preadv(file, [view[done:]], start + done)
                    done += got
        except OSError as problem:
            if problem.errno in (errno.EINVAL, errno.EOPNOTSUPP) and file == self.direct.get(layer):
                return None
            told = {"layer": layer, "expert": expert, "reason": str(problem)}
            raise No("io", path=bank.file, **told) from None
        self.reached = start + done
        if done < size:
            return None
        return buffer if self.address is None else self.moved(buffer)

    def moved(self, buffer: Any) -> Any:
        """The bytes at the address that was asked for."""
        room = np.empty(len(buffer) + PAGE, np.uint8)
        at = (self.address - room.ctypes.data) % PAGE if self.address is not None else 0
        room[at : at + len(buffer)] = np.frombuffer(buffer, np.uint8)
        return room[at : at + len(buffer)]
