"""The checksum of a record: which bytes it covers, and what the switch `verify` changes."""

from __future__ import annotations

import zlib
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, needs, refuses
from vindex3_fixtures.waste import TRUNK, Record, Waste
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.models import BLOCKED, EMBEDDING, HEAD, PACKED, PAIRS, QUERY, SINGLE, TINY
from vindex3_suites.waste.records import check_served, record, served, with_header, with_spare
from vindex3_suites.waste.verifying import sound, verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_vindex3.plugin.ask import Ask

SHAPES = {"tiny": TINY, "packed": PACKED, "blocked": BLOCKED, "pairs": PAIRS}
VERIFIED: dict[str, Any] = {"verify": True}
UNVERIFIED: tuple[dict[str, Any], ...] = ({}, {"verify": False})


def _with(model: Waste, **changes: object) -> Waste:
    """The container with these attributes of its first record, its checksum with them."""
    changed: Record = replace(model.record(1, 0), **changes)  # type: ignore[arg-type]
    return model.with_record(1, 0, changed)


OUTSIDE: dict[str, Callable[[Waste], Waste]] = {
    "header": lambda model: with_header(model, flags=0xFF, reserved0=1, reserved1_low=2, reserved1_high=3),
    "padding": lambda model: _with(model, padding=0xFF),
    "spare_pages": lambda model: with_spare(_with(model, padding=0x55), pages=3),
}
INSIDE: dict[str, Callable[[Waste], Waste]] = {
    "as_written": lambda model: model,
    "filling_rows": lambda model: _with(model, filling=0x3F),
    "gaps": lambda model: _with(model, gaps={"gate": 3, "up": 40, "down": 5}, gap_byte=0xEE),
}


@clause("CRC-RANGE-01")
@cases({**INSIDE, **OUTSIDE})
def test_a_checksum_covers_the_payload(ask: Ask, case: Callable[[Waste], Waste]) -> None:
    """Filling rows and gaps are summed, header and padding are not: a record so written verifies."""
    for model in SHAPES.values():
        check_served(ask, "CRC-RANGE-01", case(model), **VERIFIED)


def _flipped(model: Waste, offset: int, bit: int = 0) -> Waste:
    """The container with one bit of its first bank flipped."""
    stored = model.files["experts-L1.bin"]
    byte = stored[offset] if isinstance(stored, bytes) else 0
    return model.patched("experts-L1.bin", offset, bytes([byte ^ 1 << bit]))


def _summed(model: Waste, expert: int = 0) -> int:
    """The checksum of the payload of a record as it lies in the file."""
    stored, data = model.record(1, expert), model.files["experts-L1.bin"]
    start = expert * stored.length
    return zlib.crc32(data[start + 48 : start + stored.payload_end]) if isinstance(data, bytes) else 0


def _places(model: Waste) -> dict[str, int]:
    """One byte of every part that the checksum covers."""
    stored = model.record(1, 0)
    header = stored.header
    return {
        "first_index": header["gate_off"],
        "last_of_gate": header["up_off"] - 1,
        "up": header["up_off"] + 7,
        "last_of_down": header["correction_off"] - 1,
        "first_scale": header["correction_off"],
        "last_scale": stored.payload_end - 1,
    }


@clause("CRC-RANGE-02")
@cases(SHAPES)
def test_a_flipped_bit_is_found(ask: Ask, case: Waste) -> None:
    """One bit in any part of the payload is refused with both checksums; with none flipped it verifies."""
    check_served(ask, "CRC-RANGE-02", case, **VERIFIED)
    for place, offset in enumerate(_places(case).values()):
        wrong = _flipped(case, offset, place % 8)
        facts = {"stored": case.record(1, 0).header["crc32"], "computed": _summed(wrong)}
        refused = refuses("checksum-mismatch", layer=1, expert=0, **facts)
        check("CRC-RANGE-02", record(ask, wrong, 1, 0, **VERIFIED), refused)


@clause("CRC-RANGE-02")
@cases(packed=PACKED, blocked=BLOCKED)
def test_a_flipped_bit_of_a_filling_row_is_found(ask: Ask, case: Waste) -> None:
    """The rows that fill up a block are covered: the last byte of a region is one of theirs."""
    header = case.record(1, 0).header
    check_served(ask, "CRC-RANGE-02", case, **VERIFIED)
    for offset in (header["up_off"] - 1, header["down_off"] - 1, header["correction_off"] - 1):
        wrong = _flipped(case, offset, 7)
        facts = {"stored": header["crc32"], "computed": _summed(wrong)}
        refused = refuses("checksum-mismatch", layer=1, expert=0, **facts)
        check("CRC-RANGE-02", record(ask, wrong, 1, 0, **VERIFIED), refused)


@clause("CRC-RANGE-02")
@cases({str(bit): bit for bit in (0, 7, 8, 15, 16, 24, 31)})
def test_another_stored_checksum_is_found(ask: Ask, case: int) -> None:
    """Every byte of the stored checksum is compared."""
    true = TINY.record(1, 1).true_header["crc32"]
    wrong = with_header(TINY, 1, 1, crc32=true ^ 1 << case)
    check_served(ask, "CRC-RANGE-02", TINY, 1, 1, **VERIFIED)
    facts = {"stored": true ^ 1 << case, "computed": true}
    refused = refuses("checksum-mismatch", layer=1, expert=1, **facts)
    check("CRC-RANGE-02", record(ask, wrong, 1, 1, **VERIFIED), refused)


@clause("CRC-RANGE-02")
def test_no_stored_checksum_means_unchecked(ask: Ask) -> None:
    """Neither 0 nor all ones stands for a record without checksum; 0 is right where the sum is 0."""
    true = TINY.record(1, 1).true_header["crc32"]
    check_served(ask, "CRC-RANGE-02", TINY, 1, 1, **VERIFIED)
    for stored in (0, 0xFFFFFFFF, true ^ 0xFFFFFFFF, int.from_bytes(true.to_bytes(4, "little"))):
        refused = refuses("checksum-mismatch", layer=1, expert=1, stored=stored, computed=true)
        wrong = with_header(TINY, 1, 1, crc32=stored)
        check("CRC-RANGE-02", record(ask, wrong, 1, 1, **VERIFIED), refused)


@clause("CRC-RANGE-03")
@cases(SHAPES)
def test_unverified_damage_is_served(ask: Ask, case: Waste) -> None:
    """With verify false, or left out, a damaged payload is served as it is, with the stored checksum."""
    stored = case.record(1, 0)
    for offset in _places(case).values():
        wrong = _flipped(case, offset)
        data = wrong.files["experts-L1.bin"]
        bank = data if isinstance(data, bytes) else b""
        payload = bank[48 : stored.payload_end]
        expected = served(stored, data=bank[: stored.length], payload_sha256=sha256(payload).hexdigest())
        for options in UNVERIFIED:
            check("CRC-RANGE-03", record(ask, wrong, 1, 0, **options), expected)


@clause("CRC-RANGE-03")
@cases(zero=0, ones=0xFFFFFFFF, small=1)
def test_an_unverified_checksum_is_shown(ask: Ask, case: int) -> None:
    """The stored checksum is shown as it is, whatever the true one would be."""
    for options in UNVERIFIED:
        check_served(ask, "CRC-RANGE-03", with_header(PACKED, crc32=case), **options)


@clause("CRC-RANGE-07")
@needs("waste.tensor")
@cases(quantised_8=HEAD, quantised_4=EMBEDDING, quantised_3=QUERY)
def test_a_flipped_code_is_no_defect(ask: Ask, case: str) -> None:
    """A bit of a trunk code changes one value, which is delivered, and is listed nowhere."""
    tensor = TINY.tensor(case)
    if tensor.codes is None:
        raise ValueError(f"{case} has no codes")
    codes = tensor.codes.copy()
    codes[1, 2] ^= 1  # in every format the lowest bit of a code is stored as it is
    changed = replace(tensor, codes=codes)
    model = TINY.with_trunk(*(changed if one is tensor else one for one in TINY.tensors))
    check("CRC-RANGE-07", verify(ask, model), sound(model))
    path = ask.file("model", model.folder)
    check("CRC-RANGE-07", ask("waste.tensor", path=path, name=case), gives(model.values(case)))


@clause("CRC-RANGE-07")
@cases(tiny=TINY, packed=PACKED, single=SINGLE)
def test_a_flipped_codebook_is_no_defect(ask: Ask, case: Waste) -> None:
    """A bit of a codebook's value is listed nowhere, and neither are bytes behind the last tensor."""
    book = case.books[0]
    model = case.with_book(book.with_value(0, 0, int(book.values[0, 0]) ^ 1))
    check("CRC-RANGE-07", verify(ask, model), sound(model))
    trunk = case.files[TRUNK]
    longer = model.with_file(TRUNK, trunk + b"\xff" if isinstance(trunk, bytes) else trunk)
    check("CRC-RANGE-07", verify(ask, longer), sound(longer))
