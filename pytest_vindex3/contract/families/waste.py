"""Verbs of WASTE containers (spec: waste.md, section 16)."""

from __future__ import annotations

from typing import NotRequired, Protocol, TypedDict

from pytest_vindex3.contract.defect import Defect
from pytest_vindex3.contract.slots import Blob, FloatArray
from pytest_vindex3.contract.verb import verb


class ExpertQuant(TypedDict):
    """How experts are quantised, defaults filled in; `bits_per_weight` as stored, or null."""

    stages: int
    vec_dim: int
    entries: int
    index_bits: int
    index_block: int
    bits_per_weight: float | None


class Bank(TypedDict):
    """The bank of a layer; `record_bytes` is the stride, in bytes."""

    file: str
    experts: int
    bytes: int
    record_bytes: int
    codebook_base: int


class TrunkEntry(TypedDict):
    """A tensor of the trunk; `group` and `scale_off` are null for F32, `bytes` is derived where absent."""

    name: str
    fmt: int
    shape: list[int]
    group: int | None
    off: int
    scale_off: int | None
    bytes: int


class Codebooks(TypedDict):
    """The codebooks of a container; `book_bytes` is null where there are none."""

    count: int
    book_bytes: int | None


class OpenedWaste(TypedDict):
    """A container as its manifest describes it; `layers` holds the layers with experts, by number."""

    format_version: int
    arch: str | None
    tensor_prefix: str
    expert_quant: ExpertQuant | None
    layers: dict[str, Bank]
    trunk: list[TrunkEntry]
    codebooks: Codebooks


class RecordHeader(TypedDict):
    """The 48 bytes of a record's header; `magic` is eight hexadecimal digits in file order."""

    magic: str
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
    reserved1: list[int]


class Patch(TypedDict):
    """A change of a file between two reads: bytes put at an offset, or a new length of the file.

    Attributes:
        after: how many reads of `before` come first.
        file: its name in the container.
    """

    after: int
    file: str
    offset: NotRequired[int]
    data: NotRequired[Blob]
    length: NotRequired[int]


class Record(TypedDict):
    """A record, whole.

    Attributes:
        mode: direct, buffered, cache
        payload_sha256: digest of the bytes that the header's crc32 covers.
        held_sha256: digest of the record that was held, taken after the last read; null where none was.
    """

    header: RecordHeader
    mode: str
    payload_sha256: str
    data: Blob
    held_sha256: str | None


class VerifiedWaste(TypedDict):
    """Everything that is wrong with the records and codebooks of a container, in any order."""

    records_checked: int
    defects: list[Defect]


@verb("waste.open")
class WasteOpen(Protocol):
    """Read the manifest of a container and compare it with the files that it names."""

    def __call__(self, *, path: str) -> OpenedWaste: ...


@verb("waste.record", options=("before", "cache_records", "hold", "patch", "address"))
class WasteRecord(Protocol):
    """Read the record of one expert.

    `source` is auto, direct or buffered: past the page cache where possible, so or not at all, never so.
    `verify` asks for the checksum too. `before` are [layer, expert] pairs that are read first through the
    same handle, `cache_records` how many records the cache holds, null being the reader's choice, `hold` the
    position in `before` whose bytes stay held, `patch` changes of files between these reads, `address` where
    the bytes are delivered, modulo 4096.
    """

    def __call__(
        self,
        *,
        path: str,
        layer: int,
        expert: int,
        source: str = "auto",
        verify: bool = False,
        before: list[list[int]] | None = None,
        cache_records: int | None = None,
        hold: int | None = None,
        patch: list[Patch] | None = None,
        address: int | None = None,
    ) -> Record: ...


@verb("waste.matrix")
class WasteMatrix(Protocol):
    """Decode one matrix of an expert: "gate", "up" or "down", as float32 of [rows, columns]."""

    def __call__(self, *, path: str, layer: int, expert: int, matrix: str) -> FloatArray: ...


@verb("waste.tensor")
class WasteTensor(Protocol):
    """Decode a tensor of the trunk as float32 in its shape, or one `row` of it."""

    def __call__(self, *, path: str, name: str, row: int | None = None) -> FloatArray: ...


@verb("waste.verify")
class WasteVerify(Protocol):
    """Read every record and codebook, and list all defects."""

    def __call__(self, *, path: str) -> VerifiedWaste: ...
