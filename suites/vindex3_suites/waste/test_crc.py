"""The checksum of records: its values, continued and combined, for any length."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3 import answers, cases, check, clause, needs
from pytest_vindex3.contract.patterns import one_of
from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import worked
from vindex3_fixtures.waste.checksum import checksum, combined, prefixes, zeros
from vindex3_suites.waste.kernels import ISAS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers

CRC32: Final = "kernel.crc32"
DATA: Final = Numbers("crc32").data(20_000)
VALUES: Final = tuple(prefixes(DATA))
"""The checksum of every prefix of `DATA`."""
GIB: Final = 1 << 30


def crc32(ask: Ask, data: bytes, value: int = 0, **options: Any) -> Reply:
    """Ask for the checksum of bytes behind others."""
    return ask(CRC32, data=data, value=value, **options)


def sums(value: int, isa: str | None = None) -> Answers:
    """This checksum, by the variant named or by one that has a name."""
    return answers(crc32=value, isa=isa or one_of(*ISAS))


SHORT = tuple((data, value) for data, value in worked.CHECKSUMS if len(data) != 256 and len(data) % 256 < 33)
COUNTING = tuple(pair for pair in worked.CHECKSUMS if pair[0][:3] == b"\x00\x01\x02")


@clause("CRC-VALUE-01")
@cases({f"{len(data)}_of_{data[:2].hex() or 'none'}": (data, value) for data, value in SHORT})
def test_typed_values(ask: Ask, case: tuple[bytes, int]) -> None:
    """Bytes of the format's text have the checksum that is typed there."""
    data, value = case
    check("CRC-VALUE-01", crc32(ask, data), sums(value))
    check("CRC-VALUE-01", ask(CRC32, data=data), sums(value))


@clause("CRC-VALUE-02")
@cases({str(len(data)): (data, value) for data, value in COUNTING})
def test_typed_values_of_counting_bytes(ask: Ask, case: tuple[bytes, int]) -> None:
    """The bytes from 0 to 255, once and many times over, have the checksum that is typed."""
    data, value = case
    check("CRC-VALUE-02", crc32(ask, data), sums(value))


def lengths(first: int, end: int, *, all_of_them: bool) -> Iterable[int]:
    """Lengths of a range: all, or those below 200 and those near multiples of 64."""
    return (n for n in range(first, end) if all_of_them or n < 200 or n % 64 in (0, 1, 17, 63))


@clause("CRC-VALUE-03")
@cases({f"from_{first}": first for first in range(0, 4097, 512)})
def test_every_length(ask: Ask, case: int) -> None:
    """To 4096 bytes each length agrees with a sum byte by byte; beyond 200 all do in the long profile."""
    thorough = ask.settings.profile == "soak"
    for length in lengths(case, min(case + 512, 4097), all_of_them=thorough):
        check("CRC-VALUE-03", crc32(ask, DATA[:length]), sums(VALUES[length]))


@clause("CRC-VALUE-03")
def test_longer_lengths(ask: Ask) -> None:
    """Drawn lengths to 20 000, from drawn places on, agree as well."""
    numbers = Numbers("crc32", ask.seed)
    for _ in range(25):
        length = numbers.below(len(DATA) + 1)
        start = numbers.below(len(DATA) - length + 1)
        check(
            "CRC-VALUE-03",
            crc32(ask, DATA[start : start + length]),
            sums(checksum(DATA[start : start + length])),
        )


@clause("CRC-CHUNK-01")
@cases(
    typed=(b"12345", b"6789"),
    nothing_first=(b"", b"123456789"),
    nothing_behind=(b"123456789", b""),
    nothing_at_all=(b"", b""),
    byte_by_byte=tuple(bytes([byte]) for byte in b"123456789"),
    nothing_between=(b"1", b"", b"2345678", b"", b"", b"9"),
)
def test_pieces_are_continued(ask: Ask, case: tuple[bytes, ...]) -> None:
    """Each piece continues from the value of those before, and the last value is that of the whole."""
    whole = 0xCBF43926 if any(case) else 0
    value = 0
    for piece in case[:-1]:
        value = checksum(piece, value)
    check("CRC-CHUNK-01", crc32(ask, case[-1], value), sums(whole))
    done = b""
    for piece in case:
        check("CRC-CHUNK-01", crc32(ask, piece, checksum(done)), sums(checksum(done + piece)))
        done += piece


@clause("CRC-CHUNK-01")
def test_any_cut_is_continued(ask: Ask) -> None:
    """Wherever 300 bytes are cut, the second part continues the first; drawn cuts of more bytes too."""
    for cut in (*range(70), *range(70, 301, 23)):
        check("CRC-CHUNK-01", crc32(ask, DATA[cut:300], VALUES[cut]), sums(VALUES[300]))
    numbers = Numbers("cuts", ask.seed)
    cuts = sorted(numbers.below(len(DATA)) for _ in range(12))
    for start, end in pairwise([0, *cuts, len(DATA)]):
        check("CRC-CHUNK-01", crc32(ask, DATA[start:end], VALUES[start]), sums(VALUES[end]))


def combine(ask: Ask, first: int, second: int, length: int) -> Reply:
    """Ask for the value of two parts of which only the values and the second length are known."""
    return ask(CRC32, data=b"", value=first, combine={"crc32": second, "length": length})


@clause("CRC-CHUNK-02")
@needs(f"{CRC32}:combine")
@cases(
    typed=(0xCBF53A1C, 0x9DBABF87, 4, 0xCBF43926),
    nothing_behind=(0xCBF43926, 0, 0, 0xCBF43926),
    nothing_first=(0, 0xCBF43926, 9, 0xCBF43926),
    nothing_at_all=(0, 0, 0, 0),
    zeros=(0xD202EF8D, zeros(31), 31, 0x190A55AD),
)
def test_parts_are_combined(ask: Ask, case: tuple[int, int, int, int]) -> None:
    """The values of two parts and the second's length give the value of the whole."""
    first, second, length, whole = case
    check("CRC-CHUNK-02", combine(ask, first, second, length), sums(whole))


@clause("CRC-CHUNK-02")
@needs(f"{CRC32}:combine")
def test_parts_of_any_length_are_combined(ask: Ask) -> None:
    """Parts of every length in bits, beyond 2^32 too, are combined."""
    for length in (1, 2, 3, 255, 4096, 20_000):
        whole, first = VALUES[20_000], VALUES[20_000 - length]
        check("CRC-CHUNK-02", combine(ask, first, checksum(DATA[-length:]), length), sums(whole))
    for bit in range(8, 56, 3):
        for length in ((1 << bit) - 1, 1 << bit, (1 << bit) + 1):
            second = 0x12345678 ^ bit
            expected = combined(VALUES[bit], second, length)
            check("CRC-CHUNK-02", combine(ask, VALUES[bit], second, length), sums(expected))


@clause("CRC-LARGE-01")
def test_pieces_of_more_than_4_gib(ask: Ask) -> None:
    """Behind 4 GiB and more a piece is summed as anywhere; in the long profile all pieces are given."""
    for before in (4 * GIB - 1, 4 * GIB, 4 * GIB + 1, 1 << 40):
        value = zeros(before)
        check("CRC-LARGE-01", crc32(ask, DATA[:999], value), sums(checksum(DATA[:999], value)))
    thorough = ask.settings.profile == "soak"
    size = 64 << 20 if thorough else 1 << 20
    piece = bytes(size)
    for position in range(65 if thorough else 2):
        check("CRC-LARGE-01", crc32(ask, piece, zeros(position * size)), sums(zeros((position + 1) * size)))


@clause("CRC-LARGE-01")
@needs(f"{CRC32}:combine")
@cases(
    at_4_gib=(4 * GIB, 4 * GIB),
    behind_a_byte=(1, 4 * GIB + 1),
    before_a_byte=(4 * GIB + 5, 1),
    terabytes=(1 << 42, (1 << 43) + 3),
)
def test_halves_of_more_than_4_gib(ask: Ask, case: tuple[int, int]) -> None:
    """Two runs of zero bytes, together beyond 4 GiB, have the value of one run."""
    first, second = case
    reply = combine(ask, zeros(first), zeros(second), second)
    check("CRC-LARGE-01", reply, sums(zeros(first + second)))
