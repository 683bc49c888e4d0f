"""Offsets of a record: where they begin, their order, and the lengths of the regions between them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, either, refuses
from pytest_vindex3.contract.patterns import one_of
from vindex3_fixtures.waste import Waste, packed
from vindex3_suites.waste.models import BLOCKED, PACKED, PAIRS, TINY
from vindex3_suites.waste.records import check_pair, check_served, with_header, with_spare
from vindex3_suites.waste.verifying import check_listed, defect, sound, verify

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Either

SHAPES = {"tiny": TINY, "packed": PACKED, "blocked": BLOCKED, "pairs": PAIRS}
OFFSETS = ("gate_off", "up_off", "down_off", "correction_off")


@clause("RECORD-OFFSET-01")
@cases({str(offset): offset for offset in (0, 47, 49, 52, 64, 4096, 0xFFFFFFFF)})
def test_indices_begin_at_48(ask: Ask, case: int) -> None:
    """The gate's indices begin behind the header, and nowhere else."""
    for model in (TINY, BLOCKED):
        refused = refuses("record-offsets", layer=1, expert=0, field="gate_off", found=case)
        check_pair(ask, "RECORD-OFFSET-01", model, with_header(model, gate_off=case), refused)


def _named(wrong: Waste, *fields: str) -> Either:
    """The refusal of one of two offsets that stand in the wrong order."""
    header = wrong.record(1, 0).header
    first, second = (
        refuses("record-offsets", layer=1, expert=0, field=field, found=header[field]) for field in fields
    )
    return either(second, first)


def _ordered(model: Waste, **offsets: str | int) -> Waste:
    """With offsets that are those of other fields, or numbers."""
    true = model.record(1, 0).true_header
    fields = {name: true[at] if isinstance(at, str) else at for name, at in offsets.items()}
    return with_header(model, **fields)


@clause("RECORD-OFFSET-02")
@cases(
    up_at_gate=({"up_off": "gate_off"}, ("gate_off", "up_off")),
    down_at_up=({"down_off": "up_off"}, ("up_off", "down_off")),
    scales_at_down=({"correction_off": "down_off"}, ("down_off", "correction_off")),
    up_in_the_header=({"up_off": 40}, ("gate_off", "up_off")),
    up_0=({"up_off": 0}, ("gate_off", "up_off")),
    up_and_down_swapped=({"up_off": "down_off", "down_off": "up_off"}, ("up_off", "down_off")),
    down_and_scales_swapped=(
        {"down_off": "correction_off", "correction_off": "down_off"},
        ("down_off", "correction_off"),
    ),
    scales_0=({"correction_off": 0}, ("down_off", "correction_off")),
    up_beyond=({"up_off": 0xFFFFFFFF}, ("up_off", "down_off")),
    down_beyond=({"down_off": 0x80000000}, ("down_off", "correction_off")),
)
def test_offsets_ascend(ask: Ask, case: tuple[dict[str, str | int], tuple[str, str]]) -> None:
    """Offsets that are equal, swapped or descend are refused, naming one of the two."""
    offsets, fields = case
    for model in (TINY, PACKED):
        wrong = _ordered(model, **offsets)
        check_pair(ask, "RECORD-OFFSET-02", model, wrong, _named(wrong, *fields))


def _short(model: Waste, region: int, found: int) -> Either:
    """The refusal of a region that is too short: as an offset and the least it may be, or as lengths."""
    true = model.record(1, 0).true_header
    begin, end = (true[OFFSETS[place]] for place in (region, region + 1))
    names = {"layer": 1, "expert": 0}
    offset = refuses("record-offsets", **names, field=OFFSETS[region + 1], found=found, need=end)
    either_end = one_of(OFFSETS[region], OFFSETS[region + 1])
    length = refuses("record-offsets", **names, field=either_end, found=found - begin, need=end - begin)
    return either(offset, length)


@clause("RECORD-OFFSET-03")
@cases(SHAPES)
def test_regions_hold_their_indices(ask: Ask, case: Waste) -> None:
    """Each region is as long as its rows need: one byte less is refused, on every read."""
    true = case.record(1, 0).true_header
    for region, name in enumerate(OFFSETS[1:]):
        for found in (true[name] - 1, true[OFFSETS[region]] + 1):
            wrong = with_header(case, **{name: found})
            check_pair(ask, "RECORD-OFFSET-03", case, wrong, _short(case, region, found))


@clause("RECORD-OFFSET-03")
def test_a_region_without_filling_rows_is_short(ask: Ask) -> None:
    """Regions that hold every row, and not the rows that fill up a block, are too short under blocks."""
    blocks = PACKED.record(1, 0).length // 4096
    rows = packed(0)
    wrong = rows.with_bank(1, [replace(one, blocks=blocks) for one in rows.banks[1]])
    refused = refuses("record-offsets", layer=1, expert=0, field=one_of("gate_off", "up_off"))
    check_pair(ask, "RECORD-OFFSET-03", PACKED, wrong.with_quant("index_block", 64), refused)


@clause("RECORD-OFFSET-04")
@cases(SHAPES)
def test_scales_end_in_the_record(ask: Ask, case: Waste) -> None:
    """Scales that end at the record's end are served; beyond, and beyond 32 bits, they are refused."""
    stored = case.record(1, 0)
    scales = stored.payload_end - stored.true_header["correction_off"]
    last = stored.length - scales
    exact = replace(stored, gaps={"down": last - stored.true_header["correction_off"]})
    at_the_end = case.with_record(1, 0, exact)
    for found in (last + 1, stored.length, 0xFFFFFFFF):
        names = {"layer": 1, "expert": 0, "field": "correction_off"}
        offset = refuses("record-offsets", **names, found=found, need=one_of(found + scales, last))
        end = refuses("record-offsets", **names, found=found + scales, need=stored.length)
        wrong = with_header(case, correction_off=found)
        check_pair(ask, "RECORD-OFFSET-04", at_the_end, wrong, either(offset, end))


@clause("RECORD-OFFSET-04")
def test_a_full_page_holds_the_scales(ask: Ask) -> None:
    """The bound is the record's own end, spare pages and all."""
    spare = with_spare(TINY, pages=2)
    stored = spare.record(1, 1)
    gap = stored.length - stored.payload_end
    model = spare.with_record(1, 1, replace(stored, gaps={"down": gap}))
    check_served(ask, "RECORD-OFFSET-04", model, 1, 1, verify=True)
    wrong = with_header(model, 1, 1, correction_off=stored.true_header["correction_off"] + gap + 1)
    check_pair(ask, "RECORD-OFFSET-04", model, wrong, refuses("record-offsets", layer=1, expert=1), (1, 1))


@clause("RECORD-GAP-01")
@cases(
    behind_gate=({"gate": 1}, ("up_off",)),
    behind_up=({"up": 16}, ("down_off",)),
    behind_down=({"down": 2}, ("correction_off",)),
    large=({"up": 3000}, ("down_off",)),
    two=({"gate": 8, "down": 8}, ("up_off", "correction_off")),
)
def test_a_gap_is_listed(ask: Ask, case: tuple[dict[str, int], tuple[str, ...]]) -> None:
    """A region that is longer than its indices is listed, by the offset behind it or by its lengths."""
    gaps, fields = case
    for model in (TINY, PACKED):
        spare = with_spare(model)
        layer, expert = (2, 1) if 2 in spare.banks else (1, 1)
        spare = with_spare(spare, layer) if layer == 2 else spare
        stored = replace(
            spare.record(layer, expert), gaps=gaps, blocks=spare.record(layer, expert).length // 4096
        )
        wrong = spare.with_record(layer, expert, stored)
        found = [_gap(wrong, layer, expert, field) for field in fields]
        check_listed(ask, "RECORD-GAP-01", spare, wrong, *found)


def _gap(model: Waste, layer: int, expert: int, field: str) -> object:
    """The defect of a region that goes on to this offset, in either of its forms."""
    stored = model.record(layer, expert)
    region = OFFSETS.index(field) - 1
    kind = ("gate", "up", "down")[region]
    begin, end = stored.header[OFFSETS[region]], stored.header[field]
    exact = end - stored.gaps.get(kind, 0)
    names = {"layer": layer, "expert": expert}
    offset = defect("region-gap", **names, field=field, found=end, expected=exact)
    either_end = one_of(OFFSETS[region], field, kind)
    length = defect("region-gap", **names, field=either_end, found=end - begin, expected=exact - begin)
    return one_of(offset, length)


@clause("RECORD-PAD-01")
@cases(SHAPES)
def test_padding_is_no_defect(ask: Ask, case: Waste) -> None:
    """What stands behind the scales is no part of the record's content, and no defect."""
    for padding in (0x01, 0xFF):
        for model in (case, with_spare(case)):
            padded = model
            for expert, stored in enumerate(model.banks[1]):
                padded = padded.with_record(1, expert, replace(stored, padding=padding))
            check("RECORD-PAD-01", verify(ask, padded), sound(padded))
