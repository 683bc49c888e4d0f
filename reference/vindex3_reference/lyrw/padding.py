"""Bytes that must be zero: read in pieces of bounded size, and not where the file has a hole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vindex3_reference.source import Source

    Array = NDArray[Any]

AT_ONCE = 1 << 20
"""Bytes read at once."""
NEAR = 4096
"""Gaps not further apart than this are read together with what lies between: it is in the page anyway."""
LONG = 1 << 16
"""From this length on, a gap is asked for its holes before it is read."""


def non_zero(source: Source, begins: Array, ends: Array) -> Iterator[int]:
    """The offset of each byte that is not zero in the ranges from `begins` to `ends`, which rise."""
    for first, last in _together(begins, ends):
        if last - first == 1:
            yield from _in_range(source, int(begins[first]), int(ends[first]))
        else:
            yield from _in_gaps(source, begins[first:last], ends[first:last])


def _together(begins: Array, ends: Array) -> Iterator[tuple[int, int]]:
    """Gaps that one read serves, as positions of first and end."""
    first = 0
    for stop in [*((begins[1:] - ends[:-1] > NEAR).nonzero()[0] + 1).tolist(), len(begins)]:
        while first < stop:
            fitting = ends[first:stop].searchsorted(begins[first] + np.uint64(AT_ONCE), side="right")
            after = first + max(1, int(fitting))
            yield first, after
            first = after


def _in_range(source: Source, begin: int, end: int) -> Iterator[int]:
    pieces = source.stored(begin, end) if end - begin >= LONG else [(begin, end)]
    for piece_begin, piece_end in pieces:
        for at in range(piece_begin, piece_end, AT_ONCE):
            data = np.frombuffer(source.read(at, min(AT_ONCE, piece_end - at)), np.uint8)
            if data.any():
                yield from (np.flatnonzero(data) + at).tolist()


def _in_gaps(source: Source, begins: Array, ends: Array) -> Iterator[int]:
    start, size = int(begins[0]), int(ends[-1] - begins[0])
    data = np.frombuffer(source.read(start, size).ljust(size, b"\0"), np.uint8)
    edges = np.stack([begins, ends], axis=1).ravel() - begins[0]
    filled = np.bitwise_or.reduceat(data, edges[:-1].astype(np.int64))[::2]
    for gap in np.flatnonzero(filled):
        begin, end = int(edges[2 * gap]), int(edges[2 * gap + 1])
        yield from (np.flatnonzero(data[begin:end]) + (start + begin)).tolist()
