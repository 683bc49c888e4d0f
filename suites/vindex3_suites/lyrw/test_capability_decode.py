"""Decoding a region and splitting a fused one: refused where a tag cannot be worked with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.lyrw import LyrwFile, Schema
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.operations import (
    FORMATS,
    LAYOUTS,
    PACKINGS,
    but,
    forbidden,
    judged,
    permitted,
    reason,
    supporting,
    unsupported,
)
from vindex3_suites.lyrw.role_banks import layer_of, schema
from vindex3_suites.lyrw.samples import DOWN, GATE, bank_of, scales, values

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

DECODE = permitted("decode")
BY_TAG = {"format": FORMATS, "packing": PACKINGS}


def _refused(schema_index: int, role: str | int, field: str, value: str | int, bank_id: int = 6) -> Any:
    names = {"bank_id": bank_id, "schema_index": schema_index, "role": role, "field": field, "value": value}
    return forbidden("decode", unsupported("decode", **names))


UNKNOWN: dict[str, tuple[Schema, str, str | int, str, int]] = {
    "format": (schema("up", format=77), "up", "up", "format", 77),
    "first_unknown_format": (schema("up", format=11), "up", "up", "format", 11),
    "largest_format": (schema("down", format=65535), "down", "down", "format", 65535),
    "packing": (schema("up", packing=9), "up", "up", "packing", 9),
    "first_unknown_packing": (schema("up", packing=4), "up", "up", "packing", 4),
    "format_of_an_unknown_role": (schema(300, format=12), "up", 300, "format", 12),
}


@clause("CAPABILITY-DECODE-01")
@cases(UNKNOWN)
def test_an_unknown_tag_refuses_decode(ask: Ask, case: tuple[Schema, str, str | int, str, int]) -> None:
    """Decode of a region with an unknown format or packing names bank, schema, role, field and value."""
    wrong, twin, role, field, value = case
    legal = layer_of("gate", twin, bank_id=6)
    check("CAPABILITY-DECODE-01", judged(ask, legal, "decode", 6, schema_index=1), DECODE)
    reply = judged(ask, layer_of("gate", wrong, bank_id=6), "decode", 6, schema_index=1)
    check("CAPABILITY-DECODE-01", reply, _refused(1, role, field, value))


def _of_format(form: int) -> LyrwFile:
    """A region of this format, inline where it has blocks, beside one of another."""
    packing = v.ROW_MAJOR if form <= v.BF16 else v.BLOCKS_WITH_SCALES_INLINE
    other = schema("gate", format=(form + 1) % len(FORMATS))
    return layer_of(other, schema("up", format=form, packing=packing, cols=256), bank_id=6)


@clause("CAPABILITY-DECODE-01")
@cases({word: tag for tag, word in v.FORMATS.items()})
def test_a_format_that_is_not_supported_refuses_decode(ask: Ask, case: int) -> None:
    """Every known format is decoded unless supports leaves it out; then its word is named."""
    file, word = _of_format(case), v.FORMATS[case]
    legal = judged(ask, file, "decode", 6, schema_index=1, supports=supporting(formats=[word]))
    check("CAPABILITY-DECODE-01", legal, DECODE)
    check("CAPABILITY-DECODE-01", judged(ask, file, "decode", 6, schema_index=1), DECODE)
    without = supporting(formats=but(FORMATS, word))
    reply = judged(ask, file, "decode", 6, schema_index=1, supports=without)
    check("CAPABILITY-DECODE-01", reply, _refused(1, "up", "format", word))


PACKED = {
    "row_major": layer_of("gate", "up", bank_id=6),
    "blocks_with_scales_inline": layer_of(
        "gate", schema("up", format=v.MXFP4, packing=v.BLOCKS_WITH_SCALES_INLINE, cols=32), bank_id=6
    ),
    "blocks_values": bank_of(GATE, values(1), scales(1), bank_id=6),
}


@clause("CAPABILITY-DECODE-01")
@cases({word: word for word in PACKED})
def test_a_packing_that_is_not_supported_refuses_decode(ask: Ask, case: str) -> None:
    """A known packing that supports leaves out is refused by its word."""
    file = PACKED[case]
    check("CAPABILITY-DECODE-01", judged(ask, file, "decode", 6, schema_index=1), DECODE)
    without = supporting(packings=but(PACKINGS, case))
    reply = judged(ask, file, "decode", 6, schema_index=1, supports=without)
    check("CAPABILITY-DECODE-01", reply, _refused(1, "up", "packing", case))


@clause("CAPABILITY-DECODE-01")
def test_a_region_is_named_by_its_role_too(ask: Ask) -> None:
    """Asked by role, the schema that has it is judged and named."""
    file = layer_of("gate", schema("down", format=77), "up", bank_id=6)
    check("CAPABILITY-DECODE-01", judged(ask, file, "decode", 6, role="up"), DECODE)
    reply = judged(ask, file, "decode", 6, role="down")
    check("CAPABILITY-DECODE-01", reply, _refused(1, "down", "format", 77))


@clause("CAPABILITY-DECODE-01")
def test_the_bank_that_is_asked_is_judged(ask: Ask) -> None:
    """Equal schema numbers of two banks are told apart."""
    good, bad = layer_of("gate", bank_id=2), layer_of(schema("gate", format=77), bank_id=6)
    file = replace(good, banks=good.banks + bad.banks)
    check("CAPABILITY-DECODE-01", judged(ask, file, "decode", 2, schema_index=0), DECODE)
    reply = judged(ask, file, "decode", 6, schema_index=0)
    check("CAPABILITY-DECODE-01", reply, _refused(0, "gate", "format", 77))


@clause("CAPABILITY-DECODE-01")
def test_nothing_may_be_supported(ask: Ask) -> None:
    """An empty list of formats supports none."""
    file = layer_of("gate", "up", bank_id=6)
    check("CAPABILITY-DECODE-01", judged(ask, file, "decode", 6, schema_index=1), DECODE)
    reply = judged(ask, file, "decode", 6, schema_index=1, supports=supporting(formats=[]))
    check("CAPABILITY-DECODE-01", reply, _refused(1, "up", "format", "f32"))


@clause("CAPABILITY-DECODE-02")
@cases(
    format_before=layer_of(schema("gate", format=77), "up"),
    packing_before=layer_of(schema("gate", packing=77), "up"),
    role_before=layer_of(300, "up"),
    format_behind=layer_of("gate", "up", schema("down", format=77)),
    layout_beside=layer_of(schema("gate_up_fused", layout=9), "up"),
    unpaired_values_beside=bank_of(values(5, v.GATE), replace(DOWN, role=v.UP)),
    kind_and_flags_of_the_bank=layer_of("gate", "up", kind=9, flags=0xFFF4),
)
def test_a_tag_of_another_schema_refuses_nothing(ask: Ask, case: LyrwFile) -> None:
    """What one schema has that nobody knows leaves decode of its neighbour alone."""
    check("CAPABILITY-DECODE-02", judged(ask, case, "decode", schema_index=1), DECODE)
    check("CAPABILITY-DECODE-02", judged(ask, case, "decode", role="up"), DECODE)


PAIRED = bank_of(values(3), scales(3), bank_id=6)


@clause("CAPABILITY-DECODE-03")
@cases(
    no_scales=(bank_of(values(3), bank_id=6), 3),
    scales_of_another_number=(bank_of(values(3), scales(4), bank_id=6), 3),
    unpaired_scales=(bank_of(values(3), replace(DOWN, role=v.SCALES), bank_id=6), 3),
    number_0=(bank_of(values(0), scales(1), bank_id=6), 0),
)
def test_values_without_scales_are_not_decoded(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """Decode of block values that no scales belong to is refused as missing-partner."""
    check("CAPABILITY-DECODE-03", judged(ask, PAIRED, "decode", 6, schema_index=0), DECODE)
    file, pair_id = case
    missing = reason("missing-partner", bank_id=6, schema_index=0, pair_id=pair_id)
    reply = judged(ask, file, "decode", 6, schema_index=0)
    check("CAPABILITY-DECODE-03", reply, forbidden("decode", missing))


@clause("CAPABILITY-DECODE-03")
@cases(two=2, three=3)
def test_values_with_several_scales_are_not_decoded(ask: Ask, case: int) -> None:
    """Decode of block values that several scales belong to is refused as ambiguous-partner."""
    check("CAPABILITY-DECODE-03", judged(ask, PAIRED, "decode", 6, schema_index=0), DECODE)
    file = bank_of(values(3), *[scales(3)] * case, bank_id=6)
    ambiguous = reason("ambiguous-partner", bank_id=6, pair_id=3)
    reply = judged(ask, file, "decode", 6, schema_index=0)
    check("CAPABILITY-DECODE-03", reply, forbidden("decode", ambiguous))


@clause("CAPABILITY-DECODE-03")
@cases(
    scales_first=(bank_of(scales(3), values(3)), 1),
    two_pairs=(bank_of(values(1), values(2, v.DOWN), scales(2), scales(1)), 1),
    shared_scales=(bank_of(values(1), scales(1), values(1, v.DOWN)), 2),
    numbers_that_look_like_indices=(bank_of(values(1), scales(0), values(0, v.DOWN), scales(1)), 0),
)
def test_values_with_their_scales_are_decoded(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """With exactly one partner, wherever it stands, decode is permitted."""
    file, schema_index = case
    check("CAPABILITY-DECODE-03", judged(ask, file, "decode", schema_index=schema_index), DECODE)


SPLIT = permitted("split-fused")


def _fused(layout: int, **values: Any) -> LyrwFile:
    return layer_of("down", schema("gate_up_fused", layout=layout, **values), bank_id=6)


@clause("CAPABILITY-SPLIT-01")
@cases(unspecified=(0, "unspecified"), first_unknown=(3, 3), unknown=(9, 9), largest=(65535, 65535))
def test_a_layout_that_is_not_said_is_not_split(ask: Ask, case: tuple[int, str | int]) -> None:
    """split-fused over an unspecified or unknown layout is refused; nothing is assumed in its place."""
    check("CAPABILITY-SPLIT-01", judged(ask, _fused(1), "split-fused", 6, schema_index=1), SPLIT)
    layout, value = case
    names = {"bank_id": 6, "schema_index": 1, "field": "layout", "value": value}
    expected = forbidden("split-fused", unsupported("split-fused", **names))
    check("CAPABILITY-SPLIT-01", judged(ask, _fused(layout), "split-fused", 6, schema_index=1), expected)
    check(
        "CAPABILITY-SPLIT-01", judged(ask, _fused(layout), "split-fused", 6, role="gate_up_fused"), expected
    )


@clause("CAPABILITY-SPLIT-01")
def test_a_support_for_unspecified_splits_nothing(ask: Ask) -> None:
    """Even where supports lists the word, unspecified says nothing that could be split by."""
    supports = supporting(layouts=["contiguous_halves", "unspecified"])
    legal = judged(ask, _fused(1), "split-fused", 6, schema_index=1, supports=supports)
    check("CAPABILITY-SPLIT-01", legal, SPLIT)
    names = {"bank_id": 6, "schema_index": 1, "field": "layout", "value": "unspecified"}
    reply = judged(ask, _fused(0), "split-fused", 6, schema_index=1, supports=supports)
    check("CAPABILITY-SPLIT-01", reply, forbidden("split-fused", unsupported("split-fused", **names)))


@clause("CAPABILITY-SPLIT-02")
@cases(contiguous_halves=1, interleaved=2)
def test_a_known_layout_is_split(ask: Ask, case: int) -> None:
    """Both layouts are split by default and where supports has them, and not where it lacks them."""
    file, word = _fused(case), v.LAYOUTS[case]
    check("CAPABILITY-SPLIT-02", judged(ask, file, "split-fused", 6, schema_index=1), SPLIT)
    having = judged(ask, file, "split-fused", 6, schema_index=1, supports=supporting(layouts=[word]))
    check("CAPABILITY-SPLIT-02", having, SPLIT)
    lacking = supporting(layouts=but(LAYOUTS, word))
    names = {"bank_id": 6, "schema_index": 1, "field": "layout", "value": word}
    reply = judged(ask, file, "split-fused", 6, schema_index=1, supports=lacking)
    check("CAPABILITY-SPLIT-02", reply, forbidden("split-fused", unsupported("split-fused", **names)))


@clause("CAPABILITY-SPLIT-02")
@cases(
    unknown_format=_fused(1, format=77),
    unknown_packing=_fused(2, packing=77),
    f16=_fused(2, format=v.F16),
    beside_an_unspecified_one=replace(
        _fused(1), banks=(*_fused(1).banks, layer_of(schema("gate_up_fused", layout=0), bank_id=7).banks[0])
    ),
)
def test_splitting_asks_for_the_layout_alone(ask: Ask, case: LyrwFile) -> None:
    """What else a fused region has does not matter to where its rows lie."""
    check("CAPABILITY-SPLIT-02", judged(ask, case, "split-fused", 6, schema_index=1), SPLIT)
