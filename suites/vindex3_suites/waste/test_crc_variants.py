"""Variants of the checksum: the same value from each, and no byte beyond the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, needs, refuses
from vindex3_fixtures.waste.checksum import prefixes
from vindex3_suites.waste.kernels import ISAS
from vindex3_suites.waste.test_crc import CRC32, DATA, VALUES, crc32, lengths, sums
from vindex3_suites.waste.variants import Same, available

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

BY_NAME = f"{CRC32}:isa"


@clause("CRC-ISA-01")
@needs(BY_NAME)
@cases(short=(0, 150, 1), longer=(150, 4097, 61), longest=(4097, 20_001, 3001))
def test_variants_agree_on_every_length(ask: Ask, case: tuple[int, int, int]) -> None:
    """Each variant gives the value of a sum byte by byte, and says that it did."""
    for isa in available(ask, "CRC-ISA-01", CRC32, {"data": b"123456789"}):
        for length in range(*case):
            check("CRC-ISA-01", crc32(ask, DATA[:length], isa=isa), sums(VALUES[length], isa))


@clause("CRC-ISA-01")
@needs(BY_NAME)
@cases(ones=0xFFFFFFFF, one=1, highest=0x80000000, drawn=VALUES[77])
def test_variants_agree_on_starting_values(ask: Ask, case: int) -> None:
    """From any value on each variant continues alike."""
    expected = list(prefixes(DATA[:1100], case))
    for isa in available(ask, "CRC-ISA-01", CRC32, {"data": b"123456789"}):
        for length in (0, 1, 7, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1023, 1100):
            check("CRC-ISA-01", crc32(ask, DATA[:length], case, isa=isa), sums(expected[length], isa))


@clause("CRC-ISA-01")
@needs(BY_NAME, f"{CRC32}:guard")
def test_variants_touch_nothing_beyond(ask: Ask) -> None:
    """Beside inaccessible pages, and so at every start address modulo 64, each variant gives the value."""
    for isa in available(ask, "CRC-ISA-01", CRC32, {"data": b"123456789"}):
        for length in (*range(66), *range(66, 1025, 97)):
            reply = crc32(ask, DATA[:length], isa=isa, guard=True)
            check("CRC-ISA-01", reply, sums(VALUES[length], isa))


@clause("CRC-ISA-01")
@needs(BY_NAME)
def test_a_variant_is_there_or_refused(ask: Ask) -> None:
    """Each variant of the format is used by its name, or refused with those that are there."""
    names = available(ask, "CRC-ISA-01", CRC32, {"data": b"123456789"})
    check("CRC-ISA-01", crc32(ask, b"123456789"), sums(0xCBF43926))
    for isa in (*ISAS, "SCALAR", "", "crc32", "auto"):
        reply = crc32(ask, b"123456789", isa=isa)
        refused = refuses("isa-unavailable", isa=isa, available=Same(frozenset(names)))
        check("CRC-ISA-01", reply, sums(0xCBF43926, isa) if isa in names else refused)


@clause("CRC-GUARD-01")
@needs(f"{CRC32}:guard")
@cases({f"from_{first}": first for first in range(0, 1025, 128)})
def test_every_guarded_length(ask: Ask, case: int) -> None:
    """Beside inaccessible pages every length to 1024 is summed."""
    thorough = ask.settings.profile == "soak"
    for length in lengths(case, min(case + 128, 1025), all_of_them=thorough):
        check("CRC-GUARD-01", crc32(ask, DATA[:length], guard=True), sums(VALUES[length]))
