"""Plans that writers refuse for their schemas, segments and counts, by their facts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, either, refuses
from vindex3_fixtures.lyrw import Bank, LyrwFile, Schema
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.lyrw.plan import payload, plan
from vindex3_suites.lyrw.finding import FieldOf
from vindex3_suites.lyrw.planning import (
    BOUNDED,
    check_twin,
    edited,
    on_disk,
    write,
    write_faulty,
    written,
)
from vindex3_suites.lyrw.samples import (
    DENSE,
    DOWN,
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
    from pytest_vindex3.plugin.expect import Expectation

MOST = 0xFFFFFFFF
PAIR = bank_of(scales(1), values(1), bank_id=6, num_entries=2)


@clause("LAYOUT-PLAN-03")
@cases(
    contiguous_halves=(v.CONTIGUOUS_HALVES, "unspecified"),
    interleaved=(v.INTERLEAVED, "unspecified"),
    the_first_unknown=(3, "unspecified"),
    the_largest=(65535, "unspecified"),
    by_number=(v.INTERLEAVED, 0),
)
def test_a_fused_schema_must_say_its_layout(ask: Ask, case: tuple[int, str | int]) -> None:
    """An unspecified layout of gate_up_fused is refused with bank and schema; any other is written."""
    layout, unspecified = case
    legal = bank_of(DOWN, replace(FUSED, layout=layout), bank_id=6, num_entries=2)
    check_twin(ask, "LAYOUT-PLAN-03", legal)
    wrong = edited(plan(legal), "banks", 0, "schemas", 1, "layout", to=unspecified)
    refused = refuses("undeclared-fused-layout", bank_id=6, schema_index=1)
    check("LAYOUT-PLAN-03", write_faulty(ask, wrong, legal), refused)


@clause("LAYOUT-PLAN-04")
@cases(
    row_major_with_a_number=(bank_of(DOWN, GATE, bank_id=6), {"pair_id": 0}, "inconsistent-pairing"),
    inline_with_a_number=(
        bank_of(DOWN, Schema(v.UP, v.Q8_0, v.BLOCKS_WITH_SCALES_INLINE, cols=32), bank_id=6),
        {"pair_id": 7},
        "inconsistent-pairing",
    ),
    values_without_a_number=(PAIR, {"pair_id": None}, "inconsistent-pairing"),
    values_with_the_number_of_none=(PAIR, {"pair_id": 65535}, "inconsistent-pairing"),
    halves_on_down=(bank_of(GATE, DOWN, bank_id=6), {"layout": "contiguous_halves"}, "layout-on-non-fused"),
    interleaved_on_up=(bank_of(GATE, UP, bank_id=6), {"layout": "interleaved"}, "layout-on-non-fused"),
    interleaved_on_bias_by_number=(
        bank_of(GATE, replace(UP, role=v.BIAS), bank_id=6),
        {"layout": 2},
        "layout-on-non-fused",
    ),
)
def test_schemas_are_judged_as_in_reading(ask: Ask, case: tuple[LyrwFile, dict[str, Any], str]) -> None:
    """What opening a file refuses of a schema is refused of a plan by the same kind."""
    legal, fields, kind = case
    check_twin(ask, "LAYOUT-PLAN-04", legal)
    schema = {**plan(legal)["banks"][0]["schemas"][1], **fields}
    wrong = edited(plan(legal), "banks", 0, "schemas", 1, to=schema)
    check("LAYOUT-PLAN-04", write_faulty(ask, wrong, legal), refuses(kind, bank_id=6))


@clause("LAYOUT-PLAN-04")
@cases(
    undeclared_bank=({"bank_id": 9}, "unknown-bank", 9),
    the_position_of_a_bank=({"bank_id": 0}, "unknown-bank", 0),
    one_entry_too_many=({"entry_count": 3}, "segment-out-of-bounds", 7),
    behind_the_last_entry=({"first_entry": 4, "entry_count": 1}, "segment-out-of-bounds", 7),
    a_sum_that_wraps=({"first_entry": 1, "entry_count": MOST}, "segment-out-of-bounds", 7),
)
def test_segments_are_judged_as_in_reading(ask: Ask, case: tuple[dict[str, int], str, int]) -> None:
    """A segment of an undeclared bank, or one beyond its bank, is refused with the bank."""
    fields, kind, bank_id = case
    check_twin(ask, "LAYOUT-PLAN-04", SPLIT)
    wrong = edited(plan(SPLIT), "segments", 0, to={**plan(SPLIT)["segments"][0], **fields})
    limits = BOUNDED if MOST in fields.values() else None
    check("LAYOUT-PLAN-04", write_faulty(ask, wrong, SPLIT, limits), refuses(kind, bank_id=bank_id))


@clause("LAYOUT-PLAN-05")
@cases(
    no_scales=(bank_of(GATE, values(1), bank_id=6), 1),
    scales_of_another_number=(bank_of(scales(2), values(1), bank_id=6), 1),
    number_0=(bank_of(GATE, values(0), bank_id=6), 0),
    another_role=(bank_of(scales(1, v.BIAS), values(1), bank_id=6), 1),
    in_another_bank=(
        LyrwFile(banks=(Bank((scales(1),)), Bank((GATE, values(1)), bank_id=6))),
        1,
    ),
)
def test_values_need_their_scales(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """A values schema without scales of its number in its bank is refused with the number."""
    wrong, pair_id = case
    check_twin(ask, "LAYOUT-PLAN-05", PAIR)
    refused = refuses("missing-partner", bank_id=6, schema_index=1, pair_id=pair_id)
    check("LAYOUT-PLAN-05", write_faulty(ask, plan(wrong), wrong), refused)


@clause("LAYOUT-PLAN-05")
@cases(
    two=(bank_of(values(4), scales(4), scales(4), bank_id=6), 4),
    three=(bank_of(scales(0), scales(0), values(0), scales(0), bank_id=6), 0),
    of_one_of_two_pairs=(bank_of(values(1), scales(1), values(2), scales(2), scales(2), bank_id=6), 2),
)
def test_values_need_one_schema_of_scales(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """A values schema with several scales is refused with the number; one may serve several values."""
    wrong, pair_id = case
    check_twin(ask, "LAYOUT-PLAN-05", bank_of(values(4), scales(4), values(4), bank_id=6))
    refused = refuses("ambiguous-partner", bank_id=6, pair_id=pair_id)
    check("LAYOUT-PLAN-05", write_faulty(ask, plan(wrong), wrong), refused)


def _contradicts(field: str, one: int, other: int) -> Expectation:
    """A count and the length of its list are named, either of them as the one expected."""
    ways = ((one, other), (other, one))
    first, second = (
        refuses("plan-mismatch", field=FieldOf((field,)), expected=expected, found=found)
        for expected, found in ways
    )
    return either(first, second)


@clause("LAYOUT-PLAN-06")
@cases(
    one_bank_more=(("header", "num_banks"), 2, 3),
    no_bank=(("header", "num_banks"), 2, 0),
    one_segment_less=(("header", "num_segments"), 3, 2),
    most_segments=(("header", "num_segments"), 3, 65535),
    one_schema_less=(("banks", 0, "region_schema_count"), 2, 1),
    one_schema_more_in_the_second_bank=(("banks", 1, "region_schema_count"), 3, 4),
)
def test_a_count_is_that_of_its_list(ask: Ask, case: tuple[tuple[str | int, ...], int, int]) -> None:
    """A count may be given; where its list has another length it is refused with both numbers."""
    way, true, stated = case
    legal = edited(plan(TWO_BANKS), *way, to=true)
    reply = write(ask, "legal.lyrw", legal, payload(TWO_BANKS))
    check("LAYOUT-PLAN-06", reply, written(TWO_BANKS))
    check("LAYOUT-PLAN-06", reply, on_disk(ask, "legal.lyrw", TWO_BANKS.data()))
    wrong = write_faulty(ask, edited(legal, *way, to=stated), TWO_BANKS)
    check("LAYOUT-PLAN-06", wrong, _contradicts(str(way[-1]), true, stated))


@clause("LAYOUT-PLAN-06")
@cases(first=(0, 1), second=(1, 0), third_as_second=(2, 1), the_largest=(2, 65535))
def test_a_schema_index_is_its_position(ask: Ask, case: tuple[int, int]) -> None:
    """A schema_index may be given; where it is not the position it is refused with both."""
    position, index = case
    legal = edited(plan(DENSE), "banks", 0, "schemas", position, "schema_index", to=position)
    reply = write(ask, "legal.lyrw", legal, payload(DENSE))
    check("LAYOUT-PLAN-06", reply, on_disk(ask, "legal.lyrw", DENSE.data()))
    wrong = edited(legal, "banks", 0, "schemas", position, "schema_index", to=index)
    refused = refuses("schema-index-mismatch", expected=position, found=index)
    check("LAYOUT-PLAN-06", write_faulty(ask, wrong, DENSE), refused)


@clause("LAYOUT-PLAN-06")
@cases(
    by_word=("direct", "strided"),
    as_none=("direct", "none"),
)
def test_browse_agrees_with_the_flags(ask: Ask, case: tuple[str, str]) -> None:
    """A browse mode may be given; where it is not that of the flags the plan contradicts itself."""
    true, stated = case
    reply = write(ask, "legal.lyrw", edited(plan(DENSE), "banks", 0, "browse", to=true), payload(DENSE))
    check("LAYOUT-PLAN-06", reply, on_disk(ask, "legal.lyrw", DENSE.data()))
    wrong = edited(plan(DENSE), "banks", 0, "browse", to=stated)
    check("LAYOUT-PLAN-06", write_faulty(ask, wrong, DENSE), refuses("plan-mismatch"))
