"""Tables of many thousand records that the file really has, every one of them legal."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause, on_disk
from vindex3_fixtures.lyrw import Bank, LyrwFile, Segment
from vindex3_suites.lyrw.asking import region
from vindex3_suites.lyrw.expected import parses
from vindex3_suites.lyrw.limits import measured, promptly
from vindex3_suites.lyrw.samples import GATE

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

REGION = replace(GATE, rows=4, cols=4)
"""A schema whose regions are 64 bytes long and so follow each other without gaps."""
LAST = bytes(range(64))
"""The bytes of the last region; those before are zero."""
SHOWN = 256
"""A quarter of the bytes that one record may take on its way through the door, in words and copies."""


def _filled(file: LyrwFile) -> LyrwFile:
    """The file with all its rows, each of a region of its own, in the order of the rows."""
    count = (file.table_bytes - file.entry_table) // 16
    start, end = file.payload_start, file.payload_start + 64 * count
    rows = b"".join(struct.pack("<2Q", offset, 64) for offset in range(start, end, 64))
    return replace(file, patches=((file.entry_table, rows), (end - 64, LAST)), length=end)


def _schemas(count: int) -> LyrwFile:
    """Two banks of so many schemas each."""
    banks = tuple(Bank((REGION,) * count, bank_id=bank_id) for bank_id in (5, 6))
    return _filled(LyrwFile(banks=banks, listed=False))


@cache
def some_schemas() -> LyrwFile:
    """Two banks of 200 schemas each, together more than 8 bits count."""
    return _schemas(200)


@cache
def many_schemas() -> LyrwFile:
    """Two banks of 33,000 schemas each, together more than 16 bits count."""
    return _schemas(33_000)


@cache
def many_segments() -> LyrwFile:
    """As many segments as the header can count, each of one entry."""
    segments = tuple(Segment(6, entry, entry, 1) for entry in range(65535))
    bank = Bank((REGION,), bank_id=6, num_entries=65535)
    return _filled(LyrwFile(banks=(bank,), segments=segments, listed=False))


Made = Callable[[], LyrwFile]
WIDE: dict[str, tuple[Made, int, int, int]] = {
    "some_schemas": (some_schemas, 400, 0, 199),
    "many_schemas": (many_schemas, 66_000, 0, 32_999),
    "many_segments": (many_segments, 65_535, 65_534, 0),
}
"""By name: the file, its records, and entry and schema of its last region."""


@on_disk
@clause("LYRW-TABLES-01", "LYRW-TABLES-05")
@cases(WIDE)
def test_wide_tables_are_described_whole(ask: Ask, case: tuple[Made, int, int, int]) -> None:
    """Every record is described, promptly and in memory that follows the tables and the answer."""
    made, records, _, _ = case
    file = made()
    path = ask.file("layer.lyrw", file)
    needed = file.table_bytes + SHOWN * records
    reply, cost = measured(ask, "lyrw.parse", needed, path=path)
    check("LYRW-TABLES-05", reply, answers(table_bytes=file.table_bytes))
    check("LYRW-TABLES-01", reply, parses(file))
    check("LYRW-TABLES-01", reply, promptly(ask, cost))


@clause("REGION-READ-01")
@cases(WIDE)
def test_the_last_region_of_wide_tables_is_found(ask: Ask, case: tuple[Made, int, int, int]) -> None:
    """Behind many thousand records of every table the last row still says where its region lies."""
    made, _, entry, schema_index = case
    file = made()
    reply = region(ask, ask.file("layer.lyrw", file), 6, entry, schema_index)
    check("REGION-READ-01", reply, answers(offset=file.file_length - 64, length=64, data=LAST))
