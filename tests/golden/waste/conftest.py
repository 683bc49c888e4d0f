"""A second description of WASTE containers, declared with construct from the format's text.

Numbers are made with the arithmetic of Python: sums and products of so few bits are exact in binary64, so
that taking the nearest float32 is the one rounding. No line is shared with a reader or the makers.
"""

from __future__ import annotations

import json
from math import ceil, inf, nan, prod
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from construct import (
    Array,
    Bytes,
    Const,
    Float32l,
    GreedyBytes,
    GreedyRange,
    Int8sl,
    Int8ul,
    Int16ul,
    Int24ul,
    Int32ul,
    Int64ul,
    Struct,
    this,
)

if TYPE_CHECKING:
    from pathlib import Path

RECORD = Struct(
    "magic" / Bytes(4),
    "layer" / Int16ul,
    "expert_id" / Int16ul,
    "fmt" / Int8ul,
    "flags" / Int8ul,
    "codebook_id" / Int16ul,
    "lowrank_id" / Int16ul,
    "reserved0" / Int16ul,
    "record_4k_blocks" / Int32ul,
    "gate_off" / Int32ul,
    "up_off" / Int32ul,
    "down_off" / Int32ul,
    "correction_off" / Int32ul,
    "crc32" / Int32ul,
    "reserved1" / Array(2, Int32ul),
)

BOOK = Struct(
    "magic" / Const(b"WCBK"),
    "id" / Int16ul,
    "fmt" / Int8ul,
    "vec_dim" / Int8ul,
    "entries" / Int32ul,
    "zero" / Const(0, Int32ul),
    "halves" / Array(this.entries * this.vec_dim, Int16ul),
)

COUNT = Struct(
    "layer" / Int16ul,
    "expert" / Int16ul,
    "hits" / Int32ul,
    "last_seen" / Int32ul,
    "next_layer_top" / Int32ul,
)

USAGE = Struct(
    "magic" / Const(b"WUSG"),
    "version" / Const(1, Int32ul),
    "clock" / Int64ul,
    "entries" / GreedyRange(COUNT),
    "rest" / GreedyBytes,
)

KINDS = ("gate", "up", "down")
OFFSETS = ("gate_off", "up_off", "down_off", "correction_off")


def half(word: int) -> float:
    """The number of sixteen bits."""
    sign, exponent, fraction = -1.0 if word >> 15 else 1.0, word >> 10 & 31, word & 1023
    if exponent == 31:
        return sign * (nan if fraction else inf)
    return sign * (fraction * 2.0**-24 if exponent == 0 else (1024 + fraction) * 2.0 ** (exponent - 25))


def single(number: float) -> float:
    """The nearest float32."""
    return float(Float32l.parse(Float32l.build(number)))


def array(numbers: list[float], *shape: int) -> Any:
    """An array of the nearest float32."""
    return np.array(numbers, np.float64).astype(np.float32).reshape(shape)


class Second:
    """A container by its documents and the declarations above."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = json.loads((folder / "manifest.json").read_bytes())
        config = self.manifest["config"]
        self.config = config.get("text_config", config)
        self.quant = {"index_bits": 8, "index_block": 0, **self.manifest.get("expert_quant", {})}
        self.trunk = (folder / "trunk.bin").read_bytes()
        inner = self.config.get("moe_intermediate_size", 0)
        width = self.config.get("routed_expert_hidden_size") or self.config["hidden_size"]
        self.rows = {"gate": inner, "up": inner, "down": width}
        self.positions = {
            kind: columns // self.quant.get("vec_dim", 1)
            for kind, columns in {"gate": width, "up": width, "down": inner}.items()
        }

    @property
    def run(self) -> int:
        """Bytes of the indices of one row at one position."""
        return 3 if self.quant["index_bits"] == 6 else int(self.quant["stages"])

    def region_bytes(self, kind: str) -> int:
        """Bytes that the indices of a matrix need."""
        block = self.quant["index_block"] or 1
        return ceil(self.rows[kind] / block) * block * self.positions[kind] * self.run

    def layers(self) -> list[int]:
        """The layers with experts."""
        last, first = self.config["num_hidden_layers"], self.config.get("first_k_dense_replace", 0)
        return list(range(first, last)) if self.config.get("num_experts") else []

    def bank(self, layer: int) -> tuple[dict[str, Any], int]:
        """The entry of a layer, and the stride of its records."""
        entry = self.manifest["layers"][str(layer)]
        return entry, entry["bytes"] // entry["experts"]

    def record(self, layer: int, expert: int) -> tuple[Any, bytes, bytes]:
        """A record's header, all of its bytes, and those that its checksum covers."""
        entry, stride = self.bank(layer)
        data = (self.folder / entry["file"]).read_bytes()[expert * stride :][:stride]
        header = RECORD.parse(data)
        return header, data, data[48 : header.correction_off + 2 * sum(self.rows.values())]

    def books(self) -> int:
        """How many books there are."""
        return int((self.folder / "codebooks.bin").stat().st_size // self.book_bytes)

    @property
    def book_bytes(self) -> int:
        """Bytes of a book."""
        return 16 + 2 * int(self.quant["entries"]) * int(self.quant["vec_dim"])

    def book(self, number: int) -> Any:
        """A book as it is declared."""
        size = self.book_bytes
        return BOOK.parse((self.folder / "codebooks.bin").read_bytes()[number * size :][:size])

    def indices(self, layer: int, expert: int, kind: str) -> list[list[list[int]]]:
        """Of each row, of each position: an index for each stage."""
        header, data, _ = self.record(layer, expert)
        region = data[header[OFFSETS[KINDS.index(kind)]] :]
        positions, block = self.positions[kind], self.quant["index_block"] or 1
        lanes = [
            [(row // block * positions + position) * block + row % block for position in range(positions)]
            for row in range(self.rows[kind])
        ]
        return [[self.unpacked(region[lane * self.run :][: self.run]) for lane in row] for row in lanes]

    def unpacked(self, run: bytes) -> list[int]:
        """The indices of a run of bytes."""
        if self.quant["index_bits"] == 8:
            return list(run)
        return [Int24ul.parse(run) // 64**stage % 64 for stage in range(4)]

    def scales(self, layer: int, expert: int, kind: str) -> list[int]:
        """The scales of a matrix, sixteen bits each."""
        header, data, _ = self.record(layer, expert)
        before = sum(self.rows[one] for one in KINDS[: KINDS.index(kind)])
        return list(Array(self.rows[kind], Int16ul).parse(data[header.correction_off + 2 * before :]))

    def matrix(self, layer: int, expert: int, matrix: str) -> Any:
        """The answer of waste.matrix."""
        stages, size = self.quant["stages"], self.quant["vec_dim"]
        first = self.record(layer, expert)[0].codebook_id + KINDS.index(matrix) * stages
        books = [[half(word) for word in self.book(first + stage).halves] for stage in range(stages)]
        weights = []
        scales = self.scales(layer, expert, matrix)
        for scale, row in zip(scales, self.indices(layer, expert, matrix), strict=True):
            for indices in row:
                for d in range(size):
                    total = 0.0
                    for book, index in zip(books, indices, strict=True):
                        total = single(total + book[index * size + d])
                    weights.append(total * half(scale))
        return array(weights, self.rows[matrix], self.positions[matrix] * size)

    def tensor(self, name: str, row: int | None = None) -> Any:
        """The answer of waste.tensor."""
        [entry] = [one for one in self.manifest["trunk"] if one["name"] == name]
        if row is not None:
            return self.line(entry, row)
        lines = [self.line(entry, at) for at in range(prod(entry["shape"][:-1]))]
        return np.concatenate(lines).reshape(entry["shape"])

    def line(self, entry: dict[str, Any], row: int) -> Any:
        """A row of a tensor."""
        width = entry["shape"][-1]
        if entry["fmt"] == 0:
            return np.frombuffer(self.trunk, "<f4", width, entry["off"] + 4 * width * row)
        codes, scales = self.codes(entry, row), [half(word) for word in self.group_scales(entry, row)]
        return array([codes[at] * scales[at // entry["group"]] for at in range(width)], width)

    def group_scales(self, entry: dict[str, Any], row: int) -> list[int]:
        """The scales of a row, sixteen bits each."""
        groups = ceil(entry["shape"][-1] / entry["group"])
        return list(Array(groups, Int16ul).parse(self.trunk[entry["scale_off"] + 2 * groups * row :]))

    def codes(self, entry: dict[str, Any], row: int) -> list[int]:
        """The codes of a row, those of padding included."""
        padded = ceil(entry["shape"][-1] / entry["group"]) * entry["group"]
        size = {2: padded, 3: padded // 2, 7: ceil(3 * padded / 8) + 1}[entry["fmt"]]
        stored = self.trunk[entry["off"] + row * size :][:size]
        if entry["fmt"] == 2:
            return list(Array(padded, Int8sl).parse(stored))
        bits, middle = (4, 8) if entry["fmt"] == 3 else (3, 4)
        word = int.from_bytes(stored, "little")
        return [word // 2 ** (bits * at) % 2**bits - middle for at in range(padded)]

    def usage(self) -> Any:
        """The statistics as they are declared, or None."""
        path = self.folder / "usage.waste"
        return USAGE.parse(path.read_bytes()) if path.exists() else None


@pytest.fixture(scope="session")
def second() -> type[Second]:
    """Reads a container by the declarations."""
    return Second
