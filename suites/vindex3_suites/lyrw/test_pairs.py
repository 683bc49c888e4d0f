"""Pairs of values and scales: what opening judges of them, and how partners are found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, either, on_disk, refuses
from pytest_vindex3.plugin.ask import needs
from vindex3_fixtures.lyrw import Bank, LyrwFile, Schema, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.asking import partner
from vindex3_suites.lyrw.expected import ABSENT, parses, partners
from vindex3_suites.lyrw.limits import GIB, sparse_files
from vindex3_suites.lyrw.samples import DOWN, GATE, UP, bank_of, only, scales, values

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

PAIR = bank_of(values(1), scales(1))
PACKINGS = {
    "row_major": GATE,
    "blocks_with_scales_inline": replace(GATE, format=v.MXFP4, packing=v.BLOCKS_WITH_SCALES_INLINE, cols=32),
    "blocks_values": values(1),
    "blocks_scales": scales(1),
}


def _check_mispaired(ask: Ask, clause_id: str, packing: str, legal: Schema, pair_id: int) -> None:
    right = bank_of(DOWN, legal, bank_id=6)
    check(clause_id, ask("lyrw.parse", path=ask.file("legal.lyrw", right)), parses(right))
    file = bank_of(DOWN, replace(legal, pair_id=pair_id), bank_id=6)
    wrong = ask("lyrw.parse", path=ask.file("wrong.lyrw", file))
    facts = {"bank_id": 6, "schema_index": 1, "packing": packing, "pair_id": pair_id}
    check(clause_id, wrong, refuses("inconsistent-pairing", **facts))


@clause("PAIR-PARSE-01")
@cases(values="blocks_values", scales="blocks_scales")
def test_blocks_apart_have_a_number(ask: Ask, case: str) -> None:
    """blocks_values or blocks_scales with 0xFFFF is refused, naming bank, schema, packing and pair_id."""
    _check_mispaired(ask, "PAIR-PARSE-01", case, PACKINGS[case], 65535)


@clause("PAIR-PARSE-02")
@cases(
    {
        f"{packing}_with_{pair_id}": (packing, pair_id)
        for packing in ("row_major", "blocks_with_scales_inline")
        for pair_id in (0, 1, 255, 0x7FFF, 65534)
    }
)
def test_whole_blocks_have_none(ask: Ask, case: tuple[str, int]) -> None:
    """row_major or blocks_with_scales_inline with a pair number is refused."""
    packing, pair_id = case
    _check_mispaired(ask, "PAIR-PARSE-02", packing, PACKINGS[packing], pair_id)


@clause("PAIR-PARSE-03")
@cases(first=(4, 0), one=(77, 1), largest=(65535, 65534))
def test_an_unknown_packing_leaves_the_choice(ask: Ask, case: tuple[int, int]) -> None:
    """An unknown packing with a pair number keeps both numbers, or is refused."""
    packing, pair_id = case
    legal = only(replace(GATE, packing=packing))
    check("PAIR-PARSE-03", ask("lyrw.parse", path=ask.file("legal.lyrw", legal)), parses(legal))
    file = only(replace(GATE, packing=packing, pair_id=pair_id))
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    facts = {"bank_id": 0, "schema_index": 0, "packing": packing, "pair_id": pair_id}
    check("PAIR-PARSE-03", reply, either(parses(file), refuses("inconsistent-pairing", **facts)))


@clause("PAIR-PARSE-04")
@cases(row_major="row_major", blocks_with_scales_inline="blocks_with_scales_inline")
def test_unpaired_is_null(ask: Ask, case: str) -> None:
    """Whole packings with 0xFFFF are described with pair_id null."""
    file = only(PACKINGS[case])
    check("PAIR-PARSE-04", ask("lyrw.parse", path=ask.file("layer.lyrw", file)), parses(file))


ZERO = bank_of(values(0), scales(0))


@clause("PAIR-PARSE-05")
def test_pair_0_is_a_number(ask: Ask) -> None:
    """Values and scales with pair_id 0 are described with that number."""
    check("PAIR-PARSE-05", ask("lyrw.parse", path=ask.file("layer.lyrw", ZERO)), parses(ZERO))


@needs("lyrw.partner")
@clause("PAIR-PARSE-05")
def test_pair_0_resolves(ask: Ask) -> None:
    """The scales of pair 0 are found."""
    reply = partner(ask, ask.file("layer.lyrw", ZERO))
    check("PAIR-PARSE-05", reply, partners(ZERO, 0, 0, 1))


NONE = bank_of(values(5))
SEVERAL = bank_of(values(5), scales(5), scales(5))


@clause("PAIR-PARSE-06")
@cases(
    no_scales=NONE,
    no_values=bank_of(scales(5)),
    scales_of_another_number=bank_of(values(5), scales(6)),
    two_scales=SEVERAL,
    two_values=bank_of(values(5), values(5, v.DOWN)),
    largest_number=bank_of(values(65534)),
)
def test_partners_are_not_judged_at_open(ask: Ask, case: LyrwFile) -> None:
    """A pair number that no partner carries, or several, does not stop the parse."""
    check("PAIR-PARSE-06", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))


FOUR = bank_of(values(1), values(2, v.DOWN), scales(1), scales(2), num_entries=3)


@clause("PAIR-FIND-01")
@cases(
    smallest=(PAIR, 0, 0, 0, 1),
    first_of_two_pairs=(FOUR, 0, 0, 0, 2),
    second_of_two_pairs=(FOUR, 0, 0, 1, 3),
    last_entry=(FOUR, 0, 2, 1, 3),
    another_bank_id=(replace(PAIR, banks=(replace(PAIR.banks[0], bank_id=9),)), 9, 0, 0, 1),
    scales_of_another_length=(bank_of(values(1), GATE, replace(scales(1), length=333)), 0, 0, 0, 2),
)
def test_scales_of_one_number_are_the_partner(ask: Ask, case: tuple[LyrwFile, int, int, int, int]) -> None:
    """The partner of values is the schema of role scales with their number, for the same entry."""
    file, bank_id, entry, schema_index, found = case
    reply = partner(ask, ask.file("layer.lyrw", file), bank_id, entry, schema_index)
    check("PAIR-FIND-01", reply, partners(file, bank_id, entry, found))


@on_disk
@clause("PAIR-FIND-01")
def test_a_partner_beyond_4_gib_is_found(ask: Ask) -> None:
    """The partner's offset has all of its 64 bits."""
    file = replace(PAIR, at={PAIR.places[1]: 5 * GIB})
    sparse_files(ask.folder, file.file_length)
    reply = partner(ask, ask.file("layer.lyrw", file))
    check("PAIR-FIND-01", reply, partners(file, 0, 0, 1))


@clause("PAIR-FIND-02")
@cases(
    scales_first=(bank_of(scales(1), values(1)), 1, 0),
    number_of_neither_schema=(bank_of(values(500), scales(500)), 0, 1),
    largest_number=(bank_of(values(65534), scales(65534)), 0, 1),
    number_of_the_values_themselves=(bank_of(values(0), GATE, scales(0)), 0, 2),
    number_of_another_schema=(bank_of(values(1), GATE, scales(1)), 0, 2),
    first_of_crossed_numbers=(bank_of(values(3), values(2, v.DOWN), scales(2), scales(3)), 0, 3),
    second_of_crossed_numbers=(bank_of(values(3), values(2, v.DOWN), scales(2), scales(3)), 1, 2),
    numbers_that_point_at_each_other=(bank_of(values(1), scales(0), values(0, v.DOWN), scales(1)), 0, 3),
    low_bytes_are_equal=(bank_of(values(0x0101), scales(1), scales(0x0101)), 0, 2),
    neighbours_are_unpaired=(bank_of(DOWN, values(7), GATE, UP, scales(7)), 1, 4),
)
def test_a_number_is_no_index(ask: Ask, case: tuple[LyrwFile, int, int]) -> None:
    """Numbers are compared with each other, never with schema indices; order does not matter."""
    file, schema_index, found = case
    reply = partner(ask, ask.file("layer.lyrw", file), 0, 0, schema_index)
    check("PAIR-FIND-02", reply, partners(file, 0, 0, found))


@clause("PAIR-FIND-03")
@cases(
    alone=(bank_of(GATE), 0),
    beside_a_pair=(bank_of(values(1), scales(1), DOWN), 2),
    beside_unpaired_scales=(bank_of(GATE, replace(UP, role=v.SCALES)), 0),
)
def test_unpaired_has_no_partner(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """The partner of an unpaired schema is refused as not-paired, naming bank and schema."""
    legal = partner(ask, ask.file("legal.lyrw", PAIR))
    check("PAIR-FIND-03", legal, partners(PAIR, 0, 0, 1))
    file, schema_index = case
    wrong = partner(ask, ask.file("wrong.lyrw", file), 0, 0, schema_index)
    check("PAIR-FIND-03", wrong, refuses("not-paired", bank_id=0, schema_index=schema_index))


@clause("PAIR-FIND-04")
@cases(
    no_scales=(bank_of(values(5)), 0, 5),
    another_number=(bank_of(values(5), scales(6)), 0, 5),
    only_unpaired_scales=(bank_of(values(5), replace(UP, role=v.SCALES)), 0, 5),
    only_other_values=(bank_of(values(5), values(5, v.DOWN)), 0, 5),
    number_of_a_schema=(bank_of(GATE, values(2), scales(3)), 1, 2),
    number_0=(bank_of(values(0), scales(1)), 0, 0),
)
def test_no_partner_is_missing(ask: Ask, case: tuple[LyrwFile, int, int]) -> None:
    """A number that no scales carry is missing-partner; nothing else is offered."""
    legal = partner(ask, ask.file("legal.lyrw", PAIR))
    check("PAIR-FIND-04", legal, partners(PAIR, 0, 0, 1))
    file, schema_index, pair_id = case
    wrong = partner(ask, ask.file("wrong.lyrw", file), 0, 0, schema_index)
    facts = {"bank_id": 0, "schema_index": schema_index, "pair_id": pair_id, "partner_role": "scales"}
    check("PAIR-FIND-04", wrong, refuses("missing-partner", **facts))


@clause("PAIR-FIND-04")
def test_no_partner_of_the_asked_role_is_missing(ask: Ask) -> None:
    """Asked for a partner of role bias, scales of the number are not offered."""
    biased = bank_of(values(1), scales(1, v.BIAS))
    numbers: dict[str, Any] = {"bank_id": 0, "entry": 0, "schema_index": 0, "partner_role": "bias"}
    legal = ask("lyrw.partner", path=ask.file("legal.lyrw", biased), **numbers)
    check("PAIR-FIND-04", legal, partners(biased, 0, 0, 1))
    wrong = ask("lyrw.partner", path=ask.file("wrong.lyrw", PAIR), **numbers)
    facts = {"bank_id": 0, "schema_index": 0, "pair_id": 1, "partner_role": "bias"}
    check("PAIR-FIND-04", wrong, refuses("missing-partner", **facts))


@clause("PAIR-FIND-05")
@cases(
    two=(bank_of(values(1), scales(1), scales(1)), 0, 0, 1, 2),
    three=(bank_of(values(4), scales(4), scales(4), scales(4)), 0, 0, 4, 3),
    around_the_values=(bank_of(scales(7), values(7), scales(7), bank_id=9), 9, 1, 7, 2),
)
def test_several_partners_are_ambiguous(ask: Ask, case: tuple[LyrwFile, int, int, int, int]) -> None:
    """A number that several scales carry is ambiguous-partner, with their number."""
    legal = partner(ask, ask.file("legal.lyrw", PAIR))
    check("PAIR-FIND-05", legal, partners(PAIR, 0, 0, 1))
    file, bank_id, schema_index, pair_id, count = case
    wrong = partner(ask, ask.file("wrong.lyrw", file), bank_id, 0, schema_index)
    facts = {"bank_id": bank_id, "pair_id": pair_id, "partner_role": "scales", "count": count}
    check("PAIR-FIND-05", wrong, refuses("ambiguous-partner", **facts))


SAME_NUMBERS = LyrwFile(
    banks=(
        Bank((values(1), scales(1)), bank_id=3),
        Bank((scales(1), DOWN, values(1), replace(scales(2), length=77)), bank_id=4),
    )
)


@clause("PAIR-FIND-06")
@cases(first_bank=(3, 0, 1), second_bank=(4, 2, 0))
def test_pairs_stay_within_a_bank(ask: Ask, case: tuple[int, int, int]) -> None:
    """Equal numbers of two banks neither match nor disturb each other."""
    bank_id, schema_index, found = case
    reply = partner(ask, ask.file("layer.lyrw", SAME_NUMBERS), bank_id, 0, schema_index)
    check("PAIR-FIND-06", reply, partners(SAME_NUMBERS, bank_id, 0, found))


@clause("PAIR-FIND-06")
@cases(
    sibling_file=(
        LyrwFile(
            banks=(Bank(PAIR.banks[0].schemas, num_entries=4),), segments=(Segment(0, 1, 2, 2),), flags=1
        ),
        2,
        0,
    ),
    next_entry=(PAIR, 0, 1),
)
def test_the_partner_of_an_uncovered_entry_is_absent(ask: Ask, case: tuple[LyrwFile, int, int]) -> None:
    """For an entry that the file does not cover the partner is absent."""
    file, covered, uncovered = case
    path = ask.file("layer.lyrw", file)
    check("PAIR-FIND-06", partner(ask, path, 0, covered), partners(file, 0, covered, 1))
    check("PAIR-FIND-06", partner(ask, path, 0, uncovered), ABSENT)


SHARED = bank_of(values(1), scales(1), values(1, v.DOWN), num_entries=2)


@clause("PAIR-FIND-07")
@cases(first=0, second=2)
def test_two_values_share_their_scales(ask: Ask, case: int) -> None:
    """Two values schemas of one number both have the one scales schema as partner."""
    path = ask.file("layer.lyrw", SHARED)
    for entry in range(2):
        check("PAIR-FIND-07", partner(ask, path, 0, entry, case), partners(SHARED, 0, entry, 1))
