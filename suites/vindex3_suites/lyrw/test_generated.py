"""Layer files of many shapes: enumerated ones, and ones that are drawn."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, islice
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.plugin.generated import generated
from pytest_vindex3.strategies.lyrw import cut_layer_files, knobs, layer_files, placed_layer_files
from vindex3_fixtures.lyrw import Knobs, LyrwFile, Place, cut, observation, sampled
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.asking import partner, region
from vindex3_suites.lyrw.expected import delivers, partners, truncated
from vindex3_suites.lyrw.parts import part
from vindex3_suites.lyrw.test_region import check_regions

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

SHAPES = {
    "one_bank": Knobs(schemas=3, entries=4),
    "three_banks": Knobs(more_banks=2, schemas=4, entries=4),
    "segments": Knobs(more_banks=1, schemas=3, entries=9, more_segments=3),
    "split": Knobs(more_banks=1, schemas=3, entries=9, more_segments=2, split=True),
    "permuted": Knobs(more_banks=1, schemas=3, entries=4, permuted=True, gaps=True),
    "pairs": Knobs(more_banks=1, schemas=6, entries=3, pairs=True),
    "everything": Knobs(0, 2, 5, 5, 3, split=True, permuted=True, gaps=True, pairs=True),
}
FILES_A_SHAPE = 3


def _seeded(ask: Ask, shape: Knobs) -> list[LyrwFile]:
    """Files of this shape that have regions, made from the seed of the run."""
    made = (sampled(replace(shape, seed=ask.seed + position)) for position in count())
    return list(islice((file for file in made if file.places), FILES_A_SHAPE))


def _check_parts(ask: Ask, file: LyrwFile, *clause_ids: str) -> None:
    """Ask for the description, and judge by each clause the part that it is about."""
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", file))
    for clause_id in clause_ids:
        check(clause_id, reply, part(clause_id, observation(file)))


@clause("LYRW-TABLES-01", "LYRW-TABLES-05", "LYRW-TABLES-06")
@cases(SHAPES)
def test_files_of_a_shape_have_their_tables(ask: Ask, case: Knobs) -> None:
    """Files made from the seed of the run have the structure and the sums they were made with."""
    for file in _seeded(ask, case):
        _check_parts(ask, file, "LYRW-TABLES-01", "LYRW-TABLES-05", "LYRW-TABLES-06")


@clause("REGION-READ-01", "REGION-READ-02", "SEGMENTS-READ-08")
@cases(SHAPES)
def test_regions_of_a_shape_are_delivered(ask: Ask, case: Knobs) -> None:
    """Every region of files made from the seed of the run is delivered exactly."""
    for file in _seeded(ask, case):
        check_regions(ask, file, "REGION-READ-01", "REGION-READ-02", "SEGMENTS-READ-08")


@clause("LYRW-TABLES-01", "LYRW-TABLES-05", "SEGMENTS-READ-01")
@generated(layer_files(unknown=False))
def test_a_drawn_file_has_its_tables(ask: Ask, drawn: LyrwFile) -> None:
    """Any legal file has the structure, the sum and the segments it was made with."""
    _check_parts(ask, drawn, "LYRW-TABLES-01", "LYRW-TABLES-05", "SEGMENTS-READ-01")


@clause("LYRW-HEADER-02", "LYRW-BANK-01", "LYRW-SCHEMA-01")
@generated(layer_files(unknown=False))
def test_a_drawn_file_has_its_fields(ask: Ask, drawn: LyrwFile) -> None:
    """Any legal file has the header, banks and schemas it was made with."""
    _check_parts(ask, drawn, "LYRW-HEADER-02", "LYRW-BANK-01", "LYRW-SCHEMA-01")


@clause("LYRW-TAGS-01", "LYRW-TAGS-02", "BROWSE-BITS-01")
@generated(layer_files(unknown=False))
def test_a_drawn_file_has_its_words(ask: Ask, drawn: LyrwFile) -> None:
    """Any legal file has the words of the tags it was made with."""
    _check_parts(ask, drawn, "LYRW-TAGS-01", "LYRW-TAGS-02", "BROWSE-BITS-01")


@clause("LYRW-HEADER-03", "LYRW-BANK-02", "BROWSE-BITS-03")
@generated(layer_files())
def test_a_drawn_file_keeps_its_unknown_bits(ask: Ask, drawn: LyrwFile) -> None:
    """Any legal file keeps and lists flag bits and bank kinds without a name."""
    _check_parts(ask, drawn, "LYRW-HEADER-03", "LYRW-BANK-02", "BROWSE-BITS-03")


@clause("LYRW-TAGS-03", "LYRW-TAGS-04", "LYRW-TAGS-05")
@generated(layer_files())
def test_a_drawn_file_keeps_its_unknown_tags(ask: Ask, drawn: LyrwFile) -> None:
    """Any legal file keeps and lists tags without a name."""
    _check_parts(ask, drawn, "LYRW-TAGS-03", "LYRW-TAGS-04", "LYRW-TAGS-05")


def _check_region(ask: Ask, file: LyrwFile, place: Place, *clause_ids: str) -> None:
    numbers = (file.all_segments[place.segment].bank_id, place.entry, place.schema)
    reply = region(ask, ask.file("layer.lyrw", file), *numbers)
    for clause_id in clause_ids:
        check(clause_id, reply, delivers(file, *numbers))


@clause("REGION-READ-01", "REGION-READ-02", "REGION-READ-03")
@generated(placed_layer_files(banks=1, segments=1, split=False, unknown=False))
def test_a_drawn_region_is_delivered(ask: Ask, drawn: tuple[LyrwFile, Place]) -> None:
    """Any region of any file of one bank and segment is delivered exactly."""
    _check_region(ask, *drawn, "REGION-READ-01", "REGION-READ-02", "REGION-READ-03")


@clause("SEGMENTS-READ-07", "SEGMENTS-READ-08")
@generated(placed_layer_files(unknown=False))
def test_a_drawn_region_of_a_segment_is_delivered(ask: Ask, drawn: tuple[LyrwFile, Place]) -> None:
    """Any region of any file of several banks and segments is delivered exactly."""
    _check_region(ask, *drawn, "SEGMENTS-READ-07", "SEGMENTS-READ-08")


@clause("LYRW-TABLES-02")
@generated(cut_layer_files(unknown=False))
def test_a_drawn_cut_is_truncated(ask: Ask, drawn: tuple[LyrwFile, int]) -> None:
    """Cut anywhere between header and entry tables, a file is truncated at the first record cut."""
    file, length = drawn
    legal = ask("lyrw.parse", path=ask.file("legal.lyrw", file))
    check("LYRW-TABLES-02", legal, part("LYRW-TABLES-02", observation(file)))
    wrong = ask("lyrw.parse", path=ask.file("wrong.lyrw", replace(file, length=length)))
    check("LYRW-TABLES-02", wrong, truncated(*cut(file, length)))


def _resolvable(file: LyrwFile) -> list[tuple[Place, int]]:
    """Places of schemas of which exactly one other has role scales and their number, and which one."""
    found = []
    for place in file.places:
        bank = file.bank(file.all_segments[place.segment].bank_id)
        schemas = bank.schemas if bank else ()
        scales = [
            index
            for index, schema in enumerate(schemas)
            if schema.role == v.SCALES and schema.pair_id == schemas[place.schema].pair_id != v.UNPAIRED
        ]
        if len(scales) == 1 and schemas[place.schema].packing == v.BLOCKS_VALUES:
            found.append((place, scales[0]))
    return found


def _with_pairs(shape: Knobs) -> LyrwFile:
    """A file of this shape, grown so far that it is likely to have pairs."""
    return sampled(replace(shape, pairs=True, schemas=shape.schemas + 4, entries=shape.entries + 1))


@clause("PAIR-FIND-01", "PAIR-FIND-02")
@generated(
    knobs(banks=1, schemas=2, entries=4, segments=1, split=False, unknown=False)
    .map(_with_pairs)
    .filter(lambda file: bool(_resolvable(file)))
)
def test_a_drawn_pair_is_resolved(ask: Ask, drawn: LyrwFile) -> None:
    """Any values schema of any legal file has the partner that equal numbers give."""
    path = ask.file("layer.lyrw", drawn)
    for place, scales in _resolvable(drawn):
        bank_id = drawn.all_segments[place.segment].bank_id
        reply = partner(ask, path, bank_id, place.entry, place.schema)
        for clause_id in ("PAIR-FIND-01", "PAIR-FIND-02"):
            check(clause_id, reply, partners(drawn, bank_id, place.entry, scales))
