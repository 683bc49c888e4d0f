"""Ranges and gaps against a byte-by-byte count, and verification of files made to cost much."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vindex3_reference.lyrw import padding, rows
from vindex3_reference.lyrw.coverage import Coverage
from vindex3_reference.lyrw.verbs import lyrw_verify
from vindex3_reference.source import Source

if TYPE_CHECKING:
    from pathlib import Path

SIZE = 40
PLAIN = settings(deadline=None, derandomize=True, database=None, max_examples=200)
ROW = st.tuples(st.integers(0, SIZE + 4), st.integers(0, 12))


def _coverage(claims: list[tuple[int, int]], part: int) -> Coverage:
    coverage = Coverage(SIZE)
    for first in range(0, len(claims), part):
        offset, length = np.array(claims[first : first + part], np.uint64).T
        coverage.add(first, offset, length, offset + length > SIZE)
    coverage.sort()
    return coverage


def _bytes(claim: tuple[int, int]) -> set[int]:
    return set(range(claim[0], min(SIZE, claim[0] + claim[1])))


@PLAIN
@given(st.lists(ROW, max_size=12), st.integers(1, 4))
def test_overlaps_are_those_that_share_a_byte(claims, part):
    """Each two rows that share a byte of the file are found once, and no others."""
    found = [frozenset(pair) for pair in _coverage(claims, part).overlaps()]
    assert len(found) == len(set(found))
    assert set(found) == {
        frozenset({(one, claims[one][0]), (other, claims[other][0])})
        for one in range(len(claims))
        for other in range(one)
        if _bytes(claims[one]) & _bytes(claims[other])
    }


@PLAIN
@given(st.lists(ROW, max_size=12), st.integers(1, 4), st.integers(0, SIZE + 4))
def test_gaps_are_what_no_region_covers(claims, part, begin):
    """Gaps hold each byte from the tables' end to the last region's that no region has."""
    coverage = _coverage(claims, part)
    ends = [min(SIZE, offset + length) for offset, length in claims]
    last_end = max(ends, default=0)
    assert coverage.last_end == last_end
    begins, stops = coverage.gaps(begin)
    gaps = [set(range(*map(int, gap))) for gap in zip(begins, stops, strict=True)]
    assert all(gaps)
    assert sum(map(len, gaps)) == len(set().union(*gaps))
    covered = set().union(*map(_bytes, claims))
    assert set().union(*gaps) == set(range(begin, last_end)) - covered


@PLAIN
@given(
    st.binary(max_size=60).map(lambda data: bytes(byte & 3 == 0 and byte for byte in data)),
    st.lists(st.integers(1, 9), max_size=12),
    st.integers(0, 6),
    st.integers(1, 30),
)
def test_every_byte_that_is_not_zero_is_found(tmp_path_factory, data, steps, near, at_once):
    """However gaps are read together, exactly the bytes in them that are not zero are told."""
    path = tmp_path_factory.mktemp("gaps") / "file"
    path.write_bytes(data)
    edges = np.cumsum(np.array(steps[: len(steps) // 2 * 2], np.uint64)).astype(np.uint64)
    edges = edges[: np.searchsorted(edges, len(data)) // 2 * 2]
    begins, ends = edges[::2], edges[1::2]
    with pytest.MonkeyPatch.context() as patch, Source(str(path)) as source:
        patch.setattr(padding, "NEAR", near)
        patch.setattr(padding, "AT_ONCE", at_once)
        patch.setattr(padding, "LONG", 4)
        found = list(padding.non_zero(source, begins, ends))
    within = [at for begin, end in zip(begins, ends, strict=True) for at in range(int(begin), int(end))]
    assert found == [at for at in within if data[at]]


def _layer(schema_counts: list[int], segments: list[tuple[int, int]], claims: list[tuple[int, int]]) -> bytes:
    """Banks of f32 schemas 1 x n, n counted from 1 through the file; segments as bank and entries."""
    first = [0] * len(schema_counts)
    populations = [sum(count for bank, count in segments if bank == each) for each in range(len(first))]
    data = struct.pack("<4sIIHHII", b"LYRW", 2, 0, len(first), len(segments), 0, 0)
    for bank, schemas in enumerate(schema_counts):
        data += struct.pack("<HHHHIIII", bank, 1, schemas, 0, populations[bank], 1, 1, 1)
    for index, (bank, count) in enumerate(segments):
        data += struct.pack("<HHII", bank, index, first[bank], count)
        first[bank] += count
    cols = 0
    for schemas in schema_counts:
        for index in range(schemas):
            cols += 1
            data += struct.pack("<HHHHHHII", index, 8 + cols, 0, 0, 0xFFFF, 0, 1, cols)
    return data + b"".join(struct.pack("<QQ", *claim) for claim in claims)


@PLAIN
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), max_size=6),
    st.integers(1, 7),
)
def test_rows_are_judged_by_their_own_schema(tmp_path_factory, schema_counts, segments, at_once):
    """Part by part of the entry tables, each row is held against its entry and schema."""
    segments = [(bank % len(schema_counts), count) for bank, count in segments]
    base = [sum(schema_counts[:bank]) for bank in range(len(schema_counts))]
    places, reached = [], [0] * len(schema_counts)
    for bank, count in segments:
        for entry in range(reached[bank], reached[bank] + count):
            places += [(bank, entry, schema) for schema in range(schema_counts[bank])]
        reached[bank] += count
    length = 4000
    data = _layer(schema_counts, segments, [(64 * 63, 1000 + row) for row in range(len(places))])
    path = tmp_path_factory.mktemp("rows") / "layer.lyrw"
    path.write_bytes(data + bytes(length))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "AT_ONCE", at_once)
        defects = lyrw_verify(path=str(path))["defects"]
    found = [defect["names"] for defect in defects if defect["kind"] == "region-length-mismatch"]
    assert [(names["bank_id"], names["entry"], names["schema_index"]) for names in found] == places
    assert [names["length"] for names in found] == [1000 + row for row in range(len(places))]
    assert [names["expected"] for names in found] == [
        4 * (base[bank] + index + 1) for bank, _, index in places
    ]
    assert [names["role"] for names in found] == [9 + base[bank] + index for bank, _, index in places]


PREPARE = """
from collections import Counter
from vindex3_reference.lyrw.verbs import lyrw_verify
import numpy
numpy.arange(3)
"""
VERIFY = """
answer = lyrw_verify(path=sys.argv[1])
kinds = Counter(defect["kind"] for defect in answer["defects"])
print(*(f"{kind} {count}" for kind, count in kinds.items()), *answer.get("more", ()), sep=", ")
"""
MIB = 1 << 20
BASE = 64 * MIB


def _claims(entries: int, segments: int = 1) -> bytes:
    data = struct.pack("<4sIIHHII", b"LYRW", 2, 0, 1, segments, 0, 0)
    data += struct.pack("<HHHHIIII", 0, 1, 2, 0, entries, 1, 1, 1)
    data += b"".join(struct.pack("<HHII", 0, index, 0, entries) for index in range(segments))
    return data + b"".join(struct.pack("<HHHHHHII", index, 3, 11, 0, 0xFFFF, 0, 1, 1) for index in (0, 1))


def test_declared_rows_cost_nothing(tmp_path: Path, bounded):
    """Entry tables of more than 2^64 bytes are truncated at the first row, within little memory."""
    path = tmp_path / "claims.lyrw"
    data = _claims(2**32 - 1, 0xFFFF)
    path.write_bytes(data + bytes(40))
    printed = bounded(PREPARE, VERIFY, str(path), allowance=BASE)
    assert printed == "truncated 1, region-in-tables 2, segment-overlap 10000, segment-overlap"
    defect = lyrw_verify(path=str(path))["defects"][0]  # type: ignore[index]
    assert defect["names"] == {"what": "entry table", "at": len(data) + 32, "need": 16, "have": 8}


def test_memory_follows_the_rows_that_are_there(tmp_path: Path, bounded):
    """Rows in a hole of 128 MiB, all of zeros, are judged within 8 times their bytes and 64 MiB."""
    path = tmp_path / "hole.lyrw"
    path.write_bytes(_claims(2**30))
    os.truncate(path, 128 * MIB)
    printed = bounded(PREPARE, VERIFY, str(path), allowance=BASE + 8 * 128 * MIB)
    assert printed == "truncated 1, region-in-tables 10000, region-in-tables"


def test_rows_of_every_defect_stay_within_memory(tmp_path: Path, bounded):
    """A million rows that overlap, out of order and beyond the file stay within the same bound."""
    path = tmp_path / "heap.lyrw"
    count = 500_000
    head = _claims(count)
    claims = np.empty((2 * count, 2), "<u8")
    claims[:, 0] = np.arange(2 * count)[::-1] * 17 + 1
    claims[:, 1] = 1 << 40
    path.write_bytes(head + claims.tobytes())
    allowance = BASE + 8 * claims.nbytes
    printed = bounded(PREPARE, VERIFY, str(path), allowance=allowance)
    assert printed.startswith(
        "region-out-of-bounds 10000, misaligned 10000, region-in-tables 10000, overlap 10000"
    )


def test_a_million_gaps(tmp_path: Path):
    """Small gaps that lie close together are read together, and each one is looked at."""
    path = tmp_path / "gaps.lyrw"
    count = 100_000
    head = _claims(count)
    start = -(-(len(head) + 32 * count) // 64) * 64
    claims = np.empty((2 * count, 2), "<u8")
    claims[:, 0] = start + 64 * np.arange(2 * count)
    claims[:, 1] = 4
    data = bytearray((head + claims.tobytes()).ljust(start, b"\0") + (b"\1" * 4 + bytes(60)) * (2 * count))
    data = data[:-60]
    path.write_bytes(data)
    assert lyrw_verify(path=str(path)) == {"defects": []}
    wrong = [start + 64 * row + 63 for row in (0, 77_777, 2 * count - 2)]
    for offset in wrong:
        data[offset] = 1
    path.write_bytes(data)
    assert lyrw_verify(path=str(path)) == {
        "defects": [{"kind": "non-zero-padding", "names": {"offset": offset}} for offset in wrong]
    }
