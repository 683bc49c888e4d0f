"""A fault of a schema is found wherever the schema stands: in any bank, first, between or last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.lyrw import Bank, LyrwFile, Schema
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.expected import parses
from vindex3_suites.lyrw.samples import DOWN, GATE, UP, scales, values

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

WIDTHS = {6: 4, 2: 2, 9: 1, 4: 3}
"""Schemas of each bank, by its id, in file order."""
PLACES = {
    f"schema_{schema}_of_bank_{position}": (position, bank_id, schema)
    for position, (bank_id, width) in enumerate(WIDTHS.items())
    for schema in range(width)
}
ROLES = (GATE, UP, DOWN, replace(GATE, role=v.BIAS))
Place = tuple[int, int, int]


def _layer() -> LyrwFile:
    """Banks of several widths, every schema legal."""
    return LyrwFile(banks=tuple(Bank(ROLES[:width], bank_id=bank_id) for bank_id, width in WIDTHS.items()))


def _with(file: LyrwFile, place: Place, change: Callable[[Schema], Schema]) -> LyrwFile:
    """The file with one schema changed."""
    position, _, index = place
    bank = file.banks[position]
    schemas = (*bank.schemas[:index], change(bank.schemas[index]), *bank.schemas[index + 1 :])
    banks = (*file.banks[:position], replace(bank, schemas=schemas), *file.banks[position + 1 :])
    return replace(file, banks=banks)


def _judge(ask: Ask, clause_id: str, legal: LyrwFile, wrong: LyrwFile, kind: str, **facts: object) -> None:
    check(clause_id, ask("lyrw.parse", path=ask.file("legal.lyrw", legal)), parses(legal))
    check(clause_id, ask("lyrw.parse", path=ask.file("wrong.lyrw", wrong)), refuses(kind, **facts))


def _facts(place: Place) -> dict[str, object]:
    return {"bank_id": place[1], "schema_index": place[2]}


@clause("PAIR-PARSE-01")
@cases(PLACES)
def test_blocks_without_a_number_are_found_anywhere(ask: Ask, case: Place) -> None:
    """Values and scales without a pair number are refused at any place of any bank."""
    schema, packing = (values(3), "blocks_values") if case[2] % 2 else (scales(3), "blocks_scales")
    legal = _with(_layer(), case, lambda _: schema)
    wrong = _with(legal, case, lambda one: replace(one, pair_id=v.UNPAIRED))
    facts = {"packing": packing, "pair_id": 65535}
    _judge(ask, "PAIR-PARSE-01", legal, wrong, "inconsistent-pairing", **_facts(case), **facts)


@clause("PAIR-PARSE-02")
@cases(PLACES)
def test_a_number_of_whole_blocks_is_found_anywhere(ask: Ask, case: Place) -> None:
    """A row_major schema with a pair number is refused at any place of any bank."""
    wrong = _with(_layer(), case, lambda one: replace(one, pair_id=3))
    facts = {"packing": "row_major", "pair_id": 3}
    _judge(ask, "PAIR-PARSE-02", _layer(), wrong, "inconsistent-pairing", **_facts(case), **facts)


@clause("LYRW-FUSED-01")
@cases(PLACES)
def test_a_layout_out_of_place_is_found_anywhere(ask: Ask, case: Place) -> None:
    """A layout on a role that has none is refused at any place of any bank."""
    legal = _with(_layer(), case, lambda one: replace(one, role=v.GATE_UP_FUSED, layout=v.INTERLEAVED))
    wrong = _with(legal, case, lambda one: replace(one, role=v.DOWN))
    facts = {"role": "down", "layout": "interleaved"}
    _judge(ask, "LYRW-FUSED-01", legal, wrong, "layout-on-non-fused", **_facts(case), **facts)


@clause("LYRW-SCHEMA-02")
@cases(PLACES)
def test_a_wrong_index_is_found_anywhere(ask: Ask, case: Place) -> None:
    """A schema_index that is not the position is refused at any place of any bank."""
    _, bank_id, index = case
    wrong = _with(_layer(), case, lambda one: replace(one, schema_index=index + 1))
    facts: dict[str, object] = {"bank_id": bank_id, "expected": index, "found": index + 1}
    _judge(ask, "LYRW-SCHEMA-02", _layer(), wrong, "schema-index-mismatch", **facts)
