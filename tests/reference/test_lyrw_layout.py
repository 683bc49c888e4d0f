"""lyrw.layout: the worked layouts of lyrw.md, section 7, and the arithmetic at its edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from vindex3_reference.lyrw.verbs import lyrw_layout

if TYPE_CHECKING:
    from collections.abc import Callable

INLINE = {"packing": "blocks_with_scales_inline"}
VALUES = {"packing": "blocks_values", "pair_id": 0}
DIMS = (2048, 6144, 2048)


@pytest.fixture
def recipe(plans) -> Callable[..., Any]:
    """The 32 experts of section 7: fused + down, or gate + up + down, in one format."""

    def build(format_: str, packing: dict[str, Any], *, apart: bool = False, scale: int = 1) -> Any:
        wide, high = 2048 * scale, 6144 * scale
        if apart:
            roles = [plans.schema(role, format_, high, wide, **packing) for role in ("gate", "up")]
        else:
            roles = [plans.fused(format_, 2 * high, wide, **packing)]
        return plans.routed(32, DIMS, [*roles, plans.schema("down", format_, wide, high, **packing)])

    return build


def _layout(plan: Any) -> tuple[Any, dict[tuple[int, int], int], int]:
    answer: Any = lyrw_layout(plan=plan)
    offsets = {(region["entry"], region["schema_index"]): region["offset"] for region in answer["regions"]}
    return answer["tables"], offsets, answer["file_length"]


def test_the_dense_layout(plans):
    """The answer for the first worked plan is the one of section 10, whole."""
    assert lyrw_layout(plan=plans.dense()) == {
        "tables": {
            "bank_table": 24,
            "segment_table": 48,
            "schema_table": 60,
            "entry_table": 120,
            "entry_tables": [{"bank_id": 0, "segment_index": 0, "offset": 120, "length": 48}],
            "table_bytes": 168,
            "payload_start": 192,
        },
        "regions": [
            {"bank_id": 0, "entry": 0, "schema_index": 0, "offset": 192, "length": 24},
            {"bank_id": 0, "entry": 0, "schema_index": 1, "offset": 256, "length": 24},
            {"bank_id": 0, "entry": 0, "schema_index": 2, "offset": 320, "length": 8},
        ],
        "file_length": 328,
    }


def test_32_experts_fused_mxfp4(recipe):
    """The first row of section 7, with the offsets named below it."""
    answer: Any = lyrw_layout(plan=recipe("mxfp4", INLINE))
    tables, offsets, file_length = _layout(recipe("mxfp4", INLINE))
    assert (tables["table_bytes"], tables["payload_start"], file_length) == (1124, 1152, 641_729_664)
    assert [region["length"] for region in answer["regions"][:2]] == [13_369_344, 6_684_672]
    assert sum(region["length"] for region in answer["regions"]) == 641_728_512
    assert [offsets[place] for place in [(0, 0), (0, 1), (1, 0), (31, 1)]] == [
        1152, 13_370_496, 20_055_168, 635_044_992,
    ]  # fmt: skip
    assert offsets[31, 1] + 6_684_672 == file_length


def test_32_experts_gate_up_down_mxfp4(recipe):
    """Three schemas: larger tables, the same payload."""
    tables, offsets, file_length = _layout(recipe("mxfp4", INLINE, apart=True))
    assert (tables["table_bytes"], offsets[0, 0], file_length) == (1656, 1664, 641_730_176)
    assert offsets[0, 1] - offsets[0, 0] == 6_684_672


def test_32_experts_values_and_scales_apart(plans):
    """Four schemas: values first, scales after them."""
    schemas = [
        plans.fused("mxfp4", 12288, 2048, packing="blocks_values", pair_id=1),
        plans.schema("down", "mxfp4", 2048, 6144, packing="blocks_values", pair_id=2),
        plans.schema("scales", "mxfp4", 12288, 2048, packing="blocks_scales", pair_id=1),
        plans.schema("scales", "mxfp4", 2048, 6144, packing="blocks_scales", pair_id=2),
    ]
    answer: Any = lyrw_layout(plan=plans.routed(32, DIMS, schemas))
    assert answer["tables"]["table_bytes"] == 2188
    assert answer["tables"]["payload_start"] == answer["regions"][0]["offset"] == 2240
    assert [region["length"] for region in answer["regions"][:4]] == [12_582_912, 6_291_456, 786_432, 393_216]
    assert answer["file_length"] == 641_730_752


@pytest.mark.parametrize(
    ("format_", "packing", "lengths", "file_length"),
    [
        ("q4_k", {}, (14_155_776, 7_077_888), 679_478_400),
        ("q6_k", INLINE, (20_643_840, 10_321_920), 990_905_472),
        ("q8_0", INLINE, (26_738_688, 13_369_344), 1_283_458_176),
        ("f16", {}, (50_331_648, 25_165_824), 2_415_920_256),
        ("f32", {}, (100_663_296, 50_331_648), 4_831_839_360),
    ],
)
def test_another_format_changes_no_table(recipe, format_, packing, lengths, file_length):
    """Tables stay where they are; the payload is that of the format."""
    answer: Any = lyrw_layout(plan=recipe(format_, packing))
    assert (answer["tables"]["table_bytes"], answer["regions"][0]["offset"]) == (1124, 1152)
    assert tuple(region["length"] for region in answer["regions"][:2]) == lengths
    assert answer["file_length"] == file_length


def test_tables_do_not_grow_with_the_weights(recipe):
    """Every rows and cols doubled: the same tables, four times the payload."""
    small, large = (lyrw_layout(plan=recipe("mxfp4", INLINE, scale=scale)) for scale in (1, 2))
    assert small["tables"] == large["tables"]
    assert large["file_length"] == 1152 + 4 * 641_728_512


def _k3(plans: Any, segments: list[tuple[int, int]], flags: int) -> Any:
    schemas = [
        plans.fused("q6_k", 6144, 3584, **INLINE),
        plans.schema("down", "q6_k", 3584, 3072, **INLINE),
    ]
    rows = [
        {"bank_id": 0, "segment_index": index, "first_entry": first, "entry_count": count}
        for index, (first, count) in enumerate(segments)
    ]
    header = {"logical_layer": 0, "flags": flags}
    return plans.routed(896, (3584, 3072, 3584), schemas, header=header, segments=rows, group_extent=32)


@pytest.mark.parametrize("first", [0, 448])
def test_half_of_k3(plans, first):
    """Both K3 files have equal offsets for equal local entries; the first above 4 GiB is entry 158, down."""
    tables, offsets, file_length = _layout(_k3(plans, [(first, 448)], 1))
    assert (tables["table_bytes"], tables["payload_start"], file_length) == (14_436, 14_464, 12_138_592_384)
    local = {(entry - first, index): offset for (entry, index), offset in offsets.items()}
    assert [local[place] for place in [(0, 0), (0, 1), (1, 0), (447, 0), (447, 1)]] == [
        14_464, 18_077_824, 27_109_504, 12_111_497_344, 12_129_560_704,
    ]  # fmt: skip
    assert min(offset for offset in local.values() if offset >= 2**32) == local[158, 1] == 4_299_094_144


def test_all_of_k3_in_one_file(plans):
    """One segment record or two: 12 bytes of tables, and the same first region."""
    tables, offsets, file_length = _layout(_k3(plans, [(0, 896)], 0))
    assert (tables["table_bytes"], offsets[0, 0], file_length) == (28_772, 28_800, 24_277_184_640)
    tables, offsets, file_length = _layout(_k3(plans, [(0, 448), (448, 448)], 0))
    assert (tables["table_bytes"], offsets[0, 0], file_length) == (28_784, 28_800, 24_277_184_640)
    assert [table["offset"] for table in tables["entry_tables"]] == [112, 112 + 14_336]


@pytest.mark.parametrize(
    ("format_", "packing", "rows", "cols", "length"),
    [
        ("f32", "row_major", 3, 5, 60),
        ("f16", "row_major", 3, 5, 30),
        ("bf16", "row_major", 3, 5, 30),
        ("q4_0", "row_major", 3, 64, 108),
        ("q4_0", "blocks_with_scales_inline", 3, 64, 108),
        ("q8_0", "row_major", 3, 64, 204),
        ("q8_0", "blocks_with_scales_inline", 3, 64, 204),
        ("q4_k", "row_major", 3, 512, 864),
        ("q4_k", "blocks_with_scales_inline", 3, 512, 864),
        ("q6_k", "row_major", 3, 512, 1260),
        ("q6_k", "blocks_with_scales_inline", 3, 512, 1260),
        ("mxfp4", "blocks_with_scales_inline", 3, 64, 102),
        ("nvfp4", "blocks_with_scales_inline", 3, 64, 112),
    ],
)
def test_a_length_by_rule(plans, format_, packing, rows, cols, length):
    """Each format and packing has its own length, and an explicit one that agrees is legal."""
    one = plans.schema("down", format_, rows, cols, packing=packing)
    answer: Any = lyrw_layout(plan=plans.routed(1, (1, 1, 1), [one]))
    assert answer["regions"][0]["length"] == length
    assert lyrw_layout(plan=plans.routed(1, (1, 1, 1), [{**one, "length": length}])) == answer


def test_single_lengths_move_what_follows(plans):
    """A region whose length is given by itself takes it; a length of 0 takes no bytes."""
    one = plans.schema("down", "fp4_larql", 1, 1, length=100)
    lengths = [
        {"bank_id": 0, "entry": 1, "schema_index": 0, "length": 0},
        {"bank_id": 0, "entry": 2, "schema_index": 0, "length": 65},
    ]
    answer: Any = lyrw_layout(plan=plans.routed(4, (1, 1, 1), [one], lengths=lengths))
    places = [(region["offset"], region["length"]) for region in answer["regions"]]
    assert places == [(192, 100), (320, 0), (320, 65), (448, 100)]
    assert answer["file_length"] == 548


def test_lengths_of_all_regions_stand_for_a_rule(plans):
    """A schema that has no length of its own is laid out when each of its regions has one."""
    one = plans.schema("down", 4711, 1, 1)
    lengths = [{"bank_id": 0, "entry": entry, "schema_index": 0, "length": 10 * entry} for entry in (2, 1, 0)]
    answer: Any = lyrw_layout(plan=plans.routed(3, (1, 1, 1), [one], lengths=lengths))
    assert [(region["offset"], region["length"]) for region in answer["regions"]] == [
        (128, 0), (128, 10), (192, 20),
    ]  # fmt: skip
    assert answer["file_length"] == 212


def test_tables_that_end_at_a_multiple_of_64(plans):
    """The first region lies at table_bytes where that is a multiple of 64 already."""
    answer: Any = lyrw_layout(plan=plans.routed(7, (1, 1, 1), [plans.schema("down", "f32", 1, 1)]))
    assert answer["tables"]["table_bytes"] == answer["tables"]["payload_start"] == 192


def test_segments_and_banks_in_another_order(plans):
    """Regions follow the segments as declared, each with the schemas of its own bank."""
    plan = plans.routed(3, (1, 1, 1), [plans.schema("gate", "f32", 1, 1), plans.schema("up", "f32", 1, 1)])
    plan["banks"].append({**plan["banks"][0], "bank_id": 9, "num_entries": 1,
                          "schemas": [plans.schema("down", "f32", 1, 4)]})  # fmt: skip
    plan["segments"] = [
        {"bank_id": 0, "segment_index": 1, "first_entry": 2, "entry_count": 1},
        {"bank_id": 9, "segment_index": 0, "first_entry": 0, "entry_count": 1},
        {"bank_id": 0, "segment_index": 0, "first_entry": 0, "entry_count": 2},
    ]
    answer: Any = lyrw_layout(plan=plan)
    assert [tuple(region.values())[:3] for region in answer["regions"]] == [
        (0, 2, 0), (0, 2, 1), (9, 0, 0), (0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1),
    ]  # fmt: skip
    entry_table = 24 + 48 + 36 + 60
    assert [tuple(table.values()) for table in answer["tables"]["entry_tables"]] == [
        (0, 1, entry_table, 32), (9, 0, entry_table + 32, 16), (0, 0, entry_table + 48, 64),
    ]  # fmt: skip


def test_sums_beyond_53_and_63_bits(plans):
    """Offsets and the file's length are exact integers of any size that a row can state."""
    huge = plans.schema("down", 99, 1, 1, length=2**62 + 1)
    answer: Any = lyrw_layout(plan=plans.routed(4, (1, 1, 1), [huge]))
    assert [region["offset"] for region in answer["regions"]] == [
        192 + entry * (2**62 + 64) for entry in range(4)
    ]
    assert answer["file_length"] == 192 + 3 * (2**62 + 64) + 2**62 + 1 > 2**64


@pytest.mark.parametrize("entries", [5, 2**32 - 1])
def test_an_offset_that_no_row_can_state(plans, refusal, entries):
    """A plan whose last region lies beyond 64 bits is refused, however many entries lead there."""
    huge = plans.schema("down", 99, 1, 1, length=2**62 + 1)
    kind, names = refusal(lyrw_layout, plan=plans.routed(entries, (1, 1, 1), [huge]))
    start = -(-(80 + 16 * entries) // 64) * 64
    assert (kind, names["field"], names["value"]) == (
        "out-of-range",
        "offset",
        start + (entries - 1) * (2**62 + 64),
    )


def test_a_length_that_no_row_can_state(plans, refusal):
    """A rule that gives 2^64 bytes or more is refused."""
    wide = plans.schema("down", "f32", 2**32 - 1, 2**32 - 1)
    kind, names = refusal(lyrw_layout, plan=plans.routed(1, (1, 1, 1), [wide]))
    assert (kind, names["field"], names["value"]) == ("out-of-range", "length", 4 * (2**32 - 1) ** 2)
    narrower = plans.schema("down", "f32", 2**31, 2**31 - 1)
    answer: Any = lyrw_layout(plan=plans.routed(1, (1, 1, 1), [narrower]))
    assert answer["file_length"] == 128 + 4 * 2**31 * (2**31 - 1)
