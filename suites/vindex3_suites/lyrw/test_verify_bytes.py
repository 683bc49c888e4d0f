"""Bytes that no table and no region holds: padding, and what trails."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, on_disk
from vindex3_fixtures.lyrw import LyrwFile
from vindex3_suites.lyrw.finding import CLEAN, check_found, defect, reports, verify
from vindex3_suites.lyrw.limits import GIB, sparse_files
from vindex3_suites.lyrw.samples import DENSE, GATE, SPLIT, TWO_BANKS, bank_of

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

FIRST, MIDDLE, LAST = DENSE.places
BACKWARDS = replace(DENSE, order=DENSE.places[::-1])
TIGHT = bank_of(GATE, num_entries=3)
"""A file whose tables end on a multiple of 64, so that nothing lies between them and the payload."""


@clause("LYRW-TRAIL-02")
@cases(
    a_zero=(DENSE, b"\0"),
    another_byte=(DENSE, b"\1"),
    up_to_64=(DENSE, bytes(56)),
    beyond_64=(DENSE, bytes(57)),
    a_layer_file=(DENSE, DENSE.data()),
    a_page_of_zeros=(SPLIT, bytes(4096)),
    behind_regions_in_reverse=(BACKWARDS, b"\xff" * 5),
    behind_two_banks=(TWO_BANKS, b"\0\0\1"),
)
def test_bytes_after_the_last_region_are_found(ask: Ask, case: tuple[LyrwFile, bytes]) -> None:
    """Whatever follows the last region is listed once, with its offset and length."""
    file, trailing = case
    found = defect("trailing-bytes", offset=file.file_length, length=len(trailing))
    check_found(ask, "LYRW-TRAIL-02", file, replace(file, trailing=trailing), found)


@on_disk
@clause("LYRW-TRAIL-02")
@cases(one_gib=GIB, above_32_bits=5 * GIB)
def test_a_long_tail_is_found(ask: Ask, case: int) -> None:
    """A hole of GiB behind the last region is trailing bytes like any other."""
    sparse_files(ask.folder, case + 328)
    check("LYRW-TRAIL-02", verify(ask, "legal.lyrw", DENSE), CLEAN)
    wrong = verify(ask, "wrong.lyrw", replace(DENSE, length=328 + case))
    check("LYRW-TRAIL-02", wrong, reports(defect("trailing-bytes", offset=328, length=case)))


GAPPED = replace(DENSE, gaps={LAST: 192})


@clause("LYRW-PADDING-02")
@cases(
    first_after_the_tables=(DENSE, (168,)),
    last_before_the_payload=(DENSE, (191,)),
    first_after_a_region=(DENSE, (216,)),
    between_regions=(DENSE, (300,)),
    last_before_the_last_region=(DENSE, (319,)),
    everywhere=(DENSE, (170, 230, 319)),
    in_a_surplus_gap=(GAPPED, (400,)),
    between_regions_in_reverse=(BACKWARDS, (201, 300)),
    no_padding_after_the_tables=(TIGHT, (152,)),
    beyond_many_regions=(TWO_BANKS, (TWO_BANKS.file_length - 9,)),
)
def test_a_byte_that_is_not_zero_is_found(ask: Ask, case: tuple[LyrwFile, tuple[int, ...]]) -> None:
    """Bytes inside no table and no region are listed by their offset where they are not zero."""
    file, offsets = case
    for value in (b"\1", b"\x80"):
        wrong = replace(file, patches=tuple((offset, value) for offset in offsets))
        found = (defect("non-zero-padding", offset=offset) for offset in offsets)
        check_found(ask, "LYRW-PADDING-02", file, wrong, *found)


@on_disk
@clause("LYRW-PADDING-02")
def test_a_byte_in_a_large_hole_is_found(ask: Ask) -> None:
    """One byte in the middle of a gap of 96 MiB is listed, and so is one at either end of it."""
    sparse_files(ask.folder, GIB)
    gap = 96 << 20
    legal = replace(DENSE, gaps={LAST: gap})
    offsets = (280, 280 + gap // 2 + 17, 319 + gap)
    wrong = replace(legal, patches=tuple((offset, b"\1") for offset in offsets))
    found = (defect("non-zero-padding", offset=offset) for offset in offsets)
    check_found(ask, "LYRW-PADDING-02", legal, wrong, *found)
