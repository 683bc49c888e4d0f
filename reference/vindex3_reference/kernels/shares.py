"""Where a kernel puts its result, and how threads share the rows of it."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from vindex3_reference.kernels.buffers import Bytes, Floats

MOST_THREADS = 64
ROWS_TOGETHER = 64
"""Rows that a kernel works on at once, if they are stored side by side."""
LINE = 64
"""Bytes of a cache line."""


def result_room(shape: tuple[int, ...], given: Floats | None) -> Floats:
    """Where a result is put: what is given, else new memory that starts at a cache line."""
    if given is None:
        return line_room(4 * math.prod(shape)).view(np.float32).reshape(shape)
    if given.dtype != np.float32 or given.shape != shape or not given.flags.carray:
        raise ValueError(f"the result needs a writable float32 array of {shape}")
    return given


def line_room(size: int) -> Bytes:
    """New memory that starts at a cache line."""
    room = np.empty(size + LINE, np.uint8)
    first = -room.ctypes.data % LINE
    return room[first : first + size]


def share(work: Callable[[int, int], object], rows: int, threads: int, least: int = 1) -> None:
    """Give each thread a run of rows, each but the last a multiple of `least`, a divisor of ROWS_TOGETHER."""
    threads = min(threads, rows, MOST_THREADS)
    if threads <= 1:
        work(0, rows)
        return
    step = -(-rows // threads)
    unit = ROWS_TOGETHER if step > ROWS_TOGETHER else least
    step = -(-step // unit) * unit
    cuts = [*range(0, rows, step), rows]
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, *cut) for cut in pairwise(cuts)]:
            done.result()
