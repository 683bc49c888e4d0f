"""Banks, segments and pairs under verification."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, either
from vindex3_fixtures.lyrw import Bank, LyrwFile, Schema, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.finding import (
    CLEAN,
    OneOf,
    check_found,
    defect,
    reports,
    segment_gap,
    segment_overlap,
    verify,
)
from vindex3_suites.lyrw.samples import DOWN, FUSED, GATE, SMALLEST, TWO_BANKS, UP, bank_of, scales, values

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

MOST = 0xFFFFFFFF


def _covered(num_entries: int, *segments: tuple[int, int, int], flags: int = 0, bank_id: int = 0) -> LyrwFile:
    """One bank with these segments, each as segment_index, first_entry and entry_count."""
    return LyrwFile(
        banks=(Bank((GATE,), bank_id=bank_id, kind=v.ROUTED, num_entries=num_entries),),
        segments=tuple(Segment(bank_id, *numbers) for numbers in segments),
        flags=flags,
    )


def _banks(*ids: int) -> LyrwFile:
    """Banks of one entry with these ids, one segment for each id."""
    segments = tuple(Segment(bank_id) for bank_id in dict.fromkeys(ids))
    return LyrwFile(banks=tuple(Bank((GATE, UP), bank_id=bank_id) for bank_id in ids), segments=segments)


@clause("LYRW-BANK-05")
@cases(
    two=(_banks(4, 5), _banks(4, 4), 4),
    two_of_three=(_banks(1, 4, 2), _banks(4, 1, 4), 4),
    three=(_banks(4, 5, 6), _banks(4, 4, 4), 4),
    the_largest_id=(_banks(65535, 0), _banks(65535, 65535), 65535),
)
def test_a_repeated_bank_id_is_found(ask: Ask, case: tuple[LyrwFile, LyrwFile, int]) -> None:
    """Two descriptors of one bank_id are listed with the id."""
    legal, wrong, bank_id = case
    found = defect("duplicate-bank-id", bank_id=bank_id)
    check_found(ask, "LYRW-BANK-05", legal, wrong, found, also=("segment-gap",))


@clause("LYRW-FUSED-04")
@cases(
    row_major=bank_of(DOWN, replace(FUSED, layout=v.UNSPECIFIED), bank_id=6),
    values=bank_of(
        scales(1), replace(values(1), role=v.GATE_UP_FUSED, layout=v.UNSPECIFIED), bank_id=6, num_entries=2
    ),
)
def test_an_undeclared_layout_may_be_found(ask: Ask, case: LyrwFile) -> None:
    """A fused schema that does not say its layout is listed, or not; one that says it never is."""
    schemas = case.banks[0].schemas
    declared = bank_of(schemas[0], replace(schemas[1], layout=v.INTERLEAVED), bank_id=6)
    check("LYRW-FUSED-04", verify(ask, "legal.lyrw", declared), CLEAN)
    found = defect("undeclared-fused-layout", bank_id=6, schema_index=1)
    check("LYRW-FUSED-04", verify(ask, "layer.lyrw", case), either(CLEAN, reports(found)))


NO_ENTRIES = Bank((GATE,), bank_id=5, num_entries=0)
NO_SCHEMAS = Bank((), bank_id=5, num_entries=2)


@clause("SEGMENTS-READ-06")
@cases(
    no_segments=(replace(SMALLEST, segments=(), flags=1), [defect("no-segments", num_segments=0)]),
    nothing_at_all=(LyrwFile(banks=(), segments=()), [defect("no-segments", num_segments=0)]),
    a_bank_without_entries=(
        replace(SMALLEST, banks=(*SMALLEST.banks, NO_ENTRIES), segments=(Segment(),)),
        [defect("empty-bank", bank_id=5, what="entries")],
    ),
    a_bank_without_entries_in_a_segment=(
        replace(SMALLEST, banks=(NO_ENTRIES, *SMALLEST.banks)),
        [defect("empty-bank", bank_id=5, what="entries"), defect("empty-bank", bank_id=5, what="segment")],
    ),
    a_bank_without_schemas=(
        replace(SMALLEST, banks=(NO_SCHEMAS, *SMALLEST.banks)),
        [defect("empty-bank", bank_id=5, what="schemas")],
    ),
    a_segment_without_entries=(
        _covered(2, (0, 0, 2), (1, 2, 0)),
        [defect("empty-bank", bank_id=0, what="segment")],
    ),
    a_segment_without_entries_between=(
        _covered(2, (0, 0, 1), (1, 1, 0), (2, 1, 1), bank_id=9),
        [defect("empty-bank", bank_id=9, what="segment")],
    ),
)
def test_emptiness_is_found(ask: Ask, case: tuple[LyrwFile, list[Any]]) -> None:
    """A file without segments, a bank without entries or schemas and a segment without entries are listed."""
    wrong, found = case
    check_found(ask, "SEGMENTS-READ-06", SMALLEST, wrong, *found)


@clause("SEGMENTS-READ-06")
def test_without_segments_banks_are_uncovered(ask: Ask) -> None:
    """With flag bit 0 clear, a file without segments may have its entries listed as a gap as well."""
    found = defect("no-segments", num_segments=0)
    wrong = replace(SMALLEST, segments=())
    check_found(ask, "SEGMENTS-READ-06", SMALLEST, wrong, found, also=("segment-gap",))


@clause("SEGMENTS-MULTI-03")
@cases(
    last_entry=(_covered(2, (0, 0, 1)), [(0, 1, 2)]),
    first_entry=(_covered(2, (0, 1, 1), bank_id=4), [(4, 0, 1)]),
    between=(_covered(9, (0, 0, 2), (1, 5, 4)), [(0, 2, 5)]),
    between_segments_in_reverse=(_covered(9, (1, 5, 4), (0, 0, 2)), [(0, 2, 5)]),
    three_gaps=(_covered(9, (0, 1, 2), (1, 5, 2)), [(0, 0, 1), (0, 3, 5), (0, 7, 9)]),
    a_bank_without_segment=(replace(TWO_BANKS, segments=(TWO_BANKS.all_segments[1],)), [(7, 0, 3)]),
    one_of_two_banks=(
        replace(TWO_BANKS, segments=(TWO_BANKS.all_segments[0], TWO_BANKS.all_segments[1])),
        [(7, 2, 3)],
    ),
    both_banks=(replace(TWO_BANKS, segments=(Segment(2, 0, 1, 1),)), [(7, 0, 3), (2, 0, 1)]),
    nearly_all_of_the_largest_bank=(_covered(MOST, (0, MOST - 1, 1)), [(0, 0, MOST - 1)]),
)
def test_uncovered_entries_are_found(ask: Ask, case: tuple[LyrwFile, list[tuple[int, int, int]]]) -> None:
    """Entries in no segment are listed as ranges; in one file of several they may be in another."""
    file, gaps = case
    split = replace(file, flags=1)
    check_found(ask, "SEGMENTS-MULTI-03", split, file, *(segment_gap(*gap) for gap in gaps))


@clause("SEGMENTS-MULTI-03")
@cases(
    as_many_entries_as_the_bank=(_covered(4, (0, 0, 2), (1, 0, 2)), (2, 4), (0, 1, 0, 2)),
    more_entries_than_the_bank=(_covered(5, (0, 0, 4), (1, 1, 3)), (4, 5), (0, 1, 1, 4)),
    between=(_covered(6, (0, 0, 3), (1, 2, 1), (2, 4, 2)), (3, 4), (0, 1, 2, 3)),
)
def test_entries_that_are_shared_fill_no_gap(
    ask: Ask, case: tuple[LyrwFile, tuple[int, int], tuple[int, int, int, int]]
) -> None:
    """Segments that hold enough entries in all leave a gap where they share some of them."""
    wrong, gap, shared = case
    found = (segment_gap(0, *gap), segment_overlap(0, *shared))
    check_found(ask, "SEGMENTS-MULTI-03", replace(wrong, segments=None), wrong, *found)


@clause("SEGMENTS-MULTI-04")
@cases(
    one_entry=(_covered(3, (0, 0, 2), (1, 1, 2)), [(0, 0, 1, 1, 2)]),
    all_entries=(_covered(2, (3, 0, 2), (4, 0, 2), bank_id=8), [(8, 3, 4, 0, 2)]),
    one_within_another=(_covered(9, (0, 0, 9), (1, 4, 3)), [(0, 0, 1, 4, 7)]),
    in_reverse=(_covered(9, (7, 3, 6), (2, 0, 5)), [(0, 2, 7, 3, 5)]),
    two_within_another=(_covered(9, (0, 0, 9), (1, 1, 1), (2, 5, 3)), [(0, 0, 1, 1, 2), (0, 0, 2, 5, 8)]),
    two_pairs=(
        _covered(9, (0, 0, 3), (1, 2, 3), (2, 4, 5)),
        [(0, 0, 1, 2, 3), (0, 1, 2, 4, 5)],
    ),
)
def test_entries_in_two_segments_are_found(
    ask: Ask, case: tuple[LyrwFile, list[tuple[int, int, int, int, int]]]
) -> None:
    """Each two segments that share entries are listed with the range, whether the layer is split or not."""
    file, shared = case
    found = [segment_overlap(*numbers) for numbers in shared]
    for flags in (0, 1):
        wrong = replace(file, flags=flags)
        check_found(ask, "SEGMENTS-MULTI-04", replace(wrong, segments=None), wrong, *found)


@clause("SEGMENTS-MULTI-05")
@cases(
    neighbours=(_covered(2, (3, 0, 1), (4, 1, 1)), _covered(2, (3, 0, 1), (3, 1, 1)), (0, 3)),
    first_and_last=(
        _covered(6, (0, 0, 2), (1, 2, 2), (2, 4, 2), bank_id=4),
        _covered(6, (0, 0, 2), (1, 2, 2), (0, 4, 2), bank_id=4),
        (4, 0),
    ),
    the_largest_index=(
        _covered(2, (65535, 0, 1), (0, 1, 1)),
        _covered(2, (65535, 0, 1), (65535, 1, 1)),
        (0, 65535),
    ),
    of_one_bank_only=(
        TWO_BANKS,
        replace(TWO_BANKS, segments=(*TWO_BANKS.all_segments[:2], Segment(7, 0, 2, 1))),
        (7, 0),
    ),
)
def test_a_repeated_segment_index_is_found(
    ask: Ask, case: tuple[LyrwFile, LyrwFile, tuple[int, int]]
) -> None:
    """Two segments of one bank with one index are listed; of two banks they may have the same."""
    legal, wrong, (bank_id, index) = case
    found = defect("duplicate-segment-index", bank_id=bank_id, segment_index=index)
    check_found(ask, "SEGMENTS-MULTI-05", legal, wrong, found)


def _two_banks(first: tuple[Schema, ...], second: tuple[Schema, ...]) -> LyrwFile:
    return LyrwFile(banks=(Bank(first), Bank(second, bank_id=1)))


@clause("PAIR-VERIFY-01")
@cases(
    no_scales=(bank_of(GATE, values(1), bank_id=6), [(6, 1, 1)]),
    scales_of_another_number=(bank_of(scales(2), values(1), bank_id=6), [(6, 1, 1)]),
    number_0=(bank_of(values(0)), [(0, 0, 0)]),
    the_index_of_the_scales_as_number=(bank_of(scales(7), values(0)), [(0, 1, 0)]),
    scales_in_another_bank=(_two_banks((values(3),), (scales(3),)), [(0, 0, 3)]),
    another_role=(bank_of(values(1), scales(1, v.BIAS)), [(0, 0, 1)]),
    two_of_three=(bank_of(values(1), values(5), scales(5), values(3)), [(0, 0, 1), (0, 3, 3)]),
)
def test_values_without_scales_are_found(ask: Ask, case: tuple[LyrwFile, list[tuple[int, int, int]]]) -> None:
    """A values schema to which no scales belong is listed with its number."""
    wrong, missing = case
    legal = bank_of(scales(1), values(1), values(1))
    found = (
        defect("missing-partner", bank_id=bank_id, schema_index=index, pair_id=pair_id)
        for bank_id, index, pair_id in missing
    )
    check_found(ask, "PAIR-VERIFY-01", legal, wrong, *found)


@clause("PAIR-VERIFY-01")
@cases(
    two_scales=(bank_of(values(1), scales(1), scales(1), bank_id=6), 6, 1),
    three_scales=(bank_of(scales(0), values(0), scales(0), scales(0)), 0, 0),
    one_of_two_pairs=(bank_of(values(1), scales(1), values(2), scales(2), scales(2)), 0, 2),
)
def test_values_with_several_scales_are_found(ask: Ask, case: tuple[LyrwFile, int, int]) -> None:
    """A values schema to which several scales belong is listed with its number."""
    wrong, bank_id, pair_id = case
    found = defect("ambiguous-partner", bank_id=bank_id, pair_id=pair_id)
    check_found(ask, "PAIR-VERIFY-01", _two_banks((values(1), scales(1)), (scales(1),)), wrong, found)


def _shapes(index: int, other: int) -> OneOf:
    ways = (
        defect("pair-shape-mismatch", bank_id=6, schema_index=one, other_schema_index=two)
        for one, two in ((index, other), (other, index))
    )
    return OneOf(tuple(ways))


@clause("PAIR-VERIFY-02")
@cases(
    other_rows=(bank_of(values(1), replace(scales(1), rows=4), bank_id=6), [(0, 1)]),
    other_cols=(bank_of(replace(scales(1), cols=64), values(1), bank_id=6), [(0, 1)]),
    their_own_extent=(bank_of(values(1), replace(scales(1), rows=1, cols=64), bank_id=6), [(0, 1)]),
    shared_scales=(
        bank_of(values(1), values(1), replace(values(1), rows=3), scales(1), bank_id=6),
        [(2, 3)],
    ),
)
def test_scales_of_another_shape_are_found(ask: Ask, case: tuple[LyrwFile, list[tuple[int, int]]]) -> None:
    """Scales with other rows or cols than their values are listed with both schemas."""
    wrong, pairs = case
    legal = bank_of(values(1), scales(1), values(2), scales(2), bank_id=6)
    check_found(ask, "PAIR-VERIFY-02", legal, wrong, *(_shapes(*pair) for pair in pairs))
