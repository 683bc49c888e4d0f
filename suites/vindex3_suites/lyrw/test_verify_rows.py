"""Rows under verification: where they leave the file, lie askew, in the tables or over each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, clause
from vindex3_fixtures.lyrw import LyrwFile, Place, Row
from vindex3_suites.lyrw.finding import check_found, of_row, overlap
from vindex3_suites.lyrw.samples import DENSE, DOWN, GATE, SPLIT, TWO_BANKS, UP, bank_of

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

FIRST, MIDDLE, LAST = DENSE.places
UNRULED = replace(GATE, format=77, length=64)
"""A schema whose regions may have any length; 64 bytes unless said otherwise."""


def _legal(file: LyrwFile) -> LyrwFile:
    return replace(file, rows={}, at={}, length=None)


BOUNDS = ("offset", "length")
LEFT_BEHIND = ("non-zero-padding", "trailing-bytes", "region-length-mismatch", "overlap")
"""What may be true besides where a row points elsewhere than to its region."""


@clause("REGION-BOUNDS-05")
@cases(
    file_one_byte_short=(replace(DENSE, length=327), (LAST,)),
    payload_missing=(replace(DENSE, length=192), (FIRST, MIDDLE, LAST)),
    two_of_three=(replace(DENSE, length=257), (MIDDLE, LAST)),
    row_one_byte_long=(replace(DENSE, rows={LAST: Row(320, 9)}), (LAST,)),
    offset_beyond=(replace(DENSE, rows={LAST: Row(640, 8)}), (LAST,)),
    offset_above_32_bits=(replace(DENSE, rows={LAST: Row(1 << 32, 8)}), (LAST,)),
    length_above_32_bits=(replace(DENSE, rows={LAST: Row(320, (1 << 32) + 8)}), (LAST,)),
    sum_wraps_to_64=(replace(DENSE, rows={LAST: Row((1 << 64) - 64, 128)}), (LAST,)),
    sum_wraps_to_0=(replace(DENSE, rows={LAST: Row((1 << 64) - 64, 64)}), (LAST,)),
    length_back_to_the_start=(replace(DENSE, rows={LAST: Row(320, (1 << 64) - 320)}), (LAST,)),
    largest_numbers=(replace(DENSE, rows={LAST: Row((1 << 64) - 64, (1 << 64) - 1)}), (LAST,)),
    first_of_three=(replace(DENSE, rows={FIRST: Row(1 << 40, 24)}), (FIRST,)),
    unknown_role=(replace(bank_of(GATE, replace(UP, role=300)), length=270), (Place(0, 0, 1),)),
    entry_of_a_later_segment=(replace(TWO_BANKS, length=TWO_BANKS.file_length - 1), (Place(2, 2, 1),)),
    entry_of_a_sibling_count=(replace(SPLIT, length=390), (Place(0, 3, 1),)),
)
def test_every_row_that_leaves_the_file_is_found(ask: Ask, case: tuple[LyrwFile, tuple[Place, ...]]) -> None:
    """Rows that leave the file are listed with their coordinates, and no row that does not."""
    file, places = case
    found = (of_row("region-out-of-bounds", file, place, *BOUNDS) for place in places)
    check_found(ask, "REGION-BOUNDS-05", _legal(file), file, *found, also=LEFT_BEHIND)


@clause("REGION-ALIGN-03")
@cases(
    by_1=(replace(DENSE, at={LAST: 321}), (LAST,)),
    by_8=(replace(DENSE, at={LAST: 328}), (LAST,)),
    by_32=(replace(DENSE, at={LAST: 352}), (LAST,)),
    by_63=(replace(DENSE, at={LAST: 383}), (LAST,)),
    the_first=(replace(DENSE, at={FIRST: 200}), (FIRST,)),
    two_of_three=(replace(DENSE, at={FIRST: 193, LAST: 321}), (FIRST, LAST)),
    every_one=(replace(DENSE, at={FIRST: 208, MIDDLE: 272, LAST: 336}), (FIRST, MIDDLE, LAST)),
    an_empty_region=(
        replace(bank_of(GATE, replace(UNRULED, length=0)), at={Place(0, 0, 1): 257}),
        (Place(0, 0, 1),),
    ),
    unknown_role=(replace(bank_of(GATE, replace(UP, role=300)), at={Place(0, 0, 1): 258}), (Place(0, 0, 1),)),
    entry_of_a_sibling_count=(replace(SPLIT, at={Place(0, 3, 0): 322}), (Place(0, 3, 0),)),
    another_bank=(
        replace(TWO_BANKS, at={Place(1, 1, 2): TWO_BANKS.stored[Place(1, 1, 2)].offset + 16}),
        (Place(1, 1, 2),),
    ),
)
def test_every_misaligned_row_is_found(ask: Ask, case: tuple[LyrwFile, tuple[Place, ...]]) -> None:
    """Offsets that are no multiple of 64 are listed with coordinates and offset, and no others."""
    file, places = case
    found = (of_row("misaligned", file, place, "offset") for place in places)
    check_found(ask, "REGION-ALIGN-03", _legal(file), file, *found)


SHARED = bank_of(*[UNRULED] * 3)
ONE, TWO, THREE = SHARED.places
LONG = bank_of(replace(UNRULED, length=400), replace(UNRULED, length=8), replace(UNRULED, length=8))
ENTRIES = bank_of(UNRULED, num_entries=2)
OF_ANOTHER_BANK = TWO_BANKS.places[-1]


@clause("REGION-OVERLAP-02")
@cases(
    same_bytes=(replace(SHARED, at={THREE: 192}), [(ONE, THREE)]),
    one_byte=(replace(SHARED, lengths={ONE: 65}, at={TWO: 256, THREE: 320}), [(ONE, TWO)]),
    one_byte_of_a_later_row=(
        replace(SHARED, lengths={TWO: 65}, at={TWO: 192, ONE: 256, THREE: 320}),
        [(ONE, TWO)],
    ),
    one_within_another=(replace(LONG, at={TWO: 256, THREE: 640}), [(ONE, TWO)]),
    two_within_another=(replace(LONG, at={TWO: 256, THREE: 384}), [(ONE, TWO), (ONE, THREE)]),
    all_three=(
        replace(SHARED, at={TWO: 192, THREE: 192}),
        [(ONE, TWO), (ONE, THREE), (TWO, THREE)],
    ),
    two_entries=(
        replace(ENTRIES, at={Place(0, 1, 0): ENTRIES.stored[Place(0, 0, 0)].offset}),
        [(Place(0, 0, 0), Place(0, 1, 0))],
    ),
    two_banks=(
        replace(TWO_BANKS, at={OF_ANOTHER_BANK: TWO_BANKS.stored[Place(1, 0, 2)].offset}),
        [(Place(1, 0, 2), OF_ANOTHER_BANK)],
    ),
    unknown_role=(
        replace(bank_of(UNRULED, replace(UNRULED, role=300)), at={Place(0, 0, 1): 192}),
        [(Place(0, 0, 0), Place(0, 0, 1))],
    ),
)
def test_regions_that_share_bytes_are_found(
    ask: Ask, case: tuple[LyrwFile, list[tuple[Place, Place]]]
) -> None:
    """Each two regions with a byte in common are listed, naming both."""
    file, pairs = case
    legal = replace(_legal(file), lengths={})
    check_found(ask, "REGION-OVERLAP-02", legal, file, *(overlap(file, *pair) for pair in pairs))


@clause("REGION-OVERLAP-03")
@cases(
    a_row_of_zeros=(replace(DENSE, rows={LAST: Row(0, 0)}, length=280), (LAST,)),
    the_header=(replace(DENSE, rows={LAST: Row(0, 8)}, length=280), (LAST,)),
    descriptors=(replace(DENSE, rows={LAST: Row(64, 8)}, length=280), (LAST,)),
    the_last_row=(replace(DENSE, rows={LAST: Row(128, 8)}, length=280), (LAST,)),
    out_of_the_tables_into_the_payload=(replace(DENSE, rows={LAST: Row(128, 100)}, length=280), (LAST,)),
    the_last_byte_of_the_tables=(replace(DENSE, rows={LAST: Row(167, 8)}, length=280), (LAST,)),
    two_rows=(
        replace(DENSE, rows={MIDDLE: Row(64, 24), LAST: Row(0, 8)}, length=216),
        (MIDDLE, LAST),
    ),
    all_rows_zero=(
        replace(DENSE, rows=dict.fromkeys(DENSE.places, Row(0, 0)), length=168),
        DENSE.places,
    ),
    tables_that_end_on_64=(
        replace(bank_of(GATE, num_entries=3), rows={Place(0, 2, 0): Row(64, 24)}, length=216),
        (Place(0, 2, 0),),
    ),
    unknown_role=(
        replace(bank_of(GATE, replace(DOWN, role=300)), rows={Place(0, 0, 1): Row(0, 8)}, length=216),
        (Place(0, 0, 1),),
    ),
)
def test_every_region_in_the_tables_is_found(ask: Ask, case: tuple[LyrwFile, tuple[Place, ...]]) -> None:
    """Offsets below the end of the tables are listed, a row of zeros included."""
    file, places = case
    found = (of_row("region-in-tables", file, place, "offset") for place in places)
    also = ("region-length-mismatch", "misaligned", "overlap")
    check_found(ask, "REGION-OVERLAP-03", _legal(file), file, *found, also=also)


BETWEEN = bank_of(replace(UNRULED, length=200), replace(UNRULED, length=0))


@clause("REGION-OVERLAP-04")
@cases(
    of_64_bytes=SHARED,
    of_128_bytes=bank_of(*[replace(UNRULED, length=128)] * 4),
    in_reverse=replace(SHARED, order=SHARED.places[::-1]),
    of_two_entries=ENTRIES,
    at_the_end_of_the_tables=bank_of(UNRULED, num_entries=3),
)
def test_regions_that_touch_are_apart(ask: Ask, case: LyrwFile) -> None:
    """A region may begin where another ends; one byte further they overlap."""
    first, second = sorted(case.places, key=lambda place: case.stored[place])[:2]
    longer = replace(case, rows={first: Row(case.stored[first].offset, case.stored[first].length + 1)})
    check_found(ask, "REGION-OVERLAP-04", case, longer, overlap(longer, first, second))


@clause("REGION-OVERLAP-04")
def test_an_empty_region_shares_no_byte(ask: Ask) -> None:
    """A region without bytes may lie inside another; with a byte it overlaps."""
    inside = replace(BETWEEN, at={Place(0, 0, 1): 192})
    filled = replace(inside, lengths={Place(0, 0, 1): 1})
    found = overlap(filled, Place(0, 0, 0), Place(0, 0, 1))
    check_found(ask, "REGION-OVERLAP-04", inside, filled, found)
