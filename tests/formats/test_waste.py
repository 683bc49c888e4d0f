"""What `vindex3 dump` says of banks, codebooks and statistics of WASTE containers."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vindex3.formats import detect, dump_text, formats
from vindex3_fixtures.annotated import assemble

if TYPE_CHECKING:
    from pathlib import Path

# The header of waste.md, section 17.1, with a record of one page.
HEADER = bytes.fromhex(
    "57455850 2500 9C01 08 00 B001 0000 0000 01000000 30000000 80000000 00010000 00020000 569A3E6B"
    "0000000000000000"
)
BOOK = bytes.fromhex("5743424B 0000 04 02 02000000 00000000 0068 003C 0080 00BE")
USAGE = b"WUSG" + struct.pack("<IQ", 1, 8) + struct.pack("<HHIII", 1, 2, 5, 7, 0)


def bank() -> bytes:
    """Two records of one page each."""
    body = bytes(4096 - 48)
    second = HEADER[:6] + b"\x9d\x01" + HEADER[8:]
    return HEADER + body + second + body


def test_a_header_is_named_field_by_field() -> None:
    """The worked header, as the format's text explains it."""
    assert dump_text(bank()).splitlines()[:15] == [
        "   0  57 45 58 50              ; record 0.magic = WEXP",
        "   4  25 00                    ; record 0.layer = 37",
        "   6  9C 01                    ; record 0.expert_id = 412",
        "   8  08                       ; record 0.fmt = 8, VQ4P",
        "   9  00                       ; record 0.flags = 0",
        "  10  B0 01                    ; record 0.codebook_id = 432",
        "  12  00 00                    ; record 0.lowrank_id = 0",
        "  14  00 00                    ; record 0.reserved0 = 0",
        "  16  01 00 00 00              ; record 0.record_4k_blocks = 1, 4,096 bytes",
        "  20  30 00 00 00              ; record 0.gate_off = 48",
        "  24  80 00 00 00              ; record 0.up_off = 128",
        "  28  00 01 00 00              ; record 0.down_off = 256",
        "  32  00 02 00 00              ; record 0.correction_off = 512",
        "  36  56 9A 3E 6B              ; record 0.crc32 = 1799264854",
        "  40  00 00 00 00 00 00 00 00  ; record 0.reserved1 = 0",
    ]


def test_regions_follow_the_offsets() -> None:
    """Each region runs to the next offset; the second record begins where the first one's length says."""
    lines = [line.split("; ")[1] for line in dump_text(bank()).splitlines() if "record" in line]
    assert [line for line in lines if line.startswith("record 0 ")] == [
        "record 0 gate indices",
        "record 0 up indices",
        "record 0 down indices",
        "record 0 scales and padding",
    ]
    assert "record 1.expert_id = 413" in lines


@pytest.mark.parametrize(
    ("at", "data", "mark"),
    [
        (0, b"PXEW", "! bad-magic: 50 58 45 57, expected 57 45 58 50"),
        (20, b"\x40", "! record-offsets: not 48"),
        (24, b"\x10", "! record-offsets: not behind 48"),
        (32, b"\x00\x00\x01\x00", "! record-offsets: behind the record"),
        (4096 + 16, b"\x02", "! record-length: the first record has 4096 bytes"),
    ],
)
def test_what_is_wrong_stands_where_it_is(at: int, data: bytes, mark: str) -> None:
    """A fault has its mark, by the law's kind, on the line of its field."""
    wrong = bytearray(bank())
    wrong[at : at + len(data)] = data
    [line] = [line for line in dump_text(bytes(wrong), form="waste_bank").splitlines() if "!" in line]
    assert line.split()[0] == str(at)
    assert line.endswith(mark)


def test_a_cut_bank_says_what_it_lacks() -> None:
    """Bytes that a record lacks are told where the file ends."""
    assert dump_text(bank()[:-96]).splitlines()[-1].endswith("! truncated: 96 bytes lack")


def test_entries_of_books_are_numbers() -> None:
    """Book 0 of the worked decode, and one more that ends too early."""
    lines = dump_text(BOOK + BOOK[:20]).splitlines()
    assert lines[6:8] == [
        "  16  00 68 00 3C              ; book 0 entry 0 = 2048, 1",
        "  20  00 80 00 BE              ; book 0 entry 1 = -0, -1.5",
    ]
    assert any(line.endswith("! codebook-header: book 1") for line in lines)
    assert lines[-1].endswith("! partial-codebook: 4 bytes lack")


def test_statistics_are_named_and_torn_entries_told() -> None:
    """Header and entries field by field; what is left over is no entry."""
    lines = dump_text(USAGE + b"\1").splitlines()
    assert "  20  05 00 00 00              ; entry 0.hits = 5" in lines
    assert lines[-1].endswith("torn: dropped by every reader")


def test_files_are_recognised_by_magic_then_by_name(tmp_path: Path) -> None:
    """The magic decides under any name; a damaged file has its usual name to say what it is."""
    assert detect(bank()) is formats()["waste_bank"]
    assert detect(BOOK) is formats()["waste_codebooks"]
    assert detect(USAGE) is formats()["waste_usage"]
    for name, form in (
        ("experts-L1.bin", "waste_bank"),
        ("codebooks.bin", "waste_codebooks"),
        ("usage.waste", "waste_usage"),
    ):
        path = tmp_path / name
        path.write_bytes(b"\xff" * 70)
        assert detect(path) is formats()[form]


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(st.sampled_from(["waste_bank", "waste_codebooks", "waste_usage"]), st.data())
def test_every_damaged_file_is_given_back(form: str, data: st.DataObject) -> None:
    """Whatever bytes change and wherever the file is cut, the dump assembles to it."""
    whole = {"waste_bank": bank(), "waste_codebooks": BOOK * 3, "waste_usage": USAGE}[form]
    damaged = bytearray(whole)
    for at in data.draw(st.lists(st.integers(0, min(len(damaged), 60) - 1), max_size=4)):
        damaged[at] = data.draw(st.integers(0, 255))
    cut = bytes(damaged[: data.draw(st.integers(0, len(damaged)))])
    assert assemble(dump_text(cut, form=form)) == cut
