"""What `vindex3 dump` says of LYRW files, whole and damaged, by text written by hand."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from pytest_vindex3.formats import dump_text
from vindex3_fixtures.goldens import goldens

if TYPE_CHECKING:
    from collections.abc import Callable

WHOLE = """\
 160  08 00 00 00 00 00 00 00  ; entry 0 schema 2.length = 8
 168  zeros 24                 ; padding
 192  00 00 80 3F 00 00 00 40 00 00 40 40 00 00 80 40  ; entry 0 schema 0 gate \
= 1, 2, 3, 4, as f32 row_major 2 x 3
 208  00 00 A0 40 00 00 C0 40  ; +16 = 5, 6
 216  zeros 40                 ; padding
 256  00 00 00 3F 00 00 80 BF 00 00 80 3E 00 00 00 00  ; entry 0 schema 1 up \
= 0.5, -1, 0.25, 0, as f32 row_major 2 x 3
 272  00 00 C0 3F 00 00 00 C0  ; +16 = 1.5, -2
 280  zeros 40                 ; padding
 320  00 00 E0 40 00 00 00 41  ; entry 0 schema 2 down = 7, 8, as f32 row_major 1 x 2
"""


def dumped(name: str) -> str:
    """The dump of a LYRW golden."""
    return dump_text(goldens()[f"lyrw/{name}"].path)


def test_tables_are_named_like_the_worked_example() -> None:
    """The dump of the worked example's tables is, letter by letter, the text its golden was typed as."""
    typed = goldens()["lyrw/dense_f32_worked"].source.splitlines()
    tables = [line for line in typed if line[:4].strip().isdecimal() and int(line[:4]) < 168]
    assert len(tables) == 49
    assert dumped("dense_f32_worked").splitlines()[:49] == tables


def test_a_whole_file_is_named_to_its_last_byte() -> None:
    """Padding and regions with coordinates, values and shape follow the tables, and nothing else."""
    text = dumped("dense_f32_worked")
    assert text.endswith(WHOLE)
    assert "!" not in text


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "wrong_magic",
            [
                "   0  57 52 59 4C              ; header.magic = WRYL"
                "  ! bad-magic: 57 52 59 4C, expected 4C 59 52 57"
            ],
        ),
        (
            "version_1_header",
            [
                "   4  01 00 00 00              ; header.format_version = 1"
                "  ! wrong-generation: 1, required 2, a layer file of VINDEX2",
                "   8  03 00 00 00 FF FF FF FF FF FF FF FF FF FF FF FF"
                "  ; not read: what another generation keeps here = ................",
            ],
        ),
        (
            "cut_in_header",
            [
                "  20  00 00 00                 ; header.reserved, cut: 3 of 4 bytes",
                "; the file ends here  ! truncated: header, the record at 0 needs 24 bytes and has 23",
            ],
        ),
        (
            "cut_in_banks",
            [
                "  60  02 00 00 00              ; bank 1.input_dim = 2",
                "; the file ends here, 1 of 2 records are whole"
                "  ! truncated: bank descriptor table, the record at 48 needs 24 bytes and has 16",
            ],
        ),
        (
            "cut_in_segments",
            [
                "  92  01 00 00                 ; segment 1.entry_count, cut: 3 of 4 bytes",
                "; the file ends here, 1 of 2 records are whole"
                "  ! truncated: segment descriptor table, the record at 84 needs 12 bytes and has 11",
            ],
        ),
        (
            "cut_in_schemas",
            [
                "  92  02 00 00                 ; schema 1.rows, cut: 3 of 4 bytes",
                "; the file ends here, 1 of 3 records are whole"
                "  ! truncated: region schema table, the record at 80 needs 20 bytes and has 15",
            ],
        ),
        (
            "schema_index_mismatch",
            [
                " 100  01 00                    ; schema 2.schema_index = 1"
                "  ! schema-index-mismatch: 1 at position 2"
            ],
        ),
        (
            "inconsistent_pairing",
            ["  68  00 00                    ; schema 0.pair_id = 0  ! inconsistent-pairing: row_major"],
        ),
        (
            "unpaired_values",
            [
                " 148  FF FF                    ; schema 4.pair_id = 0xFFFF unpaired"
                "  ! inconsistent-pairing: blocks_values"
            ],
        ),
        (
            "layout_on_down",
            [
                "  90  01 00                    ; schema 1.layout = 1 contiguous_halves"
                "  ! layout-on-non-fused: down"
            ],
        ),
        (
            "layout_on_vendor_role",
            [
                "  62  2C 01                    ; schema 0.role = 300 vendor",
                "  70  01 00                    ; schema 0.layout = 1 contiguous_halves,"
                " may be refused as layout-on-non-fused",
            ],
        ),
        (
            "unknown_bank",
            [
                "  48  08 00                    ; segment.bank_id = 8  ! unknown-bank",
                " 100  C0 00 00 00 00 00 00 00 10 00 00 00 00 00 00 00"
                "  ; not placed: a segment of an unknown bank = ................",
            ],
        ),
        (
            "segment_out_of_bounds",
            [
                "  56  02 00 00 00              ; segment.entry_count = 2"
                "  ! segment-out-of-bounds: 4294967295 + 2 of 4 entries",
                " 100  C0 00 00 00 00 00 00 00  ; entry 4294967295 schema 0.offset = 192",
            ],
        ),
        (
            "row_beyond_file",
            [
                " 160  09 00 00 00 00 00 00 00  ; entry 0 schema 2.length = 9"
                "  ! region-out-of-bounds: 1 bytes beyond the end of the file"
            ],
        ),
        (
            "row_sum_wraps",
            [
                " 160  C0 FF FF FF FF FF FF FF  ; entry 0 schema 2.length = 18446744073709551552"
                "  ! region-out-of-bounds: 18446744073709551544 bytes beyond the end of the file",
            ],
        ),
        (
            "misaligned_region",
            [
                " 136  01 01 00 00 00 00 00 00  ; entry 0 schema 1.offset = 257"
                "  ! misaligned: no multiple of 64"
            ],
        ),
        (
            "trailing_bytes",
            [
                " 328  54 41 49 4C              ; trailing = TAIL"
                "  ! trailing-bytes: 4 bytes after the last region"
            ],
        ),
        (
            "non_zero_padding",
            [
                " 168  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ; padding"
                "  ! non-zero-padding: at 191",
                " 184  00 00 00 00 00 00 00 01  ; +16",
            ],
        ),
        (
            "zero_length_region",
            [
                "; entry 0 schema 1 bias: no bytes, at 256",
                "; entry 1 schema 1 bias: no bytes, at 320",
            ],
        ),
        (
            "unknown_tags",
            [
                "  16  02 01 00 80              ; header.flags = 2147483906, unassigned bits 0x80000102",
                "  26  37 00                    ; bank.bank_kind = 55 unknown",
                "  30  FD FF                    ; bank.flags = 65533, browse direct, unassigned bits 0xFFFC",
                " 142  08 00                    ; schema 4.role = 8 reserved",
                " 144  0B 00                    ; schema 4.format = 11 unknown",
                " 256  00 3C 00 C0 00 42      "
                "  ; entry 0 schema 0 role 300 = 1, -2, 3, as f16 row_major 1 x 3",
                " 512  5A                       ; entry 0 schema 4 role 8, as format 11 packing 4 1 x 1",
            ],
        ),
        (
            "browse_modes",
            [" 102  03 00                    ; bank 3.flags = 3, browse none (bits 3 unassigned)"],
        ),
        (
            "shared_and_routed",
            [
                "  86  00 00                    ; segment 1.segment_index = 0",
                " 178  03 00                    ; bank 1 schema 2.role = 3 down",
                " 292  C0 02 00 00 00 00 00 00  ; bank_id 9 entry 0 schema 2.offset = 704",
                " 576  80 3F 00 40 40 40 80 40 A0 40 C0 40  ; bank_id 9 entry 0 schema 0 gate"
                " = 1, 2, 3, 4, 5, 6, as bf16 row_major 3 x 2",
            ],
        ),
        (
            "reserved_word",
            ["  20  EF BE AD DE              ; header.reserved = 3735928559, any value is accepted"],
        ),
    ],
)
def test_the_place_where_a_file_breaks_is_marked(name: str, lines: list[str]) -> None:
    """The dump of a golden has these lines, in this order, and the only marks are those among them."""
    shown = dumped(name).splitlines()
    assert [line for line in shown if line in lines] == lines
    assert [line for line in shown if "  ! " in line and line not in lines] == []


def test_every_legal_golden_is_free_of_marks() -> None:
    """No mark stands in the dump of a golden that must be accepted and is no faulty twin of another."""
    for golden in goldens().values():
        legal = golden.verdict == "accept" and golden.twin is None
        if legal and not golden.made and golden.path.is_file():
            assert "  ! " not in dump_text(golden.path), golden.name


def test_rows_that_leave_their_place_are_marked(layer: Callable[..., bytes]) -> None:
    """A region in the tables, one that begins within another, and one beyond the file are each marked."""
    data = layer(
        [(0, 4), (192, 64), (224, 64), (1 << 63, 1 << 63)], bytes(48) + struct.pack("<24f", *range(1, 25))
    )
    assert len(data) == 288
    text = dump_text(data)
    for line in (
        "  80  00 00 00 00 00 00 00 00  ; entry 0 schema 0.offset = 0  ! region-in-tables: they end at 144",
        " 128  00 00 00 00 00 00 00 80  ; entry 3 schema 0.offset = 9223372036854775808",
        " 136  00 00 00 00 00 00 00 80  ; entry 3 schema 0.length = 9223372036854775808"
        "  ! region-out-of-bounds: 18446744073709551328 bytes beyond the end of the file",
        "; entry 2 schema 0 gate begins here  ! overlap",
        " 224  00 00 10 41 00 00 20 41 00 00 30 41 00 00 40 41  ; entry 1 schema 0 gate +32"
        " = 9, 10, 11, 12  ! overlap: 2 regions have these bytes",
        " 256  00 00 88 41 00 00 90 41 00 00 98 41 00 00 A0 41  ; entry 2 schema 0 gate +32 = 17, 18, 19, 20",
        " 144  zeros 48                 ; padding",
    ):
        assert line in text.splitlines()


def test_rows_of_zeros_are_one_line(layer: Callable[..., bytes]) -> None:
    """Rows that nobody filled in are named together, with the coordinates of the first and the last."""
    text = dump_text(layer([(0, 0)] * 7 + [(192, 4)], bytes(8), schemas=2, entries=4, present=2))
    assert (
        " 100  zeros 112                ; entry 0 schema 0, 7 rows of zeros, up to entry 3 schema 0"
        "  ! region-in-tables" in text.splitlines()
    )
    assert (
        " 212  C0 00 00 00 00 00 00 00  ; entry 3 schema 1.offset = 192  ! region-in-tables: they end at 228"
        in (text.splitlines())
    )


def test_a_cut_entry_table_says_what_is_missing(layer: Callable[..., bytes]) -> None:
    """The last row is shown as far as it goes, with the rows declared and those that are whole."""
    text = dump_text(layer([(192, 4)], b"\x00\x01\x02", entries=0xFFFFFFFF))
    assert text.splitlines()[-3:] == [
        "  88  04 00 00 00 00 00 00 00  ; entry 0 schema 0.length = 4"
        "  ! region-out-of-bounds: 97 bytes beyond the end of the file",
        "  96  00 01 02                 ; entry 1 schema 0.offset, cut: 3 of 8 bytes",
        "; the file ends here, 1 of 4294967295 rows are whole"
        "  ! truncated: entry table, the record at 96 needs 16 bytes and has 3",
    ]


def test_no_segments_and_equal_banks_are_marked() -> None:
    """A file without segments and two banks of one id are marked where they are declared."""
    bank = bytes.fromhex("0500 0000 0000 0000 00000000 00000000 00000000 00000000")
    data = b"LYRW" + bytes.fromhex("02000000 00000000 0200 0000 00000000 00000000") + bank + bank
    text = dump_text(data).splitlines()
    assert "  14  00 00                    ; header.num_segments = 0  ! no-segments" in text
    assert "  48  05 00                    ; bank 1.bank_id = 5  ! duplicate-bank-id" in text
    assert "  24  05 00                    ; bank 0.bank_id = 5" in text


def test_an_unknown_packing_with_a_number_may_be_refused(layer: Callable[..., bytes]) -> None:
    """What a clause leaves open is noted, and not marked as a fault."""
    data = bytearray(layer([]))
    data[66] = 9
    data[68:70] = b"\x03\x00"
    assert (
        "  68  03 00                    ; schema 0.pair_id = 3, may be refused as inconsistent-pairing"
        in (dump_text(bytes(data)).splitlines())
    )
