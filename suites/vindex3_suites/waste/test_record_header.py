"""The header of a record: every field at its place, and what of it is ignored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_vindex3 import answers, cases, check, clause
from vindex3_fixtures.waste import Quant, Record, Waste, made, worked
from vindex3_fixtures.waste.record import zero_matrix
from vindex3_suites.lyrw.limits import sparse_files
from vindex3_suites.waste.models import BLOCKED, PACKED, PAIRS, SINGLE, TINY
from vindex3_suites.waste.records import (
    RECORD,
    VERIFY,
    check_decoded,
    check_served,
    record,
    served,
    with_header,
    with_spare,
)
from vindex3_suites.waste.remote import drawn_remote, remote

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

WORKED_HEADER: dict[str, Any] = {
    "magic": "57455850",
    "layer": 37,
    "expert_id": 412,
    "fmt": 8,
    "flags": 0,
    "codebook_id": 432,
    "lowrank_id": 0,
    "reserved0": 0,
    "record_4k_blocks": 7,
    "gate_off": 48,
    "up_off": 9648,
    "down_off": 19248,
    "correction_off": 27696,
    "crc32": 0x6B3E9A56,
    "reserved1": [0, 0],
}


def _worked() -> Waste:
    """The container around the header that is typed in the format's text: its bank is a hole but for it."""
    quant, inner, width = worked.HEADER_QUANT, worked.HEADER_INNER, worked.HEADER_WIDTH
    layer, base = worked.HEADER_LAYER, worked.HEADER_BASE
    around = made(quant=Quant(4, 8, 64, 6), inner=8, width=8, experts=1, layers=layer + 1, dense=layer)
    book = around.books[0]
    books = [replace(book, number=number) for number in range(base + 12)]
    around = around.with_books(books).with_config("hidden_size", width)
    around = around.with_config("moe_intermediate_size", inner).with_quant("index_block", 64)
    gate, down = zero_matrix(inner, width, quant), zero_matrix(width, inner, quant)
    stored = Record(quant=quant, gate=gate, up=gate, down=down, layer=layer, codebook_id=base)
    return remote(replace(stored, expert=worked.HEADER_EXPERT), 413, around.with_trunk())


@clause("RECORD-HEADER-01")
def test_the_worked_header_is_read(ask: Ask) -> None:
    """The 48 bytes that are typed in the format's text are shown as the fields beside them."""
    sparse_files(ask.folder, 413 * 28672)
    path = ask.file("model", _worked().folder)
    data = worked.HEADER + bytes(28672 - 48)
    for options in VERIFY:
        reply = ask(RECORD, path=path, layer=37, expert=412, **options)
        check("RECORD-HEADER-01", reply, answers(header=WORKED_HEADER, data=data))


SHAPES = {"tiny": TINY, "packed": PACKED, "blocked": BLOCKED, "pairs": PAIRS}


@clause("RECORD-HEADER-01")
@cases(SHAPES)
def test_every_header_is_read(ask: Ask, case: Waste) -> None:
    """Every record of a container shows its own header, layer by layer and expert by expert."""
    for layer, bank in case.banks.items():
        for expert in range(len(bank)):
            check_served(ask, "RECORD-HEADER-01", case, layer, expert)


@clause("RECORD-HEADER-01")
@cases(
    last_layer=(127, 0, 1),
    last_expert=(0, 65535, 65536),
    both=(127, 65535, 65536),
    expert_of_two_bytes=(3, 0x1234, 0x1300),
)
def test_numbers_are_read_whole(ask: Ask, case: tuple[int, int, int]) -> None:
    """Layers to 127 and experts to 65535 have their numbers, both bytes of them."""
    layer, expert, experts = case
    sparse_files(ask.folder, experts * 4096)
    model, stored = drawn_remote(layer, expert, experts)
    for options in VERIFY:
        check("RECORD-HEADER-01", record(ask, model, layer, expert, **options), served(stored))


@clause("RECORD-HEADER-01")
@cases(one_page=1, three=3, hundred=100)
def test_a_record_may_have_spare_pages(ask: Ask, case: int) -> None:
    """Any number of pages that holds the payload is the record's length."""
    for model in (TINY, PACKED):
        check_served(ask, "RECORD-HEADER-01", with_spare(model, pages=case), verify=True)


@clause("RECORD-HEADER-01")
def test_a_high_book_is_read_whole(ask: Ask) -> None:
    """A number of books beyond 8 bits stands in both bytes of codebook_id."""
    quant = Quant(1, 1, 1)
    for base in (0x0102, 0x1234):
        model = made(quant=quant, inner=1, width=1, experts=2, layers=1, dense=0, bases=[base])
        check_served(ask, "RECORD-HEADER-01", model, 0, 1, verify=True)


RESERVED = {
    "flags": {"flags": 1},
    "every_flag": {"flags": 0xFF},
    "bf16_flag_and_substitute": {"flags": 0b11},
    "reserved_at_14": {"reserved0": 0xBEEF},
    "reserved_at_40": {"reserved1_low": 0x01020304},
    "reserved_at_44": {"reserved1_high": 0xFFFFFFFF},
    "all": {"flags": 0xA5, "reserved0": 1, "reserved1_low": 0xDEADBEEF, "reserved1_high": 0x80000000},
}


@clause("RECORD-RESERVED-01")
@cases(RESERVED)
def test_reserved_fields_are_shown(ask: Ask, case: dict[str, int]) -> None:
    """Flags and reserved fields are shown as stored, and change nothing else, verified or not."""
    for model in (TINY, PACKED, SINGLE):
        layer = next(iter(model.banks))
        marked = with_header(model, layer, **case)
        for options in VERIFY:
            check_served(ask, "RECORD-RESERVED-01", marked, layer, 0, **options)


@clause("RECORD-SERVE-01")
@cases(SHAPES)
def test_a_record_is_served_whole(ask: Ask, case: Waste) -> None:
    """The bytes are those of the whole record, padding included; the digest is that of its payload."""
    padded = case
    for expert, stored in enumerate(case.banks[1]):
        padded = padded.with_record(1, expert, replace(stored, padding=0xEE))
    for model in (padded, with_spare(padded, pages=2)):
        for expert in range(len(model.banks[1])):
            for options in VERIFY:
                check_served(ask, "RECORD-SERVE-01", model, 1, expert, **options)


@clause("RECORD-SERVE-01")
@cases(gate={"gate": 5}, down={"down": 333}, every={"gate": 64, "up": 1, "down": 2})
def test_a_payload_has_its_gaps(ask: Ask, case: dict[str, int]) -> None:
    """The payload goes to the end of the scales, what lies between regions included."""
    for model in (TINY, BLOCKED):
        stored = replace(model.record(1, 1), gaps=case, gap_byte=0x77)
        check_served(ask, "RECORD-SERVE-01", model.with_record(1, 1, stored), 1, 1, verify=True)


@clause("RECORD-PAD-02")
@cases(ones=0xFF, index_64=0x40, of_every_bit=0xA5)
def test_filling_rows_are_no_rows(ask: Ask, case: int) -> None:
    """Rows that only fill up a block may hold anything: they are not decoded, and not judged."""
    quant = Quant(2, 2, 5, index_block=64)
    few = made(quant=quant, inner=6, width=10, experts=2, layers=2, seed="filling")
    for model in (few, PACKED, BLOCKED):
        stored = replace(model.record(1, 1), filling=case)
        check_decoded(ask, "RECORD-PAD-02", model.with_record(1, 1, stored), 1, 1)


@clause("RECORD-OFFSET-05")
@cases(
    odd_scales={"down": 1},
    odd_up={"gate": 1},
    odd_everything={"gate": 3, "up": 5, "down": 7},
    pages={"gate": 4096, "down": 5000},
    one_page_less_one={"up": 4095},
)
def test_regions_are_where_the_header_says(ask: Ask, case: dict[str, int]) -> None:
    """With gaps of any length behind regions the values are those of the declared offsets."""
    for model in (TINY, PACKED, BLOCKED):
        spare = with_spare(model, pages=3)
        blocks = spare.record(1, 0).length // 4096
        stored = replace(spare.record(1, 0), gaps=case, gap_byte=0xFF, blocks=blocks)
        check_decoded(ask, "RECORD-OFFSET-05", spare.with_record(1, 0, stored))


@clause("VQ-DECODE-09")
@cases(SHAPES)
def test_scales_are_one_run(ask: Ask, case: Waste) -> None:
    """Scales are those of the gate's rows, then the up rows', then the down rows', and none beside."""
    stored = case.record(1, 0)
    rows = stored.gate.rows + stored.up.rows + stored.down.rows
    patterns = (0x3C00 + np.arange(rows) * 7).astype(np.uint16)
    start = 0
    for kind in ("gate", "up", "down"):
        whole = stored.matrix(kind)
        scales = patterns[start : start + whole.rows]
        stored = stored.with_matrix(kind, replace(whole, scales=scales))
        start += whole.rows
    check_decoded(ask, "VQ-DECODE-09", case.with_record(1, 0, stored))
