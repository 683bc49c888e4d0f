"""The record of an expert: its header, and the checks of every read (waste.md, sections 3 and 9.2)."""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.kernels import crc32
from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.expert import HEADER, KINDS, PAGE, Expert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vindex3_reference.waste.codebook import Codebooks
    from vindex3_reference.waste.layers import Bank

MAGIC = b"WEXP"
OFFSETS = ("gate_off", "up_off", "down_off", "correction_off")
_FORM = struct.Struct("<4sHHBBHHHIIIIIIII")


class Header(NamedTuple):
    """The 48 bytes before the indices of an expert (RECORD-HEADER-01)."""

    magic: bytes
    layer: int
    expert_id: int
    fmt: int
    flags: int
    codebook_id: int
    lowrank_id: int
    reserved0: int
    record_4k_blocks: int
    gate_off: int
    up_off: int
    down_off: int
    correction_off: int
    crc32: int
    reserved1: int
    reserved2: int

    @classmethod
    def read(cls, record: memoryview) -> Header:
        """The header at the beginning of a record."""
        return cls(*_FORM.unpack_from(record))

    @property
    def offsets(self) -> tuple[int, int, int, int]:
        """Where the regions of gate, up and down begin, and the scales."""
        return self.gate_off, self.up_off, self.down_off, self.correction_off

    def encoded(self) -> bytes:
        """The header, ready for a file."""
        return _FORM.pack(*self)

    def answer(self) -> dict[str, object]:
        """Every field as it is stored, by the names of the law."""
        *fields, reserved1, reserved2 = self._asdict().items()
        reserved = [reserved1[1], reserved2[1]]
        return {**dict(fields), "magic": self.magic.hex(), "reserved1": reserved}


class Judge:
    """What the manifest demands of the records of a bank.

    Args:
        bank: the records.
        expert: the shapes.
        books: the codebooks of the container.
    """

    def __init__(self, bank: Bank, expert: Expert, books: Codebooks) -> None:
        self.bank = bank
        self.expert = expert
        self.books = books
        self._quant = books.quant

    def header(self, record: memoryview, number: int) -> Header:
        """The header of the record in a slot, judged.

        Raises:
            Refusal: the first fault in the order of RECORD-CHECK-02; each names layer and expert.
        """
        header = Header.read(record)
        for refusal in self._faults(header, number):
            refusal.names = {"layer": self.bank.layer, "expert": number, **refusal.names}
            raise refusal
        return header

    def payload(self, header: Header, record: memoryview) -> memoryview:
        """The bytes that the checksum covers, of a record whose header is judged (CRC-RANGE-01)."""
        return record[HEADER : header.correction_off + self.expert.scale_bytes]

    def judge_checksum(self, header: Header, record: memoryview, number: int) -> None:
        """Compare the checksum of a record whose header is judged.

        Raises:
            Refusal: `checksum-mismatch` with stored and computed value.
        """
        computed = crc32(self.payload(header, record))
        if computed != header.crc32:
            layer, stored = self.bank.layer, header.crc32
            message = f"expert {number} of layer {layer}: the payload has another checksum"
            raise Refusal(
                "checksum-mismatch", message, layer=layer, expert=number, stored=stored, computed=computed
            )

    def gaps(self, header: Header, number: int) -> Iterator[Refusal]:
        """Regions that are longer than their indices need (RECORD-GAP-01)."""
        for kind, (begin, end) in enumerate(pairwise(header.offsets)):
            expected = begin + self.expert.regions[kind]
            if end > expected:
                yield Refusal(
                    "region-gap",
                    f"the region of {KINDS[kind]} is {end - expected} bytes longer than its indices",
                    layer=self.bank.layer,
                    expert=number,
                    field=OFFSETS[kind + 1],
                    found=end,
                    expected=expected,
                )

    def _faults(self, header: Header, number: int) -> Iterator[Refusal]:
        if header.magic != MAGIC:
            yield Refusal("bad-magic", "no record", found=header.magic.hex(), expected=MAGIC.hex())
        layer, expert = header.layer, header.expert_id
        if (layer, expert) != (self.bank.layer, number):
            message = "the record of another expert"
            yield Refusal("record-identity", message, found_layer=layer, found_expert=expert)
        length = header.record_4k_blocks * PAGE
        if length != self.bank.stride:
            message = "the record has another length than its bank gives it"
            yield Refusal("record-length", message, found=length, expected=self.bank.stride)
        if header.fmt not in self._quant.formats:
            message = f"format {header.fmt} is not that of the indices"
            yield Refusal("record-format", message, found=header.fmt, expected=list(self._quant.formats))
        if header.lowrank_id:
            message = "a low-rank part, which nobody reads"
            yield Refusal("unsupported-feature", message, field="lowrank_id", found=header.lowrank_id)
        yield from self._book_faults(header.codebook_id)
        yield from self._offset_faults(header)

    def _book_faults(self, base: int) -> Iterator[Refusal]:
        expected, books = self.bank.codebook_base, self.books.count
        if base != expected or base + self._quant.books > books:
            message = f"books from {base}, not from {expected}"
            yield Refusal("codebook-mismatch", message, found=base, expected=expected, books=books)

    def _offset_faults(self, header: Header) -> Iterator[Refusal]:
        if header.gate_off != HEADER:
            yield _offset_fault("gate_off", header.gate_off, HEADER)
        offsets = header.offsets
        needs = [begin + length for begin, length in zip(offsets[:3], self.expert.regions, strict=True)]
        followers = list(zip(OFFSETS[1:], pairwise(offsets), needs, strict=True))
        yield from (
            _offset_fault(field, end, need) for field, (begin, end), need in followers if end <= begin
        )
        yield from (_offset_fault(field, end, need) for field, (_, end), need in followers if end < need)
        need = header.correction_off + self.expert.scale_bytes
        if need > self.bank.stride:
            message = f"scales end at {need}, behind the record"
            yield Refusal(
                "record-offsets", message, field="correction_off", found=header.correction_off, need=need
            )


def _offset_fault(field: str, found: int, need: int) -> Refusal:
    return Refusal("record-offsets", f"{field} is {found}, not {need}", field=field, found=found, need=need)
