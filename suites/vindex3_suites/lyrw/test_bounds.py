"""Rows that leave the file, are cut off, or point where no region may lie."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, either, on_disk, refuses
from vindex3_fixtures.lyrw import LyrwFile, Place, Row
from vindex3_suites.lyrw.asking import region
from vindex3_suites.lyrw.expected import delivers, out_of_bounds
from vindex3_suites.lyrw.limits import measured, promptly
from vindex3_suites.lyrw.samples import DENSE, DOWN, GATE, SPLIT, TWO_BANKS, UP, bank_of

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

FIRST, MIDDLE, LAST = DENSE.places


SHARED_LAST = replace(TWO_BANKS, segments=(*TWO_BANKS.all_segments[::2], TWO_BANKS.all_segments[1]))
"""The segments of two banks, that of the bank declared second behind both of the first."""

ALL = ("bank_id", "entry", "schema_index", "role", "offset", "length", "file_length")


def _check_wrong(
    ask: Ask, clause_id: str, file: LyrwFile, role: str | int = "down", facts: tuple[str, ...] = ALL
) -> None:
    """The last region is out of bounds in `file` alone; all others are delivered as before."""
    legal = replace(file, rows={}, length=None)
    *others, last = file.places
    bank_id = file.all_segments[last.segment].bank_id
    whole, broken = ask.file("legal.lyrw", legal), ask.file("wrong.lyrw", file)
    right = delivers(legal, bank_id, last.entry, last.schema)
    check(clause_id, region(ask, whole, bank_id, last.entry, last.schema), right)
    check(
        clause_id,
        region(ask, broken, bank_id, last.entry, last.schema),
        out_of_bounds(file, last, role, facts),
    )
    for place in others:
        numbers = (file.all_segments[place.segment].bank_id, place.entry, place.schema)
        check(clause_id, region(ask, broken, *numbers), delivers(file, *numbers))


@clause("REGION-BOUNDS-01")
@cases(
    length_beyond_the_file=(replace(DENSE, rows={LAST: Row(320, 9 << 10)}), "down"),
    offset_beyond_the_file=(replace(DENSE, rows={LAST: Row(640, 8)}, length=280), "down"),
    offset_above_32_bits=(replace(DENSE, rows={LAST: Row(1 << 32, 8)}, length=280), "down"),
    length_above_32_bits=(replace(DENSE, rows={LAST: Row(320, (1 << 32) + 8)}), "down"),
    payload_missing=(replace(DENSE, length=320), "down"),
    unknown_role=(replace(bank_of(GATE, replace(UP, role=300)), length=270), 300),
    entry_of_a_second_file=(replace(SPLIT, rows={SPLIT.places[-1]: Row(384, 9 << 10)}), "down"),
    entry_of_a_second_segment=(replace(TWO_BANKS, rows={TWO_BANKS.places[-1]: Row(1 << 20, 8)}), "down"),
    last_bank_of_several=(replace(SHARED_LAST, rows={SHARED_LAST.places[-1]: Row(1 << 40, 8)}), "down"),
)
def test_a_row_beyond_the_file_is_refused(ask: Ask, case: tuple[LyrwFile, str | int]) -> None:
    """A row that leaves the file is refused with all its numbers; other regions are delivered."""
    file, role = case
    _check_wrong(ask, "REGION-BOUNDS-01", file, role)


@on_disk
@clause("REGION-BOUNDS-01")
@cases(one_tib=1 << 40, eight_eib=1 << 63)
def test_a_refused_length_takes_no_memory(ask: Ask, case: int) -> None:
    """The bound is checked before memory of that length is reserved."""
    file = replace(DENSE, rows={LAST: Row(320, case)})
    numbers: dict[str, int] = {"bank_id": 0, "entry": 0, "schema_index": 2}
    legal, _ = measured(ask, "lyrw.region", 8, path=ask.file("legal.lyrw", DENSE), **numbers)
    check("REGION-BOUNDS-01", legal, delivers(DENSE, **numbers))
    wrong, cost = measured(ask, "lyrw.region", 0, path=ask.file("wrong.lyrw", file), **numbers)
    check("REGION-BOUNDS-01", wrong, out_of_bounds(file, LAST, "down", ALL))
    check("REGION-BOUNDS-01", wrong, promptly(ask, cost))


@clause("REGION-BOUNDS-02")
@cases(
    sum_is_64=replace(DENSE, rows={LAST: Row((1 << 64) - 64, 128)}, length=280),
    sum_is_0=replace(DENSE, rows={LAST: Row((1 << 64) - 64, 64)}, length=280),
    largest_length=replace(DENSE, rows={LAST: Row(320, (1 << 64) - 1)}),
    length_back_to_the_start=replace(DENSE, rows={LAST: Row(320, (1 << 64) - 320)}),
    length_back_into_the_file=replace(DENSE, rows={LAST: Row(320, (1 << 64) - 128)}),
    largest_offset=replace(DENSE, rows={LAST: Row((1 << 64) - 64, (1 << 64) - 1)}, length=280),
    negative_as_63_bits=replace(DENSE, rows={LAST: Row(1 << 63, 1 << 63)}, length=280),
)
def test_the_sum_does_not_wrap(ask: Ask, case: LyrwFile) -> None:
    """An offset and length whose sum passes 64 bits is out of bounds."""
    _check_wrong(ask, "REGION-BOUNDS-02", case, facts=("bank_id", "entry", "offset", "length"))


@clause("REGION-BOUNDS-03")
@cases(
    row_one_byte_longer=replace(DENSE, rows={LAST: Row(320, 9)}),
    file_one_byte_shorter=replace(DENSE, length=327),
)
def test_one_byte_beyond_is_refused(ask: Ask, case: LyrwFile) -> None:
    """A row that ends with the file is delivered; one byte beyond is refused."""
    _check_wrong(ask, "REGION-BOUNDS-03", case, facts=("bank_id", "entry", "file_length"))


ROWS = bank_of(GATE, UP, DOWN, num_entries=2)


@clause("REGION-BOUNDS-04")
@cases(
    first_row_missing=(120, Place(0, 0, 0)),
    first_row_cut=(121, Place(0, 0, 0)),
    length_missing=(128, Place(0, 0, 0)),
    second_row_one_byte_short=(151, Place(0, 0, 1)),
    row_of_the_next_entry=(168, Place(0, 1, 0)),
    last_row_one_byte_short=(215, Place(0, 1, 2)),
)
def test_a_cut_row_is_truncated(ask: Ask, case: tuple[int, Place]) -> None:
    """The first row that is not whole is truncated, at its own offset."""
    length, place = case
    legal = region(ask, ask.file("legal.lyrw", ROWS), 0, place.entry, place.schema)
    check("REGION-BOUNDS-04", legal, delivers(ROWS, 0, place.entry, place.schema))
    wrong = region(ask, ask.file("wrong.lyrw", replace(ROWS, length=length)), 0, place.entry, place.schema)
    at = ROWS.row_offset(place)
    check("REGION-BOUNDS-04", wrong, refuses("truncated", what="entry table", at=at))


@clause("REGION-BOUNDS-04")
@cases(of_the_same_entry=(121, Place(0, 0, 2)), of_the_last_entry=(170, Place(0, 1, 2)))
def test_a_row_after_a_cut_one_is_truncated(ask: Ask, case: tuple[int, Place]) -> None:
    """A row wholly beyond the file is truncated as well."""
    length, place = case
    legal = region(ask, ask.file("legal.lyrw", ROWS), 0, place.entry, place.schema)
    check("REGION-BOUNDS-04", legal, delivers(ROWS, 0, place.entry, place.schema))
    wrong = region(ask, ask.file("wrong.lyrw", replace(ROWS, length=length)), 0, place.entry, place.schema)
    check("REGION-BOUNDS-04", wrong, refuses("truncated", what="entry table"))


@clause("REGION-ALIGN-02")
@cases(
    by_1=(replace(DENSE, at={LAST: 321}), LAST),
    by_8=(replace(DENSE, at={LAST: 328}), LAST),
    by_32=(replace(DENSE, at={LAST: 352}), LAST),
    one_below=(replace(DENSE, at={LAST: 383}), LAST),
    the_bytes_of_another=(replace(DENSE, rows={LAST: Row(256, 20)}, length=280), LAST),
    the_header=(replace(DENSE, rows={LAST: Row(0, 24)}, length=280), LAST),
    the_tables=(replace(DENSE, rows={LAST: Row(64, 60)}, length=280), LAST),
    a_row_of_zeros=(replace(DENSE, rows={LAST: Row(0, 0)}, length=280), LAST),
)
def test_a_strange_region_is_exact_or_refused(ask: Ask, case: tuple[LyrwFile, Place]) -> None:
    """A misaligned or overlapping region is refused, or answered with exactly the bytes declared."""
    file, place = case
    legal = region(ask, ask.file("legal.lyrw", DENSE), 0, place.entry, place.schema)
    check("REGION-ALIGN-02", legal, delivers(DENSE, 0, place.entry, place.schema))
    reply = region(ask, ask.file("layer.lyrw", file), 0, place.entry, place.schema)
    facts = {"bank_id": 0, "entry": 0, "offset": file.row(place).offset}
    refused = refuses("misaligned", "overlap", "region-in-tables", **facts)
    check("REGION-ALIGN-02", reply, either(delivers(file, 0, 0, place.schema), refused))
