"""The header: magic, version, and the words that are kept."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, refuses
from pytest_vindex3.contract.difference import HexDigits
from vindex3_suites.lyrw.expected import parses, truncated
from vindex3_suites.lyrw.samples import DENSE, SMALLEST, SPLIT, with_flags

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.lyrw import LyrwFile


@clause("LYRW-MAGIC-01")
@cases(smallest=SMALLEST, dense=DENSE, split=SPLIT)
def test_magic_and_version_2_are_taken(ask: Ask, case: LyrwFile) -> None:
    """A file that begins with LYRW and version 2 is described."""
    check("LYRW-MAGIC-01", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))


@clause("LYRW-MAGIC-02")
@cases(
    swapped=(SMALLEST, b"WRYL"),
    zeros=(SMALLEST, bytes(4)),
    ones=(SMALLEST, b"\xff\xff\xff\xff"),
    first_byte=(SMALLEST, b"\x00YRW"),
    last_byte=(SMALLEST, b"LYRX"),
    small_letters=(SMALLEST, b"lyrw"),
    gguf=(SMALLEST, b"GGUF"),
    halves_swapped=(SMALLEST, b"RWLY"),
    wrong_version_too=(replace(SMALLEST, version=1), b"WRYL"),
    wrong_counts_too=(replace(SMALLEST, num_banks=65535, num_segments=65535), b"WRYL"),
    header_alone=(replace(SMALLEST, length=24), b"LYRV"),
)
def test_another_magic_is_refused(ask: Ask, case: tuple[LyrwFile, bytes]) -> None:
    """Any other four bytes in front are bad-magic, found and expected, whatever follows them."""
    file, magic = case
    legal = ask("lyrw.parse", path=ask.file("legal.lyrw", SMALLEST))
    check("LYRW-MAGIC-02", legal, parses(SMALLEST))
    wrong = ask("lyrw.parse", path=ask.file("wrong.lyrw", replace(file, magic=magic)))
    facts = {"found": HexDigits(magic.hex()), "expected": HexDigits("4C595257")}
    check("LYRW-MAGIC-02", wrong, refuses("bad-magic", **facts))


@clause("LYRW-VERSION-01")
@cases(
    one=1,
    zero=0,
    three=3,
    big_endian_two=0x02000000,
    two_in_the_upper_half=0x00020000,
    two_in_the_lower_half=0x00010002,
    top_bit=0x80000002,
    largest=0xFFFFFFFF,
)
def test_another_version_is_refused(ask: Ask, case: int) -> None:
    """A version other than 2 is another generation, and the refusal states both numbers."""
    legal = ask("lyrw.parse", path=ask.file("legal.lyrw", SMALLEST))
    check("LYRW-VERSION-01", legal, parses(SMALLEST))
    wrong = ask("lyrw.parse", path=ask.file("wrong.lyrw", replace(SMALLEST, version=case)))
    check("LYRW-VERSION-01", wrong, refuses("wrong-generation", found=case, required=2))


def _version_1(*words: int, payload: int = 0) -> bytes:
    return b"LYRW" + struct.pack("<5I", 1, *words) + bytes(payload)


VERSION_1 = {
    "header_alone": _version_1(0, 0, 0, 0),
    "counts_beyond_the_file": _version_1(0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF),
    "complete": _version_1(3, 8, 2048, 768, payload=8192),
}


@clause("LYRW-VERSION-02")
@cases(VERSION_1)
def test_a_version_1_file_is_of_another_generation(ask: Ask, case: bytes) -> None:
    """A version-1 file, be it a header alone, is wrong-generation and never truncated."""
    legal = ask("lyrw.parse", path=ask.file("legal.lyrw", SMALLEST))
    check("LYRW-VERSION-02", legal, parses(SMALLEST))
    wrong = ask("lyrw.parse", path=ask.file("wrong.lyrw", case))
    check("LYRW-VERSION-02", wrong, refuses("wrong-generation", found=1, required=2))


@clause("LYRW-VERSION-03")
@cases(VERSION_1)
def test_a_version_1_file_names_its_generation(ask: Ask, case: bytes) -> None:
    """The refusal of a version-1 file says that VINDEX2 owns such files."""
    legal = ask("lyrw.parse", path=ask.file("legal.lyrw", SMALLEST))
    check("LYRW-VERSION-03", legal, parses(SMALLEST))
    wrong = ask("lyrw.parse", path=ask.file("wrong.lyrw", case))
    check("LYRW-VERSION-03", wrong, refuses("wrong-generation", generation="VINDEX2"))


@clause("LYRW-HEADER-01")
@cases(
    empty=b"",
    one_byte=b"L",
    three_bytes=b"LYR",
    magic_alone=b"LYRW",
    magic_and_version=b"LYRW\x02\x00\x00\x00",
    one_byte_short=SMALLEST.data()[:23],
    another_magic=b"WRYL" + bytes(19),
    another_version=b"LYRW\x01\x00\x00\x00" + bytes(15),
    zeros=bytes(23),
)
def test_less_than_a_header_is_truncated(ask: Ask, case: bytes) -> None:
    """A file of fewer than 24 bytes is truncated in its header, whatever its bytes are."""
    legal = ask("lyrw.parse", path=ask.file("legal.lyrw", SMALLEST))
    check("LYRW-HEADER-01", legal, parses(SMALLEST))
    wrong = ask("lyrw.parse", path=ask.file("wrong.lyrw", case))
    check("LYRW-HEADER-01", wrong, truncated("header", 0, 24, len(case)))


@clause("LYRW-HEADER-02")
@cases(
    distinct_bytes=replace(SMALLEST, logical_layer=0x01020304),
    layer_0=replace(SMALLEST, logical_layer=0),
    layer_above_16_bits=replace(SMALLEST, logical_layer=0x00010000),
    largest_layer=replace(SMALLEST, logical_layer=0xFFFFFFFF),
    flag_bit_0=replace(SPLIT, flags=1),
    all_fields=replace(SPLIT, logical_layer=0xFEDCBA98, flags=0x01020305),
)
def test_header_words_are_little_endian(ask: Ask, case: LyrwFile) -> None:
    """logical_layer and flags are shown with exactly the values stored, little-endian."""
    check("LYRW-HEADER-02", ask("lyrw.parse", path=ask.file("layer.lyrw", case)), parses(case))


@clause("LYRW-HEADER-03")
@cases(
    bit_1=2,
    bit_1_with_bit_0=3,
    bit_8=0x100,
    bit_16=0x10000,
    bit_31=0x80000000,
    scattered=0x12345678,
    all_but_bit_0=0xFFFFFFFE,
    all=0xFFFFFFFF,
)
def test_unassigned_header_flags_are_kept(ask: Ask, case: int) -> None:
    """All 32 flag bits are shown; those beyond bit 0 are listed as unknown, one entry for the word."""
    file = replace(SPLIT if case & 1 else DENSE, flags=case)
    check("LYRW-HEADER-03", ask("lyrw.parse", path=ask.file("layer.lyrw", file)), parses(file))


@clause("LYRW-HEADER-03")
def test_both_flag_words_have_an_entry_of_their_own(ask: Ask) -> None:
    """Unknown bits of the header and of a bank are two entries."""
    file = with_flags(replace(DENSE, flags=0x40), 0x8001)
    check("LYRW-HEADER-03", ask("lyrw.parse", path=ask.file("layer.lyrw", file)), parses(file))


@clause("LYRW-HEADER-04")
@cases(one=1, distinct_bytes=0x01020304, top_bit=0x80000000, largest=0xFFFFFFFF)
def test_a_reserved_word_is_accepted(ask: Ask, case: int) -> None:
    """A non-zero reserved word changes nothing of the observation but, perhaps, the unknown list."""
    file = replace(DENSE, reserved=case)
    check("LYRW-HEADER-04", ask("lyrw.parse", path=ask.file("layer.lyrw", file)), parses(file))
