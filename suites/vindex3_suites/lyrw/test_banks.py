"""Bank descriptors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, either, refuses
from vindex3_fixtures.lyrw import Bank, LyrwFile, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.expected import parses
from vindex3_suites.lyrw.samples import DENSE, DOWN, GATE, SMALLEST, TWO_BANKS, UP, bank_of

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


def _bank(**fields: Any) -> LyrwFile:
    return LyrwFile(banks=(replace(SMALLEST.banks[0], **fields),))


DISTINCT = LyrwFile(
    banks=(
        Bank(
            (GATE, UP),
            bank_id=0x0102,
            kind=v.SHARED,
            flags=v.STRIDED,
            num_entries=0x0B0C0D0E,
            input_dim=0x1F2F3F4F,
            intermediate_dim=0x51525354,
            output_dim=0xF1E1D1C1,
        ),
    ),
    segments=(Segment(bank_id=0x0102, first_entry=5, entry_count=1),),
    flags=1,
)


@clause("LYRW-BANK-01")
@cases(
    dense=_bank(kind=v.DENSE),
    routed=_bank(kind=v.ROUTED),
    shared=_bank(kind=v.SHARED),
    largest_bank_id=_bank(bank_id=65535),
    bank_id_above_8_bits=_bank(bank_id=256),
    largest_dimensions=_bank(input_dim=0xFFFFFFFF, intermediate_dim=0xFFFFFFFE, output_dim=0xFFFFFFFD),
    every_field_of_its_own=DISTINCT,
    largest_population=replace(DISTINCT, banks=(replace(DISTINCT.banks[0], num_entries=0xFFFFFFFF),)),
    two_banks=TWO_BANKS,
)
def test_every_field_is_read(ask: Ask, case: LyrwFile) -> None:
    """A descriptor gives its eight fields, each with its own width and place."""
    check("LYRW-BANK-01", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))


@clause("LYRW-BANK-02")
@cases(first=3, above_8_bits=256, pattern=0x0901, largest=65535)
def test_an_unknown_kind_is_kept(ask: Ask, case: int) -> None:
    """A kind above 2 is shown as its integer and listed as unknown."""
    file = _bank(kind=case)
    check("LYRW-BANK-02", ask("lyrw.parse", path=ask.file("layer.lyrw", file)), parses(file))


@clause("LYRW-BANK-02")
def test_an_unknown_kind_is_listed_for_its_bank(ask: Ask) -> None:
    """Of two banks, the second of unknown kind, the list names the second."""
    first, second = TWO_BANKS.banks
    file = replace(TWO_BANKS, banks=(first, replace(second, kind=55)))
    check("LYRW-BANK-02", ask("lyrw.parse", path=ask.file("layer.lyrw", file)), parses(file))


@clause("LYRW-BANK-03")
@cases(smallest=SMALLEST, dense=DENSE)
def test_a_dense_layer_is_a_bank_of_one_entry(ask: Ask, case: LyrwFile) -> None:
    """A bank of one entry is described like any other."""
    check("LYRW-BANK-03", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))


TWICE = LyrwFile(
    banks=(Bank((GATE, UP), bank_id=4, num_entries=2), Bank((DOWN,), bank_id=4, num_entries=2)),
    segments=(Segment(bank_id=4, entry_count=2),),
)


@clause("LYRW-BANK-04")
@cases(
    other_schemas=TWICE,
    same_schemas=replace(TWICE, banks=(TWICE.banks[0], TWICE.banks[0])),
)
def test_a_bank_id_may_occur_twice(ask: Ask, case: LyrwFile) -> None:
    """Two banks of one id are described, the first giving the rows, or are duplicate-bank-id."""
    first, second = case.banks
    segments = (*case.all_segments, Segment(bank_id=5, entry_count=2))
    legal = replace(case, banks=(first, replace(second, bank_id=5)), segments=segments)
    check("LYRW-BANK-04", ask("lyrw.parse", path=ask.file("legal.lyrw", legal)), parses(legal))
    reply = ask("lyrw.parse", path=ask.file("twice.lyrw", case))
    check("LYRW-BANK-04", reply, either(parses(case), refuses("duplicate-bank-id", bank_id=4)))


NO_ENTRIES = Bank((GATE, UP), bank_id=1, num_entries=0)
NO_SCHEMAS = Bank((), bank_id=1, num_entries=4)


@clause("LYRW-BANK-06")
@cases(
    no_schemas=bank_of(num_entries=4),
    no_entries=LyrwFile(banks=(SMALLEST.banks[0], NO_ENTRIES)),
    no_entries_and_no_segment=LyrwFile(banks=(SMALLEST.banks[0], NO_ENTRIES), segments=(Segment(),)),
    no_entries_first=LyrwFile(banks=(NO_ENTRIES, SMALLEST.banks[0])),
    no_schemas_between=LyrwFile(banks=(SMALLEST.banks[0], NO_SCHEMAS, Bank((DOWN,), bank_id=2))),
    neither=bank_of(num_entries=0),
)
def test_an_empty_bank_has_no_rows(ask: Ask, case: LyrwFile) -> None:
    """A bank without entries or without schemas is described and adds no rows."""
    check("LYRW-BANK-06", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))


@clause("LYRW-BANK-07")
@cases(
    dense_of_several=_bank(kind=v.DENSE, num_entries=5),
    routed_of_one=_bank(kind=v.ROUTED),
    shared_of_one=_bank(kind=v.SHARED),
)
def test_kind_and_population_are_not_compared(ask: Ask, case: LyrwFile) -> None:
    """Any kind goes with any number of entries."""
    check("LYRW-BANK-07", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))
