"""Numbers of reads that two processes share: the one that reads, and the one that asked it to."""

from __future__ import annotations

import mmap
import struct

from pytest_vindex3.contract.outcome import Reads

_WORDS = struct.Struct("=6Q")
_NAMES = ("loaded", "calls", "hindered", "failed", "direct", "buffered")


class Tally:
    """What was seen of one request; every number starts at 0.

    Args:
        shared: memory of `SIZE` zero bytes; None for memory that forks share.
    """

    SIZE = _WORDS.size

    def __init__(self, shared: mmap.mmap | None = None) -> None:
        self._shared = mmap.mmap(-1, self.SIZE) if shared is None else shared

    def add(self, **numbers: int) -> None:
        """Count."""
        words = zip(_NAMES, _WORDS.unpack(self._shared), strict=True)
        self._shared[:] = _WORDS.pack(*(word + numbers.get(name, 0) for name, word in words))

    @property
    def reads(self) -> Reads:
        """The counts of reads."""
        return Reads(*(self._word(name) for name in ("calls", "hindered", "direct", "buffered")))

    @property
    def failed(self) -> int:
        """How many calls failed because they were to."""
        return self._word("failed")

    @property
    def loaded(self) -> bool:
        """Whether a program loaded the library that counts: one that is linked statically does not."""
        return bool(self._word("loaded"))

    def _word(self, name: str) -> int:
        return int(_WORDS.unpack(self._shared)[_NAMES.index(name)])
