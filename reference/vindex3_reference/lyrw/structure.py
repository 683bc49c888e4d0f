"""Faults of descriptors and schemas that opening passes over: one function per kind (lyrw.md, section 3).

Each gives the findings of one kind, in file order, and none before it is asked for.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from vindex3_reference.lyrw import partners, vocabulary
from vindex3_reference.lyrw.tables import coordinates
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vindex3_reference.lyrw.lengths import SchemaLengths
    from vindex3_reference.lyrw.partners import Partners
    from vindex3_reference.lyrw.tables import Tables


def faults(tables: Tables, pairs: Partners, lengths: SchemaLengths) -> Iterator[Iterator[Refusal]]:
    """All findings about the tables of one file or plan, but for what its segments cover, kind by kind."""
    yield no_segments(tables)
    yield duplicate_banks(tables)
    yield empty_banks(tables)
    yield undeclared_layouts(tables)
    yield partners.missing(pairs)
    yield partners.ambiguous(pairs)
    yield zero_dimensions(tables)
    yield partial_blocks(tables, lengths)


def no_segments(tables: Tables) -> Iterator[Refusal]:
    """A file that describes no segment (SEGMENTS-READ-06)."""
    if not len(tables.segments):
        yield Refusal("no-segments", "no segment is described", num_segments=0)


def duplicate_banks(tables: Tables) -> Iterator[Refusal]:
    """Each bank_id that several descriptors carry (LYRW-BANK-05)."""
    for bank_id, count in Counter(tables.banks["bank_id"].tolist()).items():
        if count > 1:
            yield Refusal("duplicate-bank-id", f"{count} banks have bank_id {bank_id}", bank_id=bank_id)


def empty_banks(tables: Tables) -> Iterator[Refusal]:
    """Each bank without entries or schemas, and each segment without entries (SEGMENTS-READ-06)."""
    banks = tables.banks
    for bank_id, schemas, entries in zip(
        *(banks[field].tolist() for field in ("bank_id", "region_schema_count", "num_entries")), strict=True
    ):
        if not entries:
            yield _empty(bank_id, "entries")
        if not schemas:
            yield _empty(bank_id, "schemas")
    for bank_id, _, _, entry_count in tables.segments.tolist():
        if not entry_count:
            yield _empty(bank_id, "segment")


def undeclared_layouts(tables: Tables) -> Iterator[Refusal]:
    """Each gate_up_fused schema that does not say its layout (LYRW-FUSED-04, LAYOUT-PLAN-03)."""
    schemas = tables.schemas
    silent = (schemas["role"] == vocabulary.GATE_UP_FUSED) & (schemas["layout"] == vocabulary.UNSPECIFIED)
    for schema in silent.nonzero()[0].tolist():
        bank_id, index = coordinates(tables, schema)
        yield Refusal(
            "undeclared-fused-layout",
            f"schema {index} of bank {bank_id} is gate_up_fused, and its layout is unspecified",
            bank_id=bank_id,
            schema_index=index,
        )


def zero_dimensions(tables: Tables) -> Iterator[Refusal]:
    """Each schema with no rows or no cols (REGION-LENGTH-02, LAYOUT-REGION-06)."""
    schemas = tables.schemas
    flat = (schemas["rows"] == 0) | (schemas["cols"] == 0)
    for schema in flat.nonzero()[0].tolist():
        bank_id, index = coordinates(tables, schema)
        yield Refusal(
            "zero-dimension",
            f"schema {index} of bank {bank_id} has {schemas['rows'][schema]} rows "
            f"and {schemas['cols'][schema]} cols",
            bank_id=bank_id,
            schema_index=index,
        )


def partial_blocks(tables: Tables, lengths: SchemaLengths) -> Iterator[Refusal]:
    """Each schema whose cols the block of its format does not divide (REGION-LENGTH-02, LAYOUT-REGION-06)."""
    for schema in lengths.partial.nonzero()[0].tolist():
        bank_id, index = coordinates(tables, schema)
        cols, block = int(tables.schemas["cols"][schema]), int(lengths.block[schema])
        yield Refusal(
            "partial-block",
            f"schema {index} of bank {bank_id} has {cols} cols in blocks of {block}",
            bank_id=bank_id,
            schema_index=index,
            cols=cols,
            block=block,
        )


def _empty(bank_id: int, what: str) -> Refusal:
    return Refusal(
        "empty-bank", f"bank {bank_id}: {what} is empty or none are there", bank_id=bank_id, what=what
    )
