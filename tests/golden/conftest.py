"""A second description of LYRW v2, declared with construct from the format's text.

It shares no line with the reference or the fixtures: where both read a golden alike, the golden, the
expectation and the reference are not wrong in the same way by having one origin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from construct import (
    Array,
    Bytes,
    Check,
    Const,
    Index,
    Int16ul,
    Int32ul,
    Int64ul,
    Struct,
    Tell,
    this,
)

from pytest_vindex3.contract.difference import first_difference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from vindex3_fixtures.goldens import Request

ROLES = ["gate", "up", "gate_up_fused", "down", "bias", "scales", "latent_in", "latent_out"]
FORMATS = ["f32", "f16", "bf16", "q4_0", "q4_k", "q6_k", "q8_0", "fp4_larql", "mxfp4", "nvfp4", "mxfp8"]
PACKINGS = ["row_major", "blocks_with_scales_inline", "blocks_values", "blocks_scales"]
LAYOUTS = ["unspecified", "contiguous_halves", "interleaved"]
KINDS = ["dense", "routed", "shared"]
BROWSE = ["none", "direct", "strided", "none"]

BANK = Struct(
    "bank_id" / Int16ul,
    "bank_kind" / Int16ul,
    "region_schema_count" / Int16ul,
    "flags" / Int16ul,
    "num_entries" / Int32ul,
    "input_dim" / Int32ul,
    "intermediate_dim" / Int32ul,
    "output_dim" / Int32ul,
)

SEGMENT = Struct(
    "bank_id" / Int16ul,
    "segment_index" / Int16ul,
    "first_entry" / Int32ul,
    "entry_count" / Int32ul,
    Check(lambda it: any(bank.bank_id == it.bank_id for bank in it._.banks)),
    Check(lambda it: it.first_entry + it.entry_count <= bank_of(it._, it.bank_id).num_entries),
)

SCHEMA = Struct(
    "position" / Index,
    "schema_index" / Int16ul,
    "role" / Int16ul,
    "format" / Int16ul,
    "packing" / Int16ul,
    "pair_id" / Int16ul,
    "layout" / Int16ul,
    "rows" / Int32ul,
    "cols" / Int32ul,
    Check(this.schema_index == this.position),
    Check(lambda it: it.packing > 3 or (it.packing in (2, 3)) == (it.pair_id != 0xFFFF)),
    Check(lambda it: it.layout not in (1, 2) or it.role == 2 or it.role > 7),
)

ROW = Struct("offset" / Int64ul, "length" / Int64ul)

LAYER = Struct(
    "magic" / Const(b"LYRW"),
    "format_version" / Const(2, Int32ul),
    "logical_layer" / Int32ul,
    "num_banks" / Int16ul,
    "num_segments" / Int16ul,
    "flags" / Int32ul,
    "reserved" / Int32ul,
    "banks" / Array(this.num_banks, BANK),
    "segments" / Array(this.num_segments, SEGMENT),
    "schemas" / Array(this.num_banks, Array(lambda it: it.banks[it._index].region_schema_count, SCHEMA)),
    "rows" / Array(this.num_segments, Array(lambda it: rows_of(it, it.segments[it._index]), ROW)),
    "table_bytes" / Tell,
)


def bank_of(layer: Any, bank_id: int) -> Any:
    return next(bank for bank in layer.banks if bank.bank_id == bank_id)


def rows_of(layer: Any, segment: Any) -> int:
    return segment.entry_count * bank_of(layer, segment.bank_id).region_schema_count


def word(words: list[str], tag: int) -> str | int:
    return words[tag] if tag < len(words) else tag


class Described:
    """A layer file as the declaration above reads it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            self.layer = LAYER.parse_stream(file)

    def parse(self) -> dict[str, object]:
        """The answer to lyrw.parse."""
        layer = self.layer
        return {
            "header": {"logical_layer": layer.logical_layer, "flags": layer.flags},
            "banks": [self.bank(place) for place in range(layer.num_banks)],
            "segments": [
                {key: segment[key] for key in ("bank_id", "segment_index", "first_entry", "entry_count")}
                for segment in layer.segments
            ],
            "table_bytes": layer.table_bytes,
            "payload_start": (layer.table_bytes + 63) // 64 * 64,
            "unknown": self.unknown(),
        }

    def bank(self, place: int) -> dict[str, object]:
        """One bank of that answer."""
        bank = self.layer.banks[place]
        return {
            "bank_id": bank.bank_id,
            "kind": word(KINDS, bank.bank_kind),
            "browse": BROWSE[bank.flags % 4],
            "flags": bank.flags,
            "num_entries": bank.num_entries,
            "input_dim": bank.input_dim,
            "intermediate_dim": bank.intermediate_dim,
            "output_dim": bank.output_dim,
            "schemas": [
                {
                    "schema_index": schema.schema_index,
                    "role": word(ROLES, schema.role),
                    "format": word(FORMATS, schema.format),
                    "packing": word(PACKINGS, schema.packing),
                    "pair_id": None if schema.pair_id == 0xFFFF else schema.pair_id,
                    "layout": word(LAYOUTS, schema.layout),
                    "rows": schema.rows,
                    "cols": schema.cols,
                }
                for schema in self.layer.schemas[place]
            ],
        }

    def unknown(self) -> list[dict[str, object]]:
        """Everything that no vocabulary names."""
        layer = self.layer
        found: list[tuple[str, str, int]] = []
        if layer.flags > 1:
            found.append(("header", "flags", layer.flags - layer.flags % 2))
        for place, bank in enumerate(layer.banks):
            where = f"banks[{place}]"
            found += [(where, "kind", bank.bank_kind)] * (bank.bank_kind > 2)
            found += [(where, "browse", 3)] * (bank.flags % 4 == 3)
            found += [(where, "flags", bank.flags - bank.flags % 4)] * (bank.flags > 3)
            for schema in layer.schemas[place]:
                inner = f"{where}.schemas[{schema.position}]"
                found += [(inner, "role", schema.role)] * (schema.role > 7)
                found += [(inner, "format", schema.format)] * (schema.format > 10)
                found += [(inner, "packing", schema.packing)] * (schema.packing > 3)
                found += [(inner, "layout", schema.layout)] * (schema.layout > 2)
        return [{"where": where, "field": name, "value": value} for where, name, value in found]

    def row(self, bank_id: int, entry: int, schema_index: int) -> Any | None:
        """The row of one region, or None where this file has none."""
        layer = self.layer
        for segment, rows in zip(layer.segments, layer.rows, strict=True):
            local = entry - segment.first_entry
            count = bank_of(layer, segment.bank_id).region_schema_count
            if segment.bank_id == bank_id and 0 <= local < segment.entry_count and schema_index < count:
                return rows[local * count + schema_index]
        return None

    def schemas(self, bank_id: int) -> list[Any]:
        """The schemas of a bank."""
        places = [place for place, bank in enumerate(self.layer.banks) if bank.bank_id == bank_id]
        return self.layer.schemas[places[0]] if places else []

    def region(
        self, bank_id: int, entry: int, schema_index: int | None = None, role: str | None = None
    ) -> dict[str, object]:
        """The answer to lyrw.region."""
        if schema_index is None:
            having = [one.position for one in self.schemas(bank_id) if word(ROLES, one.role) == role]
            schema_index = having[0] if having else 0xFFFF
        row = self.row(bank_id, entry, schema_index)
        if row is None:
            return {"absent": True}
        with self.path.open("rb") as file:
            file.seek(row.offset)
            return {"offset": row.offset, "length": row.length, "data": Bytes(row.length).parse_stream(file)}

    def partner(
        self, bank_id: int, entry: int, schema_index: int, partner_role: str = "scales"
    ) -> dict[str, object]:
        """The answer to lyrw.partner."""
        schemas = self.schemas(bank_id)
        [other] = [
            one
            for one in schemas
            if one.position != schema_index
            and one.pair_id == schemas[schema_index].pair_id
            and word(ROLES, one.role) == partner_role
        ]
        row = self.row(bank_id, entry, other.position)
        if row is None:
            return {"absent": True}
        place = {"offset": row.offset, "length": row.length}
        return {"schema_index": other.position, "pair_id": other.pair_id, **place}


@pytest.fixture(scope="session")
def described() -> Callable[[Path], Described]:
    """Reads a layer file by the declaration; raises a ConstructError where the declaration does not hold."""
    return Described


@pytest.fixture(scope="session")
def agrees() -> Callable[[Request, Any], None]:
    """Compares what stands beside a golden with an answer, or with a refusal's kind and facts."""

    def compare(request: Request, told: Any) -> None:
        if isinstance(told, tuple):
            kind, names = told
            assert request.kind == kind
            assert first_difference(request.names, names) is None
        else:
            assert request.answer is not None
            assert first_difference(request.answer, told) is None
            assert set(request.answer) == set(told)

    return compare
