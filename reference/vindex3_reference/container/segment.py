"""A segment: the length of its header, the header, and the payload to the end (container.md, section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from vindex3_reference import document
from vindex3_reference.container.table import Row, Table
from vindex3_reference.refusal import Refusal
from vindex3_reference.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

FRAME = 8
"""Bytes of the header's length, little-endian, before the header."""
LARGEST_HEADER = 268_435_456


class Segment:
    """A segment whose header was read; its payload stays on the disk. Use it as a context manager.

    Attributes:
        source: the open file.
        payload_start: where the payload begins in it.
        representation: which one it says it is.
        rows: the rows of its table, in file order.

    Args:
        path: where the file is.
        name: what refusals call it, where that is not its path.

    Raises:
        Refusal: `missing-file` or `io`; what `payload_start` and `table_of` refuse.
    """

    def __init__(self, path: str, name: str | None = None) -> None:
        self.source = Source(path, name)
        try:
            self.payload_start = payload_start(self.source)
            self.representation, self.rows = table_of(self.source, self.payload_start)
        except BaseException:
            self.source.close()
            raise

    @property
    def payload_length(self) -> int:
        """Bytes of the payload, which goes on to the end of the file."""
        return self.source.length - self.payload_start

    def row(self, name: str) -> Row | None:
        """The row of this very name; None where there is none."""
        return next((row for row in self.rows if row.name == name), None)

    def read(self, row: Row) -> bytes:
        """The bytes of a tensor whose row lies in the payload; no other byte is read.

        Raises:
            Refusal: `truncated` where the file was cut meanwhile, `io`.
        """
        at = self.payload_start + row.offset
        data = self.source.read(at, row.length)
        if len(data) < row.length:
            raise _truncated(self.source.name, at + row.length, at + len(data))
        return data

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.source.close()


def payload_start(source: Source) -> int:
    """Where the payload of an open segment begins; the claimed length is compared before it is believed.

    Raises:
        Refusal: `truncated`, `header-too-large` (SEGMENT-FRAME-05 and 06).
    """
    frame = source.read(0, FRAME)
    if len(frame) < FRAME:
        raise _truncated(source.name, FRAME, len(frame))
    length = int.from_bytes(frame, "little")
    if length > LARGEST_HEADER:
        raise Refusal(
            "header-too-large",
            f"{source.name} claims a header of {length} bytes, above {LARGEST_HEADER}",
            path=source.name,
            claimed=length,
            limit=LARGEST_HEADER,
        )
    if FRAME + length > source.length:
        raise _truncated(source.name, FRAME + length, source.length)
    return FRAME + length


def table_of(source: Source, end: int) -> Table:
    """The table in the header of an open segment, which ends at `end`.

    Raises:
        Refusal: what a document refuses, and what `Table.read` does (JSON-SEGMENT-01 to 03).
    """
    return Table.read(document.part_of(source, FRAME, end))


def encode_header(representation: str, rows: Iterable[Row]) -> bytes:
    """The length of a header and the header, ready for a file: all that comes before the payload."""
    header = Table(representation, list(rows)).encoded()
    return len(header).to_bytes(FRAME, "little") + header


def _truncated(name: str, need: int, have: int) -> Refusal:
    return Refusal("truncated", f"{name} ends at {have}, before {need}", path=name, need=need, have=have)
