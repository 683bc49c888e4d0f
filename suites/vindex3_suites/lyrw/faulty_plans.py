"""Plans that must be refused, one for each way, with the kind: what lyrw.layout and lyrw.write share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, NamedTuple

from vindex3_fixtures.lyrw import Bank, LyrwFile, Schema, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.lyrw.plan import plan
from vindex3_suites.lyrw.planning import REMOVED, edited
from vindex3_suites.lyrw.samples import (
    DENSE,
    DOWN,
    FUSED,
    GATE,
    SPLIT,
    TWO_BANKS,
    bank_of,
    only,
    scales,
    values,
)


class Faulty(NamedTuple):
    """A plan with one fault, its legal twin as a file, and the kind that refuses it."""

    legal: LyrwFile
    document: Any
    kind: str


PAIR: Final = bank_of(values(1), scales(1), num_entries=2)
UNRULED: Final = only(replace(GATE, format=77, length=24))
SCHEMA: Final = ("banks", 0, "schemas", 0)


def _edit(file: LyrwFile, kind: str, *way: str | int, to: Any) -> Faulty:
    return Faulty(file, edited(plan(file), *way, to=to), kind)


def _schema(file: LyrwFile, kind: str, **fields: Any) -> Faulty:
    """The plan of a file whose first schema has other fields."""
    document = plan(file)
    schema = {**document["banks"][0]["schemas"][0], **fields}
    return Faulty(file, edited(document, *SCHEMA, to=schema), kind)


def _as(legal: LyrwFile, wrong: LyrwFile, kind: str) -> Faulty:
    return Faulty(legal, plan(wrong), kind)


FAULTY: Final[dict[str, Faulty]] = {
    "row_major_with_a_number": _schema(DENSE, "inconsistent-pairing", pair_id=1),
    "values_without_a_number": _schema(PAIR, "inconsistent-pairing", pair_id=None),
    "layout_on_gate": _schema(DENSE, "layout-on-non-fused", layout="interleaved"),
    "schema_index": _schema(DENSE, "schema-index-mismatch", schema_index=1),
    "undeclared_bank": _edit(SPLIT, "unknown-bank", "segments", 0, "bank_id", to=9),
    "past_the_bank": _edit(DENSE, "segment-out-of-bounds", "segments", 0, "entry_count", to=2),
    "undeclared_layout": _schema(only(FUSED), "undeclared-fused-layout", layout="unspecified"),
    "missing_partner": _edit(PAIR, "missing-partner", "banks", 0, "schemas", 1, "pair_id", to=2),
    "ambiguous_partner": _as(PAIR, bank_of(values(1), scales(1), scales(1)), "ambiguous-partner"),
    "duplicate_bank_id": _as(
        TWO_BANKS,
        LyrwFile(banks=(Bank((GATE,)), Bank((GATE,))), segments=(Segment(),)),
        "duplicate-bank-id",
    ),
    "segment_overlap": _as(
        SPLIT,
        replace(SPLIT, segments=(Segment(7, 0, 0, 3), Segment(7, 1, 2, 2))),
        "segment-overlap",
    ),
    "segment_gap": _as(SPLIT, replace(SPLIT, flags=0), "segment-gap"),
    "no_segments": _edit(SPLIT, "no-segments", "segments", to=[]),
    "no_entries": _as(
        DENSE,
        replace(DENSE, banks=(*DENSE.banks, Bank((GATE,), 4, num_entries=0)), segments=(Segment(),)),
        "empty-bank",
    ),
    "no_schemas": _as(DENSE, replace(DENSE, banks=(*DENSE.banks, Bank((), 4))), "empty-bank"),
    "an_empty_segment": _as(DENSE, replace(DENSE, segments=(Segment(), Segment(0, 1, 1, 0))), "empty-bank"),
    "length_mismatch": _schema(DENSE, "region-length-mismatch", length=25),
    "unknown_length": _edit(UNRULED, "unknown-length", *SCHEMA, "length", to=REMOVED),
    "partial_block": _schema(only(Schema(v.UP, v.Q4_0, cols=64)), "partial-block", cols=65),
    "zero_dimension": _schema(DENSE, "zero-dimension", rows=0),
    "num_banks": _edit(DENSE, "plan-mismatch", "header", "num_banks", to=2),
    "num_segments": _edit(DENSE, "plan-mismatch", "header", "num_segments", to=0),
    "region_schema_count": _edit(DENSE, "plan-mismatch", "banks", 0, "region_schema_count", to=4),
    "browse_against_flags": _edit(DENSE, "plan-mismatch", "banks", 0, "browse", to="strided"),
    "out_of_range": _edit(DENSE, "out-of-range", "header", "logical_layer", to=1 << 32),
    "negative": _schema(DENSE, "out-of-range", rows=-1),
    "bad_type": _schema(DENSE, "bad-type", rows=1.5),
    "unknown_value": _schema(DENSE, "unknown-value", role="gates"),
    "missing_field": _edit(DENSE, "missing-field", "banks", 0, "bank_id", to=REMOVED),
    "no_banks": _edit(DENSE, "missing-field", "banks", to=REMOVED),
    "off_extent": _edit(bank_of(DOWN, num_entries=12), "segment-off-extent", "group_extent", to=8),
    "another_extent": _edit(bank_of(DOWN, num_entries=12), "out-of-range", "group_extent", to=12),
}
"""Each of these plans has one fault."""
