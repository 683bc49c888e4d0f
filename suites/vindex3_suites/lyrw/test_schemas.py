"""Region schemas: their fields, their numbering, and what is not judged of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.lyrw import Bank, LyrwFile, Schema
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.expected import parses
from vindex3_suites.lyrw.samples import (
    DENSE,
    DOWN,
    GATE,
    SMALLEST,
    TWO_BANKS,
    UP,
    bank_of,
    only,
    scales,
    values,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


@clause("LYRW-SCHEMA-01")
@cases(
    smallest=SMALLEST,
    three_schemas=DENSE,
    every_field_of_its_own=bank_of(
        Schema(
            v.GATE_UP_FUSED,
            v.NVFP4,
            v.BLOCKS_WITH_SCALES_INLINE,
            v.UNPAIRED,
            v.INTERLEAVED,
            0x01020304,
            0x05060708,
        )
    ),
    pair_number_of_two_bytes=bank_of(values(0x0102), scales(0x0102)),
    two_banks_numbered_from_0=TWO_BANKS,
    forty_schemas=bank_of(*[replace(GATE, rows=1, cols=1 + k) for k in range(40)]),
)
def test_every_field_is_read(ask: Ask, case: LyrwFile) -> None:
    """A schema gives its eight fields; schemas follow bank by bank, numbered from 0 in each."""
    check("LYRW-SCHEMA-01", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))


def _numbered(*indices: int | None, bank_id: int = 0) -> Bank:
    roles = (GATE, UP, DOWN)
    schemas = [replace(roles[k], schema_index=index) for k, index in enumerate(indices)]
    return Bank(tuple(schemas), bank_id=bank_id)


@clause("LYRW-SCHEMA-02")
@cases(
    from_1=((_numbered(1, None),), 0, 0, 1),
    repeated=((_numbered(None, 0),), 0, 1, 0),
    skipped=((_numbered(None, 2),), 0, 1, 2),
    last=((_numbered(None, None, 3),), 0, 2, 3),
    high_byte=((_numbered(None, 0x0101),), 0, 1, 0x0101),
    largest=((_numbered(None, 65535, bank_id=9),), 9, 1, 65535),
    numbered_over_all_banks=((_numbered(None, None), _numbered(2, None, bank_id=8)), 8, 0, 2),
)
def test_an_index_is_a_position(ask: Ask, case: tuple[tuple[Bank, ...], int, int, int]) -> None:
    """A schema_index other than the position within its bank is refused, naming bank and both numbers."""
    banks, bank_id, expected, found = case
    legal = LyrwFile(
        banks=tuple(
            replace(bank, schemas=tuple(replace(schema, schema_index=None) for schema in bank.schemas))
            for bank in banks
        )
    )
    check("LYRW-SCHEMA-02", ask("lyrw.parse", path=ask.file("legal.lyrw", legal)), parses(legal))
    wrong = ask("lyrw.parse", path=ask.file("wrong.lyrw", LyrwFile(banks=banks)))
    facts = {"bank_id": bank_id, "expected": expected, "found": found}
    check("LYRW-SCHEMA-02", wrong, refuses("schema-index-mismatch", **facts))


@clause("LYRW-SCHEMA-03")
@cases(
    no_rows=only(replace(GATE, rows=0, length=24)),
    no_cols=only(replace(GATE, cols=0, length=24)),
    largest=only(replace(GATE, rows=0xFFFFFFFF, cols=0xFFFFFFFF, length=24)),
    more_rows_than_bytes=only(replace(GATE, rows=1_000_000, length=24)),
    fewer_rows_than_bytes=only(replace(GATE, rows=1, length=24)),
    part_of_a_block=only(replace(GATE, format=v.Q4_K, cols=3, length=24)),
    bank_of_no_dimensions=LyrwFile(banks=(Bank((GATE,), input_dim=0, intermediate_dim=0, output_dim=0),)),
    bank_of_largest_dimensions=LyrwFile(
        banks=(Bank((GATE,), input_dim=0xFFFFFFFF, intermediate_dim=0xFFFFFFFF, output_dim=0xFFFFFFFF),)
    ),
)
def test_dimensions_are_not_judged(ask: Ask, case: LyrwFile) -> None:
    """Zero, or a product beyond the stored length, is described exactly."""
    check("LYRW-SCHEMA-03", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))
