"""The arithmetic of WASTE, a vector at a time, by somebody who has read its text alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from strict_reader import No

__all__ = ["Packing", "combined", "stray", "trunk_codes", "trunk_row_bytes", "trunk_rows"]

PAYLOADS = {
    0: lambda n, padded: 4 * n,
    1: lambda n, padded: 2 * n,
    2: lambda n, padded: padded,
    3: lambda n, padded: padded // 2,
    7: lambda n, padded: (3 * padded + 7) // 8 + 1,
}


def halves(raw: Any) -> Any:
    """Halves, widened."""
    return np.frombuffer(raw, "<f2").astype(np.float32)


class Packing:
    """How the indices of a matrix lie: runs of bytes for row and position, in blocks of rows or not."""

    def __init__(self, stages: int, vec_dim: int, entries: int, index_bits: int, index_block: int) -> None:
        self.stages, self.vec_dim, self.entries = stages, vec_dim, entries
        self.index_bits, self.index_block = index_bits, index_block
        self.run = 3 if index_bits == 6 else stages

    def size(self, rows: int, n_in: int) -> int:
        """The length of a region in bytes."""
        block = self.index_block or 1
        return -(-rows // block) * block * (n_in // self.vec_dim) * self.run

    def unpack(self, region: Any, rows: int, n_in: int) -> Any:
        """Indices of [rows, positions, stages]."""
        positions, block = n_in // self.vec_dim, self.index_block or 1
        raw = np.frombuffer(region, np.uint8, self.size(rows, n_in))
        blocks = raw.reshape(-1, positions, block, self.run).transpose(0, 2, 1, 3)
        runs = blocks.reshape(-1, positions, self.run)[:rows]
        if self.index_bits == 8:
            return runs
        word = runs[..., 0].astype(np.uint32) | runs[..., 1].astype(np.uint32) << 8
        word |= runs[..., 2].astype(np.uint32) << 16
        return np.stack([word >> 6 * stage & 63 for stage in range(4)], axis=-1)

    def pack(self, indices: Any) -> bytes:
        """A region of indices, with rows of zero up to the last block's end."""
        rows, positions, _ = indices.shape
        block = self.index_block or 1
        whole = np.zeros((-(-rows // block) * block, positions, self.stages), np.uint32)
        whole[:rows] = indices
        if self.index_bits == 6:
            words = sum(whole[..., stage] << 6 * stage for stage in range(4))
            whole = np.stack([words & 255, words >> 8 & 255, words >> 16], axis=-1)
        blocks = whole.astype(np.uint8).reshape(-1, block, positions, self.run)
        return blocks.transpose(0, 2, 1, 3).tobytes()

    def books(self, raw: Any) -> Any:
        """Codebooks of [stages, entries, vec_dim]."""
        size = self.stages * self.entries * self.vec_dim
        return halves(memoryview(raw).cast("B")[: 2 * size]).reshape(self.stages, self.entries, self.vec_dim)

    def decode(self, indices: Any, books: Any, scales: Any) -> Any:
        """Weights of [rows, columns]."""
        total = np.zeros((*indices.shape[:2], self.vec_dim), np.float32)
        with np.errstate(all="ignore"):
            for stage in range(self.stages):
                total += books[stage][indices[..., stage]]
            total *= scales[:, None, None]
        return total.reshape(len(indices), -1)

    def tables(self, books: Any, x: Any) -> Any:
        """Products of [positions, stages, entries]."""
        parts = x.reshape(-1, self.vec_dim)
        table = np.zeros((len(parts), self.stages, self.entries), np.float32)
        with np.errstate(all="ignore"):
            for d in range(self.vec_dim):
                table += parts[:, d, None, None] * books[None, :, :, d]
        return table

    def product(self, indices: Any, table: Any, scales: Any) -> Any:
        """The product by tables of reals."""
        total = np.zeros(len(indices), np.float32)
        with np.errstate(all="ignore"):
            for v in range(indices.shape[1]):
                part = table[v, 0][indices[:, v, 0]]
                for stage in range(1, self.stages):
                    part = part + table[v, stage][indices[:, v, stage]]
                total += part
            return total * scales

    def rounded_product(self, indices: Any, table: Any, scales: Any) -> Any:
        """The product by tables of signed bytes, block by block."""
        total = np.zeros(len(indices), np.float32)
        for at in range(0, len(table), 32):
            block = table[at : at + 32]
            if not np.isfinite(block).all():
                raise No("non-finite", block=at // 32, found=str(block[~np.isfinite(block)][0]))
            unit = np.abs(block).max() / np.float32(127)
            codes = np.clip(np.rint(block / unit), -127, 127) if unit else np.zeros_like(block)
            whole = np.zeros(len(indices), np.int64)
            for v, stage in np.ndindex(*block.shape[:2]):
                whole += codes[v, stage].astype(np.int64)[indices[:, at + v, stage]]
            with np.errstate(all="ignore"):
                total += whole.astype(np.float32) * unit
        with np.errstate(all="ignore"):
            return total * scales


def stray(indices: Any, entries: int) -> dict[str, int] | None:
    """The last index that names no entry, and where it stands."""
    found = np.argwhere(indices >= entries)
    if not len(found):
        return None
    row, position, stage = map(int, found[-1])
    place = {"row": row, "position": position, "stage": stage}
    return {**place, "index": int(indices[row, position, stage]), "entries": entries}


def trunk_row_bytes(fmt: int, columns: int, group: int | None) -> tuple[int, int]:
    """The bytes of a row's codes and of its scales."""
    groups = -(-columns // group) if group else 0
    return PAYLOADS[fmt](columns, groups * (group or 0)), 2 * groups


def trunk_rows(fmt: int, columns: int, group: int | None, codes: Any, scales: Any) -> Any:
    """Rows as float32 of [rows, columns]."""
    if not group:
        return np.frombuffer(codes, "<f4" if fmt == 0 else "<f2").astype(np.float32).reshape(-1, columns)
    payload, _ = trunk_row_bytes(fmt, columns, group)
    raw = np.frombuffer(codes, np.uint8).reshape(-1, payload)
    if fmt == 2:
        whole = raw.view(np.int8)[:, :columns]
    elif fmt == 3:
        whole = np.stack([raw & 15, raw >> 4], axis=-1).reshape(len(raw), -1)[:, :columns].astype(np.int8) - 8
    else:
        bits = np.unpackbits(raw[:, :-1], axis=1, bitorder="little")[:, : 3 * columns]
        whole = bits.reshape(len(raw), columns, 3) @ np.array([1, 2, 4], np.int8) - np.int8(4)
    wide = np.repeat(halves(scales).reshape(len(raw), -1), group, axis=1)[:, :columns]
    with np.errstate(all="ignore"):
        return whole.astype(np.float32) * wide


def trunk_codes(fmt: int, columns: int, group: int, codes: Any) -> bytes:
    """Signed bytes of [rows, columns] as they are stored, padded with the code of zero."""
    shift = {2: 0, 3: 8, 7: 4}[fmt]
    given = np.frombuffer(codes, np.int8).reshape(-1, columns).astype(np.int16) + shift
    padded = np.full((len(given), -(-columns // group) * group), shift, np.int16)
    padded[:, :columns] = given
    if shift and (padded.min() < 0 or padded.max() >= 2 * shift):
        raise No("out-of-range", field="codes", value=int(given.max()) - shift)
    if fmt == 2:
        return padded.astype(np.int8).tobytes()
    if fmt == 3:
        return (padded[:, ::2] | padded[:, 1::2] << 4).astype(np.uint8).tobytes()
    bits = (padded[..., None] >> np.arange(3)) & 1
    stream = np.packbits(bits.reshape(len(padded), -1).astype(np.uint8), axis=1, bitorder="little")
    return np.pad(stream, ((0, 0), (0, 1))).tobytes()


def times(a: int, b: int) -> int:
    """The product of two polynomials modulo that of the checksum, highest power in the lowest bit."""
    total = 0
    for bit in range(31, -1, -1):
        total ^= b if a >> bit & 1 else 0
        b = b >> 1 ^ (0xEDB88320 if b & 1 else 0)
    return total


def combined(first: int, second: int, length: int) -> int:
    """The checksum of two parts from their own and the length of the second."""
    power, step = 1 << 31, 1 << 23
    while length:
        power = times(power, step) if length & 1 else power
        step, length = times(step, step), length >> 1
    return times(first, power) ^ second
