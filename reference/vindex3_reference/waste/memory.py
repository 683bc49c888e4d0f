"""Memory at addresses that direct reads can deliver to."""

from __future__ import annotations

import mmap
from contextlib import suppress

import numpy as np

PAGE = 4096
LARGE = 1 << 22
"""Bytes from which huge pages are asked for: the system pins each page that a direct read delivers to."""
_HUGE: int | None = getattr(mmap, "MADV_HUGEPAGE", None)


def room(length: int, address: int = 0, alignment: int = PAGE) -> memoryview:
    """So many writable bytes whose address is `address` modulo the alignment, a power of two."""
    size = max(1, length) + 2 * alignment
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if _HUGE is not None and length >= LARGE:
        with suppress(OSError):  # a system without them
            memory.madvise(_HUGE)
    whole = memoryview(memory)
    begin = (address - address_of(whole)) % alignment
    return whole[begin : begin + length]


def address_of(view: memoryview) -> int:
    """Where the bytes are."""
    return int(np.frombuffer(view, np.uint8).ctypes.data)
