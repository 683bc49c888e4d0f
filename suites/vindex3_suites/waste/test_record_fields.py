"""The fields of a header that are checked: magic, identity, length, format, low-rank part, books."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, either, needs, refuses
from pytest_vindex3.contract.difference import HexDigits
from pytest_vindex3.contract.patterns import one_of
from vindex3_fixtures.waste import Quant, Waste, made
from vindex3_suites.waste.models import BLOCKED, PACKED, PAIRS, TINY
from vindex3_suites.waste.records import (
    RECORD,
    VERIFY,
    check_decoded,
    check_pair,
    check_served,
    record,
    with_header,
    with_spare,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


def _bank(model: Waste, layer: int, *slots: int) -> Waste:
    """The container whose bank holds these of its records, in this order."""
    return model.with_bank(layer, [model.record(layer, slot) for slot in slots])


@clause("RECORD-MAGIC-01")
@cases(
    zeros=0,
    reversed=0x57455850,
    substitute=0x42555357,
    codebook=0x4B424357,
    small_letters=0x70786577,
    one_bit=0x50584556,
    last_byte=0x51584557,
)
def test_another_magic_is_refused(ask: Ask, case: int) -> None:
    """Four other bytes in front are bad-magic, verified or not, those of a substitute included."""
    facts = {
        "found": HexDigits(case.to_bytes(4, "little").hex()),
        "expected": HexDigits("57455850"),
    }
    for layer, expert in ((1, 0), (2, 2)):
        wrong = with_header(TINY, layer, expert, magic=case)
        refused = refuses("bad-magic", layer=layer, expert=expert, **facts)
        check_pair(ask, "RECORD-MAGIC-01", TINY, wrong, refused, (layer, expert))


@clause("RECORD-MAGIC-01")
@cases(tiny=TINY, packed=PACKED)
def test_a_record_of_zeros_is_refused(ask: Ask, case: Waste) -> None:
    """A record that was never written is bad-magic."""
    length = case.record(1, 1).length
    wrong = case.patched("experts-L1.bin", length, bytes(length))
    facts = {"found": HexDigits("00000000"), "expected": HexDigits("57455850")}
    refused = refuses("bad-magic", layer=1, expert=1, **facts)
    check_pair(ask, "RECORD-MAGIC-01", case, wrong, refused, (1, 1))


SWAPPED = _bank(TINY, 1, 1, 0, 2)
IDENTITIES: dict[str, tuple[Waste, int, int, int, int]] = {
    "swapped": (SWAPPED, 1, 0, 1, 1),
    "swapped_back": (SWAPPED, 1, 1, 1, 0),
    "duplicated": (_bank(TINY, 1, 0, 1, 1), 1, 2, 1, 1),
    "rotated": (_bank(TINY, 2, 1, 2, 0), 2, 0, 2, 1),
    "rotated_to_the_end": (_bank(TINY, 2, 1, 2, 0), 2, 2, 2, 0),
    "bank_of_another_layer": (
        TINY.with_file("experts-L2.bin", TINY.files["experts-L1.bin"]),
        2,
        1,
        1,
        1,
    ),
    "names_exchanged": (
        TINY.with_layer(2, "file", "experts-L1.bin").with_layer(1, "file", "experts-L2.bin"),
        2,
        0,
        1,
        0,
    ),
    "layer_of_its_high_byte": (with_header(TINY, 1, 0, layer=257), 1, 0, 257, 0),
    "expert_of_its_high_byte": (with_header(TINY, 1, 0, expert_id=256), 1, 0, 1, 256),
    "no_layer": (with_header(TINY, 1, 1, layer=0), 1, 1, 0, 1),
    "no_expert": (with_header(TINY, 1, 2, expert_id=0), 1, 2, 1, 0),
    "any_layer": (with_header(TINY, 2, 1, layer=65535), 2, 1, 65535, 1),
    "any_expert": (with_header(TINY, 2, 1, expert_id=65535), 2, 1, 2, 65535),
    "both": (with_header(TINY, 1, 0, layer=2, expert_id=1), 1, 0, 2, 1),
    "turned": (with_header(TINY, 1, 2, layer=2, expert_id=1), 1, 2, 2, 1),
    "largest": (with_header(TINY, 1, 2, layer=65535, expert_id=65535), 1, 2, 65535, 65535),
}


@clause("RECORD-IDENTITY-01")
@cases(IDENTITIES)
def test_a_record_is_the_one_asked_for(ask: Ask, case: tuple[Waste, int, int, int, int]) -> None:
    """The record of another layer or expert is refused, with what was asked for and what was found."""
    wrong, layer, expert, found_layer, found_expert = case
    asked = {"layer": layer, "expert": expert}
    refused = refuses("record-identity", **asked, found_layer=found_layer, found_expert=found_expert)
    check_pair(ask, "RECORD-IDENTITY-01", TINY, wrong, refused, (layer, expert))


@clause("RECORD-IDENTITY-01")
def test_a_layer_has_a_bank_of_its_own(ask: Ask) -> None:
    """Of two layers that name one bank the other one's records are refused, or the container is."""
    wrong = TINY.with_layer(2, "file", "experts-L1.bin")
    refused = refuses("record-identity", layer=2, expert=0, found_layer=1, found_expert=0)
    check_pair(ask, "RECORD-IDENTITY-01", TINY, wrong, either(refused, refuses("path-collision")), (2, 0))


@clause("RECORD-SIZE-01")
@cases(zero=0, one_more=1, one_less=-1, equal_in_32_bits=0x00100000, highest=0x80000000)
def test_a_record_has_the_length_of_its_slot(ask: Ask, case: int) -> None:
    """Another number of pages than the slot has is refused, also one that is equal modulo 2^32 bytes."""
    for model in (TINY, PACKED):
        pages = model.record(1, 0).length // 4096
        blocks = case + (0 if case in (0, 0x80000000) else pages)
        wrong = with_header(model, record_4k_blocks=blocks)
        slot = {"layer": 1, "expert": 0}
        in_pages = refuses("record-length", **slot, found=blocks, expected=pages)
        in_bytes = refuses("record-length", **slot, found=4096 * blocks, expected=4096 * pages)
        check_pair(ask, "RECORD-SIZE-01", model, wrong, either(in_bytes, in_pages))


PADDED = with_spare(TINY, pages=2)
STRIDE = PADDED.record(1, 0).length


@clause("RECORD-SIZE-03")
@needs(f"{RECORD}:before", f"{RECORD}:patch")
@cases(
    last_byte_of_padding=3 * STRIDE - 1,
    only_the_payload=2 * STRIDE + 592,
    a_page=2 * STRIDE + 4096,
    half_a_header=2 * STRIDE + 24,
    one_byte=2 * STRIDE + 1,
    nothing_of_it=2 * STRIDE,
    nothing_at_all=0,
)
def test_a_record_that_is_cut_is_not_served(ask: Ask, case: int) -> None:
    """Where the bank has become shorter, a record that is not there whole is truncated, with both counts."""
    cut = [{"after": 1, "file": "experts-L1.bin", "length": case}]
    for options in VERIFY:
        check_served(ask, "RECORD-SIZE-03", PADDED, 1, 2, before=[[1, 0]], **options)
        # the adapter changes the container, so that the next request gets a copy of its own
        reply = record(ask, PADDED, 1, 2, folder=f"cut-{options}", before=[[1, 0]], patch=cut, **options)
        slot = {"layer": 1, "expert": 2}
        there = max(0, case - 2 * STRIDE)
        of_the_record = refuses("truncated", **slot, need=STRIDE, have=there)
        of_the_bank = refuses("truncated", **slot, need=3 * STRIDE, have=case)
        check("RECORD-SIZE-03", reply, either(of_the_record, of_the_bank))


@clause("RECORD-SIZE-03")
@cases(
    last_byte_of_padding=3 * STRIDE - 1,
    only_the_payload=2 * STRIDE + 592,
    half_a_header=2 * STRIDE + 24,
    nothing_of_it=2 * STRIDE,
)
def test_a_record_of_a_short_bank_is_not_served(ask: Ask, case: int) -> None:
    """In a bank that is too short the last record is truncated, when it is read or at open."""
    stored = PADDED.files["experts-L1.bin"]
    data = stored if isinstance(stored, bytes) else b""
    wrong = PADDED.with_file("experts-L1.bin", data[:case])
    of_the_record = refuses("truncated", layer=1, expert=2, need=STRIDE, have=case - 2 * STRIDE)
    of_the_bank = refuses("truncated", need=3 * STRIDE, have=case)
    check_pair(ask, "RECORD-SIZE-03", PADDED, wrong, either(of_the_record, of_the_bank), (1, 2))


PACKED_FORMATS = one_of(8, [8])
WHOLE_FORMATS = one_of([4, 5], [5, 4], 4, 5)


@clause("RECORD-FMT-01")
@cases(four=4, five=5)
def test_packed_indices_are_of_format_8(ask: Ask, case: int) -> None:
    """With 6-bit indices a whole-byte format is refused, although the payloads are equally long."""
    facts = {"layer": 1, "expert": 0, "found": case, "expected": PACKED_FORMATS}
    wrong = with_header(PACKED, fmt=case)
    check_pair(ask, "RECORD-FMT-01", PACKED, wrong, refuses("record-format", **facts))


@clause("RECORD-FMT-01")
@cases(tiny=TINY, blocked=BLOCKED, pairs=PAIRS)
def test_whole_bytes_are_not_of_format_8(ask: Ask, case: Waste) -> None:
    """With 8-bit indices the packed format is refused."""
    facts = {"layer": 1, "expert": 0, "found": 8, "expected": WHOLE_FORMATS}
    check_pair(ask, "RECORD-FMT-01", case, with_header(case, fmt=8), refuses("record-format", **facts))


@clause("RECORD-FMT-02")
@cases({f"stages_{stages}": stages for stages in (3, 2, 4, 6, 1, 8)})
def test_formats_4_and_5_are_alike(ask: Ask, case: int) -> None:
    """Beside any number of stages both formats are served, and the manifest says how many there are."""
    quant = Quant(case, 2, 5)
    model = made(quant=quant, inner=6, width=10, experts=2, layers=2, seed="formats")
    for fmt in (4, 5):
        marked = model.with_record(1, 0, replace(model.record(1, 0), fmt=fmt))
        for options in VERIFY:
            check_served(ask, "RECORD-FMT-02", marked, **options)


@clause("RECORD-FMT-02")
@needs("waste.matrix")
@cases({f"stages_{stages}": stages for stages in (3, 2, 4)})
def test_the_format_says_nothing_of_stages(ask: Ask, case: int) -> None:
    """A record decodes alike under both formats, by the stages of the manifest."""
    quant = Quant(case, 2, 5)
    model = made(quant=quant, inner=6, width=10, experts=2, layers=2, seed="formats")
    for fmt in (4, 5):
        marked = model.with_record(1, 1, replace(model.record(1, 1), fmt=fmt))
        check_decoded(ask, "RECORD-FMT-02", marked, 1, 1)


@clause("RECORD-FMT-03")
@cases({str(fmt): fmt for fmt in (0, 1, 2, 3, 6, 7, 9, 13, 132, 255)})
def test_any_other_format_is_refused(ask: Ask, case: int) -> None:
    """No number but those of the two packings is a record's format, under either of them."""
    model, expected = (PACKED, PACKED_FORMATS) if case % 3 else (TINY, WHOLE_FORMATS)
    facts = {"layer": 1, "expert": 0, "found": case, "expected": expected}
    check_pair(ask, "RECORD-FMT-03", model, with_header(model, fmt=case), refuses("record-format", **facts))


@clause("RECORD-LOWRANK-01")
@cases({f"{value:04x}": value for value in (1, 0x0100, 0x8000, 0xFFFF)})
def test_a_low_rank_part_is_refused(ask: Ask, case: int) -> None:
    """A record with a low-rank part is refused, whichever bit says so."""
    for model in (TINY, PACKED):
        refused = refuses("unsupported-feature", layer=1, expert=0, found=case)
        wrong = with_header(model, lowrank_id=case)
        check_pair(ask, "RECORD-LOWRANK-01", model, wrong, refused)


@clause("RECORD-BOOK-01")
@cases(only_down_beyond=10, gate_alone_within=16, none_within=18, high_byte=0x0109, largest=0xFFFF)
def test_books_beyond_the_last_are_refused(ask: Ask, case: int) -> None:
    """All nine books of a record have to be there, of the eighteen that there are."""
    wrong = with_header(TINY, 2, 1, codebook_id=case)
    refused = refuses("codebook-mismatch", layer=2, expert=1, found=case, books=18)
    check_pair(ask, "RECORD-BOOK-01", TINY, wrong, refused, (2, 1))


SPREAD = made(bases=[20, 3], seed="spread")
"""Bases that do not ascend, with books between that nobody names; 29 books."""
FAR = made(bases=[0, 265], seed="far")
"""274 books, of which the last are a layer's."""


@clause("RECORD-BOOK-02")
@cases(
    of_its_high_byte=(FAR, 1, 256, 0),
    of_its_low_byte=(FAR, 2, 9, 265),
    of_the_next_layer=(TINY, 1, 9, 0),
    of_the_layer_before=(TINY, 2, 0, 9),
    one_more=(TINY, 1, 1, 0),
    one_less=(TINY, 2, 8, 9),
    of_another_layer=(SPREAD, 1, 3, 20),
    of_no_layer=(SPREAD, 2, 12, 3),
    first_books=(SPREAD, 2, 0, 3),
)
def test_other_books_are_refused(ask: Ask, case: tuple[Waste, int, int, int]) -> None:
    """Books that are there, and not those of the layer, are refused with both numbers."""
    model, layer, found, expected = case
    wrong = with_header(model, layer, 2, codebook_id=found)
    refused = refuses("codebook-mismatch", layer=layer, expert=2, found=found, expected=expected)
    check_pair(ask, "RECORD-BOOK-02", model, wrong, refused, (layer, 2))
