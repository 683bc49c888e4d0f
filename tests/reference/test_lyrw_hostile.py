"""Files that lie about their size, files of many GiB, files that change while they are read."""

from __future__ import annotations

import os
import struct

import pytest

from vindex3_reference import adapter
from vindex3_reference.lyrw.reader import LayerFile
from vindex3_reference.source import Source

PREPARE = """
from vindex3_reference import adapter
from vindex3_reference.refusal import Refusal
import numpy
numpy.arange(3)
"""
ASK = """
try:
    if len(sys.argv) == 2:
        answer = adapter.lyrw_parse(path=sys.argv[1])
        print(answer["table_bytes"], answer["payload_start"])
    else:
        asked = dict(zip(("bank_id", "entry", "schema_index"), map(int, sys.argv[2:])))
        answer = adapter.lyrw_region(path=sys.argv[1], **asked)
        print(answer["offset"], answer["length"], answer["data"][:8])
except Refusal as refused:
    print(refused.kind, refused.names["what"] if "what" in refused.names else "")
"""
LITTLE = 4 << 20


def _header(banks: int, segments: int) -> bytes:
    return struct.pack("<4sIIHHII", b"LYRW", 2, 0, banks, segments, 0, 0)


def _bank(bank_id: int, schemas: int, entries: int) -> bytes:
    return struct.pack("<HHHHIIII", bank_id, 1, schemas, 0, entries, 1, 1, 1)


def _segment(bank_id: int, first: int, count: int) -> bytes:
    return struct.pack("<HHII", bank_id, 0, first, count)


def _schema(index: int) -> bytes:
    return struct.pack("<HHHHHHII", index, 0, 0, 0, 0xFFFF, 0, 1, 1)


@pytest.mark.parametrize(
    ("data", "printed"),
    [
        (_header(0xFFFF, 0xFFFF), "truncated bank descriptor table"),
        (_header(1, 0xFFFF) + _bank(0, 1, 1), "truncated segment descriptor table"),
        (
            _header(1, 1) + _bank(0, 0xFFFF, 2**32 - 1) + _segment(0, 0, 2**32 - 1),
            "truncated region schema table",
        ),
        (
            _header(0x400, 0) + b"".join(_bank(index, 0xFFFF, 1) for index in range(0x400)),
            "truncated region schema table",
        ),
    ],
    ids=["banks", "segments", "schemas of a bank", "schemas of all banks"],
)
def test_declared_counts_reserve_no_memory(tmp_path, bounded, data, printed):
    """Tables that the file does not have are truncated, within 4 MiB of memory."""
    path = tmp_path / "claims.lyrw"
    path.write_bytes(data)
    assert bounded(PREPARE, ASK, str(path), allowance=LITTLE) == printed


def test_declared_entries_reserve_no_memory(tmp_path, bounded):
    """Entry tables of more than 2^64 bytes are described exactly, and their rows refused one by one."""
    path = tmp_path / "entries.lyrw"
    count = 2**32 - 1
    segments = b"".join(_segment(0, 0, count) for _ in range(0xFFFF))
    schemas = b"".join(map(_schema, range(0x2000)))
    path.write_bytes(_header(1, 0xFFFF) + _bank(0, 0x2000, count) + segments + schemas)
    exact = 24 + 24 + 12 * 65535 + 20 * 8192 + 16 * 65535 * 4294967295 * 8192
    assert exact > 2**64
    answer = adapter.lyrw_parse(path=str(path))
    assert answer["table_bytes"] == exact
    assert answer["payload_start"] == exact + 64 - exact % 64
    assert (
        bounded(PREPARE, ASK, str(path), "0", "4294967294", "8191", allowance=48 << 20)
        == "truncated entry table"
    )


def test_a_hole_of_schemas_takes_no_memory(tmp_path, bounded):
    """A sparse file whose declared schemas all lie within its 86 GB is refused at the first bad one."""
    path = tmp_path / "hole.lyrw"
    banks = b"".join(_bank(index, 0xFFFF, 1) for index in range(0xFFFF))
    path.write_bytes(_header(0xFFFF, 0) + banks)
    os.truncate(path, 24 + 24 * 0xFFFF + 20 * 0xFFFF * 0xFFFF)
    printed = bounded(PREPARE, ASK, str(path), allowance=32 << 20)
    assert printed.startswith("inconsistent-pairing")


def test_a_region_beyond_4_gib_is_given(tmp_path, bounded):
    """All 64 bits of an offset count, and reading there takes memory for the region alone."""
    path = tmp_path / "far.lyrw"
    rows = struct.pack("<QQQQ", 5 << 30, 16, 1 << 30, 16)
    schemas = _schema(0) + _schema(1)
    with path.open("wb") as file:
        file.write(_header(1, 1) + _bank(0, 2, 1) + _segment(0, 0, 1) + schemas + rows)
        file.seek(1 << 30)
        file.write(b"near" * 4)
        file.seek(5 << 30)
        file.write(b"far " * 4)
    answer = adapter.lyrw_region(path=str(path), bank_id=0, entry=0, schema_index=0)
    assert answer == {"offset": 5368709120, "length": 16, "data": b"far far far far "}
    assert bounded(PREPARE, ASK, str(path), "0", "0", "0", allowance=LITTLE) == "5368709120 16 b'far far '"


def test_opening_reads_nothing_behind_the_schemas(layer, dense, monkeypatch):
    """The reads of an opening end before the entry tables, in a file of any size."""
    reads = []
    read = Source.read

    def watched(self: Source, offset: int, length: int) -> bytes:
        reads.append((offset, length))
        return read(self, offset, length)

    monkeypatch.setattr(Source, "read", watched)
    file = layer(dense)
    os.truncate(file.path, 64 << 30)
    file.parse()
    assert reads == [(0, 24), (24, 36), (60, 60)]


def test_payload_cannot_change_the_description(layer, dense):
    """Other entry rows and payload bytes give the same observation."""
    other = dense[:120] + bytes(255 - byte for byte in dense[120:])
    assert layer(other).parse() == layer(dense).parse()


@pytest.mark.parametrize(
    ("length", "kind"), [(150, "truncated"), (200, "region-out-of-bounds"), (0, "truncated")]
)
def test_a_file_that_shrinks_is_refused(layer, dense, refusal, monkeypatch, length, kind):
    """A file cut between its opening and the read of a region is a refusal with what is left."""
    file = layer(dense)
    opened = LayerFile.__init__

    def cut_afterwards(self: LayerFile, path: str) -> None:
        opened(self, path)
        os.truncate(path, length)

    monkeypatch.setattr(LayerFile, "__init__", cut_afterwards)
    refused, names = refusal(file.region, 0, 0, 2)
    assert refused == kind
    assert names.get("file_length", length) == length


@pytest.mark.parametrize(
    ("length", "what"),
    [
        (10, "header"),
        (30, "bank descriptor table"),
        (50, "segment descriptor table"),
        (119, "region schema table"),
    ],
)
def test_a_file_that_shrinks_while_it_is_opened_is_truncated(
    layer, dense, refusal, monkeypatch, length, what
):
    """The tables are compared with the bytes that came, not only with the length that was promised."""
    file = layer(dense)
    opened = Source.__init__

    def cut_afterwards(self: Source, path: str) -> None:
        opened(self, path)
        os.truncate(path, length)

    monkeypatch.setattr(Source, "__init__", cut_afterwards)
    kind, names = refusal(file.parse)
    assert (kind, names["what"]) == ("truncated", what)


def test_short_reads_are_continued(layer, dense, monkeypatch):
    """A read that gives fewer bytes than asked is continued until the region is whole."""
    file = layer(dense)
    whole = file.parse(), file.region(0, 0, 1)
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, length, offset: pread(fd, min(length, 7), offset))
    assert (file.parse(), file.region(0, 0, 1)) == whole
