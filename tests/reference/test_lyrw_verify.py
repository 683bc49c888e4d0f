"""lyrw.verify: every kind of defect in a file typed by hand, and the same file without it."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any

import pytest

from vindex3_reference.lyrw.verbs import lyrw_verify

GATE = {"bank_id": 0, "entry": 0, "schema_index": 0, "role": "gate"}
UP = {"bank_id": 0, "entry": 0, "schema_index": 1, "role": "up"}
DOWN = {"bank_id": 0, "entry": 0, "schema_index": 2, "role": "down"}


@pytest.mark.parametrize("worked", ["dense", "split", "pairs"])
def test_a_right_file_has_no_defect(request, verify, worked):
    """The worked files have no defect; the file of pairs only those of lengths and layouts typed into it."""
    found = verify(request.getfixturevalue(worked))
    if worked == "pairs":
        assert {kind for kind, _ in found} == {"region-length-mismatch", "segment-gap"}
        assert ("segment-gap", {"bank_id": 5, "first_entry": 1, "end_entry": 2}) in found
    else:
        assert found == []


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (
            {160: "09"},
            [
                ("region-out-of-bounds", {**DOWN, "offset": 320, "length": 9, "file_length": 328}),
                ("region-length-mismatch", {**DOWN, "format": "f32", "length": 9, "expected": 8}),
            ],
        ),
        (
            {160: "07"},
            [
                ("region-length-mismatch", {**DOWN, "format": "f32", "length": 7, "expected": 8}),
                ("trailing-bytes", {"offset": 327, "length": 1}),
            ],
        ),
        ({96: "05"}, [("region-length-mismatch", {**UP, "format": "f32", "length": 24, "expected": 40})]),
        ({191: "01"}, [("non-zero-padding", {"offset": 191})]),
        ({168: "FF"}, [("non-zero-padding", {"offset": 168})]),
        (
            {216: "80", 255: "80", 280: "80", 319: "80"},
            [("non-zero-padding", {"offset": offset}) for offset in (216, 255, 280, 319)],
        ),
        (
            {72: "00"},
            [
                ("zero-dimension", {"bank_id": 0, "schema_index": 0}),
                ("region-length-mismatch", {**GATE, "format": "f32", "length": 24, "expected": 0}),
            ],
        ),
        (
            {104: "03 00", 106: "01 00"},
            [("partial-block", {"bank_id": 0, "schema_index": 2, "cols": 2, "block": 32})],
        ),
        ({62: "02 00"}, [("undeclared-fused-layout", {"bank_id": 0, "schema_index": 0})]),
        ({32: "02"}, [("segment-gap", {"bank_id": 0, "first_entry": 1, "end_entry": 2})]),
    ],
    ids=[
        "row one byte too long", "row too short", "cols of the schema", "last byte before the payload",
        "first byte after the tables", "bytes between regions", "no rows", "cols that no block divides",
        "fused without layout", "an entry that no segment has",
    ],
)  # fmt: skip
def test_one_fault_in_the_dense_file(verify, dense, put, pieces, expected):
    """Each fault is reported with its facts, and nothing beside what follows from it."""
    assert verify(put(dense, pieces)) == expected


@pytest.mark.parametrize(
    "pieces",
    [{72: "02"}, {16: "00 00 00 80"}, {20: "01 00 00 00"}, {26: "37 13"}, {30: "FF FF"},
     {102: "00 10"}, {104: "0B 00", 160: "07"}, {106: "04 00", 160: "05"}, {62: "02 00", 70: "03 00"}],
    ids=["nothing changed", "header flags", "reserved word", "bank kind", "bank flags", "role", "format",
         "packing", "unknown layout"],
)  # fmt: skip
def test_what_is_unknown_is_no_defect(verify, dense, put, pieces):
    """Unknown tags, flags and a reserved word are no defects, and no length is judged without a rule."""
    assert [kind for kind, _ in verify(put(dense, pieces)) if kind != "trailing-bytes"] == []


def test_a_misaligned_row(verify, dense, put):
    """A region one byte further on is misaligned; its bytes lie where the row says, so nothing else is."""
    moved = put(dense[:320] + b"\0" + dense[320:], {152: "41 01"})
    assert verify(moved) == [("misaligned", {**DOWN, "offset": 321})]


def test_trailing_bytes(verify, dense):
    """Bytes after the last region are reported with place and count, zeros as well."""
    assert verify(dense + b"\0\0\0") == [("trailing-bytes", {"offset": 328, "length": 3})]


def test_overlapping_rows(verify, dense, put):
    """Two regions that share a byte are reported with both places; regions that touch are not."""
    shared = put(dense[:208] + dense[208:].replace(dense[256:280], bytes(24)), {136: "D7 00"})
    assert verify(shared) == [
        ("misaligned", {**UP, "offset": 215}),
        ("overlap", {**GATE, "offset": 192, "other": {**UP, "offset": 215}}),
    ]
    touching = put(shared, {136: "D8 00"})
    assert verify(touching) == [("misaligned", {**UP, "offset": 216})]


@pytest.mark.parametrize(
    ("offset", "length"), [(0, 0), (64, 24), (167, 1)], ids=["zeros", "inside", "last byte"]
)
def test_a_row_in_the_tables(verify, dense, put, offset, length):
    """A row whose offset is below the end of the tables is reported, one of zeros included."""
    found = verify(put(dense, {120: struct.pack("<QQ", offset, length).hex()}))
    assert ("region-in-tables", {**GATE, "offset": offset}) in found
    assert not [names for kind, names in found if kind == "overlap"]


def test_a_row_at_the_end_of_the_tables_is_not_in_them(verify, dense, put):
    """An offset of exactly table_bytes is misaligned here, and in no table."""
    found = verify(put(dense, {120: "A8 00"}))
    assert [kind for kind, _ in found] == ["misaligned", *["non-zero-padding"] * (len(found) - 1)]


@pytest.mark.parametrize(
    ("offset", "length"), [(329, 0), (320, 2**64 - 1), (2**64 - 64, 128), (2**64 - 1, 2**64 - 1)]
)
def test_a_row_beyond_the_file(verify, dense, put, offset, length):
    """A row that leaves the file is reported, also where its sum passes 64 bits; nothing trails then."""
    found = verify(put(dense, {152: struct.pack("<QQ", offset, length).hex()}))
    facts = {**DOWN, "offset": offset, "length": length, "file_length": 328}
    assert ("region-out-of-bounds", facts) in found
    assert "trailing-bytes" not in {kind for kind, _ in found}
    assert "overlap" not in {kind for kind, _ in found}


def test_a_region_of_no_bytes(verify, dense, put):
    """A region of no bytes at the end of the file leaves it; at its last byte it is only too short."""
    empty = {**DOWN, "format": "f32", "length": 0, "expected": 8}
    assert verify(put(dense[:320], {160: "00"})) == [("region-length-mismatch", empty)]


def test_all_defects_are_listed_together(verify, dense, put):
    """Faults of different kinds and places stand in one answer."""
    assert verify(put(dense, {32: "02", 128: "17", 191: "01"}) + b"\1") == [
        ("region-length-mismatch", {**GATE, "format": "f32", "length": 23, "expected": 24}),
        ("non-zero-padding", {"offset": 191}),
        ("non-zero-padding", {"offset": 215}),
        ("trailing-bytes", {"offset": 328, "length": 1}),
        ("segment-gap", {"bank_id": 0, "first_entry": 1, "end_entry": 2}),
    ]


@pytest.mark.parametrize(
    ("cut", "at", "have"), [(168 - 1, 152, 15), (152, 152, 0), (121, 120, 1), (120, 120, 0)]
)
def test_cut_entry_tables(verify, dense, cut, at, have):
    """The first row that is not whole is named, and the rows before it are judged."""
    found = verify(dense[:cut])
    assert found[0] == ("truncated", {"what": "entry table", "at": at, "need": 16, "have": have})
    whole_rows = (at - 120) // 16
    assert [kind for kind, _ in found].count("region-out-of-bounds") == whole_rows


def test_a_file_without_segments(verify, dense, put):
    """No segment is a defect, and the entries of the bank are in none; what follows the tables trails."""
    data = put(dense[:48] + dense[60:120], {14: "00 00"})
    assert verify(data + b"\0") == [
        ("no-segments", {"num_segments": 0}),
        ("trailing-bytes", {"offset": 108, "length": 1}),
        ("segment-gap", {"bank_id": 0, "first_entry": 0, "end_entry": 1}),
    ]


def test_empty_banks_and_segments(verify):
    """A bank without entries, one without schemas, and a segment without entries are told apart."""
    header = struct.pack("<4sIIHHII", b"LYRW", 2, 0, 3, 3, 0, 0)
    banks = struct.pack("<HHHHIIII", 0, 1, 1, 0, 0, 1, 1, 1) + struct.pack(
        "<HHHHIIII", 1, 1, 0, 0, 1, 1, 1, 1
    )
    banks += struct.pack("<HHHHIIII", 2, 1, 1, 0, 1, 1, 1, 1)
    segments = b"".join(struct.pack("<HHII", *row) for row in [(1, 0, 0, 1), (2, 0, 0, 0), (2, 1, 0, 1)])
    schemas = struct.pack("<HHHHHHII", 0, 0, 0, 0, 0xFFFF, 0, 1, 1) * 2
    tables = header + banks + segments + schemas + struct.pack("<QQ", 192, 4)
    assert verify(tables.ljust(192, b"\0") + b"abcd") == [
        ("empty-bank", {"bank_id": 0, "what": "entries"}),
        ("empty-bank", {"bank_id": 1, "what": "schemas"}),
        ("empty-bank", {"bank_id": 2, "what": "segment"}),
    ]


@pytest.mark.parametrize("length", [2**64 - 4, 4])
def test_a_length_beyond_64_bits(verify, dense, put, length):
    """A rule that gives more bytes than a row can state is matched by no row, its remainder included."""
    shape = (2**32 - 1).to_bytes(4, "little").hex()
    row = length.to_bytes(8, "little").hex()
    found = verify(put(dense, {112: shape, 116: shape, 160: row}))
    expected = 4 * (2**32 - 1) ** 2
    assert expected % 2**64 == 2**64 - 2**35 + 4
    facts = {**DOWN, "format": "f32", "length": length, "expected": expected}
    assert ("region-length-mismatch", facts) in found
    remainder = (expected % 2**64).to_bytes(8, "little").hex()
    found = verify(put(dense, {112: shape, 116: shape, 160: remainder}))
    assert ("region-length-mismatch", {**facts, "length": expected % 2**64}) in found


def test_a_file_is_judged_that_cannot_be_listed(layer):
    """Of one kind 10,000 defects are listed; that there are more is said, and other kinds are not hidden."""
    count = 10_001
    tables = struct.pack("<4sIIHHII", b"LYRW", 2, 0, 1, 1, 0, 0)
    tables += struct.pack("<HHHHIIII", 7, 1, 1, 0, count, 1, 1, 1) + struct.pack("<HHII", 7, 0, 0, count)
    tables += struct.pack("<HHHHHHII", 0, 3, 11, 0, 0xFFFF, 0, 1, 1)
    answer: Any = lyrw_verify(path=layer(tables + bytes(16 * count) + b"\1").path)
    kinds = [defect["kind"] for defect in answer["defects"]]
    assert (kinds.count("region-in-tables"), kinds.count("trailing-bytes")) == (10_000, 1)
    assert answer["more"] == ["region-in-tables"]
    assert [defect["names"]["entry"] for defect in answer["defects"][:3]] == [0, 1, 2]


def test_payload_is_not_read_and_holes_cost_nothing(layer, dense, put):
    """A file of 64 GiB with a hole between two regions is judged at once; a byte in the hole is found."""
    far = 64 << 30
    data = put(dense, {152: far.to_bytes(8, "little").hex()})
    path = layer(data[:280]).path
    with Path(path).open("r+b") as file:
        file.seek(far)
        file.write(dense[320:])
    assert lyrw_verify(path=path) == {"defects": []}
    with Path(path).open("r+b") as file:
        file.seek(far - (1 << 30) + 5)
        file.write(b"\x01")
    assert lyrw_verify(path=path) == {
        "defects": [{"kind": "non-zero-padding", "names": {"offset": far - (1 << 30) + 5}}]
    }
    os.truncate(path, far + 9)
    assert [defect["kind"] for defect in lyrw_verify(path=path)["defects"]] == [  # type: ignore[attr-defined]
        "non-zero-padding",
        "trailing-bytes",
    ]
