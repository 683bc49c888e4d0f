"""Verification as a whole: nothing on clean files, everything on others, and what is refused instead."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, either, free_order, refuses
from pytest_vindex3.plugin.generated import generated
from pytest_vindex3.strategies.lyrw_plans import planned_layer_files
from vindex3_fixtures.lyrw import Bank, LyrwFile, Place, Row, Schema, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.lyrw.sampled_plan import PlanKnobs, sampled_plan
from vindex3_suites.lyrw.finding import (
    CLEAN,
    check_found,
    defect,
    of_row,
    reports,
    segment_gap,
    segment_overlap,
    verify,
)
from vindex3_suites.lyrw.samples import (
    DENSE,
    DOWN,
    GATE,
    SMALLEST,
    SPLIT,
    TWO_BANKS,
    UP,
    bank_of,
    only,
    scales,
    values,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

PAIRED = bank_of(scales(9), values(9), num_entries=2)
EMPTY_AT_THE_END = bank_of(GATE, replace(UP, format=77, length=0))


def _check_clean(ask: Ask, clause_id: str, file: LyrwFile) -> None:
    """The file has no defect, and with a byte more it has that one."""
    end = file.file_length
    check_found(
        ask,
        clause_id,
        file,
        replace(file, trailing=b"\1"),
        defect("trailing-bytes", offset=end, length=1),
    )


@clause("LYRW-VERIFY-01")
@cases(
    smallest=SMALLEST,
    dense=DENSE,
    one_file_of_several=SPLIT,
    two_banks=TWO_BANKS,
    values_and_scales=PAIRED,
    an_empty_region_at_the_end=EMPTY_AT_THE_END,
    tables_that_end_on_64=bank_of(GATE, num_entries=3),
    banks_and_segments=sampled_plan(PlanKnobs(1, 2, 3, 6, 3, pairs=True)),
    formats_without_a_rule=sampled_plan(PlanKnobs(2, 1, 5, 3, unruled=True)),
    split=sampled_plan(PlanKnobs(3, 1, 3, 8, 2, split=True)),
    unknown_tags=sampled_plan(PlanKnobs(4, 2, 4, 3, 1, unruled=True, unknown=True)),
)
def test_a_file_by_the_rules_has_no_defect(ask: Ask, case: LyrwFile) -> None:
    """A file as a writer makes it has an empty list; the same file with one byte more has one defect."""
    _check_clean(ask, "LYRW-VERIFY-01", case)


@clause("LYRW-VERIFY-01")
@generated(planned_layer_files())
def test_a_drawn_file_by_the_rules_has_no_defect(ask: Ask, drawn: LyrwFile) -> None:
    """Any file as a writer makes it has an empty list."""
    _check_clean(ask, "LYRW-VERIFY-01", drawn)


def _with(file: LyrwFile, **fields: Any) -> LyrwFile:
    """The file with other fields of its first schema."""
    bank = file.banks[0]
    first = replace(bank.schemas[0], **fields)
    return replace(file, banks=(replace(bank, schemas=(first, *bank.schemas[1:])), *file.banks[1:]))


def _segment(segment: Segment) -> LyrwFile:
    """The dense file with this segment instead of its own."""
    return replace(DENSE, segments=(segment,), listed=False, length=DENSE.file_length)


@clause("LYRW-VERIFY-02")
@cases(
    empty=(replace(DENSE, length=0), "truncated"),
    no_header=(replace(DENSE, length=23), "truncated"),
    another_magic=(replace(DENSE, magic=b"WRYL"), "bad-magic"),
    version_1=(replace(DENSE, version=1), "wrong-generation"),
    version_1_header_alone=(replace(DENSE, version=1, length=24), "wrong-generation"),
    version_3=(replace(DENSE, version=3), "wrong-generation"),
    banks_cut=(replace(DENSE, length=47), "truncated"),
    segments_cut=(replace(DENSE, length=59), "truncated"),
    schemas_cut=(replace(DENSE, length=119), "truncated"),
    row_major_with_a_number=(_with(DENSE, pair_id=0), "inconsistent-pairing"),
    values_without_a_number=(_with(PAIRED, pair_id=v.UNPAIRED), "inconsistent-pairing"),
    layout_on_gate=(_with(DENSE, layout=v.INTERLEAVED), "layout-on-non-fused"),
    schema_index=(_with(DENSE, schema_index=1), "schema-index-mismatch"),
    undeclared_bank=(_segment(Segment(5)), "unknown-bank"),
    past_the_bank=(_segment(Segment(0, 0, 1, 1)), "segment-out-of-bounds"),
    past_the_bank_by_a_wrapping_sum=(
        _segment(Segment(0, 0, 0xFFFFFFFF, 2)),
        "segment-out-of-bounds",
    ),
    with_a_defect_besides=(replace(_with(DENSE, layout=v.INTERLEAVED), trailing=b"!"), "layout-on-non-fused"),
)
def test_what_parse_refuses_is_refused(ask: Ask, case: tuple[LyrwFile, str]) -> None:
    """A file that cannot be described cannot be verified either, and the kind is the same."""
    wrong, kind = case
    check("LYRW-VERIFY-02", verify(ask, "legal.lyrw", DENSE), CLEAN)
    check("LYRW-VERIFY-02", verify(ask, "wrong.lyrw", wrong), refuses(kind))


LAST = DENSE.places[-1]


@clause("LYRW-VERIFY-02")
@cases(
    misaligned=(replace(DENSE, at={LAST: 321}), "misaligned"),
    overlap=(replace(DENSE, rows={LAST: Row(256, 8)}, length=280), "overlap"),
    region_in_tables=(replace(DENSE, rows={LAST: Row(64, 8)}, length=280), "region-in-tables"),
    region_out_of_bounds=(replace(DENSE, length=327), "region-out-of-bounds"),
    trailing_bytes=(replace(DENSE, trailing=b"!"), "trailing-bytes"),
    padding_after_the_tables=(replace(DENSE, patches=((168, b"!"),)), "non-zero-padding"),
    no_segments=(replace(DENSE, segments=(), flags=1), "no-segments"),
    empty_bank=(replace(DENSE, banks=(*DENSE.banks, Bank((GATE,), 4, num_entries=0))), "empty-bank"),
    duplicate_bank_id=(
        replace(DENSE, banks=(*DENSE.banks, Bank((GATE,))), segments=(Segment(),)),
        "duplicate-bank-id",
    ),
    segment_gap=(replace(SPLIT, flags=0), "segment-gap"),
    segment_overlap=(replace(DENSE, segments=(Segment(), Segment(0, 1))), "segment-overlap"),
    missing_partner=(only(values(1)), "missing-partner"),
    ambiguous_partner=(bank_of(values(1), scales(1), scales(1)), "ambiguous-partner"),
    entry_table_cut=(replace(DENSE, length=167), "truncated"),
)
def test_what_has_a_defect_kind_is_listed(ask: Ask, case: tuple[LyrwFile, str]) -> None:
    """A fault that a reader may refuse is never refused by verification, but listed."""
    wrong, kind = case
    check("LYRW-VERIFY-02", verify(ask, "legal.lyrw", DENSE), CLEAN)
    consequences = ("segment-gap", "region-out-of-bounds")
    listed = reports({"kind": kind}, also=consequences)
    check("LYRW-VERIFY-02", verify(ask, "wrong.lyrw", wrong), listed)


@clause("LYRW-VERIFY-02")
@cases(
    unknown_packing_with_a_number=(replace(GATE, packing=9, pair_id=3, length=24), "inconsistent-pairing"),
    unknown_layout_on_gate=(replace(GATE, layout=3), "layout-on-non-fused"),
    known_layout_on_an_unknown_role=(replace(GATE, role=300, layout=v.INTERLEAVED), "layout-on-non-fused"),
)
def test_an_unknown_tag_leaves_the_choice(ask: Ask, case: tuple[Schema, str]) -> None:
    """Where an unknown tag takes part, the rule of pairing or layout may be listed, refused or ignored."""
    schema, kind = case
    check("LYRW-VERIFY-02", verify(ask, "legal.lyrw", only(GATE)), CLEAN)
    ignored = answers(defects=free_order([], {"kind": kind}))
    check("LYRW-VERIFY-02", verify(ask, "wrong.lyrw", only(schema)), either(ignored, refuses(kind)))


MANY = replace(TWO_BANKS, banks=(TWO_BANKS.banks[0], replace(TWO_BANKS.banks[1], num_entries=2)))
ROUTED, SHARED = MANY.places[0], MANY.places[4]


@clause("LYRW-VERIFY-03")
@cases(
    two_rows=(
        replace(MANY, at={ROUTED: MANY.stored[ROUTED].offset + 8, SHARED: MANY.stored[SHARED].offset + 32}),
        (ROUTED, SHARED),
        (),
    ),
    a_row_and_two_bytes=(
        replace(MANY, at={SHARED: MANY.stored[SHARED].offset + 8}, patches=((410, b"!"),), trailing=b"!"),
        (SHARED,),
        (
            defect("non-zero-padding", offset=410),
            defect("trailing-bytes", offset=MANY.file_length, length=1),
        ),
    ),
    a_row_and_a_segment=(
        replace(MANY, at={ROUTED: MANY.stored[ROUTED].offset + 8}, segments=MANY.all_segments[:2]),
        (ROUTED,),
        (segment_gap(7, 2, 3),),
    ),
)
def test_no_defect_hides_another(ask: Ask, case: tuple[LyrwFile, tuple[Place, ...], tuple[Any, ...]]) -> None:
    """Unrelated faults of one file are all listed."""
    wrong, misaligned, others = case
    rows = (of_row("misaligned", wrong, place, "offset") for place in misaligned)
    check_found(ask, "LYRW-VERIFY-03", MANY, wrong, *rows, *others)


EVERYTHING = LyrwFile(
    banks=(
        Bank((values(1), replace(GATE, rows=0)), bank_id=3, num_entries=4),
        Bank((replace(GATE, format=v.Q4_K, cols=300, length=7),), bank_id=9, num_entries=2),
        Bank((DOWN,), bank_id=9),
        Bank((), bank_id=1),
    ),
    segments=(Segment(3, 5, 0, 2), Segment(3, 5, 1, 2), Segment(9, 0, 0, 2), Segment(1)),
    lengths={Place(0, 1, 0): 31},
    at={Place(2, 1, 0): 1025},
    patches=((700, b"!"),),
    trailing=bytes(3),
)


@clause("LYRW-VERIFY-03")
def test_one_file_with_everything_wrong(ask: Ask) -> None:
    """Twelve faults in tables, rows and bytes are all in one list."""
    found = (
        defect("duplicate-bank-id", bank_id=9),
        defect("empty-bank", bank_id=1, what="schemas"),
        defect("missing-partner", bank_id=3, schema_index=0, pair_id=1),
        defect("zero-dimension", bank_id=3, schema_index=1),
        defect("partial-block", bank_id=9, schema_index=0, cols=300, block=256),
        defect("duplicate-segment-index", bank_id=3, segment_index=5),
        segment_overlap(3, 5, 5, 1, 2),
        segment_gap(3, 3, 4),
        defect("region-length-mismatch", bank_id=3, entry=1, schema_index=0, length=31, expected=32),
        defect("misaligned", bank_id=9, entry=1, schema_index=0, offset=1025),
        defect("non-zero-padding", offset=700),
        defect("trailing-bytes", offset=1032, length=3),
    )
    also = ("region-length-mismatch", "segment-gap")
    check_found(ask, "LYRW-VERIFY-03", PAIRED, EVERYTHING, *found, also=also)


@clause("LYRW-VERIFY-03")
def test_defects_of_a_list_name_their_files(ask: Ask) -> None:
    """Of several files, each defect of one file alone names that file."""
    halves = [replace(SPLIT, segments=(Segment(7, index, 2 * index, 2),)) for index in (0, 1)]
    first, second = (ask.file(f"legal_{index}.lyrw", half) for index, half in enumerate(halves))
    check("LYRW-VERIFY-03", ask("lyrw.verify", path=[first, second]), CLEAN)
    moved = Place(0, 3, 1)
    faulty = [replace(halves[0], trailing=b"!"), replace(halves[1], at={moved: 392})]
    first, second = (ask.file(f"wrong_{index}.lyrw", half) for index, half in enumerate(faulty))
    trailing = defect("trailing-bytes", offset=halves[0].file_length, length=1, path=first)
    misaligned = defect(
        "misaligned", bank_id=7, entry=3, schema_index=1, role="down", offset=392, path=second
    )
    check("LYRW-VERIFY-03", ask("lyrw.verify", path=[first, second]), reports(trailing, misaligned))
