"""The tables: their order, where they end, and what a file that ends early is told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause, either, refuses
from vindex3_fixtures.lyrw import Bank, LyrwFile, Place, Row, Schema, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.expected import parses, truncated
from vindex3_suites.lyrw.samples import DENSE, GATE, SMALLEST, SPLIT, TWO_BANKS, bank_of

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

BANKS = "bank descriptor table"
SEGMENTS = "segment descriptor table"
SCHEMAS = "region schema table"


@clause("LYRW-TABLES-01")
@cases(
    smallest=SMALLEST,
    three_schemas=DENSE,
    two_banks=TWO_BANKS,
    segments_in_another_order=replace(TWO_BANKS, segments=TWO_BANKS.all_segments[::-1]),
    banks_in_another_order=replace(TWO_BANKS, banks=TWO_BANKS.banks[::-1]),
)
def test_tables_follow_each_other(ask: Ask, case: LyrwFile) -> None:
    """Banks, segments and schemas bank by bank follow the header without gaps."""
    check("LYRW-TABLES-01", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))


@clause("LYRW-TABLES-02")
@cases(
    no_bank=(24, BANKS, 24, 24, 0),
    one_byte_of_a_bank=(25, BANKS, 24, 24, 1),
    all_but_one_byte_of_a_bank=(47, BANKS, 24, 24, 23),
    no_second_bank=(48, BANKS, 48, 24, 0),
    half_a_second_bank=(60, BANKS, 48, 24, 12),
    no_segment=(72, SEGMENTS, 72, 12, 0),
    all_but_one_byte_of_a_segment=(83, SEGMENTS, 72, 12, 11),
    no_second_segment=(84, SEGMENTS, 84, 12, 0),
    one_byte_of_the_last_segment=(97, SEGMENTS, 96, 12, 1),
    no_schema=(108, SCHEMAS, 108, 20, 0),
    one_byte_of_a_schema=(109, SCHEMAS, 108, 20, 1),
    all_but_one_byte_of_a_schema=(127, SCHEMAS, 108, 20, 19),
    no_schema_of_the_second_bank=(148, SCHEMAS, 148, 20, 0),
    all_but_the_last_byte=(207, SCHEMAS, 188, 20, 19),
)
def test_a_cut_table_is_truncated(ask: Ask, case: tuple[int, str, int, int, int]) -> None:
    """A file that ends inside banks, segments or schemas names table, offset, need and have."""
    length, what, at, need, have = case
    legal = ask("lyrw.parse", path=ask.file("legal.lyrw", TWO_BANKS))
    check("LYRW-TABLES-02", legal, parses(TWO_BANKS))
    wrong = ask("lyrw.parse", path=ask.file("wrong.lyrw", replace(TWO_BANKS, length=length)))
    check("LYRW-TABLES-02", wrong, truncated(what, at, need, have))


@clause("LYRW-TABLES-03")
@cases(
    no_row=(DENSE, 120),
    one_byte_of_a_row=(DENSE, 121),
    half_a_row=(DENSE, 128),
    rows_of_one_schema=(DENSE, 136),
    all_but_the_last_byte=(DENSE, 167),
    second_segment_missing=(TWO_BANKS, 272),
)
def test_a_cut_entry_table_may_be_truncated(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """A file that ends inside the entry tables is described in full or is truncated."""
    file, length = case
    legal = ask("lyrw.parse", path=ask.file("legal.lyrw", file))
    check("LYRW-TABLES-03", legal, parses(file))
    cut = ask("lyrw.parse", path=ask.file("cut.lyrw", replace(file, length=length)))
    check("LYRW-TABLES-03", cut, either(parses(file), refuses("truncated", what="entry table")))


LAST = Place(0, 0, 2)


@clause("LYRW-TABLES-04")
@cases(
    no_padding=replace(DENSE, length=168),
    padding_cut=replace(DENSE, length=175),
    no_payload=replace(DENSE, length=192),
    first_region_cut=replace(DENSE, length=200),
    all_but_the_last_byte=replace(DENSE, length=327),
    a_row_beyond_the_file=replace(DENSE, rows={LAST: Row(1 << 40, 8)}, length=280),
    a_row_that_leaves_the_file=replace(DENSE, rows={LAST: Row(320, 1 << 40)}),
    a_row_of_the_largest_numbers=replace(DENSE, rows={LAST: Row((1 << 64) - 64, (1 << 64) - 1)}, length=280),
    split_without_payload=replace(SPLIT, length=164),
)
def test_a_description_needs_no_payload(ask: Ask, case: LyrwFile) -> None:
    """A file whose tables are whole is described although payload is missing or a row leaves the file."""
    check("LYRW-TABLES-04", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))


ONE_BYTE = Schema(role=v.GATE, format=v.FP4_LARQL, rows=1, cols=1, length=1)


@clause("LYRW-TABLES-05")
@cases(
    smallest=(SMALLEST, 96),
    dense=(DENSE, 168),
    split=(SPLIT, 164),
    two_banks_three_segments=(TWO_BANKS, 400),
    no_rows=(bank_of(), 60),
    more_rows_than_16_bits_of_bytes=(bank_of(*[ONE_BYTE] * 20, num_entries=300), 96460),
)
def test_table_bytes_are_the_sum_of_the_tables(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """table_bytes counts header, banks, segments, schemas and, segment by segment, the rows of its bank."""
    file, table_bytes = case
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    check("LYRW-TABLES-05", reply, answers(table_bytes=table_bytes))
    check("LYRW-TABLES-05", reply, parses(file))


def _rowless(schemas: int, entries: int, segments: int = 1) -> LyrwFile:
    """A file that ends where its entry tables begin: a bank whose every segment covers all entries."""
    bank = Bank((GATE,) * schemas, num_entries=entries)
    parts = tuple(Segment(0, position, 0, entries) for position in range(segments))
    file = LyrwFile(banks=(bank,), segments=parts, flags=int(segments > 1), listed=False)
    return replace(file, length=file.entry_table)


MOST = 0xFFFFFFFF


@clause("LYRW-TABLES-05")
@cases(
    above_31_bits=(_rowless(1, 1 << 27), 0x80000050),
    above_32_bits=(_rowless(1, 1 << 28), 0x100000050),
    largest_bank=(_rowless(1, MOST), 0x1000000040),
    above_53_bits=(_rowless(2100, MOST, 65), 9380208572322828),
    above_64_bits=(_rowless(21000, MOST, 14000), 20203526155680588048),
)
def test_a_sum_beyond_the_file_is_exact(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """A sum that no file could hold is exact where the file is described; it may be refused instead."""
    file, table_bytes = case
    legal = ask("lyrw.parse", path=ask.file("legal.lyrw", SMALLEST))
    check("LYRW-TABLES-05", legal, parses(SMALLEST))
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    refused = (
        refuses("truncated", "segment-overlap") if file.flags else refuses("truncated", what="entry table")
    )
    check("LYRW-TABLES-05", reply, either(answers(table_bytes=table_bytes), refused))
    check("LYRW-TABLES-05", reply, either(parses(file), refused))


@clause("LYRW-TABLES-06")
@cases(
    in_between=(SMALLEST, 96, 128),
    a_multiple=(bank_of(GATE, num_entries=3), 128, 128),
    one_row_before_a_multiple=(bank_of(GATE, num_entries=2), 112, 128),
    one_row_after_a_multiple=(bank_of(GATE, num_entries=4), 144, 192),
    four_bytes_before_a_multiple=(bank_of(), 60, 64),
    four_bytes_after_a_multiple=(bank_of(GATE, GATE), 132, 192),
)
def test_payload_starts_at_a_multiple_of_64(ask: Ask, case: tuple[LyrwFile, int, int]) -> None:
    """payload_start is table_bytes rounded up to 64, and table_bytes itself where that is a multiple."""
    file, table_bytes, payload_start = case
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    check("LYRW-TABLES-06", reply, answers(table_bytes=table_bytes, payload_start=payload_start))
    check("LYRW-TABLES-06", reply, parses(file))
