"""Regions: found by bank, entry and schema, delivered as the row says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.lyrw import Bank, LyrwFile, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.asking import region
from vindex3_suites.lyrw.expected import ABSENT, delivers
from vindex3_suites.lyrw.samples import DENSE, DOWN, GATE, SMALLEST, SPLIT, TWO_BANKS, UP, bank_of

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


def check_regions(ask: Ask, file: LyrwFile, *clause_ids: str) -> None:
    """Ask for every region of a file, and judge place and bytes by these clauses."""
    path = ask.file("layer.lyrw", file)
    for place in file.places:
        bank_id = file.all_segments[place.segment].bank_id
        numbers = (bank_id, place.entry, place.schema)
        reply = region(ask, path, *numbers)
        for clause_id in clause_ids:
            check(clause_id, reply, delivers(file, *numbers))


NO_RULE = replace(GATE, format=v.FP4_LARQL, rows=1000, cols=1000)
LENGTHS = {DENSE.places[0]: 1, DENSE.places[1]: 65, DENSE.places[2]: 300}


@clause("REGION-READ-01")
@cases(
    smallest=SMALLEST,
    dense=DENSE,
    lengths_of_their_own=replace(DENSE, lengths=LENGTHS),
    far_more_values_than_bytes=bank_of(replace(NO_RULE, length=5), replace(NO_RULE, length=7)),
    large=bank_of(replace(NO_RULE, length=200_000), DOWN),
)
def test_a_region_is_what_its_row_says(ask: Ask, case: LyrwFile) -> None:
    """The answer is exactly `length` bytes from `offset`, whatever rows and cols say."""
    check_regions(ask, case, "REGION-READ-01")


DISTINCT = tuple(replace(NO_RULE, role=role, length=10 + 7 * role) for role in range(3))


@clause("REGION-READ-02")
@cases(
    two_entries_of_three_schemas=bank_of(*DISTINCT, num_entries=2),
    three_entries_of_two_schemas=bank_of(*DISTINCT[:2], num_entries=3),
    five_entries_of_one_schema=bank_of(DISTINCT[2], num_entries=5),
)
def test_rows_are_entry_major(ask: Ask, case: LyrwFile) -> None:
    """The row of an entry and schema follows all schemas of the entries before."""
    check_regions(ask, case, "REGION-READ-02")


PERMUTED = bank_of(*DISTINCT, num_entries=3)


@clause("REGION-READ-03")
@cases(
    reversed=replace(PERMUTED, order=PERMUTED.places[::-1]),
    by_role=replace(PERMUTED, order=tuple(sorted(PERMUTED.places, key=lambda place: place.schema))),
    entries_permuted=replace(
        PERMUTED, order=tuple(sorted(PERMUTED.places, key=lambda place: (place.entry + 1) % 3))
    ),
    surplus_zeros=replace(PERMUTED, gaps={place: 64 * (1 + place.entry) for place in PERMUTED.places}),
    both=replace(PERMUTED, order=PERMUTED.places[::-1], gaps=dict.fromkeys(PERMUTED.places[::2], 128)),
)
def test_the_table_alone_finds_regions(ask: Ask, case: LyrwFile) -> None:
    """In any physical order and with any zero bytes between, every place has its own bytes."""
    check_regions(ask, case, "REGION-READ-03")


def _empty_at_the_end() -> LyrwFile:
    file = bank_of(replace(NO_RULE, length=64), replace(NO_RULE, length=0))
    return replace(file, length=file.stored[file.places[1]].offset)


@clause("REGION-READ-04")
@cases(
    in_between=bank_of(replace(NO_RULE, length=64), replace(NO_RULE, length=0), replace(NO_RULE, length=64)),
    at_the_end=_empty_at_the_end(),
    in_front=bank_of(replace(NO_RULE, length=0), replace(NO_RULE, length=9)),
)
def test_an_empty_region_is_not_absent(ask: Ask, case: LyrwFile) -> None:
    """A region of length 0 is answered with its offset and no bytes."""
    check_regions(ask, case, "REGION-READ-04")


@clause("REGION-ABSENT-01")
@cases(
    next_bank=(DENSE, 1, 0, 0),
    largest_bank=(DENSE, 65535, 0, 0),
    bank_0_of_a_file_without=(SPLIT, 0, 2, 0),
    position_instead_of_id=(TWO_BANKS, 1, 0, 0),
    next_schema=(DENSE, 0, 0, 3),
    largest_schema=(DENSE, 0, 0, 65535),
    schema_of_the_other_bank=(TWO_BANKS, 7, 0, 2),
    bank_above_16_bits=(SPLIT, 65536 + 7, 2, 0),
    bank_above_32_bits=(SPLIT, (1 << 32) + 7, 2, 0),
    bank_above_64_bits=(SPLIT, (1 << 64) + 7, 2, 0),
    schema_above_16_bits=(DENSE, 0, 0, 65536 + 1),
    schema_above_32_bits=(DENSE, 0, 0, (1 << 32) + 1),
    schema_above_64_bits=(DENSE, 0, 0, (1 << 64) + 1),
)
def test_what_is_not_declared_is_absent(ask: Ask, case: tuple[LyrwFile, int, int, int]) -> None:
    """A bank or schema that the file does not have is answered as absent."""
    file, *numbers = case
    path = ask.file("layer.lyrw", file)
    check_first("REGION-ABSENT-01", ask, file, path)
    check("REGION-ABSENT-01", region(ask, path, *numbers), ABSENT)


def check_first(clause_id: str, ask: Ask, file: LyrwFile, path: str) -> None:
    """Ask for the first region that the file has, and compare it."""
    place = file.places[0]
    bank_id = file.all_segments[place.segment].bank_id
    numbers = (bank_id, place.entry, place.schema)
    check(clause_id, region(ask, path, *numbers), delivers(file, *numbers))


EMPTY_BANK = LyrwFile(banks=(SMALLEST.banks[0], Bank((UP,), bank_id=1, num_entries=0)))
MIDDLE = LyrwFile(
    banks=(Bank((GATE,), bank_id=3, num_entries=9),),
    segments=(Segment(3, 1, 2, 2), Segment(3, 2, 6, 1)),
    flags=1,
)


@clause("REGION-ABSENT-02")
@cases(
    next_entry=(SMALLEST, 0, 1),
    largest_entry=(SMALLEST, 0, 0xFFFFFFFF),
    entry_of_a_sibling_file=(SPLIT, 7, 0),
    entry_just_before_this_file=(SPLIT, 7, 1),
    entry_after_the_bank=(SPLIT, 7, 4),
    entry_between_two_segments=(MIDDLE, 3, 4),
    entry_after_all_segments=(MIDDLE, 3, 7),
    entry_of_a_bank_without=(EMPTY_BANK, 1, 0),
    entry_above_16_bits=(SPLIT, 7, 65536 + 2),
    entry_above_32_bits=(SPLIT, 7, (1 << 32) + 2),
    entry_whose_row_wraps_at_64_bits=(SPLIT, 7, (1 << 59) + 2),
    entry_above_63_bits=(SPLIT, 7, (1 << 63) + 2),
    largest_entry_of_64_bits=(SPLIT, 7, (1 << 64) - 1),
    entry_above_64_bits=(SPLIT, 7, (1 << 64) + 2),
    entry_of_a_hundred_digits=(SPLIT, 7, 10**99),
)
def test_an_entry_that_no_segment_covers_is_absent(ask: Ask, case: tuple[LyrwFile, int, int]) -> None:
    """An entry outside the segments of this file is absent, that of a sibling file included."""
    file, bank_id, entry = case
    path = ask.file("layer.lyrw", file)
    check_first("REGION-ABSENT-02", ask, file, path)
    check("REGION-ABSENT-02", region(ask, path, bank_id, entry), ABSENT)
