"""Files of many GiB: sparse, so that only what is read costs anything."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.lyrw import LyrwFile
from vindex3_suites.lyrw.expected import delivers
from vindex3_suites.lyrw.limits import GIB, MIB, measured, promptly, reads, sparse_files
from vindex3_suites.lyrw.samples import DENSE, GATE, bank_of

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

FIRST, MIDDLE, LAST = DENSE.places


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
