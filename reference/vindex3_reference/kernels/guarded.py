"""Memory beside a page that nobody may touch: what reads or writes beyond a buffer ends the process.

Buffers are placed twice, once each way; what a kernel gives has to be the same.
"""

from __future__ import annotations

import ctypes
import math
import mmap
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from vindex3_reference.kernels.buffers import bytes_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from vindex3_reference.kernels.buffers import Buffer, Bytes, Floats

Number = TypeVar("Number", bound=np.generic)

_NO_ACCESS = 0
_PAGE = mmap.PAGESIZE


class Edge:
    """Places buffers so that they end at an inaccessible page, or start right behind one.

    Args:
        end: whether they end there.
    """

    def __init__(self, *, end: bool) -> None:
        self._end = end

    def room(self, size: int) -> Bytes:
        """Zeroed memory of `size` bytes, which lives as long as the array does."""
        middle = -(-size // _PAGE) * _PAGE
        room = np.frombuffer(mmap.mmap(-1, _PAGE + middle + _PAGE), np.uint8)
        for page in (0, _PAGE + middle):
            _forbid(room.ctypes.data + page)
        start = _PAGE + middle - size if self._end else _PAGE
        return room[start : start + size]

    def copy(self, data: Buffer, field: str) -> Bytes:
        """The bytes of a buffer, placed."""
        found = bytes_of(data, field)
        room = self.room(found.size)
        room[:] = found
        return room

    def floats(self, shape: tuple[int, ...]) -> Floats:
        """Room for float32 values."""
        return self.room(4 * math.prod(shape)).view(np.float32).reshape(shape)


def at_both_edges(call: Callable[[Edge], npt.NDArray[Number]]) -> npt.NDArray[Number]:
    """What a kernel gives with its buffers at one edge and at the other, copied to ordinary memory.

    Raises:
        RuntimeError: the two results differ.
    """
    first, second = (call(Edge(end=end)).copy() for end in (True, False))
    if first.tobytes() != second.tobytes():
        raise RuntimeError("a result depends on where the buffers stand")
    return second


def _forbid(address: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(_PAGE), _NO_ACCESS):
        raise OSError(ctypes.get_errno(), "mprotect")
