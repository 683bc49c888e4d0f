"""lyrw.verify about segments and pairs: what segments cover, which schemas find their partners."""

from __future__ import annotations

import struct
from typing import Any

import pytest


def _split_of(segments: list[tuple[int, int, int]], num_entries: int, flags: int = 0) -> bytes:
    """A file of one bank with one f32 value per entry, in these segments: index, first, count."""
    tables = struct.pack("<4sIIHHII", b"LYRW", 2, 0, 1, len(segments), flags, 0)
    tables += struct.pack("<HHHHIIII", 7, 1, 1, 0, num_entries, 1, 1, 1)
    tables += b"".join(struct.pack("<HHII", 7, *row) for row in segments)
    tables += struct.pack("<HHHHHHII", 0, 3, 0, 0, 0xFFFF, 0, 1, 1)
    count = sum(row[2] for row in segments)
    start = -(-(len(tables) + 16 * count) // 64) * 64
    tables += b"".join(struct.pack("<QQ", start + 64 * place, 4) for place in range(count))
    data = bytearray(tables.ljust(start + 64 * count - 60, b"\0"))
    for place in range(count):
        data[start + 64 * place : start + 64 * place + 4] = b"abcd"
    return bytes(data)


def _gap(first: int, end: int) -> tuple[str, dict[str, Any]]:
    return "segment-gap", {"bank_id": 7, "first_entry": first, "end_entry": end}


def _shared(first: int, end: int, one: int, other: int) -> tuple[str, dict[str, Any]]:
    facts = {"bank_id": 7, "segment_index": one, "other_segment_index": other}
    return "segment-overlap", {**facts, "first_entry": first, "end_entry": end}


@pytest.mark.parametrize(
    ("segments", "flags", "expected"),
    [
        ([(0, 0, 8)], 0, []),
        ([(0, 4, 4), (1, 0, 4)], 0, []),
        ([(0, 2, 3), (1, 6, 1)], 0, [_gap(0, 2), _gap(5, 6), _gap(7, 8)]),
        ([(0, 2, 3), (1, 6, 1)], 1, []),
        ([(0, 0, 5), (1, 4, 4)], 0, [_shared(4, 5, 0, 1)]),
        ([(0, 0, 5), (1, 4, 4)], 1, [_shared(4, 5, 0, 1)]),
        ([(0, 0, 8), (1, 2, 1), (2, 5, 2)], 0, [_shared(2, 3, 0, 1), _shared(5, 7, 0, 2)]),
        ([(3, 0, 4), (3, 4, 4)], 0, [("duplicate-segment-index", {"bank_id": 7, "segment_index": 3})]),
        (
            [(0, 0, 8), (1, 4, 0)], 0, [("empty-bank", {"bank_id": 7, "what": "segment"})],
        ),
    ],
    ids=["one", "two, reordered", "gaps", "gaps of a split layer", "overlap", "overlap of a split layer",
         "one over two", "one index twice", "an empty segment in the middle"],
)  # fmt: skip
def test_what_segments_cover(verify, segments, flags, expected):
    """Gaps count with flag bit 0 clear, shared entries and repeated indices always."""
    assert verify(_split_of(segments, 8, flags)) == expected


def test_duplicate_bank_ids(verify):
    """Banks of one id are reported once; segments of the id belong to the first of them."""
    tables = struct.pack("<4sIIHHII", b"LYRW", 2, 0, 3, 1, 0, 0)
    for num_entries in (1, 2, 3):
        tables += struct.pack("<HHHHIIII", 7, 1, 1, 0, num_entries, 1, 1, 1)
    tables += struct.pack("<HHII", 7, 0, 0, 1) + struct.pack("<HHHHHHII", 0, 3, 0, 0, 0xFFFF, 0, 1, 1) * 3
    data = (tables + struct.pack("<QQ", 192, 4)).ljust(192, b"\0") + b"abcd"
    assert verify(data) == [("duplicate-bank-id", {"bank_id": 7})]


def _pairs(*schemas: tuple[int, int, int, int, int]) -> bytes:
    """A bank of one entry in mxfp4: role, packing, pair_id, rows, cols of each schema, regions by rule."""
    tables = struct.pack("<4sIIHHII", b"LYRW", 2, 0, 1, 1, 0, 0)
    tables += struct.pack("<HHHHIIII", 0, 1, len(schemas), 0, 1, 1, 1, 1) + struct.pack("<HHII", 0, 0, 0, 1)
    for index, (role, packing, pair_id, rows, cols) in enumerate(schemas):
        tables += struct.pack("<HHHHHHII", index, role, 8, packing, pair_id, 0, rows, cols)
    lengths = [rows * cols // 32 * {2: 16, 3: 1}[packing] for _, packing, _, rows, cols in schemas]
    at = -(-(len(tables) + 16 * len(schemas)) // 64) * 64
    regions = b""
    for length in lengths:
        regions = regions.ljust(-(-len(regions) // 64) * 64, b"\0")
        tables += struct.pack("<QQ", at + len(regions), length)
        regions += b"x" * length
    return tables.ljust(at, b"\0") + regions


VALUES, SCALES = 2, 3
BIAS_ROLE, DOWN_ROLE, SCALES_ROLE = 4, 3, 5


@pytest.mark.parametrize(
    ("schemas", "expected"),
    [
        ([(DOWN_ROLE, VALUES, 9, 2, 32), (SCALES_ROLE, SCALES, 9, 2, 32)], []),
        ([(SCALES_ROLE, SCALES, 0, 2, 32), (DOWN_ROLE, VALUES, 0, 2, 32), (0, VALUES, 0, 2, 32)], []),
        ([(SCALES_ROLE, VALUES, 4, 2, 32), (SCALES_ROLE, SCALES, 4, 2, 32)], []),
        (
            [(DOWN_ROLE, VALUES, 9, 2, 32), (SCALES_ROLE, SCALES, 8, 2, 32)],
            [("missing-partner", {"bank_id": 0, "schema_index": 0, "pair_id": 9, "partner_role": "scales"})],
        ),
        (
            [(SCALES_ROLE, VALUES, 4, 2, 32)],
            [("missing-partner", {"bank_id": 0, "schema_index": 0, "pair_id": 4, "partner_role": "scales"})],
        ),
        (
            [(DOWN_ROLE, VALUES, 9, 2, 32), (BIAS_ROLE, SCALES, 9, 2, 32)],
            [("missing-partner", {"bank_id": 0, "schema_index": 0, "pair_id": 9, "partner_role": "scales"})],
        ),
        (
            [(DOWN_ROLE, VALUES, 9, 2, 32), (SCALES_ROLE, SCALES, 9, 2, 32), (SCALES_ROLE, SCALES, 9, 2, 32)],
            [
                (
                    "ambiguous-partner",
                    {"bank_id": 0, "schema_index": 0, "pair_id": 9, "partner_role": "scales", "count": 2},
                )
            ],
        ),
        (
            [(SCALES_ROLE, SCALES, 9, 1, 32), (DOWN_ROLE, VALUES, 9, 2, 32)],
            [("pair-shape-mismatch", {"bank_id": 0, "schema_index": 0, "other_schema_index": 1})],
        ),
        (
            [(SCALES_ROLE, VALUES, 4, 2, 32), (SCALES_ROLE, SCALES, 4, 2, 64)],
            [("pair-shape-mismatch", {"bank_id": 0, "schema_index": 1, "other_schema_index": 0})],
        ),
    ],
    ids=["a pair", "scales for two", "values that are scales themselves", "other number", "itself alone",
         "other role", "two scales", "rows differ", "cols differ"],
)  # fmt: skip
def test_partners(verify, schemas, expected):
    """Values have exactly one other schema with role scales and their number, of their shape."""
    assert verify(_pairs(*schemas)) == expected


def test_pairs_are_sought_within_one_bank(verify):
    """Scales of another bank with the same number are no partner."""
    one = _pairs((DOWN_ROLE, VALUES, 9, 2, 32))
    header = bytearray(one[:24])
    header[12:14] = b"\2\0"
    second = struct.pack("<HHHHIIII", 1, 1, 1, 0, 1, 1, 1, 1)
    scales = struct.pack("<HHHHHHII", 0, SCALES_ROLE, 8, SCALES, 9, 0, 2, 32)
    data = bytes(header) + one[24:48] + second + one[48:80] + scales + one[80:96]
    found = verify(data)
    assert (
        "missing-partner",
        {"bank_id": 0, "schema_index": 0, "pair_id": 9, "partner_role": "scales"},
    ) in found
