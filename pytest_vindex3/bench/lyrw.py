"""LYRW v2: what opening and judging a layer file of 896 entries of 3 regions costs."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from functools import partial
from pathlib import Path

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
    start = -(-len(whole) // 64) * 64
    for name, size in (
        ("payload as declared", start + LENGTH * ROWS),
        ("64 GiB behind the tables", 64 << 30),
    ):
        path = place.folder / f"{size}.lyrw"
        path.write_bytes(whole)
        os.truncate(path, size)
        yield Row(
            f"LYRW open, {ENTRIES} entries x {len(ROLES)} regions, {name}",
            "open + pread + close of the table bytes",
            GOAL_OPEN,
            partial(_open, str(path)),
            partial(_read, path, len(whole)),
            lambda opened, read: read == whole and opened == tables,
            1000,
        )
    layer = place.enter_context(LayerFile(str(place.folder / f"{start + LENGTH * ROWS}.lyrw")))
    yield Row(
        f"table part of lyrw.verify, {ENTRIES} x {len(ROLES)} rows",
        "struct.iter_unpack of the rows, no check",
        GOAL_VERIFY,
        partial(_judge, layer),
        lambda: list(struct.iter_unpack("<QQ", rows)),
        lambda defects, unpacked: defects == [] and len(unpacked) == ROWS,  # type: ignore[arg-type]
        200,
    )


def _open(path: str) -> bytes:
    layer = LayerFile(path)
    layer.source.close()
    return struct.pack(
        "<4sIIHHII", b"LYRW", 2, layer.logical_layer, 1, 1, layer.flags, layer.reserved
    ) + b"".join(table.tobytes() for table in (layer.banks, layer.segments, layer.schemas))


def _read(path: Path, length: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.pread(descriptor, length, 0)
    finally:
        os.close(descriptor)


def _judge(layer: LayerFile) -> list[object]:
    return [defect for found in verify.faults(layer) for defect in found]


def _tables() -> tuple[bytes, bytes]:
    """Everything before the rows, and the rows, of one routed bank in f32."""
    header = struct.pack("<4sIIHHII", b"LYRW", 2, 0, 1, 1, 0, 0)
    bank = struct.pack("<HHHHIIII", 0, 1, len(ROLES), 1, ENTRIES, 64, 64, 64)
    segment = struct.pack("<HHII", 0, 0, 0, ENTRIES)
    schemas = b"".join(
        struct.pack("<HHHHHHII", at, role, 0, 0, 0xFFFF, 0, 64, 64) for at, role in enumerate(ROLES)
    )
    tables = header + bank + segment + schemas
    start = -(-(len(tables) + 16 * ROWS) // 64) * 64
    rows = b"".join(struct.pack("<QQ", start + LENGTH * place, LENGTH) for place in range(ROWS))
    return tables, rows
