"""The worked layouts of the specification: 32 experts in every format, and the files of a K3 layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_vindex3 import answers, cases, check, clause
from vindex3_fixtures.lyrw import Bank, LyrwFile, Schema, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.lyrw.plan import plan
from vindex3_suites.lyrw.planning import lay

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_vindex3.plugin.ask import Ask

INLINE = v.BLOCKS_WITH_SCALES_INLINE


def _fused(form: int, packing: int, rows: int = 12288, cols: int = 2048) -> Schema:
    return Schema(v.GATE_UP_FUSED, form, packing, layout=v.CONTIGUOUS_HALVES, rows=rows, cols=cols)


def _down(form: int, packing: int, rows: int = 2048, cols: int = 6144) -> Schema:
    return Schema(v.DOWN, form, packing, rows=rows, cols=cols)


def _experts(*schemas: Schema) -> dict[str, Any]:
    """The plan of 32 experts of these schemas in one segment."""
    bank = Bank(schemas, 0, v.ROUTED, v.NONE, 32, 2048, 6144, 2048)
    return plan(LyrwFile(banks=(bank,)))


MXFP4 = _experts(_fused(v.MXFP4, INLINE), _down(v.MXFP4, INLINE))
THREE = _experts(
    Schema(v.GATE, v.MXFP4, INLINE, rows=6144, cols=2048),
    Schema(v.UP, v.MXFP4, INLINE, rows=6144, cols=2048),
    _down(v.MXFP4, INLINE),
)
APART = _experts(
    Schema(v.GATE_UP_FUSED, v.MXFP4, v.BLOCKS_VALUES, 1, v.CONTIGUOUS_HALVES, 12288, 2048),
    Schema(v.DOWN, v.MXFP4, v.BLOCKS_VALUES, 2, v.UNSPECIFIED, 2048, 6144),
    Schema(v.SCALES, v.MXFP4, v.BLOCKS_SCALES, 1, v.UNSPECIFIED, 12288, 2048),
    Schema(v.SCALES, v.MXFP4, v.BLOCKS_SCALES, 2, v.UNSPECIFIED, 2048, 6144),
)


def _at(regions: dict[int, dict[str, int]], count: int) -> list[dict[str, int]]:
    """A list of so many regions of which those at these places are known."""
    return [regions.get(place, {}) for place in range(count)]


def _region(entry: int, schema_index: int, offset: int, length: int) -> dict[str, int]:
    return {
        "bank_id": 0,
        "entry": entry,
        "schema_index": schema_index,
        "offset": offset,
        "length": length,
    }


def _tables(table_bytes: int, payload_start: int) -> dict[str, Any]:
    return {"table_bytes": table_bytes, "payload_start": payload_start}


@clause("LAYOUT-32-01")
def test_tables_of_32_experts(ask: Ask) -> None:
    """32 experts of two schemas have 1124 bytes of tables, and their payload begins at 1152."""
    tables = {
        "bank_table": 24,
        "segment_table": 48,
        "schema_table": 60,
        "entry_table": 100,
        "entry_tables": [{"bank_id": 0, "segment_index": 0, "offset": 100, "length": 1024}],
        **_tables(1124, 1152),
    }
    check("LAYOUT-32-01", lay(ask, MXFP4), answers(tables=tables))
    check("LAYOUT-32-01", lay(ask, MXFP4), answers(regions=_at({0: {"entry": 0, "offset": 1152}}, 64)))


@clause("LAYOUT-32-02")
def test_regions_of_32_experts(ask: Ask) -> None:
    """Fused and down regions in inline mxfp4 lie and end where the specification says."""
    known = {
        0: _region(0, 0, 1152, 13_369_344),
        1: _region(0, 1, 13_370_496, 6_684_672),
        2: _region(1, 0, 20_055_168, 13_369_344),
        62: _region(31, 0, 621_675_648, 13_369_344),
        63: _region(31, 1, 635_044_992, 6_684_672),
    }
    check("LAYOUT-32-02", lay(ask, MXFP4), answers(regions=_at(known, 64), file_length=641_729_664))


@clause("LAYOUT-32-03")
def test_three_schemas(ask: Ask) -> None:
    """Gate, up and down apart have 1656 bytes of tables, and the same payload from 1664."""
    lengths = [{"length": 6_684_672}] * 96
    known = {0: _region(0, 0, 1664, 6_684_672), 95: _region(31, 2, 635_045_504, 6_684_672)}
    reply = lay(ask, THREE)
    check("LAYOUT-32-03", reply, answers(tables=_tables(1656, 1664), file_length=641_730_176))
    check("LAYOUT-32-03", reply, answers(regions=_at(known, 96)))
    check("LAYOUT-32-03", reply, answers(regions=lengths))


@clause("LAYOUT-32-04")
def test_values_and_scales_apart(ask: Ask) -> None:
    """Values and scales apart have 2188 bytes of tables, and the same payload from 2240."""
    lengths = [{"length": length} for length in (12_582_912, 6_291_456, 786_432, 393_216)] * 32
    reply = lay(ask, APART)
    check("LAYOUT-32-04", reply, answers(tables=_tables(2188, 2240), file_length=641_730_752))
    check("LAYOUT-32-04", reply, answers(regions=lengths))
    check("LAYOUT-32-04", reply, answers(regions=_at({0: {"entry": 0, "offset": 2240}}, 128)))


@clause("LAYOUT-32-05")
@cases(
    q4_k=(v.Q4_K, 14_155_776, 7_077_888, 679_478_400),
    q6_k=(v.Q6_K, 20_643_840, 10_321_920, 990_905_472),
    q8_0=(v.Q8_0, 26_738_688, 13_369_344, 1_283_458_176),
    f16=(v.F16, 50_331_648, 25_165_824, 2_415_920_256),
    f32=(v.F32, 100_663_296, 50_331_648, 4_831_839_360),
)
def test_another_format_changes_no_table(ask: Ask, case: tuple[int, int, int, int]) -> None:
    """Another format has other regions and another length, and the same tables."""
    form, fused, down, length = case
    reply = lay(ask, _experts(_fused(form, v.ROW_MAJOR), _down(form, v.ROW_MAJOR)))
    check("LAYOUT-32-05", reply, answers(tables=_tables(1124, 1152), file_length=length))
    check("LAYOUT-32-05", reply, answers(regions=[{"length": fused}, {"length": down}] * 32))


@clause("LAYOUT-32-06")
@cases(mxfp4=(v.MXFP4, INLINE), f32=(v.F32, v.ROW_MAJOR))
def test_tables_do_not_grow_with_the_weights(ask: Ask, case: tuple[int, int]) -> None:
    """With every rows and cols doubled all tables and the first region stay where they are."""
    tables = {
        "bank_table": 24,
        "segment_table": 48,
        "schema_table": 60,
        "entry_table": 100,
        "entry_tables": [{"offset": 100, "length": 1024}],
        **_tables(1124, 1152),
    }
    doubled = _experts(_fused(*case, 24576, 4096), _down(*case, 4096, 12288))
    for document in (_experts(_fused(*case), _down(*case)), doubled):
        reply = lay(ask, document)
        check("LAYOUT-32-06", reply, answers(tables=tables))
        check("LAYOUT-32-06", reply, answers(regions=_at({0: {"entry": 0, "offset": 1152}}, 64)))


class K3(NamedTuple):
    """A file of a K3 layer: its segments as first entry and entry count, and its figures."""

    segments: Sequence[tuple[int, int]]
    flags: int
    table_bytes: int
    payload_start: int
    file_length: int

    @property
    def plan(self) -> dict[str, Any]:
        """The plan of the file: 896 experts of 3584, 3072 and 3584 in q6_k."""
        schemas = (_fused(v.Q6_K, v.ROW_MAJOR, 6144, 3584), _down(v.Q6_K, v.ROW_MAJOR, 3584, 3072))
        bank = Bank(schemas, 0, v.ROUTED, v.NONE, 896, 3584, 3072, 3584)
        segments = tuple(Segment(0, place, *span) for place, span in enumerate(self.segments))
        return plan(LyrwFile(banks=(bank,), segments=segments, flags=self.flags))

    @property
    def told(self) -> dict[str, Any]:
        """What the answer holds of its figures."""
        return {"tables": _tables(self.table_bytes, self.payload_start), "file_length": self.file_length}


FIRST = K3([(0, 448)], 1, 14_436, 14_464, 12_138_592_384)
SECOND = K3([(448, 448)], 1, 14_436, 14_464, 12_138_592_384)
WHOLE = K3([(0, 896)], 0, 28_772, 28_800, 24_277_184_640)
HALVES = K3([(0, 448), (448, 448)], 0, 28_784, 28_800, 24_277_184_640)
LENGTHS = (18_063_360, 9_031_680)
OFFSETS = {
    (0, 0): 14_464,
    (0, 1): 18_077_824,
    (1, 0): 27_109_504,
    (158, 1): 4_299_094_144,
    (447, 0): 12_111_497_344,
    (447, 1): 12_129_560_704,
}
"""Offsets in a file of 448 experts, by local entry and schema."""


def _known(first_entry: int) -> list[dict[str, int]]:
    known = {
        2 * entry + index: _region(first_entry + entry, index, offset, LENGTHS[index])
        for (entry, index), offset in OFFSETS.items()
    }
    return _at(known, 896)


@clause("LAYOUT-K3-01")
def test_the_first_file_of_a_k3_layer(ask: Ask) -> None:
    """448 of 896 experts of 27,095,040 bytes lie where the specification says."""
    reply = lay(ask, FIRST.plan)
    check("LAYOUT-K3-01", reply, answers(FIRST.told, regions=_known(0)))
    check("LAYOUT-K3-01", reply, answers(regions=[{"length": length} for length in LENGTHS] * 448))


@clause("LAYOUT-K3-02")
def test_the_second_file_of_a_k3_layer(ask: Ask) -> None:
    """The second file has the same offsets, and its entries begin with 448."""
    reply = lay(ask, SECOND.plan)
    check("LAYOUT-K3-02", reply, answers(SECOND.told, regions=_known(448)))


@clause("LAYOUT-K3-03")
@cases(one_segment=WHOLE, two_segments=HALVES)
def test_a_k3_layer_in_one_file(ask: Ask, case: K3) -> None:
    """All 896 experts in one file, under one segment record or under two."""
    last = {1791: _region(895, 1, 24_268_152_960, 9_031_680)}
    reply = lay(ask, case.plan)
    check("LAYOUT-K3-03", reply, answers(case.told, regions=_at(last, 1792)))
    tables = [{"segment_index": place, "length": 32 * span[1]} for place, span in enumerate(case.segments)]
    check("LAYOUT-K3-03", reply, answers(tables={"entry_tables": tables}))
