"""Several faults in one file: the first of the reading order is named."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.lyrw import LyrwFile, Schema, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.expected import parses, truncated
from vindex3_suites.lyrw.samples import DENSE, DOWN, GATE, SMALLEST, UP, bank_of

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Refuses

MISPAIRED = replace(DOWN, pair_id=3)
MISPLACED = replace(DOWN, layout=v.CONTIGUOUS_HALVES)
PAIRING = refuses("inconsistent-pairing", bank_id=0, schema_index=0, packing="row_major", pair_id=3)
LAYOUT = refuses("layout-on-non-fused", bank_id=0, schema_index=0, role="down", layout="contiguous_halves")
INDEX = refuses("schema-index-mismatch", bank_id=0, expected=0, found=9)
BEYOND = (Segment(entry_count=2),)
ELSEWHERE = (Segment(bank_id=5),)


def _segmented(schema: Schema, segments: tuple[Segment, ...]) -> LyrwFile:
    return replace(bank_of(schema), segments=segments)


@clause("LYRW-ORDER-01")
@cases(
    pairing_before_layout=(bank_of(replace(MISPAIRED, layout=v.CONTIGUOUS_HALVES)), PAIRING),
    pairing_before_index=(bank_of(replace(MISPAIRED, schema_index=9)), PAIRING),
    layout_before_index=(bank_of(replace(MISPLACED, schema_index=9)), LAYOUT),
    pairing_before_segment=(_segmented(MISPAIRED, BEYOND), PAIRING),
    layout_before_unknown_bank=(_segmented(MISPLACED, ELSEWHERE), LAYOUT),
    index_before_segment=(_segmented(replace(GATE, schema_index=9), BEYOND), INDEX),
    cut_schema_before_pairing=(
        replace(bank_of(MISPAIRED, UP), length=99),
        truncated("region schema table", 80, 20, 19),
    ),
    cut_schema_before_segment=(
        replace(_segmented(GATE, BEYOND), length=79),
        truncated("region schema table", 60, 20, 19),
    ),
    cut_segment_before_unknown_bank=(
        replace(DENSE, segments=(Segment(bank_id=5), Segment()), length=71),
        truncated("segment descriptor table", 60, 12, 11),
    ),
    first_of_two_schemas=(bank_of(MISPAIRED, MISPAIRED), PAIRING),
    first_of_two_segments=(
        _segmented(GATE, (Segment(entry_count=4), Segment(0, 1, 4, 3))),
        refuses("segment-out-of-bounds", segment_index=0, end_entry=4),
    ),
)
def test_the_first_fault_is_named(ask: Ask, case: tuple[LyrwFile, Refuses]) -> None:
    """Truncation comes before schemas, schemas before segments, and in each the order of the checks."""
    file, expected = case
    legal = ask("lyrw.parse", path=ask.file("legal.lyrw", SMALLEST))
    check("LYRW-ORDER-01", legal, parses(SMALLEST))
    check("LYRW-ORDER-01", ask("lyrw.parse", path=ask.file("wrong.lyrw", file)), expected)
