"""The layout of a plan: where tables and regions lie, and where the file ends."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, either, refuses
from vindex3_fixtures.lyrw import Bank, LyrwFile, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.lyrw.plan import layout, plan
from vindex3_fixtures.lyrw.sampled_plan import PlanKnobs, sampled_plan
from vindex3_suites.lyrw.planning import laid, lay
from vindex3_suites.lyrw.samples import (
    DENSE,
    DOWN,
    GATE,
    SMALLEST,
    SPLIT,
    TWO_BANKS,
    UP,
    bank_of,
    scales,
    values,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

SHAPES = {
    "smallest": SMALLEST,
    "dense": DENSE,
    "one_file_of_several": SPLIT,
    "two_banks_in_three_segments": TWO_BANKS,
    "segments_in_reverse": replace(TWO_BANKS, segments=TWO_BANKS.all_segments[::-1]),
    "values_and_scales": bank_of(values(3), scales(3), num_entries=3),
    "many_entries": bank_of(GATE, DOWN, num_entries=300),
    "many_schemas": bank_of(*[GATE, UP, DOWN] * 30),
    "many_banks": LyrwFile(banks=tuple(Bank((GATE,), bank_id=k) for k in range(40))),
    "everything": sampled_plan(PlanKnobs(5, 2, 4, 5, 3, pairs=True, unruled=True, unknown=True)),
}


def _tables(file: LyrwFile) -> dict[str, Any]:
    return {key: value for key, value in layout(file)["tables"].items() if key != "payload_start"}


@clause("LAYOUT-TABLE-01")
@cases(SHAPES)
def test_tables_follow_each_other(ask: Ask, case: LyrwFile) -> None:
    """Banks, segments, schemas and one entry table a segment follow each other without a gap."""
    check("LAYOUT-TABLE-01", lay(ask, plan(case)), answers(tables=_tables(case)))


@clause("LAYOUT-TABLE-01")
def test_tables_of_the_worked_example(ask: Ask) -> None:
    """The tables of the dense example lie where the specification prints them."""
    tables = {
        "bank_table": 24,
        "segment_table": 48,
        "schema_table": 60,
        "entry_table": 120,
        "entry_tables": [{"bank_id": 0, "segment_index": 0, "offset": 120, "length": 48}],
        "table_bytes": 168,
    }
    check("LAYOUT-TABLE-01", lay(ask, plan(DENSE)), answers(tables=tables))


@clause("LAYOUT-TABLE-01")
def test_entry_tables_have_the_stride_of_their_bank(ask: Ask) -> None:
    """Three segments of banks of two and of three schemas have tables of 64, 96 and 32 bytes."""
    tables = {
        "segment_table": 72,
        "schema_table": 108,
        "entry_table": 208,
        "entry_tables": [
            {"bank_id": 7, "segment_index": 0, "offset": 208, "length": 64},
            {"bank_id": 2, "segment_index": 0, "offset": 272, "length": 96},
            {"bank_id": 7, "segment_index": 1, "offset": 368, "length": 32},
        ],
        "table_bytes": 400,
    }
    check("LAYOUT-TABLE-01", lay(ask, plan(TWO_BANKS)), answers(tables=tables))


@clause("LAYOUT-REGION-01")
@cases(
    {
        **SHAPES,
        "tables_that_end_on_64": bank_of(GATE, num_entries=3),
        "regions_of_64_bytes": bank_of(replace(GATE, rows=4, cols=4), num_entries=3),
        "regions_of_65_bytes": bank_of(replace(GATE, format=77, length=65), num_entries=3),
        "an_empty_region_between": bank_of(GATE, replace(UP, format=77, length=0), DOWN, num_entries=2),
    }
)
def test_regions_follow_in_the_order_of_their_rows(ask: Ask, case: LyrwFile) -> None:
    """Regions lie in the order segment, entry, schema, each at the next multiple of 64."""
    told = layout(case)
    start = {"payload_start": case.payload_start}
    check("LAYOUT-REGION-01", lay(ask, plan(case)), answers(tables=start, regions=told["regions"]))


@clause("LAYOUT-REGION-01")
def test_regions_of_the_worked_example(ask: Ask) -> None:
    """Entries 2 and 3 of the split example lie where the specification prints them."""
    regions = [
        {"bank_id": 7, "entry": 2, "schema_index": 0, "offset": 192, "length": 16},
        {"bank_id": 7, "entry": 2, "schema_index": 1, "offset": 256, "length": 8},
        {"bank_id": 7, "entry": 3, "schema_index": 0, "offset": 320, "length": 16},
        {"bank_id": 7, "entry": 3, "schema_index": 1, "offset": 384, "length": 8},
    ]
    check("LAYOUT-REGION-01", lay(ask, plan(SPLIT)), answers(tables={"payload_start": 192}, regions=regions))


def _unruled(*lengths: int) -> LyrwFile:
    """One entry with a schema of each of these lengths."""
    return bank_of(*(replace(GATE, format=77, length=length) for length in lengths))


@clause("LAYOUT-REGION-02")
@cases(
    smallest=(SMALLEST, 152),
    dense=(DENSE, 328),
    one_file_of_several=(SPLIT, 392),
    an_empty_region_at_the_end=(_unruled(24, 0), 256),
    beyond_32_bits=(bank_of(replace(GATE, rows=65536, cols=65536)), 17_179_869_312),
    beyond_32_bits_of_rows_and_cols=(bank_of(replace(GATE, rows=1, cols=0xFFFFFFFF)), 17_179_869_308),
    beyond_53_bits=(_unruled((1 << 53) + 1), 9_007_199_254_741_121),
    beyond_53_bits_by_rule=(
        bank_of(replace(GATE, format=v.Q6_K, rows=0x7FFFFFFF, cols=0x7FFFFF00)),
        3_783_023_234_258_043_218,
    ),
    beyond_63_bits=(_unruled((1 << 63) + 1), 9_223_372_036_854_775_937),
    a_sum_beyond_63_bits=(_unruled((1 << 62) + 1, (1 << 62) + 1), 9_223_372_036_854_776_065),
)
def test_the_file_ends_with_its_last_region(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """file_length is the exact end of the last region, however large."""
    file, length = case
    told = layout(file)
    check("LAYOUT-REGION-02", lay(ask, plan(file)), answers(regions=told["regions"], file_length=length))


def _grouped(file: LyrwFile, extent: object) -> dict[str, Any]:
    return {**plan(file), "group_extent": extent}


def _segmented(num_entries: int, *widths: int, first_entry: int = 0, flags: int = 0) -> LyrwFile:
    """A bank of so many entries with consecutive segments of these widths."""
    starts = [first_entry + sum(widths[:place]) for place in range(len(widths))]
    segments = [Segment(4, place + 2, *pair) for place, pair in enumerate(zip(starts, widths, strict=True))]
    return LyrwFile(
        banks=(Bank((GATE,), bank_id=4, kind=v.ROUTED, num_entries=num_entries),),
        segments=tuple(segments),
        flags=flags,
    )


@clause("SEGMENTS-GROUP-01")
@cases(
    width=(_segmented(20, 16, 4), 8, (3,)),
    one_entry_too_many=(_segmented(33, 33), 32, (2,)),
    one_entry_too_few=(_segmented(31, 31), 16, (2,)),
    half_a_group=(_segmented(48, 32, 16), 32, (3,)),
    first_entry=(_segmented(64, 8, first_entry=4, flags=1), 8, (2,)),
    first_entry_of_a_wider_group=(_segmented(64, 16, first_entry=8, flags=1), 16, (2,)),
    a_boundary_inside_a_group=(_segmented(32, 12, 20), 8, (2, 3)),
)
def test_a_segment_off_its_groups_is_refused(ask: Ask, case: tuple[LyrwFile, int, tuple[int, ...]]) -> None:
    """A segment that begins or ends inside a group is refused with bank, segment and extent."""
    file, extent, indices = case
    legal = _segmented(64, 32, 32)
    check("SEGMENTS-GROUP-01", lay(ask, _grouped(legal, extent)), laid(legal))
    refused = [
        refuses("segment-off-extent", bank_id=4, segment_index=index, group_extent=extent)
        for index in indices
    ]
    check("SEGMENTS-GROUP-01", lay(ask, _grouped(file, extent)), either(refused[0], refused[-1]))


@clause("SEGMENTS-GROUP-02")
@cases(
    of_8=(_segmented(24, 8, 16), 8),
    of_16=(_segmented(48, 16, 32), 16),
    of_32=(_segmented(96, 64, 32), 32),
    part_of_a_bank=(_segmented(896, 64, first_entry=448, flags=1), 32),
    a_bank_that_is_wider_than_its_file=(_segmented(9, 8, flags=1), 8),
)
def test_whole_groups_are_laid_out(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """Segments of whole groups are laid out as if no extent had been given."""
    file, extent = case
    check("SEGMENTS-GROUP-02", lay(ask, plan(file)), laid(file))
    check("SEGMENTS-GROUP-02", lay(ask, _grouped(file, extent)), laid(file))


@clause("SEGMENTS-GROUP-03")
@cases(
    zero=0,
    one=1,
    four=4,
    twelve=12,
    twenty_four=24,
    thirty_three=33,
    sixty_four=64,
    large=1 << 40,
    negative=-8,
)
def test_another_extent_is_refused(ask: Ask, case: int) -> None:
    """A group extent that is none of 8, 16 and 32 is refused with its value."""
    file = _segmented(192, 192)
    check("SEGMENTS-GROUP-03", lay(ask, _grouped(file, 8)), laid(file))
    refused = refuses("out-of-range", field="group_extent", value=case)
    check("SEGMENTS-GROUP-03", lay(ask, _grouped(file, case)), refused)
