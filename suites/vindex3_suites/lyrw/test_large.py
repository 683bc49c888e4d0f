"""Files of many GiB: sparse, so that only what is read costs anything."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, either, on_disk, refuses
from vindex3_fixtures.lyrw import LyrwFile, Place
from vindex3_suites.lyrw.expected import delivers
from vindex3_suites.lyrw.limits import GIB, MIB, measured, promptly, reads, sparse_files
from vindex3_suites.lyrw.samples import DENSE, GATE, bank_of

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

FIRST, MIDDLE, LAST = DENSE.places


@on_disk
@clause("REGION-LARGE-01")
@cases(
    at_4_gib=replace(DENSE, at={LAST: 4 * GIB}),
    just_below_4_gib=replace(DENSE, at={LAST: 4 * GIB - 64}, lengths={LAST: 100}),
    where_32_bits_meet_another_region=replace(DENSE, at={LAST: 4 * GIB + 192}, lengths={LAST: 24}),
    above_2_gib=replace(DENSE, at={LAST: 2 * GIB + 192}),
    above_8_gib=replace(DENSE, at={MIDDLE: 6 * GIB + 64, LAST: 8 * GIB + 256}),
    above_1_tib=replace(DENSE, at={LAST: (1 << 40) + 192}),
)
def test_offsets_have_64_bits(ask: Ask, case: LyrwFile) -> None:
    """A region beyond 4 GiB is delivered exactly, and so are those before it."""
    sparse_files(ask.folder, case.file_length)
    path = ask.file("layer.lyrw", case)
    for place in (LAST, MIDDLE, FIRST):
        reply = ask("lyrw.region", path=path, bank_id=0, entry=0, schema_index=place.schema)
        check("REGION-LARGE-01", reply, delivers(case, 0, 0, place.schema))


def _sparse(length: int, between: int) -> LyrwFile:
    """Two regions of one length with a huge one between them."""
    schemas = [replace(GATE, length=length), replace(GATE, length=between), replace(GATE, length=length)]
    return bank_of(*schemas)


@on_disk
@clause("REGION-LARGE-02")
@cases(
    small_in_64_mib=(_sparse(4096, 64 * MIB), 2),
    small_in_16_gib=(_sparse(4096, 16 * GIB), 2),
    first_of_16_gib=(_sparse(4096, 16 * GIB), 0),
    quarter_of_a_mib_in_32_gib=(_sparse(MIB // 4, 32 * GIB), 2),
)
def test_a_region_costs_what_it_holds(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """A region of a file of many GiB is read promptly, in memory and bytes that follow the region."""
    file, schema_index = case
    sparse_files(ask.folder)
    numbers = {"bank_id": 0, "entry": 0, "schema_index": schema_index}
    region = file.banks[0].schemas[schema_index].region_length
    path = ask.file("layer.lyrw", file)
    reply, cost = measured(ask, "lyrw.region", region, path=path, **numbers)
    check("REGION-LARGE-02", reply, delivers(file, **numbers))
    check("REGION-LARGE-02", reply, reads(4 * region, cost))
    check("REGION-LARGE-02", reply, promptly(ask, cost))


def _rows(entries: int, entry: int) -> LyrwFile:
    """So many rows, all zero (a hole) but that of one entry."""
    file = bank_of(replace(GATE, rows=32, cols=32), num_entries=entries)
    place = Place(0, entry, 0)
    return replace(file, listed=False, at={place: file.payload_start})


@on_disk
@clause("REGION-LARGE-02")
@cases(
    first_of_many=(_rows(16 * MIB, 0), 0),
    one_of_many=(_rows(16 * MIB, 9_999_999), 9_999_999),
    last_of_many=(_rows(16 * MIB, 16 * MIB - 1), 16 * MIB - 1),
    last_of_a_great_many=(_rows(GIB, GIB - 1), GIB - 1),
)
def test_a_region_costs_no_other_row(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """Among rows of 256 MiB and more one region is read promptly, in memory that follows the region.

    The other rows are zero: a reader may refuse them. Not reading them is advice (LYRW-COST-02), so that
    only time and memory are judged.
    """
    file, entry = case
    sparse_files(ask.folder)
    numbers = {"bank_id": 0, "entry": entry, "schema_index": 0}
    region = file.banks[0].schemas[0].region_length
    path = ask.file("layer.lyrw", file)
    reply, cost = measured(ask, "lyrw.region", region, path=path, **numbers)
    refused = refuses("region-in-tables", "overlap")
    check("REGION-LARGE-02", reply, either(delivers(file, **numbers), refused))
    check("REGION-LARGE-02", reply, promptly(ask, cost))
