"""LYRW v2: what opening and judging a layer file of 896 entries of 3 regions costs."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from functools import cached_property

from pytest_vindex3.bench.row import Place, Row
from vindex3_reference.lyrw import verify
from vindex3_reference.lyrw.reader import LayerFile

ENTRIES, ROLES = 896, (0, 1, 3)
ROWS = ENTRIES * len(ROLES)
LENGTH = 4 * 64 * 64
"""Bytes of one region: 64 x 64 values of f32."""
GOAL_OPEN, GOAL_VERIFY = 0.11, 1.0


def bench_rows(place: Place) -> Iterator[Row]:
    """Opening, with a payload of 42 MiB and of 64 GiB behind the tables; judging the tables."""
    tables, rows = _tables()
    whole = tables + rows
    declared, long = Sample(place, whole, _start(len(whole)) + LENGTH * ROWS), Sample(place, whole, 64 << 30)
    for name, sample in (("payload as declared", declared), ("64 GiB behind the tables", long)):
        yield Row(
            f"LYRW open, {ENTRIES} entries x {len(ROLES)} regions, {name}",
            "open + pread + close of the table bytes",
            GOAL_OPEN,
            sample.open,
            sample.read,
            lambda opened, read: read == whole and opened == tables,
            1000,
        )
    yield Row(
        f"table part of lyrw.verify, {ENTRIES} x {len(ROLES)} rows",
        "struct.iter_unpack of the rows, no check",
        GOAL_VERIFY,
        declared.judge,
        lambda: list(struct.iter_unpack("<QQ", rows)),
        lambda defects, unpacked: defects == [] and len(unpacked) == ROWS,  # type: ignore[arg-type]
        200,
    )


class Sample:
    """A layer file that is made when it is first asked for.

    Args:
        place: where.
        tables: its first bytes.
        size: of the whole; the rest is a hole.
    """

    def __init__(self, place: Place, tables: bytes, size: int) -> None:
        self._place = place
        self._bytes = tables
        self._size = size

    def open(self) -> bytes:
        """All tables but the rows, encoded again from what the reader made of them."""
        layer = LayerFile(self._path)
        layer.source.close()
        return struct.pack(
            "<4sIIHHII", b"LYRW", 2, layer.logical_layer, 1, 1, layer.flags, layer.reserved
        ) + b"".join(table.tobytes() for table in (layer.banks, layer.segments, layer.schemas))

    def read(self) -> bytes:
        """The bytes of all tables."""
        descriptor = os.open(self._path, os.O_RDONLY)
        try:
            return os.pread(descriptor, len(self._bytes), 0)
        finally:
            os.close(descriptor)

    def judge(self) -> list[object]:
        """Everything that is wrong with the tables."""
        return [defect for found in verify.faults(self._layer) for defect in found]

    @cached_property
    def _path(self) -> str:
        path = self._place.folder / f"{self._size}.lyrw"
        path.write_bytes(self._bytes)
        os.truncate(path, self._size)
        return str(path)

    @cached_property
    def _layer(self) -> LayerFile:
        return self._place.enter_context(LayerFile(self._path))


def _start(tables: int) -> int:
    """Where regions begin behind so many bytes."""
    return -(-tables // 64) * 64


def _tables() -> tuple[bytes, bytes]:
    """Everything before the rows, and the rows, of one routed bank in f32."""
    header = struct.pack("<4sIIHHII", b"LYRW", 2, 0, 1, 1, 0, 0)
    bank = struct.pack("<HHHHIIII", 0, 1, len(ROLES), 1, ENTRIES, 64, 64, 64)
    segment = struct.pack("<HHII", 0, 0, 0, ENTRIES)
    schemas = b"".join(
        struct.pack("<HHHHHHII", at, role, 0, 0, 0xFFFF, 0, 64, 64) for at, role in enumerate(ROLES)
    )
    tables = header + bank + segment + schemas
    start = _start(len(tables) + 16 * ROWS)
    rows = b"".join(struct.pack("<QQ", start + LENGTH * place, LENGTH) for place in range(ROWS))
    return tables, rows
