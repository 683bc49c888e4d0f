"""Segments: what a file covers of its banks, and which row belongs to which entry."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, either, refuses
from pytest_vindex3.plugin.ask import needs
from vindex3_fixtures.lyrw import Bank, LyrwFile, Place, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.asking import region
from vindex3_suites.lyrw.expected import ABSENT, delivers, parses
from vindex3_suites.lyrw.samples import (
    DENSE,
    DOWN,
    DOWN_F16,
    FUSED,
    GATE,
    SMALLEST,
    SPLIT,
    TWO_BANKS,
    UP,
    bank_of,
)
from vindex3_suites.lyrw.test_region import check_regions

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


def _covered(num_entries: int, *segments: tuple[int, int, int], flags: int = 0, bank_id: int = 0) -> LyrwFile:
    """One bank with these segments, each as segment_index, first_entry and entry_count."""
    return LyrwFile(
        banks=(Bank((GATE,), bank_id=bank_id, kind=v.ROUTED, num_entries=num_entries),),
        segments=tuple(Segment(bank_id, *numbers) for numbers in segments),
        flags=flags,
    )


@clause("SEGMENTS-READ-01")
@cases(
    smallest=SMALLEST,
    split=SPLIT,
    two_banks=TWO_BANKS,
    every_field_of_its_own=_covered(0x0A0B0C0D, (0x0102, 0x01020304, 2), flags=1, bank_id=0x0506),
    largest_index=_covered(2, (65535, 0, 2)),
    last_entry_of_the_largest_bank=_covered(0xFFFFFFFF, (3, 0xFFFFFFFE, 1), flags=1),
    largest_bank_id=_covered(1, (0, 0, 1), bank_id=65535),
)
def test_every_field_is_read(ask: Ask, case: LyrwFile) -> None:
    """Segment descriptors are repeated exactly, in file order."""
    check("SEGMENTS-READ-01", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))


@clause("SEGMENTS-READ-02")
@cases(
    next_id=(SMALLEST, Segment(bank_id=1), 0, 1),
    index_of_its_own=(SMALLEST, Segment(1, 4), 4, 1),
    high_byte=(SMALLEST, Segment(bank_id=256), 0, 256),
    largest=(SMALLEST, Segment(bank_id=65535), 0, 65535),
    bank_0_of_a_file_without=(SPLIT, Segment(0, 2), 2, 0),
    position_instead_of_id=(TWO_BANKS, Segment(1, 3), 3, 1),
)
def test_a_segment_of_no_bank_is_refused(ask: Ask, case: tuple[LyrwFile, Segment, int, int]) -> None:
    """A segment whose bank this file does not declare is unknown-bank, with its index and that id."""
    legal, segment, segment_index, bank_id = case
    check("SEGMENTS-READ-02", ask("lyrw.parse", path=ask.file("legal.lyrw", legal)), parses(legal))
    file = replace(legal, segments=(*legal.all_segments, segment))
    wrong = ask("lyrw.parse", path=ask.file("wrong.lyrw", file))
    refused = refuses("unknown-bank", segment_index=segment_index, bank_id=bank_id)
    check("SEGMENTS-READ-02", wrong, refused)


MOST = 0xFFFFFFFF
TWO_ENTRIES = _covered(2, (0, 0, 2), flags=1)
NO_ROWS = LyrwFile(banks=(Bank((), num_entries=2),), flags=1)


@clause("SEGMENTS-READ-03")
@cases(
    one_too_many=(TWO_ENTRIES, Segment(entry_count=3), 3),
    one_too_far=(TWO_ENTRIES, Segment(first_entry=1, entry_count=2), 3),
    begins_at_the_end=(TWO_ENTRIES, Segment(first_entry=2), 3),
    index_of_its_own=(TWO_ENTRIES, Segment(0, 7, 0, 4), 4),
    bank_of_its_own=(_covered(2, (0, 0, 2), flags=1, bank_id=9), Segment(9, 0, 0, 4), 4),
    sum_of_32_bits=(TWO_ENTRIES, Segment(0, 0, MOST, 1), 1 << 32),
    sum_beyond_32_bits=(TWO_ENTRIES, Segment(0, 0, MOST, 3), (1 << 32) + 2),
    beyond_the_largest_bank=(_covered(MOST, (0, MOST - 1, 1), flags=1), Segment(0, 0, MOST, 1), 1 << 32),
    largest_count=(NO_ROWS, Segment(0, 0, 1, MOST), 1 << 32),
    largest_sum=(NO_ROWS, Segment(0, 0, MOST, MOST), 2 * MOST),
)
def test_a_segment_past_its_bank_is_refused(ask: Ask, case: tuple[LyrwFile, Segment, int]) -> None:
    """A segment that ends beyond num_entries is refused with all its numbers, the sum being exact."""
    legal, segment, end_entry = case
    check("SEGMENTS-READ-03", ask("lyrw.parse", path=ask.file("legal.lyrw", legal)), parses(legal))
    wrong = ask("lyrw.parse", path=ask.file("wrong.lyrw", replace(legal, segments=(segment,))))
    refused = refuses(
        "segment-out-of-bounds",
        bank_id=segment.bank_id,
        segment_index=segment.segment_index,
        first_entry=segment.first_entry,
        end_entry=end_entry,
        num_entries=legal.banks[0].num_entries,
    )
    check("SEGMENTS-READ-03", wrong, refused)


@clause("SEGMENTS-READ-04")
@cases(
    to_the_last_entry=_covered(4, (0, 0, 4)),
    several_of_one_bank=_covered(6, (0, 0, 2), (1, 2, 1), (2, 3, 3)),
    entries_in_another_order=_covered(6, (0, 3, 3), (1, 0, 2), (2, 2, 1)),
    indices_in_another_order=_covered(4, (1, 0, 2), (0, 2, 2)),
    banks_in_another_order=replace(TWO_BANKS, segments=TWO_BANKS.all_segments[::-1]),
    one_index_twice=_covered(4, (0, 0, 2), (0, 2, 2)),
)
def test_these_segments_are_legal(ask: Ask, case: LyrwFile) -> None:
    """Segments may end with their bank, be several, stand in any order and share an index."""
    check("SEGMENTS-READ-04", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))


NOTHING = LyrwFile(banks=(), segments=())
NO_SEGMENTS = {
    "no_bank": NOTHING,
    "a_bank": replace(SMALLEST, segments=(), flags=1),
    "two_banks": replace(TWO_BANKS, segments=(), flags=1),
}


@clause("SEGMENTS-READ-05")
@cases(NO_SEGMENTS)
def test_no_segments_may_be_refused(ask: Ask, case: LyrwFile) -> None:
    """A file without segments is described, or refused as no-segments."""
    check("SEGMENTS-READ-05", ask("lyrw.parse", path=ask.file("legal.lyrw", SMALLEST)), parses(SMALLEST))
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", case))
    check("SEGMENTS-READ-05", reply, either(parses(case), refuses("no-segments")))


@needs("lyrw.region")
@clause("SEGMENTS-READ-05")
@cases(NO_SEGMENTS)
def test_without_segments_every_entry_is_absent(ask: Ask, case: LyrwFile) -> None:
    """Where a file without segments is accepted, it has no entry."""
    bank_id = case.banks[0].bank_id if case.banks else 0
    check("SEGMENTS-READ-05", region(ask, ask.file("legal.lyrw", SMALLEST)), delivers(SMALLEST))
    reply = region(ask, ask.file("layer.lyrw", case), bank_id)
    check("SEGMENTS-READ-05", reply, either(ABSENT, refuses("no-segments")))


@clause("SEGMENTS-READ-07")
@cases(
    second_file_of_two=SPLIT,
    one_entry=_covered(9, (3, 5, 1), flags=1),
    from_the_last_entry_of_the_largest_bank=_covered(MOST, (3, MOST - 1, 1), flags=1),
    two_segments_of_one_file=_covered(5, (0, 0, 2), (1, 2, 3)),
)
def test_entries_count_over_the_whole_bank(ask: Ask, case: LyrwFile) -> None:
    """Row 0 of a segment that begins at entry n belongs to entry n."""
    check_regions(ask, case, "SEGMENTS-READ-07")


STRIDES = LyrwFile(
    banks=(
        Bank((FUSED, DOWN_F16), bank_id=7, num_entries=5),
        Bank((GATE, UP, DOWN), bank_id=2, num_entries=3),
        Bank((GATE,), bank_id=3, num_entries=2),
    ),
    segments=(
        Segment(7, 0, 0, 2),
        Segment(2, 0, 0, 3),
        Segment(3, 0, 0, 2),
        Segment(7, 1, 2, 3),
    ),
)


@clause("SEGMENTS-READ-08")
@cases(
    one_bank_in_two_segments=_covered(4, (0, 0, 1), (1, 1, 3)),
    two_banks=TWO_BANKS,
    three_strides=STRIDES,
    declared_backwards=replace(STRIDES, segments=STRIDES.all_segments[::-1]),
    a_bank_without_schemas_between=LyrwFile(
        banks=(Bank((), bank_id=1, num_entries=3), Bank((GATE, UP), num_entries=2)),
        segments=(Segment(1, 0, 0, 3), Segment(0, 0, 0, 2)),
    ),
)
def test_entry_tables_follow_in_declared_order(ask: Ask, case: LyrwFile) -> None:
    """Each segment's rows begin where those of the one before end, with the stride of its own bank."""
    check_regions(ask, case, "SEGMENTS-READ-08")


@clause("SEGMENTS-MULTI-01")
@cases(
    second_file=SPLIT,
    first_file=replace(SPLIT, segments=(Segment(7, 0, 0, 2),)),
    middle_of_a_large_bank=_covered(896, (1, 448, 3), flags=1),
    two_parts_of_a_bank=_covered(9, (0, 0, 1), (3, 7, 2), flags=1),
    one_of_two_banks=replace(TWO_BANKS, segments=TWO_BANKS.all_segments[1:2], flags=1),
)
def test_a_split_file_keeps_the_whole_population(ask: Ask, case: LyrwFile) -> None:
    """With flag bit 0 set a file may cover part of its banks; num_entries stays that of the whole bank."""
    check("SEGMENTS-MULTI-01", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))


@clause("SEGMENTS-MULTI-02")
@cases(
    last_entry_missing=(_covered(2, (0, 0, 1)), 0),
    first_entry_missing=(_covered(2, (0, 1, 1), bank_id=4), 4),
    gap=(_covered(5, (0, 0, 2), (1, 3, 2)), 0),
    a_bank_without_segment=(replace(TWO_BANKS, segments=(TWO_BANKS.all_segments[1],)), 7),
    overlap=(_covered(3, (0, 0, 2), (1, 1, 2)), 0),
    covered_twice=(_covered(1, (0, 0, 1), (1, 0, 1), bank_id=4), 4),
)
def test_incomplete_cover_may_be_refused(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """With flag bit 0 clear, entries in no segment or in two are accepted, or refused as such."""
    file, bank_id = case
    legal = replace(file, segments=None)
    check("SEGMENTS-MULTI-02", ask("lyrw.parse", path=ask.file("legal.lyrw", legal)), parses(legal))
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    refused = refuses("segment-gap", "segment-overlap", bank_id=bank_id)
    check("SEGMENTS-MULTI-02", reply, either(parses(file), refused))


TWO_OF_ONE_ID = LyrwFile(
    banks=(Bank((GATE, UP), bank_id=4), Bank((DOWN, DENSE.banks[0].schemas[0]), bank_id=4)),
    segments=(Segment(bank_id=4),),
)
OVERLAP = _covered(3, (0, 0, 2), (1, 1, 2))


@clause("REGION-DUP-01")
@cases(
    two_segments=(OVERLAP, Place(0, 1, 0), 0, "segment-overlap"),
    two_segments_backwards=(
        replace(OVERLAP, segments=OVERLAP.all_segments[::-1]),
        Place(0, 1, 0),
        0,
        "segment-overlap",
    ),
    two_banks=(TWO_OF_ONE_ID, Place(0, 0, 0), 4, "duplicate-bank-id"),
    two_banks_second_schema=(TWO_OF_ONE_ID, Place(0, 0, 1), 4, "duplicate-bank-id"),
)
def test_the_one_declared_first_answers(ask: Ask, case: tuple[LyrwFile, Place, int, str]) -> None:
    """Of two segments over one entry, and of two banks of one id, the first answers, unless refused."""
    file, place, bank_id, kind = case
    numbers = (bank_id, place.entry, place.schema)
    legal = bank_of(GATE, UP, bank_id=bank_id, num_entries=2)
    reply = region(ask, ask.file("legal.lyrw", legal), *numbers)
    check("REGION-DUP-01", reply, delivers(legal, *numbers))
    reply = region(ask, ask.file("layer.lyrw", file), *numbers)
    check("REGION-DUP-01", reply, either(delivers(file, *numbers), refuses(kind, bank_id=bank_id)))
