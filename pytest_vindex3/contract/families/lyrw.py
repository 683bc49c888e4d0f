"""Verbs of LYRW v2 layer files (spec: lyrw.md, section 10)."""

from __future__ import annotations

from typing import NotRequired, Protocol, TypedDict

from pytest_vindex3.contract.slots import Blob
from pytest_vindex3.contract.verb import verb

Tag = str | int
"""A known tag as its word, an unknown one as its integer."""


class Header(TypedDict):
    """The header's own facts; `flags` is the whole stored u32."""

    logical_layer: int
    flags: int


class Schema(TypedDict):
    """One region schema; `pair_id` is null where the stored number is 0xFFFF.

    Attributes:
        role: gate, up, gate_up_fused, down, bias, scales, latent_in, latent_out
        format: f32, f16, bf16, q4_0, q4_k, q6_k, q8_0, fp4_larql, mxfp4, nvfp4, mxfp8
        packing: row_major, blocks_with_scales_inline, blocks_values, blocks_scales
        layout: unspecified, contiguous_halves, interleaved
    """

    schema_index: int
    role: Tag
    format: Tag
    packing: Tag
    pair_id: int | None
    layout: Tag
    rows: int
    cols: int


class Bank(TypedDict):
    """One bank descriptor with its schemas; `flags` is the whole stored u16.

    Attributes:
        kind: dense, routed, shared
        browse: none, direct, strided
    """

    bank_id: int
    kind: Tag
    browse: str
    flags: int
    num_entries: int
    input_dim: int
    intermediate_dim: int
    output_dim: int
    schemas: list[Schema]


class Segment(TypedDict):
    """One segment descriptor; `first_entry` counts over the whole bank."""

    bank_id: int
    segment_index: int
    first_entry: int
    entry_count: int


class Unknown(TypedDict):
    """A value that no vocabulary names: where it stands, in which field, and its integer.

    Attributes:
        where: header, banks[i], banks[i].schemas[j]
        field: flags, reserved, kind, browse, role, format, packing, layout
        value: the integer; of flags the unknown bits alone
    """

    where: str
    field: str
    value: int


class Parsed(TypedDict):
    """A layer file as its tables describe it; sums are exact integers of any size, in bytes."""

    header: Header
    banks: list[Bank]
    segments: list[Segment]
    table_bytes: int
    payload_start: int
    unknown: list[Unknown]


class Region(TypedDict):
    """A region's place and bytes, or `absent: true` and nothing else."""

    offset: NotRequired[int]
    length: NotRequired[int]
    data: NotRequired[Blob]
    absent: NotRequired[bool]


class Partner(TypedDict):
    """The partner schema and its region for the same entry, or `absent: true` and nothing else."""

    schema_index: NotRequired[int]
    pair_id: NotRequired[int]
    offset: NotRequired[int]
    length: NotRequired[int]
    absent: NotRequired[bool]


@verb("lyrw.parse")
class LyrwParse(Protocol):
    """Describe a layer file from its header and tables alone."""

    def __call__(self, *, path: str) -> Parsed: ...


@verb("lyrw.region")
class LyrwRegion(Protocol):
    """Give the bytes of one region, asked by schema index or by role."""

    def __call__(
        self,
        *,
        path: str,
        bank_id: int,
        entry: int,
        schema_index: int | None = None,
        role: Tag | None = None,
    ) -> Region: ...


@verb("lyrw.partner")
class LyrwPartner(Protocol):
    """Find the schema that is paired with another one, for one entry."""

    def __call__(
        self, *, path: str, bank_id: int, entry: int, schema_index: int, partner_role: str = "scales"
    ) -> Partner: ...
