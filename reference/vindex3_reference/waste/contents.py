"""What is wrong with values that a reader would decode all the same (waste.md, section 9.3)."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from vindex3_reference.defects import LISTED
from vindex3_reference.kernels import first_beyond, half_to_float
from vindex3_reference.refusal import Refusal
from vindex3_reference.waste import codebook
from vindex3_reference.waste.expert import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from vindex3_reference.kernels import Geometry
    from vindex3_reference.kernels.buffers import Bytes
    from vindex3_reference.waste.codebook import Codebooks
    from vindex3_reference.waste.container import Container
    from vindex3_reference.waste.record import Header, Judge
    from vindex3_reference.waste.trunk_index import Entry

_EXPONENT = 0x7C00
"""All bits of the exponent of a half: an infinity, or no number."""
AT_ONCE = 1 << 20
"""Bytes of scales that are looked at together."""


def shape_faults(container: Container) -> Iterator[Refusal]:
    """The embedding and the head, where they have not the shape that config gives them (WASTE-VERIFY-06)."""
    manifest = container.manifest
    expected = [manifest.config.words, manifest.config.hidden]
    ends = ("model.embed_tokens.weight", "lm_head.weight")
    tables = {f"{manifest.tensor_prefix}{end}" for end in ends}
    for entry in manifest.trunk:
        if entry.name in tables and entry.shape != expected:
            message = f"{entry.name!r} has shape {entry.shape}, not {expected}"
            yield Refusal("config-mismatch", message, tensor=entry.name, found=entry.shape, expected=expected)


def header_faults(container: Container) -> Iterator[Refusal]:
    """What is odd in the headers of books that layers name, and opening passes over (CODEBOOK-HEADER-03)."""
    for books, book in _named(container):
        header = books.header(book)
        for field, expected in (("id", book & 0xFFFF), ("zero", 0)):
            found = getattr(header, field)
            if found != expected:
                yield codebook.header_fault(book, field, found, expected)


def value_faults(container: Container) -> Iterator[Refusal]:
    """Values of these books that are no finite numbers (CODEBOOK-VALUE-02)."""
    for books, book in _named(container):
        for place, value in _infinite(books.halves(book, 1).reshape(-1)):
            entry, element = divmod(place, books.quant.vec_dim)
            message = f"element {element} of entry {entry} of book {book} is {value}"
            yield Refusal("non-finite", message, book=book, entry=entry, element=element, found=value)


def scale_faults(container: Container) -> Iterator[Refusal]:
    """Scales of the trunk that are no finite numbers (TRUNK-SCALE-02)."""
    for entry in container.manifest.trunk:
        if entry.groups is not None:
            yield from _trunk_faults(container, entry, entry.groups.per_row)


def record_faults(judge: Judge, header: Header, record: memoryview, number: int) -> list[Refusal]:
    """What is wrong with the indices and scales of a judged record, up to what is listed of one kind."""
    found = []
    for kind, matrix in enumerate(KINDS):
        geometry = judge.expert.matrices[kind]
        indices = np.frombuffer(record, np.uint8, geometry.index_bytes, header.offsets[kind])
        begin = header.correction_off + judge.expert.scales_before(kind)
        scales = np.frombuffer(record[begin:], "<u2", geometry.rows)
        for fault in chain(_index_faults(geometry, indices), islice(_row_faults(scales), LISTED)):
            fault.names |= {"layer": judge.bank.layer, "expert": number, "matrix": matrix}
            found.append(fault)
    return found


def _index_faults(geometry: Geometry, indices: Bytes) -> Iterator[Refusal]:
    """The first index that names no entry."""
    beyond = first_beyond(geometry, indices)
    if beyond is not None:
        yield Refusal(
            "index-out-of-codebook",
            f"index {beyond.index} of {geometry.entries} entries",
            row=beyond.row,
            position=beyond.position,
            stage=beyond.stage,
            index=beyond.index,
            entries=geometry.entries,
        )


def _row_faults(scales: npt.NDArray[np.uint16]) -> Iterator[Refusal]:
    for row, value in _infinite(scales):
        yield Refusal("non-finite", f"the scale of row {row} is {value}", row=row, found=value)


def _named(container: Container) -> Iterator[tuple[Codebooks, int]]:
    books = container.codebooks
    if books is not None:
        yield from ((books, book) for book in books.named(container.manifest.banks.values()))


def _trunk_faults(container: Container, entry: Entry, per_row: int) -> Iterator[Refusal]:
    begin, size = entry.scale_offset or 0, entry.scale_bytes
    for done in range(0, size, AT_ONCE):
        data = container.trunk.read(begin + done, min(AT_ONCE, size - done))
        for place, value in _infinite(np.frombuffer(data[: len(data) & ~1], "<u2")):
            row, group = divmod(done // 2 + place, per_row)
            message = f"scale {group} of row {row} of {entry.name!r} is {value}"
            yield Refusal("non-finite", message, tensor=entry.name, row=row, group=group, found=value)


def _infinite(halves: npt.NDArray[np.uint16]) -> Iterator[tuple[int, str]]:
    """The places of halves that are no finite numbers, each with what is there in a word."""
    places = np.flatnonzero((halves & _EXPONENT) == _EXPONENT)
    for place in places:
        yield int(place), str(half_to_float(halves[place : place + 1].tobytes())[0])
