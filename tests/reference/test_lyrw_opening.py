"""What opening a layer file refuses, in which order, and what it keeps."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from vindex3_reference import adapter

# Offsets of fields in the dense file.
MAGIC, VERSION, BANKS, SEGMENTS, HEADER_FLAGS, RESERVED = 0, 4, 12, 14, 16, 20
BANK_KIND, BANK_FLAGS = 26, 30
SEGMENT_BANK, FIRST_ENTRY, ENTRY_COUNT = 48, 52, 56
SCHEMA = 60


def _cut(what: str, at: int, need: int, have: int) -> tuple[str, dict[str, object]]:
    return "truncated", {"what": what, "at": at, "need": need, "have": have}


def test_every_prefix_is_refused_until_the_schemas_are_whole(layer, dense, refusal):
    """A file cut anywhere in header, descriptors or schemas names the record that the cut hit."""
    whole = layer(dense).parse()
    for length in range(len(dense)):
        file = layer(dense[:length])
        if length >= 120:
            assert file.parse() == whole
            continue
        if length < 24:
            expected = _cut("header", 0, 24, length)
        elif length < 48:
            expected = _cut("bank descriptor table", 24, 24, length - 24)
        elif length < 60:
            expected = _cut("segment descriptor table", 48, 12, length - 48)
        else:
            at = 60 + (length - 60) // 20 * 20
            expected = _cut("region schema table", at, 20, length - at)
        assert refusal(file.parse) == expected


@pytest.mark.parametrize(
    ("magic", "found"),
    [("57 52 59 4C", "5752594C"), ("00 00 00 00", "00000000"), ("4C 59 52 00", "4C595200")],
)
def test_other_magic_is_refused_before_the_version(layer, dense, put, refusal, magic, found):
    """Leading bytes are shown as they lie in the file, zeros included, whatever the version says."""
    data = put(dense, {MAGIC: magic, VERSION: "01 00 00 00", BANKS: "FF FF"})
    assert refusal(layer(data).parse) == ("bad-magic", {"found": found, "expected": "4C595257"})


@pytest.mark.parametrize("found", [0, 1, 3, 2**24 * 2, 2**32 - 1])
def test_other_versions_are_refused_before_any_count(layer, dense, put, refusal, found):
    """The generation is refused from the header alone, and version 1 is said to be VINDEX2's."""
    head = put(dense, {VERSION: found.to_bytes(4, "little").hex(), BANKS: "FF FF FF FF"})
    names = {"found": found, "required": 2, **({"generation": "VINDEX2"} if found == 1 else {})}
    assert refusal(layer(head).parse) == ("wrong-generation", names)
    assert refusal(layer(head[:24]).parse) == ("wrong-generation", names)


@pytest.mark.parametrize(
    ("packing", "pair_id", "word", "legal"),
    [
        ("02 00", "FF FF", "blocks_values", False),
        ("03 00", "FF FF", "blocks_scales", False),
        ("00 00", "00 00", "row_major", False),
        ("01 00", "FE FF", "blocks_with_scales_inline", False),
        ("02 00", "00 00", "blocks_values", True),
        ("03 00", "FE FF", "blocks_scales", True),
        ("00 00", "FF FF", "row_major", True),
        ("01 00", "FF FF", "blocks_with_scales_inline", True),
        ("04 00", "FF FF", 4, True),
        ("FF FF", "07 00", 65535, True),
    ],
)
def test_packing_and_pair_number_agree(layer, dense, put, refusal, packing, pair_id, word, legal):
    """Values and scales need a pair number, other known packings must not have one, unknown ones may."""
    file = layer(put(dense, {SCHEMA + 26: packing, SCHEMA + 28: pair_id}))
    number = int.from_bytes(bytes.fromhex(pair_id), "little")
    if legal:
        schema = file.parse()["banks"][0]["schemas"][1]
        assert (schema["packing"], schema["pair_id"]) == (word, None if number == 0xFFFF else number)
    else:
        names = {"bank_id": 0, "schema_index": 1, "packing": word, "pair_id": number}
        assert refusal(file.parse) == ("inconsistent-pairing", names)


@pytest.mark.parametrize("layout", [1, 2])
@pytest.mark.parametrize("role", range(10))
def test_layout_belongs_to_the_fused_role(layer, dense, put, refusal, role, layout):
    """A known layout stands on gate_up_fused, or on a role that no vocabulary names."""
    words = ["gate", "up", None, "down", "bias", "scales", "latent_in", "latent_out", None, None]
    file = layer(put(dense, {SCHEMA + 42: f"{role:02X} 00", SCHEMA + 50: f"{layout:02X} 00"}))
    shown = ("contiguous_halves", "interleaved")[layout - 1]
    if words[role] is None:
        assert file.parse()["banks"][0]["schemas"][2]["layout"] == shown
    else:
        names = {"bank_id": 0, "schema_index": 2, "role": words[role], "layout": shown}
        assert refusal(file.parse) == ("layout-on-non-fused", names)


def test_unknown_layout_on_another_role_is_kept(layer, dense, put):
    """A layout number that no vocabulary names does not stop the parse, whatever the role."""
    observation = layer(put(dense, {SCHEMA + 10: "03 00"})).parse()
    assert observation["banks"][0]["schemas"][0]["layout"] == 3
    assert observation["unknown"] == [{"where": "banks[0].schemas[0]", "field": "layout", "value": 3}]


def test_schemas_are_numbered_by_position_in_each_bank(layer, pairs, put, refusal):
    """The index of a schema is its position in its own bank, from 0 in each."""
    second_bank = 108 + 4 * 20
    assert refusal(layer(put(pairs, {second_bank: "04 00"})).parse) == (
        "schema-index-mismatch",
        {"bank_id": 9, "expected": 0, "found": 4},
    )


def test_segments_name_a_declared_bank(layer, dense, put, refusal):
    """A segment of a bank that this file does not declare is refused."""
    assert refusal(layer(put(dense, {SEGMENT_BANK: "01 00 09 00"})).parse) == (
        "unknown-bank",
        {"segment_index": 9, "bank_id": 1},
    )


@pytest.mark.parametrize(("first", "count", "legal"), [(0, 1, 1), (1, 0, 1), (0, 2, 0), (2**32 - 1, 2, 0)])
def test_segments_end_within_their_bank(layer, dense, put, refusal, first, count, legal):
    """The end of a segment is computed in more than 32 bits and may equal the bank's population."""
    data = put(
        dense,
        {FIRST_ENTRY: first.to_bytes(4, "little").hex(), ENTRY_COUNT: count.to_bytes(4, "little").hex()},
    )
    if legal:
        assert layer(data).parse()["segments"][0]["first_entry"] == first
    else:
        names = {
            "bank_id": 0,
            "segment_index": 0,
            "first_entry": first,
            "end_entry": first + count,
            "num_entries": 1,
        }
        assert refusal(layer(data).parse) == ("segment-out-of-bounds", names)


def test_the_first_fault_of_the_reading_order_is_named(layer, dense, put, refusal):
    """With all faults in one file, mending the named one brings the next of the order to light."""
    legal = {
        "bad-magic": (MAGIC, "4C 59 52 57"),
        "wrong-generation": (VERSION, "02 00 00 00"),
        "inconsistent-pairing": (SCHEMA + 8, "FF FF"),
        "layout-on-non-fused": (SCHEMA + 10, "00 00"),
        "schema-index-mismatch": (SCHEMA, "00 00"),
        "unknown-bank": (SEGMENT_BANK, "00 00"),
        "segment-out-of-bounds": (ENTRY_COUNT, "01 00 00 00"),
    }
    wrong = {
        MAGIC: "00 00 00 00",
        VERSION: "09 00 00 00",
        SCHEMA + 8: "01 00",
        SCHEMA + 10: "01 00",
        SCHEMA: "05 00",
        SEGMENT_BANK: "0A 00",
        ENTRY_COUNT: "02 00 00 00",
    }
    data = put(dense, wrong)
    assert refusal(layer(data[:23]).parse)[0] == "truncated"
    named = []
    for kind, (offset, text) in legal.items():
        named.append(refusal(layer(data).parse)[0])
        if kind == "wrong-generation":
            assert refusal(layer(put(data, {VERSION: "02 00 00 00"})[:119]).parse)[0] == "truncated"
        data = put(data, {offset: text})
    assert named == list(legal)
    assert layer(data).parse() == layer(dense).parse()


def test_a_fault_of_an_earlier_schema_comes_first(layer, dense, put, refusal):
    """Schemas are judged one by one: a wrong index of the first hides a bad pairing of the second."""
    data = put(dense, {SCHEMA: "07 00", SCHEMA + 28: "00 00"})
    assert refusal(layer(data).parse)[0] == "schema-index-mismatch"


def test_what_no_vocabulary_names_is_kept_and_listed(layer, dense, put):
    """Unknown tags and unassigned bits do not stop the parse; each is listed with place and value."""
    data = put(
        dense,
        {
            HEADER_FLAGS: "05 00 00 80",
            RESERVED: "EF BE AD DE",
            BANK_KIND: "37 00",
            BANK_FLAGS: "07 80",
            SCHEMA + 2: "2C 01 4D 00 09 00",
            SCHEMA + 22: "02 00",
            SCHEMA + 30: "03 00",
            SCHEMA + 42: "08 00 0B 00",
        },
    )
    observation = layer(data).parse()
    assert observation["header"]["flags"] == 0x80000005
    bank = observation["banks"][0]
    assert (bank["kind"], bank["browse"], bank["flags"]) == (55, "none", 0x8007)
    first, second, third = bank["schemas"]
    assert (first["role"], first["format"], first["packing"]) == (300, 77, 9)
    assert (second["role"], second["layout"]) == ("gate_up_fused", 3)
    assert (third["role"], third["format"]) == (8, 11)
    assert {(row["where"], row["field"], row["value"]) for row in observation["unknown"]} == {
        ("header", "flags", 0x80000004),
        ("header", "reserved", 0xDEADBEEF),
        ("banks[0]", "kind", 55),
        ("banks[0]", "browse", 3),
        ("banks[0]", "flags", 0x8004),
        ("banks[0].schemas[0]", "role", 300),
        ("banks[0].schemas[0]", "format", 77),
        ("banks[0].schemas[0]", "packing", 9),
        ("banks[0].schemas[1]", "layout", 3),
        ("banks[0].schemas[2]", "role", 8),
        ("banks[0].schemas[2]", "format", 11),
    }
    assert len(observation["unknown"]) == 11


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("role", "gate up gate_up_fused down bias scales latent_in latent_out"),
        ("format", "f32 f16 bf16 q4_0 q4_k q6_k q8_0 fp4_larql mxfp4 nvfp4 mxfp8"),
        ("layout", "unspecified contiguous_halves interleaved"),
    ],
)
def test_known_tags_are_shown_by_their_words(layer, dense, put, field, words):
    """Every tag of a vocabulary is its word's position, and is never listed as unknown."""
    offset = {"role": 2, "format": 4, "layout": 10}[field]
    fused = {SCHEMA + 2: "02 00"} if field == "layout" else {}
    for tag, word in enumerate(words.split()):
        observation = layer(put(dense, {**fused, SCHEMA + offset: f"{tag:02X} 00"})).parse()
        assert observation["banks"][0]["schemas"][0][field] == word
        assert observation["unknown"] == []


@pytest.mark.parametrize(("bits", "browse"), [(0, "none"), (1, "direct"), (2, "strided")])
def test_browse_is_the_low_bits_of_the_bank_flags(layer, dense, put, bits, browse):
    """Bits 0 and 1 give the browse mode; higher ones change nothing about it."""
    for high in ("00", "40"):
        bank = layer(put(dense, {BANK_FLAGS: f"{bits:02X} {high}"})).parse()["banks"][0]
        assert bank["browse"] == browse


@pytest.mark.parametrize("banks", [0, 1])
def test_no_segments_is_a_description(layer, dense, put, banks):
    """A file without segments has no entries; without banks its tables are the header alone."""
    head = put(dense, {BANKS: f"{banks:02X} 00 00 00"})
    data = head[:24] + (head[24:48] + head[60:120]) * banks
    observation = layer(data).parse()
    assert observation["segments"] == []
    assert len(observation["banks"]) == banks
    sizes = (observation["table_bytes"], observation["payload_start"])
    assert sizes == [(24, 64), (108, 128)][banks]
    assert layer(data).region(0, 0, 0) == {"absent": True}


def test_a_bank_without_schemas_or_entries_adds_no_rows(layer):
    """Zero schemas and zero entries are described; neither has a row."""
    head = "4C 59 52 57 02 00 00 00 00 00 00 00 02 00 02 00 00 00 00 00 00 00 00 00"
    empty = "01 00 01 00 00 00 00 00 08 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00"
    no_entries = "02 00 01 00 01 00 00 00 00 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00"
    segments = "01 00 00 00 00 00 00 00 08 00 00 00  02 00 00 00 00 00 00 00 00 00 00 00"
    schema = "00 00 00 00 00 00 00 00 FF FF 00 00 01 00 00 00 01 00 00 00"
    file = layer(bytes.fromhex(head + empty + no_entries + segments + schema))
    observation = file.parse()
    assert [len(bank["schemas"]) for bank in observation["banks"]] == [0, 1]
    assert (observation["table_bytes"], observation["payload_start"]) == (116, 128)
    assert file.region(1, 0, 0) == {"absent": True}
    assert file.region(2, 0, 0) == {"absent": True}


def test_payload_start_is_the_next_multiple_of_64(layer, pairs):
    """Table bytes are rounded up to 64, and are the payload's start where they are a multiple already."""
    observation = layer(pairs).parse()
    assert (observation["table_bytes"], observation["payload_start"]) == (488, 512)
    head = "4C 59 52 57 02 00 00 00 00 00 00 00 01 00 01 00 00 00 00 00 00 00 00 00"
    bank = "01 00 01 00 01 00 00 00 07 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00"
    segment = "01 00 00 00 00 00 00 00 07 00 00 00"
    schema = "00 00 00 00 00 00 00 00 FF FF 00 00 01 00 00 00 01 00 00 00"
    observation = layer(bytes.fromhex(head + bank + segment + schema)).parse()
    assert (observation["table_bytes"], observation["payload_start"]) == (192, 192)


@pytest.mark.parametrize("name", ["nothing-here", "x" * 300, "a\0b", "lone\udc80\ud800"])
def test_a_path_without_a_file_is_named(tmp_path, refusal, name):
    """A name that no file has, or none could have, is missing-file with the path as it was given."""
    path = f"{tmp_path}/{name}"
    ask = {
        adapter.lyrw_parse: {},
        adapter.lyrw_region: {"bank_id": 0, "entry": 0, "schema_index": 0},
        adapter.lyrw_partner: {"bank_id": 0, "entry": 0, "schema_index": 0},
    }
    for verb, arguments in ask.items():
        assert refusal(verb, path=path, **arguments) == ("missing-file", {"path": path})


def test_what_is_no_regular_file_is_missing(tmp_path, refusal):
    """A directory, a FIFO without a writer, a device, a path through a file: none is a file, none blocks."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "circle").symlink_to("circle")
    for path in (tmp_path, tmp_path / "fifo", "/dev/zero", tmp_path / "file" / "below", tmp_path / "circle"):
        assert refusal(adapter.lyrw_parse, path=str(path)) == ("missing-file", {"path": str(path)})


def test_a_failing_system_call_is_an_io_refusal(layer, dense, refusal, monkeypatch):
    """An error of the operating system while the file is read names the path and the reason."""
    file = layer(dense)

    def fail(*_: object) -> bytes:
        raise OSError(errno.EIO, "made up")

    monkeypatch.setattr(os, "pread", fail)
    kind, names = refusal(file.parse)
    assert (kind, names["path"], names["reason"]) == ("io", file.path, os.strerror(errno.EIO))


def _open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_no_descriptor_is_left_open(layer, dense, refusal):
    """Answered or refused, a question gives its descriptor back."""
    before = _open_descriptors()
    for data in (dense, dense[:30], b""):
        file = layer(data)
        for _ in range(3):
            if data is dense:
                file.parse()
            else:
                refusal(file.parse)
    assert _open_descriptors() == before
