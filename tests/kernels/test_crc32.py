"""crc32: worked values, every variant against a byte at a time, pieces, parts and many buffers."""

from __future__ import annotations

import mmap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste.worked import CHECKSUMS
from vindex3_reference.kernels import crc32, crc32_batch, crc32_combined, crc32_ranges

LONGEST = 20_000


@pytest.fixture(scope="module")
def data() -> bytes:
    """Bytes without a pattern."""
    return Numbers("crc32").data(LONGEST + 64)


def bytewise(data: bytes, value: int = 0) -> int:
    """The checksum bit by bit, as its definition has it."""
    state = value ^ 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0xEDB88320 if state & 1 else 0)
    return state ^ 0xFFFFFFFF


def prefixes(data: bytes, value: int, most: int) -> list[int]:
    """The checksum of the first n bytes, for each n up to `most`."""
    found = [value]
    for byte in data[:most]:
        found.append(bytewise(bytes([byte]), found[-1]))
    return found


@pytest.mark.parametrize(("text", "value"), CHECKSUMS, ids=lambda part: repr(part)[:12])
def test_the_worked_checksums(crc32_isa: str, text: bytes, value: int) -> None:
    """The values of the specification come out."""
    assert crc32(text, isa=crc32_isa) == value


def test_every_length(crc32_isa: str, data: bytes) -> None:
    """Each length to 4096, at addresses of every kind, continues a value as bytes one at a time do."""
    for length, expected in enumerate(prefixes(data, 0xDEADBEEF, 4096)):
        moved = b"\0" * (length % 64) + data[:length]
        assert crc32(memoryview(moved)[length % 64 :], 0xDEADBEEF, crc32_isa) == expected, length


def test_long_data_at_every_address(crc32_isa: str, data: bytes) -> None:
    """20 000 bytes have their checksum wherever in a cache line they begin."""
    expected = bytewise(data[:LONGEST])
    for start in range(64):
        moved = b"\0" * start + data[:LONGEST]
        assert crc32(memoryview(moved)[start:], isa=crc32_isa) == expected, start


@pytest.mark.parametrize("length", [65_536, 65_537, 65_599, 100_000])
def test_data_that_is_worth_aligning(crc32_isa: str, data: bytes, length: int) -> None:
    """Long data that starts beside a cache line has the value of its two halves."""
    long = (data * 6)[:length]
    middle = length // 2 + 1
    halves = crc32(long[middle:], crc32(long[:middle], isa="scalar"), "scalar")
    for start in (0, 1, 63):
        moved = memoryview(b"\0" * start + long)[start:]
        assert crc32(moved, isa=crc32_isa) == halves, start


def test_pieces_continue(crc32_isa: str, data: bytes) -> None:
    """Cut anywhere, empty pieces included, the value of the whole comes out."""
    whole = bytewise(data[:300])
    for cut in range(301):
        first = crc32(data[:cut], isa=crc32_isa)
        assert crc32(data[cut:300], first, crc32_isa) == whole, cut


@pytest.mark.parametrize("length", [0, 1, 3, 4, 255, 4096])
def test_parts_combine(data: bytes, length: int) -> None:
    """The values of two parts give that of both, whatever their lengths."""
    first, second = crc32(data[:77]), crc32(data[77 : 77 + length])
    assert crc32_combined(first, second, length) == crc32(data[: 77 + length])


def test_parts_of_any_length_combine() -> None:
    """Lengths beyond 2^32 count in full: adding them is the same in one step and in two."""
    value, length = 0xCBF43926, 2**33 + 5
    in_steps = crc32_combined(crc32_combined(value, 0, 2**33), 0, 5)
    assert crc32_combined(value, 0, length) == in_steps != crc32_combined(value, 0, 5)
    assert crc32_combined(0xCBF53A1C, 0x9DBABF87, 4) == 0xCBF43926


@pytest.mark.memory
def test_data_beyond_4_gib() -> None:
    """Lengths are not cut to 32 bits: 4 GiB and three bytes of zeros are the sum of their parts."""
    length = 2**32 + 3
    with mmap.mmap(-1, length, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as zeros:
        if hasattr(mmap, "MADV_HUGEPAGE"):  # or the pages take longer to appear than to be read
            zeros.madvise(mmap.MADV_HUGEPAGE)
        large = crc32(zeros)
    quarter = crc32(bytes(2**20))
    total = 0
    for _ in range(2**12):
        total = crc32_combined(total, quarter, 2**20)
    assert large == crc32_combined(total, crc32(bytes(3)), 3)


def test_many_buffers_in_one_call(crc32_isa: str, data: bytes) -> None:
    """A batch gives the checksum of each buffer, or range of one, on its own."""
    lengths = [0, 1, 15, 16, 63, 64, 255, 256, 4096, 300]
    offsets = np.cumsum([0, *lengths[:-1]])
    parts = [data[offset : offset + length] for offset, length in zip(offsets, lengths, strict=True)]
    expected = [bytewise(part) for part in parts]
    assert crc32_batch(parts, crc32_isa) == expected
    assert crc32_batch([], crc32_isa) == []
    ranges = crc32_ranges(data, offsets.astype(np.uint64), np.array(lengths, np.uint64), crc32_isa)
    assert ranges.tolist() == expected


@pytest.mark.parametrize(("offset", "length"), [(0, 6), (5, 1), (2**64 - 1, 2), (6, 0)])
def test_a_range_beyond_the_buffer_is_an_error(offset: int, length: int) -> None:
    """No range reaches outside, wrapped round or not; the largest that fits is summed."""
    whole = np.array([0], np.uint64), np.array([5], np.uint64)
    assert crc32_ranges(b"12345", *whole).tolist() == [0xCBF53A1C]
    with pytest.raises(ValueError, match="does not lie"):
        crc32_ranges(b"12345", np.array([offset], np.uint64), np.array([length], np.uint64))


def test_threads_do_not_disturb_each_other(crc32_isa: str, data: bytes) -> None:
    """Calls at the same time give what calls in turn give."""
    parts = [data[:length] for length in range(1, 4096, 101)] * 8
    expected = crc32_batch(parts, "scalar")
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda part: crc32(part, isa=crc32_isa), parts)) == expected
