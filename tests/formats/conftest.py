"""LYRW files for the dump, packed here from numbers, and the text that a dump of them gives."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def packed(
    rows: Sequence[tuple[int, int]],
    payload: bytes = b"",
    *,
    entries: int | None = None,
    schemas: int = 1,
    present: int | None = None,
) -> bytes:
    """A file of one bank with `schemas` schemas of role gate (f32), these rows, and what follows them."""
    entries = len(rows) // schemas if entries is None else entries
    data = struct.pack("<4sIIHHII", b"LYRW", 2, 1, 1, 1, 0, 0)
    data += struct.pack("<HHHHIIII", 0, 0, schemas, 0, entries, 1, 1, 1)
    data += struct.pack("<HHII", 0, 0, 0, entries)
    there = schemas if present is None else present
    data += b"".join(struct.pack("<HHHHHHII", k, 0, 0, 0, 0xFFFF, 0, 1, 1) for k in range(there))
    return data + b"".join(struct.pack("<QQ", *row) for row in rows) + payload


@pytest.fixture(scope="session")
def layer() -> Callable[..., bytes]:
    """See `packed`."""
    return packed
