"""What verification costs, whatever a file declares."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, on_disk
from pytest_vindex3.contract.outcome import Cost, Limits, Reply
from pytest_vindex3.plugin.check import NotRun
from pytest_vindex3.plugin.expect import AtMost
from vindex3_fixtures.lyrw import Bank, LyrwFile
from vindex3_suites.lyrw.finding import CLEAN, check_found, defect, reports
from vindex3_suites.lyrw.limits import MIB, ROUNDS, SECONDS
from vindex3_suites.lyrw.samples import DENSE, DOWN, GATE, SPLIT, TWO_BANKS, UP, bank_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_vindex3.plugin.ask import Ask


def _truncated(at: int, have: int) -> Mapping[str, object]:
    return defect("truncated", what="entry table", at=at, need=16, have=have)


ROWS = bank_of(GATE, UP, DOWN, num_entries=2)


@clause("LYRW-COST-04")
@cases(
    last_row_one_byte_short=(DENSE, 167, 152),
    last_row_missing=(DENSE, 152, 152),
    only_an_offset=(DENSE, 144, 136),
    first_row_cut=(DENSE, 121, 120),
    no_row=(DENSE, 120, 120),
    second_entry=(ROWS, 175, 168),
    second_file=(SPLIT, 131, 116),
    later_segment=(TWO_BANKS, 399, 384),
)
def test_a_cut_entry_table_is_found(ask: Ask, case: tuple[LyrwFile, int, int]) -> None:
    """Rows that the file's end cuts off are listed once, by the first that is not whole."""
    file, length, at = case
    found = _truncated(at, length - at)
    wrong = replace(file, length=length)
    check_found(ask, "LYRW-COST-04", file, wrong, found, also=("region-out-of-bounds",))


def _rows_missing(*entries: int, schemas: int = 1) -> LyrwFile:
    """Banks of so many entries each, in a file that ends where the rows would begin."""
    banks = tuple(Bank((GATE,) * schemas, bank_id=k, num_entries=count) for k, count in enumerate(entries))
    file = LyrwFile(banks=banks, listed=False)
    return replace(file, length=file.entry_table)


def _measured(ask: Ask, file: LyrwFile, tables: int, seconds: float) -> tuple[Reply, Cost | None]:
    """Ask within the memory that the format allows until the time is as well, at most `ROUNDS` times."""
    bounds = Limits(memory=64 * MIB + 8 * tables, measure=True)
    path = ask.file("wrong.lyrw", file)
    for _ in range(ROUNDS):
        reply = ask("lyrw.verify", limits=bounds, path=path)
        if reply.cost is None or reply.cost.cpu_seconds <= seconds:
            break
    return reply, reply.cost


@on_disk
@clause("LYRW-COST-04")
@cases(
    many_entries=_rows_missing(1_000_000_000),
    most_entries=_rows_missing(0xFFFFFFFF),
    most_entries_in_200_banks=_rows_missing(*[0xFFFFFFFF] * 200),
    most_entries_of_5000_schemas=_rows_missing(0xFFFFFFFF, schemas=5000),
)
def test_declared_rows_cost_nothing(ask: Ask, case: LyrwFile) -> None:
    """Rows beyond the file are listed as truncated in time and memory that follow the file."""
    size = case.file_length
    seconds = (SECONDS + size / (64 * MIB)) * ask.time_scale
    check("LYRW-COST-04", ask("lyrw.verify", path=ask.file("legal.lyrw", DENSE)), CLEAN)
    reply, cost = _measured(ask, case, size, seconds)
    check("LYRW-COST-04", reply, reports(_truncated(size, 0)))
    if cost is None:
        raise NotRun("this door does not measure processor time")
    check("LYRW-COST-04", reply, AtMost("cpu_seconds", seconds, cost.cpu_seconds))
