"""LYRW v2 layer files: header, descriptors, schemas and rows."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import islice
from typing import Final

from pytest_vindex3.fuzz.demand import Demand, always
from pytest_vindex3.fuzz.records import Field, RecordEdits, smaller
from pytest_vindex3.fuzz.target import Asked, Target
from vindex3_fixtures import fuzz

NAME: Final = "lyrw-tables"
MOST: Final = 4096
_HEADER: Final = (4, 4, 4, 2, 2, 4, 4)
_BANK: Final = (2, 2, 2, 2, 4, 4, 4, 4)
_SEGMENT: Final = (2, 2, 4, 4)
_SCHEMA: Final = (2, 2, 2, 2, 2, 2, 4, 4)
_ROW: Final = (8, 8)
_MOST_FIELDS: Final = 600


def _sizes(data: bytes) -> Iterator[int]:
    """The sizes of all fields in the order of the file, as its own counts have it; rows go on to the end."""
    yield from _HEADER
    banks, segments = struct.unpack_from("<HH", data, 12)
    schemas = 0
    for bank in range(min(banks, len(data) // 24)):
        yield from _BANK
        schemas += int.from_bytes(data[24 + 24 * bank + 4 :][:2], "little")
    for _ in range(min(segments, len(data) // 12)):
        yield from _SEGMENT
    for _ in range(min(schemas, len(data) // 20)):
        yield from _SCHEMA
    for _ in range(len(data) // 16):
        yield from _ROW


def fields(data: bytes) -> list[Field]:
    """The fields of a layer file, as far as they are there."""
    found, offset = [], 0
    for size in islice(_sizes(data) if len(data) >= 24 else _HEADER, _MOST_FIELDS):
        if offset + size > len(data):
            break
        found.append((offset, size))
        offset += size
    return found


def closed(data: bytes) -> bool:
    """Whether no two banks have one id, so that it is clear which one a segment means."""
    if len(data) < 24:
        return True
    count = min(struct.unpack_from("<H", data, 12)[0], len(data) // 24)
    ids = [data[24 + 24 * bank :][:2] for bank in range(count)]
    return len(set(ids)) == len(ids)


_UNDOUBTED: Final = (
    "bad-magic",
    "wrong-generation",
    "schema-index-mismatch",
    "unknown-bank",
    "segment-out-of-bounds",
)
REFUSES: Final = dict.fromkeys(
    (*_UNDOUBTED, "truncated", "inconsistent-pairing", "layout-on-non-fused"), always
)
FIRST: Final[dict[str, tuple[str, ...]]] = {"bad-magic": (), "wrong-generation": ()}
REPORTS: Final = (
    "duplicate-segment-index",
    "empty-bank",
    "misaligned",
    "no-segments",
    "non-zero-padding",
    "overlap",
    "partial-block",
    "region-in-tables",
    "region-length-mismatch",
    "region-out-of-bounds",
    "segment-gap",
    "segment-overlap",
    "trailing-bytes",
    "truncated",
    "zero-dimension",
)

target = Target(
    name=NAME,
    family="lyrw",
    about="a LYRW v2 layer file: its tables, and what verification says of its regions",
    file="input.lyrw",
    asked=(
        Asked(
            "lyrw.parse",
            Demand(
                refuses=REFUSES,
                never=_UNDOUBTED,
                first=FIRST,
                same=("header", "banks", "segments", "table_bytes", "payload_start"),
                closed=closed,
            ),
        ),
        Asked(
            "lyrw.verify",
            Demand(refuses=REFUSES, never=_UNDOUBTED, first=FIRST, reports=REPORTS, closed=closed),
        ),
    ),
    seeds=fuzz.layer_files,
    mutate=RecordEdits(fields, fuzz.words(NAME), most=MOST),
    smaller=smaller,
    alone=True,
)
