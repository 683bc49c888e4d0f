"""crc32 as zlib has it: of a buffer, of many, continued and combined (waste.md, section 3.3)."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from vindex3_reference.kernels import native
from vindex3_reference.kernels.buffers import bytes_of
from vindex3_reference.kernels.variants import chosen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from vindex3_reference.kernels.buffers import Buffer

POLYNOMIAL = 0xEDB88320
"""Reflected: bit 31 is the coefficient of x^0."""
ONE = 1 << 31


def crc32(data: Buffer, value: int = 0, isa: str | None = None) -> int:
    """The checksum of bytes that follow those whose checksum is `value`; 0 stands for none before.

    Raises:
        Refusal: `isa-unavailable`; `bad-type` for what is no buffer of contiguous bytes.
    """
    variant, octets = chosen("crc32", isa), bytes_of(data, "data")
    if not native.built:
        return zlib.crc32(octets.data, value)
    pointer = native.pointer("uint8_t", octets)
    return int(native.lib.crc32_of(native.NUMBERS[variant], value, pointer, octets.size))


def crc32_batch(buffers: Sequence[Buffer], isa: str | None = None) -> list[int]:
    """The checksum of each buffer on its own, in one call."""
    variant = chosen("crc32", isa)
    if not native.built:
        return [crc32(data) for data in buffers]
    held = [native.ffi.from_buffer(data) for data in buffers]
    values = native.ffi.new("uint32_t[]", len(held))
    lengths = [len(each) for each in held]
    native.lib.crc32_of_each(native.NUMBERS[variant], held, lengths, values, len(held))
    return list(values)


def crc32_ranges(
    data: Buffer, offsets: npt.NDArray[np.uint64], lengths: npt.NDArray[np.uint64], isa: str | None = None
) -> npt.NDArray[np.uint32]:
    """The checksum of each range of one buffer, in one call.

    Raises:
        ValueError: a range does not lie in the buffer.
    """
    variant, octets = chosen("crc32", isa), bytes_of(data, "data")
    starts, sizes = (np.ascontiguousarray(each, np.uint64) for each in (offsets, lengths))
    if len(starts) != len(sizes) or (sizes > octets.size).any() or (starts > octets.size - sizes).any():
        raise ValueError("a range does not lie in the buffer")
    if not native.built:
        ranges = zip(starts.tolist(), sizes.tolist(), strict=True)
        return np.array([crc32(octets[start : start + size]) for start, size in ranges], np.uint32)
    values = np.empty(len(starts), np.uint32)
    arrays = (("uint8_t", octets), ("uint64_t", starts), ("uint64_t", sizes), ("uint32_t", values))
    pointers = [native.pointer(kind, array) for kind, array in arrays]
    native.lib.crc32_of_ranges(native.NUMBERS[variant], *pointers, len(values))
    return values


def crc32_combined(first: int, second: int, length: int) -> int:
    """The checksum of two parts in a row, from the checksum of each and the second's length in bytes."""
    return _product(first, _power(8 * length)) ^ second


def _power(exponent: int) -> int:
    """x^exponent modulo the polynomial: squares of squares, so that lengths are not limited."""
    result, square = ONE, ONE >> 1
    while exponent:
        if exponent & 1:
            result = _product(result, square)
        square = _product(square, square)
        exponent >>= 1
    return result


def _product(left: int, right: int) -> int:
    """The product of two polynomials modulo the polynomial."""
    result = 0
    for bit in range(31, -1, -1):
        if left >> bit & 1:
            result ^= right
        right = right >> 1 ^ (POLYNOMIAL if right & 1 else 0)
    return result
