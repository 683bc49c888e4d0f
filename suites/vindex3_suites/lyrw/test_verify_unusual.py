"""What verification must leave alone: unknown tags, another order, gaps, banks that nobody can use."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, clause
from vindex3_fixtures.lyrw import Bank, LyrwFile, Place, Schema
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.finding import check_found, defect
from vindex3_suites.lyrw.samples import DENSE, DOWN, FUSED, GATE, TWO_BANKS, UP, bank_of, only, scales, values

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

LAST = DENSE.places[-1]
UNKNOWN = LyrwFile(
    banks=(
        Bank(
            (
                Schema(300, 77, 9, v.UNPAIRED, v.UNSPECIFIED, 5, 7),
                Schema(v.GATE_UP_FUSED, v.F32, v.ROW_MAJOR, v.UNPAIRED, 903, 2, 3),
                Schema(65535, 65535, 65535, v.UNPAIRED, v.UNSPECIFIED, 1, 1),
            ),
            bank_id=65535,
            kind=65535,
            flags=0xFFFF,
            num_entries=2,
        ),
    ),
    flags=0xFFFFFFFE,
)


def _reversed(file: LyrwFile) -> LyrwFile:
    return replace(file, order=file.places[::-1])


@clause("LYRW-VERIFY-04")
@cases(
    unknown_header_flags=replace(DENSE, flags=0xFFFFFFFE),
    unknown_tags=UNKNOWN,
    unknown_tags_of_a_split_layer=replace(UNKNOWN, flags=0xFFFFFFFF),
    reversed_order=_reversed(TWO_BANKS),
    reversed_order_of_lengths_that_differ=_reversed(bank_of(GATE, UP, values(1), scales(1), num_entries=3)),
    surplus_gap=replace(DENSE, gaps={LAST: 64}),
    surplus_gap_after_the_tables=replace(DENSE, gaps={DENSE.places[0]: 4096}),
    a_gap_of_a_mib=replace(DENSE, gaps={DENSE.places[1]: 1 << 20}),
    everything=replace(_reversed(UNKNOWN), gaps=dict.fromkeys(UNKNOWN.places, 192)),
)
def test_what_is_unusual_is_no_defect(ask: Ask, case: LyrwFile) -> None:
    """Unknown tags and bits, another physical order and zeros between regions are not listed."""
    dirty = replace(case, patches=((case.table_bytes, b"\1"),))
    found = defect("non-zero-padding", offset=case.table_bytes)
    check_found(ask, "LYRW-VERIFY-04", case, dirty, found)


@clause("LYRW-VERIFY-05")
@cases(
    gate_alone=only(GATE),
    gate_and_up=bank_of(GATE, UP),
    fused_alone=only(FUSED),
    down_alone=only(DOWN),
    bias=only(replace(GATE, role=v.BIAS)),
    latent=bank_of(replace(GATE, role=v.LATENT_IN), replace(GATE, role=v.LATENT_OUT)),
    only_unknown_roles=bank_of(replace(GATE, role=8), replace(UP, role=65535)),
    one_role_three_times=bank_of(DOWN, DOWN, DOWN),
)
def test_a_bank_that_no_programme_can_use_is_no_defect(ask: Ask, case: LyrwFile) -> None:
    """Roles that every programme needs may be missing; a length that is wrong is a defect."""
    place = case.places[-1]
    true = case.stored[place].length
    wrong = replace(case, lengths={place: true + 2})
    found = defect("region-length-mismatch", **_numbers(place), length=true + 2, expected=true)
    check_found(ask, "LYRW-VERIFY-05", case, wrong, found)


def _numbers(place: Place) -> dict[str, int]:
    return {"bank_id": 0, "entry": place.entry, "schema_index": place.schema}
