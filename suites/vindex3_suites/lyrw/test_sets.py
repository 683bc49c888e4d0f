"""Verification of all files of one layer together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.plugin.check import NotRun
from vindex3_fixtures.lyrw import Bank, LyrwFile, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.finding import (
    CLEAN,
    FieldOf,
    OneOf,
    defect,
    reports,
    segment_gap,
    verify,
)
from vindex3_suites.lyrw.samples import DENSE, DOWN_F16, FUSED, GATE, SPLIT, TWO_BANKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask

Files = tuple[LyrwFile, ...]


def _part(index: int, first_entry: int, entry_count: int, **fields: Any) -> LyrwFile:
    """One file of the split layer, with this segment."""
    return replace(SPLIT, segments=(Segment(7, index, first_entry, entry_count),), **fields)


def _bank_part(index: int, first_entry: int, entry_count: int, **fields: Any) -> LyrwFile:
    """One file of the split layer, whose bank has other fields."""
    part = _part(index, first_entry, entry_count)
    return replace(part, banks=(replace(part.banks[0], **fields),))


FIRST, SECOND = _part(0, 0, 2), _part(1, 2, 2)
TWO = (FIRST, SECOND)
THREE = (_part(4, 0, 1), _part(9, 1, 2), _part(2, 3, 1))
BY_BANK = (
    replace(TWO_BANKS, flags=1, segments=(Segment(7, 0, 0, 3),)),
    replace(TWO_BANKS, flags=1, segments=(Segment(2, 0, 0, 2),)),
)


def _verify(ask: Ask, name: str, files: Sequence[LyrwFile]) -> Reply:
    """Ask for the defects of these files together."""
    return ask(
        "lyrw.verify", path=[ask.file(f"{name}_{index}.lyrw", file) for index, file in enumerate(files)]
    )


def _check_set(
    ask: Ask, clause_id: str, legal: Files, wrong: Files, *required: Any, also: tuple[str, ...] = ()
) -> None:
    """The legal files have no defect together, and the wrong ones have those required."""
    check(clause_id, _verify(ask, "legal", legal), CLEAN)
    check(clause_id, _verify(ask, "wrong", wrong), reports(*required, also=also))


@clause("SEGMENTS-SET-01")
@cases(
    part_of_a_bank=(SECOND, replace(SECOND, flags=0), segment_gap(7, 0, 2)),
    several_segments=(
        replace(SPLIT, flags=0, segments=(Segment(7, 0, 0, 1), Segment(7, 1, 1, 2), Segment(7, 2, 3, 1))),
        replace(SPLIT, flags=0, segments=(Segment(7, 0, 0, 1), Segment(7, 1, 1, 2))),
        segment_gap(7, 3, 4),
    ),
    several_segments_in_reverse=(
        replace(SPLIT, flags=0, segments=(Segment(7, 1, 2, 2), Segment(7, 0, 0, 2))),
        replace(SPLIT, flags=0, segments=(Segment(7, 1, 2, 2), Segment(7, 0, 0, 1))),
        segment_gap(7, 1, 2),
    ),
    two_banks=(
        TWO_BANKS,
        replace(TWO_BANKS, segments=TWO_BANKS.all_segments[:2]),
        segment_gap(7, 2, 3),
    ),
)
def test_a_file_without_a_gap_has_none(ask: Ask, case: tuple[LyrwFile, LyrwFile, Any]) -> None:
    """One file of several may cover a part, and segments of one file that cover all leave no gap."""
    legal, wrong, gap = case
    check("SEGMENTS-SET-01", verify(ask, "legal.lyrw", legal), CLEAN)
    check("SEGMENTS-SET-01", verify(ask, "wrong.lyrw", wrong), reports(gap))


@clause("SEGMENTS-SET-01")
@cases(
    two=(TWO, (FIRST, _part(1, 3, 1)), segment_gap(7, 2, 3)),
    two_in_reverse=(TWO[::-1], (_part(1, 2, 1), FIRST), segment_gap(7, 3, 4)),
    three=(THREE, THREE[:2], segment_gap(7, 3, 4)),
    a_bank_each=(
        BY_BANK,
        (BY_BANK[0], replace(BY_BANK[1], segments=(Segment(2, 0, 0, 1),))),
        segment_gap(2, 1, 2),
    ),
)
def test_all_files_together_leave_no_gap(ask: Ask, case: tuple[Files, Files, Any]) -> None:
    """Files that cover all entries together leave no gap, in whatever order they are listed."""
    legal, wrong, gap = case
    _check_set(ask, "SEGMENTS-SET-01", legal, wrong, gap)


@clause("SEGMENTS-SET-02")
@cases(
    at_the_start=((_part(0, 1, 1), SECOND), [(7, 0, 1)]),
    between=((_part(0, 0, 1), _part(1, 3, 1)), [(7, 1, 3)]),
    at_the_end=((FIRST, _part(1, 2, 1)), [(7, 3, 4)]),
    two_gaps=((_part(0, 1, 1), _part(1, 3, 1)), [(7, 0, 1), (7, 2, 3)]),
    three_files=((THREE[0], THREE[2], _part(9, 1, 1)), [(7, 2, 3)]),
    a_bank_in_no_file=((BY_BANK[0], replace(BY_BANK[1], segments=(Segment(7, 1, 0, 0),))), [(2, 0, 2)]),
)
def test_entries_in_no_file_are_found(ask: Ask, case: tuple[Files, list[tuple[int, int, int]]]) -> None:
    """Entries that none of the listed files covers are listed as ranges."""
    wrong, gaps = case
    found = (segment_gap(*gap) for gap in gaps)
    _check_set(ask, "SEGMENTS-SET-02", TWO, wrong, *found, also=("empty-bank",))


@clause("SEGMENTS-SET-02")
@cases(
    one_entry=((_part(0, 0, 3), SECOND), (2, 3)),
    one_within_another=((_part(0, 0, 4), _part(1, 1, 2)), (1, 3)),
    all=((_part(0, 0, 4), _part(1, 0, 4)), (0, 4)),
    listed_in_reverse=((SECOND, _part(0, 0, 3)), (2, 3)),
)
def test_entries_in_two_files_are_found(ask: Ask, case: tuple[Files, tuple[int, int]]) -> None:
    """Entries that two of the listed files cover are listed as a range."""
    wrong, (first_entry, end_entry) = case
    found = defect("segment-overlap", bank_id=7, first_entry=first_entry, end_entry=end_entry)
    _check_set(ask, "SEGMENTS-SET-02", TWO, wrong, found)


@clause("SEGMENTS-SET-03")
@cases(
    two=((FIRST, replace(SECOND, logical_layer=13)), (12, 13)),
    by_the_high_bits=((FIRST, replace(SECOND, logical_layer=12 + 65536)), (12, 12 + 65536)),
    the_last_of_three=((*THREE[:2], replace(THREE[2], logical_layer=0)), (12, 0)),
    the_first_of_three=((replace(THREE[0], logical_layer=0xFFFFFFFF), *THREE[1:]), (12, 0xFFFFFFFF)),
)
def test_files_of_several_layers_are_found(ask: Ask, case: tuple[Files, tuple[int, int]]) -> None:
    """Files of different layers in one list are listed with both numbers."""
    wrong, (one, other) = case
    ways = (
        defect("layer-mismatch", logical_layer=one, other=other),
        defect("layer-mismatch", logical_layer=other, other=one),
    )
    legal = tuple(replace(file, logical_layer=12) for file in wrong)
    _check_set(ask, "SEGMENTS-SET-03", legal, wrong, OneOf(ways))


@clause("SEGMENTS-SET-04")
@cases(
    the_first=((0,), TWO, 0),
    the_second=((1,), TWO, 0),
    both=((0, 1), TWO, 0),
    one_of_three=((1,), THREE, 0),
    other_bits_set=((0,), TWO, 0xFFFFFFFE),
)
def test_a_file_without_the_flag_is_found(ask: Ask, case: tuple[tuple[int, ...], Files, int]) -> None:
    """A file of several whose flag bit 0 is clear is listed with its path."""
    clear, legal, flags = case
    wrong = [replace(file, flags=flags) if index in clear else file for index, file in enumerate(legal)]
    check("SEGMENTS-SET-04", _verify(ask, "legal", legal), CLEAN)
    reply = _verify(ask, "wrong", wrong)
    paths = (str(ask.folder / f"wrong_{index}.lyrw") for index in clear)
    found = (defect("multi-segment-flag-missing", path=path) for path in paths)
    check("SEGMENTS-SET-04", reply, reports(*found, also=("segment-gap",)))


@clause("SEGMENTS-SET-05")
@cases(
    kind=((_bank_part(0, 0, 2, kind=v.SHARED), SECOND), ("kind",)),
    num_entries=((_bank_part(0, 0, 2, num_entries=5), SECOND), ("num_entries",)),
    input_dim=((FIRST, _bank_part(1, 2, 2, input_dim=3)), ("input_dim", "dimensions")),
    intermediate_dim=((FIRST, _bank_part(1, 2, 2, intermediate_dim=3)), ("intermediate_dim", "dimensions")),
    output_dim=((FIRST, _bank_part(1, 2, 2, output_dim=3)), ("output_dim", "dimensions")),
    one_schema_more=((FIRST, _bank_part(1, 2, 2, schemas=(FUSED, DOWN_F16, GATE))), ("schemas",)),
    another_format=(
        (FIRST, _bank_part(1, 2, 2, schemas=(FUSED, replace(DOWN_F16, format=v.BF16)))),
        ("schemas", "format"),
    ),
    another_layout=(
        (FIRST, _bank_part(1, 2, 2, schemas=(replace(FUSED, layout=v.CONTIGUOUS_HALVES), DOWN_F16))),
        ("schemas", "layout"),
    ),
    in_the_last_of_three=((*THREE[:2], _bank_part(2, 3, 1, kind=9)), ("kind",)),
)
def test_a_bank_of_two_descriptions_is_found(ask: Ask, case: tuple[Files, tuple[str, ...]]) -> None:
    """Files that describe one bank differently are listed with bank and field."""
    wrong, names = case
    found = defect("bank-mismatch", bank_id=7, field=FieldOf(names))
    also = ("segment-gap", "bank-mismatch")
    _check_set(ask, "SEGMENTS-SET-05", TWO, wrong, found, also=also)


@clause("SEGMENTS-SET-06")
@cases(
    another_layer=replace(FIRST, logical_layer=99),
    the_same_entries=FIRST,
    another_bank=replace(FIRST, banks=(Bank((GATE,), bank_id=7, num_entries=4),)),
    a_defect=replace(FIRST, trailing=b"!"),
    a_whole_layer=DENSE,
)
def test_files_that_are_not_listed_do_not_count(ask: Ask, case: LyrwFile) -> None:
    """Another layer file in the directory changes nothing, neither for the better nor for the worse."""
    ask.file("legal_2.lyrw", case)
    check("SEGMENTS-SET-06", _verify(ask, "legal", TWO), CLEAN)
    check("SEGMENTS-SET-06", verify(ask, "alone.lyrw", SECOND), CLEAN)
    halves = (_part(0, 0, 1), SECOND)
    ask.file("wrong_2.lyrw", _part(2, 1, 1))
    check("SEGMENTS-SET-06", _verify(ask, "wrong", halves), reports(segment_gap(7, 1, 2)))


class Missing(NamedTuple):
    """Names of a file that is there, of one like the missing one, and of the missing one."""

    present: str
    beside: str
    missing: str
    listed_first: bool = False


@clause("SEGMENTS-SET-07")
@cases(
    last=Missing("layer_0.lyrw", "layer_1.lyrw", "layer_2.lyrw"),
    first=Missing("layer_1.lyrw", "layer_0.lyrw.bak", "layer_0.lyrw", listed_first=True),
    another_case=Missing("layer_0.lyrw", "LAYER_1.lyrw", "layer_1.lyrw"),
    without_leading_zeros=Missing("layer_0.lyrw", "layer_01.lyrw", "layer_1.lyrw"),
    without_suffix=Missing("layer_0.lyrw", "layer_1.lyrw", "layer_1"),
    with_a_further_suffix=Missing("layer_0.lyrw", "layer_1.lyrw.part", "layer_1.lyrw"),
)
def test_a_listed_file_that_is_not_there_is_refused(ask: Ask, case: Missing) -> None:
    """A file that is not there is refused by its path, whatever lies beside it.

    Raises:
        NotRun: the file system does not tell two spellings of a name apart.
    """
    present, beside = ask.file(case.present, FIRST), ask.file(case.beside, SECOND)
    missing = ask.folder / case.missing
    if missing.exists():
        raise NotRun("this file system does not tell capital letters from small ones")
    check("SEGMENTS-SET-07", ask("lyrw.verify", path=[present, beside]), CLEAN)
    listed = [str(missing), present] if case.listed_first else [present, str(missing)]
    check("SEGMENTS-SET-07", ask("lyrw.verify", path=listed), refuses("missing-file", path=str(missing)))
