"""Matrices of experts, and tensors of the trunk, as float32 (waste.md, sections 6 and 8)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from vindex3_reference.kernels import decode, dequantised
from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.about import about
from vindex3_reference.waste.expert import KINDS
from vindex3_reference.waste.memory import room
from vindex3_reference.waste.record import Header
from vindex3_reference.waste.records import Records

if TYPE_CHECKING:
    from vindex3_reference.kernels.buffers import Floats
    from vindex3_reference.source import Source
    from vindex3_reference.waste.container import Container
    from vindex3_reference.waste.record import Judge
    from vindex3_reference.waste.trunk_index import Entry


def matrix_of(container: Container, layer: int, expert: int, matrix: str) -> Floats:
    """A matrix of an expert, float32 of [rows, columns]; its record is judged as for any read.

    Raises:
        Refusal: `no-such-matrix`, `no-such-record`; what reading a record refuses; `index-out-of-codebook`
            with layer, expert, matrix and the place; `truncated` or `io` of the codebooks.
    """
    if matrix not in KINDS:
        message = f"{matrix!r} is none of {', '.join(KINDS)}"
        raise Refusal("no-such-matrix", message, matrix=matrix)
    container.require(layer, expert)
    judge = container.judges[layer]
    view = room(judge.bank.stride)
    with Records(container, capacity=0) as records:
        records.deliver(layer, expert, view)
    with about(layer=layer, expert=expert, matrix=matrix):
        return _decoded(judge, KINDS.index(matrix), view)


def _decoded(judge: Judge, kind: int, record: memoryview) -> Floats:
    header = Header.read(record)
    geometry = judge.expert.matrices[kind]
    books = judge.books.halves(header.codebook_id + kind * geometry.stages, geometry.stages)
    indices = record[header.offsets[kind] :]
    scales = record[header.correction_off + judge.expert.scales_before(kind) :]
    return decode(geometry, indices[: geometry.index_bytes], books, scales[: 2 * geometry.rows])


def tensor_of(container: Container, name: str, row: int | None = None) -> Floats:
    """A tensor of the trunk in its shape, or one row of it; no other byte is read (TRUNK-ROW-03).

    Raises:
        Refusal: `missing-tensor`; `out-of-range` with tensor, row and rows; `truncated` with tensor, need
            and have; `io`.
    """
    entry = next((entry for entry in container.manifest.trunk if entry.name == name), None)
    if entry is None:
        raise Refusal("missing-tensor", f"the trunk has no {name!r}", tensor=name)
    with about(tensor=name):
        if row is None:
            return _rows(container.trunk, entry, 0, entry.rows).reshape(entry.shape)
        if not 0 <= row < entry.rows:
            message = f"{name!r} has {entry.rows} rows, none of them {row}"
            raise Refusal("out-of-range", message, row=row, rows=entry.rows, field="row", value=row)
        return _rows(container.trunk, entry, row, 1).reshape(-1)


def _rows(trunk: Source, entry: Entry, first: int, count: int) -> Floats:
    payload = _read(trunk, entry.offset + first * entry.row_bytes, count * entry.row_bytes)
    if entry.groups is None or entry.scale_offset is None:
        return np.frombuffer(payload, "<f4")
    at = entry.scale_offset + first * entry.row_scale_bytes
    scales = _read(trunk, at, count * entry.row_scale_bytes)
    return dequantised(replace(entry.groups, rows=count), payload, scales)


def _read(trunk: Source, offset: int, length: int) -> bytes:
    data = trunk.read(offset, length)
    if len(data) < length:
        need, have = offset + length, offset + len(data)
        message = f"{trunk.name} ends at {have}, before {need}"
        raise Refusal("truncated", message, path=trunk.name, need=need, have=have)
    return data
