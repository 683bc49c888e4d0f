"""Walking the features of a bank: where its browse bits and packings allow it, and what it costs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.contract.patterns import one_of
from vindex3_fixtures.lyrw import LyrwFile, Schema, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.operations import forbidden, judged, permitted, unsupported
from vindex3_suites.lyrw.role_banks import layer_of, schema
from vindex3_suites.lyrw.samples import bank_of, scales, values, with_flags

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

WALK = permitted("walk")
PLAIN = layer_of("gate", "up", "down", bank_id=6)
INLINE = schema("up", format=v.MXFP4, packing=v.BLOCKS_WITH_SCALES_INLINE, cols=32)


@clause("BROWSE-WALK-01")
@cases(none=(0, "none"), none_with_other_bits=(0xFFFC, "none"), both_bits=(3, one_of("none", 3)))
def test_a_bank_that_is_not_browsed_is_not_walked(ask: Ask, case: tuple[int, object]) -> None:
    """Walk on a bank with browse none is refused, naming bank and browse; both bits are none too."""
    legal = with_flags(PLAIN, v.DIRECT)
    check("BROWSE-WALK-01", judged(ask, legal, "walk", 6, schema_index=0), WALK)
    flags, value = case
    refused = unsupported("walk", bank_id=6, field="browse", value=value)
    for asked in ({"schema_index": 0}, {"role": "down"}):
        reply = judged(ask, with_flags(PLAIN, flags), "walk", 6, **asked)
        check("BROWSE-WALK-01", reply, forbidden("walk", refused))


@clause("BROWSE-WALK-01")
def test_the_bank_that_is_asked_is_walked(ask: Ask) -> None:
    """The browse bits of one bank say nothing of another."""
    closed, open_bank = replace(PLAIN.banks[0], bank_id=2), replace(PLAIN.banks[0], flags=v.DIRECT)
    file = replace(PLAIN, banks=(closed, open_bank))
    check("BROWSE-WALK-01", judged(ask, file, "walk", 6, schema_index=0), WALK)
    refused = unsupported("walk", bank_id=2, field="browse", value="none")
    check("BROWSE-WALK-01", judged(ask, file, "walk", 2, schema_index=0), forbidden("walk", refused))


PACKED: dict[str, tuple[LyrwFile, str | int]] = {
    "inline": (layer_of("gate", INLINE, bank_id=6), "blocks_with_scales_inline"),
    "values": (bank_of(schema("gate"), values(1), scales(1), bank_id=6), "blocks_values"),
    "scales": (bank_of(values(1), scales(1), bank_id=6), "blocks_scales"),
    "unknown": (layer_of("gate", schema("up", packing=77), bank_id=6), 77),
}


@clause("BROWSE-WALK-02")
@cases(PACKED)
def test_strides_need_rows(ask: Ask, case: tuple[LyrwFile, str | int]) -> None:
    """Walk on a block region of a strided bank is refused, naming bank, schema and packing."""
    legal = with_flags(PLAIN, v.STRIDED)
    check("BROWSE-WALK-02", judged(ask, legal, "walk", 6, schema_index=1), WALK)
    file, value = case
    refused = unsupported("walk", bank_id=6, schema_index=1, field="packing", value=value)
    reply = judged(ask, with_flags(file, v.STRIDED), "walk", 6, schema_index=1)
    check("BROWSE-WALK-02", reply, forbidden("walk", refused))


@clause("BROWSE-WALK-02")
def test_only_the_walked_region_is_judged(ask: Ask) -> None:
    """In a strided bank a row-major region is walked and its neighbour of blocks is not."""
    file = with_flags(layer_of("gate", INLINE, bank_id=6), v.STRIDED)
    check("BROWSE-WALK-02", judged(ask, file, "walk", 6, role="gate"), WALK)
    names = {"bank_id": 6, "schema_index": 1, "field": "packing", "value": "blocks_with_scales_inline"}
    reply = judged(ask, file, "walk", 6, role="up")
    check("BROWSE-WALK-02", reply, forbidden("walk", unsupported("walk", **names)))


@clause("BROWSE-WALK-03")
@cases({word: tag for tag, word in v.FORMATS.items()}, unknown=77)
def test_rows_are_walked_by_strides(ask: Ask, case: int) -> None:
    """Walk on a row-major region of a strided bank is permitted, whatever its format."""
    file = with_flags(layer_of(schema("gate", format=case)), v.STRIDED)
    check("BROWSE-WALK-03", judged(ask, file, "walk", schema_index=0), WALK)


@clause("BROWSE-WALK-03")
@cases({name: file for name, (file, _) in PACKED.items()}, rows=PLAIN)
def test_anything_is_walked_directly(ask: Ask, case: LyrwFile) -> None:
    """Walk on any region of a direct bank is permitted, other bits of the flags set or not."""
    for flags in (v.DIRECT, 0xFFFC | v.DIRECT):
        check("BROWSE-WALK-03", judged(ask, with_flags(case, flags), "walk", 6, schema_index=1), WALK)


COPIED: dict[str, tuple[Schema, bool]] = {
    "f32": (schema("gate"), True),
    "f16": (schema("gate", format=v.F16), True),
    "bf16": (schema("gate", format=v.BF16), False),
    "q4_0": (schema("gate", format=v.Q4_0, cols=32), False),
    "unknown": (schema("gate", format=77), False),
    "f32_in_blocks": (schema("gate", packing=v.BLOCKS_WITH_SCALES_INLINE), False),
    "f16_in_an_unknown_packing": (schema("gate", format=v.F16, packing=77), False),
}


@clause("BROWSE-WALK-04")
@cases(COPIED)
def test_rows_of_f32_and_f16_are_not_copied(ask: Ask, case: tuple[Schema, bool]) -> None:
    """Only row-major f32 and f16 are walked where they lie."""
    one, zero_copy = case
    file = with_flags(layer_of(one), v.DIRECT)
    expected = permitted("walk", zero_copy=zero_copy, features=2)
    check("BROWSE-WALK-04", judged(ask, file, "walk", schema_index=0), expected)


@clause("BROWSE-WALK-04")
@cases(strided_f32=(v.F32, True), strided_f16=(v.F16, True), strided_bf16=(v.BF16, False))
def test_strides_copy_no_more(ask: Ask, case: tuple[int, bool]) -> None:
    """A strided bank is walked where it lies for the same formats."""
    form, zero_copy = case
    file = with_flags(layer_of(schema("gate", format=form), entries=3), v.STRIDED)
    expected = permitted("walk", zero_copy=zero_copy, features=6)
    check("BROWSE-WALK-04", judged(ask, file, "walk", schema_index=0), expected)


def _many(entries: int, intermediate: int) -> LyrwFile:
    """A bank of so many entries, of which this file holds the first."""
    bank = layer_of("gate", entries=entries, intermediate_dim=intermediate, flags=v.DIRECT).banks[0]
    return LyrwFile(banks=(bank,), segments=(Segment(0, 0, 0, 1),), logical_layer=0, flags=1)


@clause("BROWSE-WALK-04")
@cases(
    one=(1, 1, 1),
    k3=(896, 3072, 2752512),
    beyond_32_bits=(65536, 65537, 4295032832),
    largest=(4294967295, 4294967295, 18446744065119617025),
    none=(5, 0, 0),
)
def test_features_are_counted_over_the_whole_bank(ask: Ask, case: tuple[int, int, int]) -> None:
    """Features are num_entries x intermediate_dim, exact beyond 32 bits, also in a file of few entries."""
    entries, intermediate, features = case
    file = _many(entries, intermediate)
    expected = permitted("walk", zero_copy=True, features=features)
    check("BROWSE-WALK-04", judged(ask, file, "walk", schema_index=0), expected)
