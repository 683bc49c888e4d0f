"""Which bytes of a file its regions cover: ranges, what they share, and what they leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[Any]


class Coverage:
    """The bytes that rows claim, collected table part by table part and then sorted by offset.

    A range that leaves the file counts up to the file's end. A range of no bytes covers nothing, and
    still lies somewhere: bytes before it are between regions.

    Attributes:
        begins, ends: offsets of the ranges that hold at least one byte, by rising begin.
        rows: the number of the row that claims each.
        disjoint: whether no two share a byte.
        last_end: where the last region ends; 0 without any.
    """

    def __init__(self, file_length: int) -> None:
        self._file_length = file_length
        self._parts: list[tuple[Array, Array, Array]] = []
        self.last_end = 0

    def add(self, first_row: int, offset: Array, length: Array, leaves: Array) -> None:
        """Take the ranges of the rows from `first_row`; `leaves` says which do not end in the file."""
        end = offset + length
        if leaves.any():
            end[leaves] = self._file_length
            offset = np.minimum(offset, np.uint64(self._file_length))
        self.last_end = max(self.last_end, int(end.max()))
        filled = end > offset
        rows = np.arange(first_row, first_row + len(offset))
        if filled.all():
            self._parts.append((offset, end, rows))
        else:
            self._parts.append((offset[filled], end[filled], rows[filled]))

    def sort(self) -> None:
        """Bring what was taken into order; most files have it already."""
        none = np.empty(0, np.uint64)
        parts = self._parts or [(none, none, np.empty(0, np.int64))]
        columns = parts[0] if len(parts) == 1 else tuple(map(np.concatenate, zip(*parts, strict=True)))
        self._parts = []
        self.begins, self.ends, self.rows = columns
        self.disjoint = follow(self.begins, self.ends)
        if not self.disjoint:
            order = self.begins.argsort(kind="stable")
            self.begins, self.ends, self.rows = self.begins[order], self.ends[order], self.rows[order]
            self.disjoint = follow(self.begins, self.ends)

    def overlaps(self) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Each two rows that share a byte, as number and offset; to touch is to share none.

        The pairs of a heap of ranges are many, and none is made before it is asked for.
        """
        if self.disjoint:
            return
        positions = np.arange(1, len(self.begins) + 1)
        # Of the ranges that begin later, those that begin before this one ends.
        shared = self.begins.searchsorted(self.ends, side="left") - positions
        for position in (shared > 0).nonzero()[0].tolist():
            for other in range(position + 1, position + 1 + int(shared[position])):
                yield self._claim(position), self._claim(other)

    def gaps(self, begin: int) -> tuple[Array, Array]:
        """Begins and ends of the ranges that no region covers, from `begin` to the last region's end."""
        edge = np.array([min(begin, self._file_length)], np.uint64)
        ends = np.concatenate([edge, self.ends])
        covered = np.maximum(ends, edge) if self.disjoint else np.maximum.accumulate(ends)
        following = np.concatenate([self.begins, np.array([self.last_end], np.uint64)])
        empty = (following > covered).nonzero()[0]
        return covered[empty], following[empty]

    def _claim(self, position: int) -> tuple[int, int]:
        return int(self.rows[position]), int(self.begins[position])


def follow(begins: Array, ends: Array) -> bool:
    """Whether each range begins at or after the end of the one before it."""
    return bool((begins[1:] >= ends[:-1]).all())
