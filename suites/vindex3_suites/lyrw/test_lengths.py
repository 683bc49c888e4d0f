"""Lengths of regions: by format, packing, rows and cols, or by nobody."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.lyrw import Place, Schema
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.finding import CLEAN, check_found, defect, reports, verify
from vindex3_suites.lyrw.ruled import PARTIAL, RULED, UNRULED, Partial, Ruled, file_of
from vindex3_suites.lyrw.samples import DENSE, DOWN, GATE, bank_of, scales, values

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


def _mismatch(ruled: Ruled, entry: int, length: int) -> object:
    return defect(
        "region-length-mismatch",
        bank_id=6,
        entry=entry,
        schema_index=1,
        role=ruled.role,
        format=ruled.word,
        length=length,
        expected=ruled.length,
    )


@clause("REGION-LENGTH-01")
@cases(RULED)
def test_another_length_is_found(ask: Ask, case: Ruled) -> None:
    """A region one byte longer or shorter than its rule, or empty, is listed with both lengths."""
    legal = file_of(case, case.length)
    check("REGION-LENGTH-01", verify(ask, "legal.lyrw", legal), CLEAN)
    for length in (case.length + 1, case.length - 1, 0, 2 * case.length):
        wrong = replace(legal, lengths={Place(0, 1, 1): length})
        found = _mismatch(case, 1, length)
        check("REGION-LENGTH-01", verify(ask, "wrong.lyrw", wrong), reports(found))


@clause("REGION-LENGTH-01")
@cases(
    q4_k_with_the_length_of_q6_k=(RULED["q4_k"], 1260),
    q6_k_with_the_length_of_q4_k=(RULED["q6_k"], 288),
    q8_0_with_the_length_of_q4_0=(RULED["q8_0"], 162),
    f32_with_the_length_of_f16=(RULED["f32"], 12),
    bf16_with_the_length_of_f32=(RULED["bf16"], 140),
    inline_with_the_length_of_values=(RULED["mxfp4_inline"], 64),
    values_with_the_length_of_inline=(RULED["mxfp4_values"], 68),
    nvfp4_without_its_scale=(RULED["nvfp4_inline"], 54),
    as_many_bytes_as_values=(RULED["q4_0"], 128),
)
def test_the_length_of_another_format_is_found(ask: Ask, case: tuple[Ruled, int]) -> None:
    """Every region of a schema that has the length of another format or packing is listed."""
    ruled, length = case
    found = (_mismatch(ruled, entry, length) for entry in (0, 1))
    check_found(ask, "REGION-LENGTH-01", file_of(ruled), file_of(ruled, length), *found)


@clause("REGION-LENGTH-02")
@cases(PARTIAL)
def test_a_partial_block_is_found(ask: Ask, case: Partial) -> None:
    """A width that the block does not divide is listed with cols and block."""
    schema = Schema(v.UP, case.format, case.packing, rows=2, cols=case.cols)
    legal = bank_of(GATE, replace(schema, cols=2 * case.block), bank_id=6)
    found = defect("partial-block", bank_id=6, schema_index=1, cols=case.cols, block=case.block)
    wrong = bank_of(GATE, schema, bank_id=6)
    check_found(ask, "REGION-LENGTH-02", legal, wrong, found, also=("region-length-mismatch",))


@clause("REGION-LENGTH-02")
def test_partial_blocks_of_a_pair_are_found(ask: Ask) -> None:
    """Values and scales of half a block are both listed."""
    legal = bank_of(values(1), scales(1))
    wrong = bank_of(replace(values(1), cols=48), replace(scales(1), cols=48))
    found = (defect("partial-block", bank_id=0, schema_index=k, cols=48, block=32) for k in (0, 1))
    check_found(ask, "REGION-LENGTH-02", legal, wrong, *found, also=("region-length-mismatch",))


@clause("REGION-LENGTH-02")
@cases(
    no_rows=replace(GATE, rows=0),
    no_cols=replace(GATE, cols=0),
    neither=replace(GATE, rows=0, cols=0),
    no_cols_of_blocks=replace(GATE, format=v.Q4_K, cols=0),
    no_rows_of_blocks=replace(GATE, format=v.Q8_0, rows=0, cols=64),
    without_a_rule=replace(GATE, format=77, rows=0, length=5),
)
def test_a_zero_dimension_is_found(ask: Ask, case: Schema) -> None:
    """A schema without rows or without cols is listed, whatever its format."""
    found = defect("zero-dimension", bank_id=6, schema_index=1)
    legal, wrong = (bank_of(DOWN, schema, bank_id=6) for schema in (GATE, case))
    check_found(ask, "REGION-LENGTH-02", legal, wrong, found)


@clause("REGION-LENGTH-03")
@cases(RULED)
def test_exact_lengths_are_accepted(ask: Ask, case: Ruled) -> None:
    """Regions of exactly the length of their rule are no defect; of one byte less they are."""
    found = _mismatch(case, 1, case.length - 1)
    wrong = replace(file_of(case), lengths={Place(0, 1, 1): case.length - 1})
    check_found(ask, "REGION-LENGTH-03", file_of(case, case.length), wrong, found)


@clause("REGION-LENGTH-03")
@cases(UNRULED)
def test_without_a_rule_any_length_is_accepted(ask: Ask, case: tuple[int, int]) -> None:
    """Where no rule gives a length none is judged, nor are cols; a ruled schema beside it is."""
    unruled = Schema(v.UP, *case, rows=3, cols=5, length=1)
    lengths = {Place(0, 0, 1): 0, Place(0, 1, 1): 61}
    legal = replace(bank_of(GATE, unruled, bank_id=6, num_entries=3), lengths=lengths)
    wrong = replace(legal, lengths={**lengths, Place(0, 2, 0): 25})
    found = defect("region-length-mismatch", bank_id=6, entry=2, schema_index=0, length=25, expected=24)
    check_found(ask, "REGION-LENGTH-03", legal, wrong, found)


@clause("REGION-LENGTH-01")
def test_each_row_is_judged_by_its_own_schema(ask: Ask) -> None:
    """Of schemas that take turns, the one whose region is too long is named, in its own entry."""
    legal = replace(DENSE, banks=(replace(DENSE.banks[0], num_entries=5),))
    wrong = replace(legal, lengths={Place(0, 3, 2): 12, Place(0, 4, 0): 20})
    found = (
        defect("region-length-mismatch", entry=3, schema_index=2, role="down", length=12, expected=8),
        defect("region-length-mismatch", entry=4, schema_index=0, role="gate", length=20, expected=24),
    )
    check_found(ask, "REGION-LENGTH-01", legal, wrong, *found)
