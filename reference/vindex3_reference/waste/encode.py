"""Records, books and tensors as bytes (waste.md, sections 3 to 5, 8 and 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vindex3_reference.kernels import crc32
from vindex3_reference.kernels.grouped import Q3G, Q4G, Q8G
from vindex3_reference.waste import codebook, record
from vindex3_reference.waste.codebook import BookHeader
from vindex3_reference.waste.expert import HEADER, PAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vindex3_reference.kernels import Geometry, Groups
    from vindex3_reference.kernels.buffers import Bytes
    from vindex3_reference.waste.expert import Expert
    from vindex3_reference.waste.quant import Quant

_ZEROS = {Q8G: 0, Q4G: 8, Q3G: 4}
"""The code of value 0, which fills rows up."""


def encoded_record(
    expert: Expert, quant: Quant, layer: int, number: int, base: int, parts: Sequence[tuple[Bytes, Bytes]]
) -> memoryview:
    """A record without gaps (RECORD-OFFSET-07).

    Args:
        expert: the shapes.
        quant: the packing.
        layer: the record's layer.
        number: its expert.
        base: the number of the layer's first book.
        parts: of gate, up and down each the indices [rows, positions, stages] and the halves of the scales.
    """
    blocks = -(-expert.payload_end // PAGE)
    data = bytearray(blocks * PAGE)
    at = HEADER
    for geometry, (indices, _) in zip(expert.matrices, parts, strict=True):
        region = packed(geometry, indices)
        data[at : at + len(region)] = region
        at += len(region)
    for _, scales in parts:
        data[at : at + len(scales)] = scales.tobytes()
        at += len(scales)
    checksum = crc32(memoryview(data)[HEADER:at])
    fields = (layer, number, quant.formats[0], 0, base, 0, 0, blocks, *expert.offsets, checksum, 0, 0)
    data[:HEADER] = record.Header(record.MAGIC, *fields).encoded()
    return memoryview(data)


def packed(geometry: Geometry, indices: Bytes) -> bytes:
    """The region of a matrix: indices in runs, and rows in blocks that are filled up with zeros."""
    runs = indices.reshape(geometry.rows, geometry.positions, geometry.stages)
    if geometry.packed:
        s0, s1, s2, s3 = (runs[:, :, stage] for stage in range(4))
        # What does not fit into a byte of the result falls out at its upper end.
        runs = np.stack([s0 | s1 << 6, s1 >> 2 | s2 << 4, s2 >> 4 | s3 << 2], axis=-1)
    filling = geometry.stored_rows - geometry.rows
    if filling:
        runs = np.concatenate([runs, np.zeros((filling, *runs.shape[1:]), np.uint8)])
    blocks = runs.reshape(-1, geometry.block, geometry.positions, geometry.run)
    return blocks.transpose(0, 2, 1, 3).tobytes()


def encoded_book(quant: Quant, number: int, halves: memoryview) -> bytes:
    """A book, its header before its halves."""
    fmt = codebook.WRITTEN_FORMAT
    header = BookHeader(codebook.MAGIC, number & 0xFFFF, fmt, quant.vec_dim, quant.entries, 0)
    return header.encoded() + bytes(halves)


def encoded_codes(groups: Groups, codes: Bytes) -> bytes:
    """The payload of a tensor from its codes as signed bytes [rows, columns] (TRUNK-WRITE-01)."""
    zero = _ZEROS[groups.fmt]
    width = groups.per_row * groups.group
    full = np.full((groups.rows, width), zero, np.uint8)
    full[:, : groups.columns] = codes.reshape(groups.rows, groups.columns) + np.uint8(zero)
    if groups.fmt == Q8G:
        return full.tobytes()
    if groups.fmt == Q4G:
        return (full[:, ::2] | full[:, 1::2] << 4).tobytes()
    bits = np.unpackbits(full[:, :, None], axis=2, count=3, bitorder="little").reshape(groups.rows, -1)
    rows = np.zeros((groups.rows, groups.row_bytes), np.uint8)
    streams = np.packbits(bits, axis=1, bitorder="little")
    rows[:, : streams.shape[1]] = streams
    return rows.tobytes()
