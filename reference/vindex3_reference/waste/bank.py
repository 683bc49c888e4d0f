"""The records of one layer, off the disk (waste.md, sections 9.2 and 11)."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.direct import Direct, Unavailable

if TYPE_CHECKING:
    from vindex3_reference.source import Source
    from vindex3_reference.waste.record import Judge

AUTO, DIRECT, BUFFERED = "auto", "direct", "buffered"
WISHES = (AUTO, DIRECT, BUFFERED)


class BankReader:
    """Reads records and judges them before anybody sees a byte; several threads may use one.

    Whether the bank is read direct is found out at the first read, for this bank alone.

    Args:
        path: where the bank is.
        source: the same file, opened.
        judge: what is demanded of its records.
        wish: one of `WISHES`.
    """

    def __init__(self, path: str, source: Source, judge: Judge, wish: str) -> None:
        self.judge = judge
        self.stride = judge.bank.stride
        self._path = path
        self._source = source
        self._wish = wish
        self._one = threading.Lock()
        self._direct: Direct | None = None
        self._reason: str | None = "buffered reads were asked for" if wish == BUFFERED else None

    def read(self, number: int, view: memoryview, *, verify: bool) -> str:
        """Fill memory of one stride with a record, and say how its bytes came: direct or buffered.

        Raises:
            Refusal: `direct-unavailable` where nothing else was wished for; `io` with layer, expert and
                reason; `truncated` with layer, expert, need and have; what `Judge` refuses.
        """
        name, layer = self._source.name, self.judge.bank.layer
        try:
            count, mode = self._fill(number * self.stride, view)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            message = f"{name} cannot be read: {reason}"
            raise Refusal("io", message, path=name, layer=layer, expert=number, reason=reason) from None
        if count < self.stride:
            message = f"{name} holds {count} bytes of the record"
            raise Refusal(
                "truncated", message, path=name, need=self.stride, have=count, layer=layer, expert=number
            )
        header = self.judge.header(view, number)
        if verify:
            self.judge.judge_checksum(header, view, number)
        return mode

    def close(self) -> None:
        """Give the descriptor of direct reads back; the source is its owner's."""
        if self._direct is not None:
            self._direct.close()

    def _fill(self, offset: int, view: memoryview) -> tuple[int, str]:
        done = 0
        try:
            done = self._opened().read_into(offset, view)
            reason = "a direct read ends inside a page"
        except Unavailable as unavailable:
            reason = str(unavailable)
        if done == len(view):
            return done, DIRECT
        rest = self._source.read_into(offset + done, view[done:])
        if rest and self._wish == DIRECT:
            message = f"{self._source.name} cannot be read direct: {reason}"
            raise Refusal("direct-unavailable", message, path=self._source.name, reason=reason)
        return done + rest, BUFFERED

    def _opened(self) -> Direct:
        """The descriptor of direct reads; one that cannot be had is not tried again."""
        with self._one:
            if self._reason is not None:
                raise Unavailable(self._reason)
            if self._direct is None:
                try:
                    self._direct = Direct(self._path, self._source)
                except Unavailable as unavailable:
                    self._reason = str(unavailable)
                    raise
            return self._direct
