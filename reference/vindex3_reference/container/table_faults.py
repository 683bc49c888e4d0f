"""What is wrong with a table that can be read (container.md, section 7)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from vindex3_reference.container.table import misfit
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vindex3_reference.container.table import Row


def table_faults(rows: Sequence[Row], payload_bytes: int, path: str) -> Iterator[Iterator[Refusal]]:
    """All findings about the rows of a segment, kind by kind.

    Args:
        rows: in file order.
        payload_bytes: where the last row is to end, as the directory records it.
        path: the segment's name.
    """
    yield disordered(rows, path)
    yield displaced(rows, payload_bytes, path)
    yield (refusal for refusal in map(misfit, rows) if refusal is not None)


def disordered(rows: Sequence[Row], path: str) -> Iterator[Refusal]:
    """The first row whose name sorts before that of the row above it (VERIFY-TABLE-01).

    Code points sort as the UTF-8 bytes of the names do.
    """
    for above, row in pairwise(rows):
        if row.name < above.name:
            message = f"{path} has {row.name!r} after {above.name!r}"
            yield Refusal("table-order", message, path=path, tensor=row.name)
            return


def displaced(rows: Sequence[Row], payload_bytes: int, path: str) -> Iterator[Refusal]:
    """The first row that does not begin where the one above ends, or the end (VERIFY-TABLE-02)."""
    end = 0
    for row in rows:
        if row.offset != end:
            message = f"{path} has {row.name!r} at {row.offset}, and not at {end}"
            yield Refusal("table-layout", message, path=path, tensor=row.name)
            return
        end = row.end
    if end != payload_bytes:
        yield Refusal(
            "table-layout", f"the rows of {path} end at {end}, and not at {payload_bytes}", path=path
        )
