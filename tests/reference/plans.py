"""Plans typed from lyrw.md: the two worked ones, and the recipes of section 7."""

from __future__ import annotations

from typing import Any

Plan = dict[str, Any]


def schema(role: str, format_: str, rows: int, cols: int, **other: Any) -> Plan:
    """An unpaired row_major schema, unless something else is said."""
    return {
        "role": role, "format": format_, "packing": "row_major", "pair_id": None,
        "layout": "unspecified", "rows": rows, "cols": cols, **other,
    }  # fmt: skip


def dense() -> Plan:
    """The plan of the first worked file."""
    return {
        "header": {"logical_layer": 3, "flags": 0},
        "banks": [
            {
                "bank_id": 0, "kind": "dense", "flags": 1, "num_entries": 1,
                "input_dim": 3, "intermediate_dim": 2, "output_dim": 1,
                "schemas": [
                    schema("gate", "f32", 2, 3), schema("up", "f32", 2, 3), schema("down", "f32", 1, 2),
                ],
            }
        ],
        "segments": [{"bank_id": 0, "segment_index": 0, "first_entry": 0, "entry_count": 1}],
    }  # fmt: skip


def split() -> Plan:
    """The plan of the second worked file."""
    return {
        "header": {"logical_layer": 12, "flags": 1},
        "banks": [
            {
                "bank_id": 7, "kind": "routed", "flags": 2, "num_entries": 4,
                "input_dim": 2, "intermediate_dim": 2, "output_dim": 2,
                "schemas": [
                    schema("gate_up_fused", "f16", 4, 2, layout="interleaved"),
                    schema("down", "f16", 2, 2),
                ],
            }
        ],
        "segments": [{"bank_id": 7, "segment_index": 1, "first_entry": 2, "entry_count": 2}],
    }  # fmt: skip


def routed(experts: int, dims: tuple[int, int, int], schemas: list[Plan], **other: Any) -> Plan:
    """One routed bank in one segment, unless segments are given."""
    return {
        "header": {"logical_layer": 0, "flags": 0},
        "banks": [
            {
                "bank_id": 0, "kind": "routed", "flags": 0, "num_entries": experts,
                "input_dim": dims[0], "intermediate_dim": dims[1], "output_dim": dims[2],
                "schemas": schemas,
            }
        ],
        "segments": [{"bank_id": 0, "segment_index": 0, "first_entry": 0, "entry_count": experts}],
        **other,
    }  # fmt: skip


def fused(format_: str, rows: int, cols: int, **other: Any) -> Plan:
    """A gate_up_fused schema of contiguous halves."""
    return schema("gate_up_fused", format_, rows, cols, layout="contiguous_halves", **other)
