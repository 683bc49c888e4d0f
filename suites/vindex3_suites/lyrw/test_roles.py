"""Regions asked by role."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.asking import region
from vindex3_suites.lyrw.expected import ABSENT, delivers
from vindex3_suites.lyrw.samples import (
    DENSE,
    DOWN,
    DOWN_F16,
    FUSED,
    GATE,
    SPLIT,
    TWO_BANKS,
    UP,
    bank_of,
    scales,
    values,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.lyrw import LyrwFile

EVERY_ROLE = bank_of(*[replace(GATE, role=role) for role in range(8)])


@clause("REGION-ROLE-01")
@cases(
    gate=(DENSE, 0, 0, "gate", 0),
    up=(DENSE, 0, 0, "up", 1),
    down=(DENSE, 0, 0, "down", 2),
    fused=(bank_of(FUSED, DOWN_F16, bank_id=7), 7, 0, "gate_up_fused", 0),
    down_of_the_second_bank=(TWO_BANKS, 2, 1, "down", 2),
    bias=(EVERY_ROLE, 0, 0, "bias", 4),
    scales=(bank_of(scales(1), values(1)), 0, 0, "scales", 0),
    latent_in=(EVERY_ROLE, 0, 0, "latent_in", 6),
    latent_out=(EVERY_ROLE, 0, 0, "latent_out", 7),
    unknown_role=(bank_of(GATE, replace(UP, role=300), replace(DOWN, role=8)), 0, 0, 300, 1),
)
def test_a_role_finds_its_schema(ask: Ask, case: tuple[LyrwFile, int, int, str | int, int]) -> None:
    """A role that one schema carries gives the answer of that schema's index."""
    file, bank_id, entry, role, schema_index = case
    path = ask.file("layer.lyrw", file)
    expected = delivers(file, bank_id, entry, schema_index)
    check("REGION-ROLE-01", region(ask, path, bank_id, entry, schema_index), expected)
    by_role = ask("lyrw.region", path=path, bank_id=bank_id, entry=entry, role=role)
    check("REGION-ROLE-01", by_role, expected)


@clause("REGION-ROLE-01")
@cases(
    bias_of_none=(DENSE, 0, 0, "bias"),
    gate_of_a_fused_bank=(bank_of(FUSED, DOWN_F16), 0, 0, "gate"),
    up_of_the_other_bank=(TWO_BANKS, 7, 0, "up"),
    unknown_role_of_none=(DENSE, 0, 0, 300),
    entry_of_a_sibling_file=(SPLIT, 7, 0, "down"),
    bank_that_is_not_declared=(DENSE, 9, 0, "gate"),
)
def test_a_role_that_none_carries_is_absent(ask: Ask, case: tuple[LyrwFile, int, int, str | int]) -> None:
    """A role without a schema, or an entry or bank that is not there, is absent."""
    file, bank_id, entry, role = case
    path = ask.file("layer.lyrw", file)
    place = file.places[0]
    present = file.all_segments[0].bank_id
    check("REGION-ROLE-01", region(ask, path, present, place.entry), delivers(file, present, place.entry))
    reply = ask("lyrw.region", path=path, bank_id=bank_id, entry=entry, role=role)
    check("REGION-ROLE-01", reply, ABSENT)


@clause("REGION-ROLE-02")
@cases(
    two_gates=(bank_of(GATE, replace(GATE, rows=3)), "gate", 2),
    two_of_three=(bank_of(DOWN, UP, replace(DOWN, rows=4), bank_id=5), "down", 2),
    three_scales=(bank_of(values(1), scales(1), scales(2), scales(3)), "scales", 3),
    two_of_an_unknown_role=(bank_of(replace(GATE, role=300), UP, replace(DOWN, role=300)), 300, 2),
    two_latent=(bank_of(replace(GATE, role=v.LATENT_IN), replace(UP, role=v.LATENT_IN)), "latent_in", 2),
)
def test_a_role_that_several_carry_is_ambiguous(ask: Ask, case: tuple[LyrwFile, str | int, int]) -> None:
    """Such a role is refused with their number; by index the same regions are delivered."""
    file, role, count = case
    path = ask.file("layer.lyrw", file)
    bank_id = file.banks[0].bank_id
    for place in file.places:
        numbers = (bank_id, 0, place.schema)
        check("REGION-ROLE-02", region(ask, path, *numbers), delivers(file, *numbers))
    wrong = ask("lyrw.region", path=path, bank_id=bank_id, entry=0, role=role)
    refused = refuses("ambiguous-role", bank_id=bank_id, role=role, count=count)
    check("REGION-ROLE-02", wrong, refused)
