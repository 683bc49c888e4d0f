"""Lengths of regions in a plan: by rule, as given, or refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, refuses
from vindex3_fixtures.lyrw import LyrwFile, Place, Schema
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.lyrw.plan import plan
from vindex3_suites.lyrw.planning import REMOVED, edited, laid, lay
from vindex3_suites.lyrw.ruled import INLINE, MXFP4, PARTIAL, PLAIN, RULED, UNRULED, Partial, Ruled, file_of
from vindex3_suites.lyrw.samples import DOWN, GATE, UP, bank_of

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers


def _lengths(*lengths: int) -> Answers:
    """The lengths of all regions in file order."""
    return answers(regions=[{"length": length} for length in lengths])


def _lay_one(ask: Ask, form: int, packing: int, rows: int, cols: int) -> Reply:
    """The layout of one region of these tags and this shape."""
    return lay(ask, plan(bank_of(Schema(v.UP, form, packing, rows=rows, cols=cols))))


@clause("LAYOUT-LENGTH-01")
@cases(
    {name: (one.format, one.packing, one.rows, one.cols, one.length) for name, one in PLAIN.items()},
    f32_of_a_dense_layer=(v.F32, v.ROW_MAJOR, 6144, 2048, 50_331_648),
    bf16_of_a_dense_layer=(v.BF16, v.ROW_MAJOR, 6144, 2048, 25_165_824),
    q4_0_of_a_dense_layer=(v.Q4_0, v.ROW_MAJOR, 6144, 2048, 7_077_888),
    q8_0_inline_of_an_expert=(v.Q8_0, INLINE, 12288, 2048, 26_738_688),
    q4_k_of_an_expert=(v.Q4_K, v.ROW_MAJOR, 12288, 2048, 14_155_776),
    q6_k_of_an_expert=(v.Q6_K, v.ROW_MAJOR, 6144, 3584, 18_063_360),
    nvfp4_of_an_expert=(v.NVFP4, INLINE, 12288, 2048, 14_155_780),
    one_row=(v.Q6_K, INLINE, 1, 256, 210),
    one_block=(v.NVFP4, INLINE, 1, 16, 13),
)
def test_a_length_follows_from_tags_and_shape(ask: Ask, case: tuple[int, int, int, int, int]) -> None:
    """Each format and packing has so many bytes for its rows and cols."""
    *tags, length = case
    check("LAYOUT-LENGTH-01", _lay_one(ask, *tags), _lengths(length))


@clause("LAYOUT-LENGTH-02")
@cases(MXFP4)
def test_a_length_of_mxfp4_follows_its_packing(ask: Ask, case: Ruled) -> None:
    """Inline blocks have 17 bytes for 32 values, values apart 16 and their scales 1."""
    file = file_of(case)
    check("LAYOUT-LENGTH-02", lay(ask, plan(file)), laid(file))
    own = [{"schema_index": 0}, {"schema_index": 1, "length": case.length}]
    partner = [{"schema_index": 2}] * (len(file.banks[0].schemas) - 2)
    check("LAYOUT-LENGTH-02", lay(ask, plan(file)), answers(regions=[*own, *partner] * 2))


@clause("LAYOUT-LENGTH-02")
def test_scales_have_the_shape_of_their_values(ask: Ask) -> None:
    """Fused values of 12288 x 2048 have scales of 12288 x 2048, a byte for 32 of them."""
    pair = [
        Schema(v.GATE_UP_FUSED, v.MXFP4, v.BLOCKS_VALUES, 1, v.CONTIGUOUS_HALVES, 12288, 2048),
        Schema(v.SCALES, v.MXFP4, v.BLOCKS_SCALES, 1, v.UNSPECIFIED, 12288, 2048),
    ]
    check("LAYOUT-LENGTH-02", lay(ask, plan(bank_of(*pair))), _lengths(12_582_912, 786_432))


def _unruled(length: int | None = 40) -> Schema:
    return Schema(v.UP, 77, v.ROW_MAJOR, rows=3, cols=32, length=length)


@clause("LAYOUT-REGION-03")
@cases(
    of_a_schema=(bank_of(GATE, _unruled(61), num_entries=2), (24, 61, 24, 61)),
    the_one_of_its_rule=(bank_of(replace(GATE, length=24)), (24,)),
    empty=(bank_of(_unruled(0), GATE), (0, 24)),
    of_known_tags_without_a_rule=(bank_of(Schema(v.UP, v.F32, INLINE, length=7)), (7,)),
    of_an_unknown_packing=(bank_of(Schema(v.UP, v.Q4_K, 9, cols=256, length=300)), (300,)),
    of_a_single_region=(
        replace(bank_of(GATE, _unruled(61), num_entries=3), lengths={Place(0, 1, 1): 5}),
        (24, 61, 24, 5, 24, 61),
    ),
    of_a_region_of_a_split_layer=(
        replace(
            bank_of(_unruled(8), num_entries=4), segments=None, flags=1, lengths={Place(0, 3, 0): 1 << 33}
        ),
        (8, 8, 8, 1 << 33),
    ),
)
def test_an_explicit_length_decides(ask: Ask, case: tuple[LyrwFile, tuple[int, ...]]) -> None:
    """A length that the plan gives, for a schema or for one region, is the length there."""
    file, lengths = case
    reply = lay(ask, plan(file))
    check("LAYOUT-REGION-03", reply, _lengths(*lengths))
    check("LAYOUT-REGION-03", reply, laid(file))


@clause("LAYOUT-REGION-03")
def test_every_region_may_have_a_length_of_its_own(ask: Ask) -> None:
    """Where each region of a schema is given a length, the schema needs none."""
    lengths = {Place(0, entry, 1): 10 + entry for entry in range(3)}
    document = plan(replace(bank_of(GATE, _unruled(), num_entries=3), lengths=lengths))
    document = edited(document, "banks", 0, "schemas", 1, "length", to=REMOVED)
    check("LAYOUT-REGION-03", lay(ask, document), _lengths(24, 10, 24, 11, 24, 12))


@clause("LAYOUT-REGION-04")
@cases(
    unknown_format=(77, v.ROW_MAJOR, 77, "row_major"),
    fp4_larql=(v.FP4_LARQL, v.ROW_MAJOR, "fp4_larql", "row_major"),
    fp4_larql_inline=(v.FP4_LARQL, INLINE, "fp4_larql", "blocks_with_scales_inline"),
    mxfp8=(v.MXFP8, INLINE, "mxfp8", "blocks_with_scales_inline"),
    mxfp4_row_major=(v.MXFP4, v.ROW_MAJOR, "mxfp4", "row_major"),
    nvfp4_row_major=(v.NVFP4, v.ROW_MAJOR, "nvfp4", "row_major"),
    f32_inline=(v.F32, INLINE, "f32", "blocks_with_scales_inline"),
    bf16_inline=(v.BF16, INLINE, "bf16", "blocks_with_scales_inline"),
    unknown_packing=(v.F16, 4, "f16", 4),
    both_unknown=(65535, 65535, 65535, 65535),
)
def test_an_unknown_length_is_refused(ask: Ask, case: tuple[int, int, int | str, int | str]) -> None:
    """Without a rule and without a length a schema is refused with its format and packing."""
    form, packing, format_word, packing_word = case
    file = bank_of(GATE, replace(_unruled(), format=form, packing=packing), bank_id=6)
    check("LAYOUT-REGION-04", lay(ask, plan(file)), laid(file))
    wrong = edited(plan(file), "banks", 0, "schemas", 1, "length", to=REMOVED)
    facts = {"bank_id": 6, "schema_index": 1, "format": format_word, "packing": packing_word}
    check("LAYOUT-REGION-04", lay(ask, wrong), refuses("unknown-length", **facts))


@clause("LAYOUT-REGION-04")
def test_a_length_for_some_regions_is_not_enough(ask: Ask) -> None:
    """Where one of three regions is given no length, its schema is refused."""
    lengths = {Place(0, entry, 1): 10 for entry in range(3)}
    file = replace(bank_of(GATE, _unruled(), bank_id=6, num_entries=3), lengths=lengths)
    legal = edited(plan(file), "banks", 0, "schemas", 1, "length", to=REMOVED)
    check("LAYOUT-REGION-04", lay(ask, legal), _lengths(24, 10, 24, 10, 24, 10))
    wrong = edited(legal, "lengths", to=legal["lengths"][1:])
    facts = {"bank_id": 6, "schema_index": 1, "format": 77, "packing": "row_major"}
    check("LAYOUT-REGION-04", lay(ask, wrong), refuses("unknown-length", **facts))


@clause("LAYOUT-REGION-05")
@cases(RULED)
def test_a_length_against_its_rule_is_refused(ask: Ask, case: Ruled) -> None:
    """An explicit length that is not the one of the rule is refused with both."""
    check("LAYOUT-REGION-05", lay(ask, plan(file_of(case, case.length))), laid(file_of(case)))
    for length in (case.length + 1, case.length - 1, 0):
        facts = {"bank_id": 6, "schema_index": 1, "length": length, "expected": case.length}
        wrong = plan(file_of(case, length))
        check("LAYOUT-REGION-05", lay(ask, wrong), refuses("region-length-mismatch", **facts))


@clause("LAYOUT-REGION-05")
def test_a_single_length_against_its_rule_is_refused(ask: Ask) -> None:
    """A length of one region that is not the one of its schema's rule is refused with both."""
    file = bank_of(DOWN, GATE, bank_id=6, num_entries=3)
    legal, wrong = (plan(replace(file, lengths={Place(0, 2, 1): length})) for length in (24, 25))
    check("LAYOUT-REGION-05", lay(ask, legal), laid(file))
    facts = {"bank_id": 6, "schema_index": 1, "length": 25, "expected": 24}
    check("LAYOUT-REGION-05", lay(ask, wrong), refuses("region-length-mismatch", **facts))


@clause("LAYOUT-REGION-06")
@cases(PARTIAL)
def test_a_partial_block_is_refused(ask: Ask, case: Partial) -> None:
    """A width that the block does not divide is refused with cols and block."""
    schema = Schema(v.UP, case.format, case.packing, rows=2, cols=2 * case.block)
    legal = bank_of(GATE, schema, bank_id=6)
    check("LAYOUT-REGION-06", lay(ask, plan(legal)), laid(legal))
    wrong = edited(plan(legal), "banks", 0, "schemas", 1, "cols", to=case.cols)
    facts = {"bank_id": 6, "schema_index": 1, "cols": case.cols, "block": case.block}
    check("LAYOUT-REGION-06", lay(ask, wrong), refuses("partial-block", **facts))


@clause("LAYOUT-REGION-06")
@cases(
    no_rows=(GATE, {"rows": 0}),
    no_cols=(GATE, {"cols": 0}),
    neither=(UP, {"rows": 0, "cols": 0}),
    no_cols_of_blocks=(Schema(v.UP, v.Q4_K, cols=256), {"cols": 0}),
    no_rows_of_blocks=(Schema(v.UP, v.Q8_0, cols=64), {"rows": 0}),
    without_a_rule=(_unruled(), {"rows": 0}),
)
def test_a_zero_dimension_is_refused(ask: Ask, case: tuple[Schema, dict[str, Any]]) -> None:
    """A schema without rows or without cols is refused, whatever its format."""
    schema, sizes = case
    legal = bank_of(DOWN, schema, bank_id=6)
    check("LAYOUT-REGION-06", lay(ask, plan(legal)), laid(legal))
    wrong = bank_of(DOWN, replace(schema, **sizes), bank_id=6)
    refused = refuses("zero-dimension", bank_id=6, schema_index=1)
    check("LAYOUT-REGION-06", lay(ask, plan(wrong)), refused)


@clause("LAYOUT-REGION-03")
@cases(UNRULED)
def test_without_a_rule_a_plan_gives_the_length(ask: Ask, case: tuple[int, int]) -> None:
    """Formats and packings without a rule are laid out by the length given, whatever their cols."""
    file = bank_of(Schema(v.UP, *case, rows=3, cols=5, length=61), num_entries=2)
    check("LAYOUT-REGION-03", lay(ask, plan(file)), _lengths(61, 61))
