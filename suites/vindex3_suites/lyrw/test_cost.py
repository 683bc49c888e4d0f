"""What opening costs: the tables, whatever is declared and however large the file is."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, either, on_disk, refuses
from pytest_vindex3.plugin.expect import AtMost
from vindex3_fixtures.lyrw import Bank, LyrwFile, Segment
from vindex3_suites.lyrw.expected import parses, truncated
from vindex3_suites.lyrw.limits import GIB, ROUNDS, measured, promptly, reads, sparse_files
from vindex3_suites.lyrw.pages import End
from vindex3_suites.lyrw.samples import DENSE, DOWN, GATE, SMALLEST, UP, bank_of

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation


@clause("LYRW-COST-01")
@cases(
    zeros=replace(DENSE, contents={place: bytes(8) for place in DENSE.places}),
    ones=replace(DENSE, contents=dict.fromkeys(DENSE.places, b"\xff" * 8)),
    another_layer_file=replace(DENSE, contents={place: SMALLEST.data() for place in DENSE.places}),
    nan=replace(
        DENSE, contents={place: struct.pack("<2f", float("nan"), float("inf")) for place in DENSE.places}
    ),
)
def test_payload_says_nothing(ask: Ask, case: LyrwFile) -> None:
    """Whatever the payload holds, the description is the same."""
    check("LYRW-COST-01", ask("lyrw.parse", path=ask.file("layer.lyrw", DENSE)), parses(DENSE))
    check("LYRW-COST-01", ask("lyrw.parse", path=ask.file("other.lyrw", case)), parses(DENSE))


WORDS = {
    "magic": b"LYRW",
    "magic_reversed": b"WRYL",
    "magic_behind_a_version": struct.pack("<I4s", 2, b"LYRW"),
    "magic_behind_a_length": struct.pack("<Q4s", DENSE.file_length, b"LYRW"),
    "magic_behind_the_tables": struct.pack("<2Q4s", DENSE.table_bytes, DENSE.payload_start, b"LYRW"),
    "header_of_version_1": struct.pack("<4s5I", b"LYRW", 1, 1, 1, 1, 1),
    "header_of_the_file": DENSE.head[:24],
    "end_of_an_archive": b"PK\5\6" + bytes(18),
    "end_of_a_table_file": struct.pack("<I4s", 100, b"PAR1"),
    "largest_numbers": b"\xff" * 24,
}
_FILLER = bytes(range(1, 65))
WIDE = bank_of(GATE, UP, replace(DOWN, rows=2, cols=8))
"""Its last region is 64 bytes long, so that the file ends on a multiple of 64."""


def _beginning(file: LyrwFile, data: bytes) -> LyrwFile:
    """The file with these bytes at payload_start."""
    first = file.places[0]
    return replace(file, contents={first: (data + _FILLER)[: file.stored[first].length]})


def _ending(file: LyrwFile, data: bytes) -> LyrwFile:
    """The file with these bytes at its very end."""
    last = file.places[-1]
    return replace(file, contents={last: (_FILLER + data)[-file.stored[last].length :]})


@clause("LYRW-COST-01")
@cases(
    {
        f"{word}_{where}": (file, place(file, data))
        for word, data in WORDS.items()
        for where, file, place in (
            ("at_payload_start", DENSE, _beginning),
            ("at_the_end", WIDE, _ending),
            ("at_an_end_of_8_bytes", DENSE, _ending),
        )
    }
)
def test_no_word_in_the_payload_is_heard(ask: Ask, case: tuple[LyrwFile, LyrwFile]) -> None:
    """Words of this and of other formats where the payload begins or the file ends change nothing."""
    plain, spoken = case
    check("LYRW-COST-01", ask("lyrw.parse", path=ask.file("plain.lyrw", plain)), parses(plain))
    check("LYRW-COST-01", ask("lyrw.parse", path=ask.file("spoken.lyrw", spoken)), parses(plain))


@on_disk
@clause("LYRW-COST-01")
def test_the_end_of_a_file_is_not_read(ask: Ask) -> None:
    """Opening a file of one GiB brings no page of its end into memory."""
    sparse_files(ask.folder, 2 * GIB)
    file = bank_of(replace(GATE, length=GIB), replace(DOWN, length=4096))
    path = ask.file("layer.lyrw", file)
    end = End(path)
    for _ in range(ROUNDS):
        end.forget()
        reply = ask("lyrw.parse", path=path)
        check("LYRW-COST-01", reply, parses(file))
        in_memory = end.in_memory()
        if not in_memory:
            break
    check("LYRW-COST-01", reply, AtMost("bytes of the file's end in memory", 0, in_memory))


LENGTHS = {"64_mib": 64 << 20, "8_gib": 8 * GIB, "48_gib": 48 * GIB}


@on_disk
@clause("LYRW-COST-01")
@cases(LENGTHS)
def test_a_sparse_file_opens_at_the_cost_of_its_tables(ask: Ask, case: int) -> None:
    """A file of many GiB is described promptly, in little memory, without reading its payload."""
    sparse_files(ask.folder)
    file = bank_of(replace(GATE, length=case // 2), num_entries=2)
    path = ask.file("layer.lyrw", file)
    reply, cost = measured(ask, "lyrw.parse", file.payload_start, path=path)
    check("LYRW-COST-01", reply, parses(file))
    check("LYRW-COST-01", reply, reads(file.payload_start, cost))
    check("LYRW-COST-01", reply, promptly(ask, cost))


def _many_rows(entries: int) -> LyrwFile:
    """Rows of 64 bytes one after the other, all of them stored, over a payload that is a hole."""
    file = replace(bank_of(replace(GATE, rows=4, cols=4), num_entries=entries), listed=False)
    start = file.payload_start
    rows = b"".join(struct.pack("<2Q", start + 64 * entry, 64) for entry in range(entries))
    return replace(file, patches=((file.entry_table, rows),), length=start + 64 * entries)


@on_disk
@clause("LYRW-COST-02")
def test_opening_reads_no_entry_table(ask: Ask) -> None:
    """The bytes read at open do not grow with the number of rows."""
    sparse_files(ask.folder)
    file = _many_rows(1 << 18)
    check("LYRW-COST-02", ask("lyrw.parse", path=ask.file("small.lyrw", SMALLEST)), parses(SMALLEST))
    path = ask.file("layer.lyrw", file)
    reply, cost = measured(ask, "lyrw.parse", file.table_bytes, reading=file.entry_table, path=path)
    check("LYRW-COST-02", reply, parses(file))
    check("LYRW-COST-02", reply, reads(file.entry_table, cost))


def _rows_missing(*entries: int) -> LyrwFile:
    """One bank for each of these numbers of entries, in a file that ends where the rows would begin."""
    banks = tuple(Bank((GATE,), bank_id=k, num_entries=count) for k, count in enumerate(entries))
    file = LyrwFile(banks=banks, listed=False)
    return replace(file, length=file.entry_table)


def _or_truncated(file: LyrwFile) -> Expectation:
    return either(parses(file), refuses("truncated", what="entry table"))


NO_ROWS = bank_of(num_entries=0xFFFFFFFF)
ENTRIES = {
    "many_entries": _rows_missing(1_000_000_000),
    "most_entries": _rows_missing(0xFFFFFFFF),
    "many_banks_of_most_entries": _rows_missing(*[0xFFFFFFFF] * 200),
    "most_entries_of_many_schemas": replace(
        bank_of(*[GATE] * 5000, num_entries=0xFFFFFFFF), listed=False, length=100060
    ),
}
DECLARED: dict[str, tuple[LyrwFile, Expectation]] = {
    "most_banks": (
        replace(SMALLEST, num_banks=65535, length=48),
        truncated("bank descriptor table", 48, 24, 0),
    ),
    "most_segments": (
        replace(SMALLEST, num_segments=65535, length=70),
        truncated("segment descriptor table", 60, 12, 10),
    ),
    "most_schemas": (
        replace(bank_of(), banks=(Bank((), schema_count=65535),)),
        truncated("region schema table", 60, 20, 0),
    ),
    "most_schemas_in_every_bank": (
        LyrwFile(
            banks=tuple(Bank((), bank_id=k, schema_count=65535) for k in range(300)),
            segments=(Segment(),),
            flags=1,
        ),
        truncated("region schema table", 7236, 20, 0),
    ),
    "most_entries_of_no_schema": (NO_ROWS, parses(NO_ROWS)),
    **{name: (file, _or_truncated(file)) for name, file in ENTRIES.items()},
}


@on_disk
@clause("LYRW-COST-03")
@cases(DECLARED)
def test_declared_counts_cost_nothing(ask: Ask, case: tuple[LyrwFile, Expectation]) -> None:
    """Counts beyond the file are answered promptly and in small memory."""
    file, expected = case
    legal, _ = measured(ask, "lyrw.parse", SMALLEST.table_bytes, path=ask.file("legal.lyrw", SMALLEST))
    check("LYRW-COST-03", legal, parses(SMALLEST))
    path = ask.file("wrong.lyrw", file)
    reply, cost = measured(ask, "lyrw.parse", file.file_length, path=path)
    check("LYRW-COST-03", reply, expected)
    check("LYRW-COST-03", reply, promptly(ask, cost))
