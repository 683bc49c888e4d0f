"""Memory at addresses that direct reads can deliver to."""

from __future__ import annotations

import mmap

import numpy as np

PAGE = 4096


def room(length: int, address: int = 0, alignment: int = PAGE) -> memoryview:
    """So many writable bytes whose address is `address` modulo the alignment, a power of two."""
    whole = memoryview(mmap.mmap(-1, max(1, length) + 2 * alignment))
    begin = (address - address_of(whole)) % alignment
    return whole[begin : begin + length]


def address_of(view: memoryview) -> int:
    """Where the bytes are."""
    return int(np.frombuffer(view, np.uint8).ctypes.data)
