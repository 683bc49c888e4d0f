"""Manifests and files that claim more than there is: little memory, few bytes read, nothing left behind."""

from __future__ import annotations

import json
import struct
import threading
from functools import partial
from pathlib import Path

import pytest

from vindex3_fixtures.waste.make import made
from vindex3_fixtures.waste.sparse import Sparse
from vindex3_fixtures.waste.tiny import tiny
from vindex3_reference.refusal import Refusal
from vindex3_reference.source import Source
from vindex3_reference.waste.verbs import (
    usage_read,
    waste_matrix,
    waste_open,
    waste_record,
    waste_tensor,
    waste_write,
)

GIB = 1 << 30
PREPARE = """
from vindex3_reference.refusal import Refusal
from vindex3_reference.waste import verbs
"""
ASK = """
for path in sys.argv[1:]:
    try:
        print(len(verbs.waste_open(path=path)["trunk"]))
    except Refusal as refusal:
        print(refusal.kind)
"""
LITTLE = 16 << 20
EMBEDDING = "model.embed_tokens.weight"
TRUNK, BOOKS, BANK = "trunk.bin", "codebooks.bin", "experts-L1.bin"


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        (lambda: tiny().with_entry(EMBEDDING, "shape", [1 << 26] * 4), "extent-out-of-file"),
        (lambda: tiny().with_entry(EMBEDDING, "shape", [1 << 26, 1 << 26]), "extent-out-of-file"),
        (lambda: tiny().with_entry(EMBEDDING, "group", 2**62), "extent-out-of-file"),
        (lambda: tiny().with_entry(EMBEDDING, "off", 2**63 - 1), "extent-out-of-file"),
        (lambda: tiny().with_entry(EMBEDDING, "shape", [1] * 100_000), "out-of-range"),
        (lambda: tiny().with_config("moe_intermediate_size", 1 << 20), "bad-stride"),
        (lambda: tiny().with_config("hidden_size", 1 << 20), "bad-stride"),
        (lambda: tiny().with_config("num_experts", 1 << 20), "count-mismatch"),
        (lambda: tiny().with_layer(1, "bytes", 3 * (2**61 // 4096 // 3) * 4096), "truncated"),
        (lambda: tiny().with_layer(1, "codebook_base", 2**63 - 1), "out-of-range"),
        (lambda: tiny().with_quant("index_block", 2**62), "unsupported-index-block"),
        (lambda: tiny().folder.with_file("manifest.json", Sparse(64 * GIB, {0: b"{"})), "malformed-json"),
        (lambda: tiny().with_file(BOOKS, Sparse(64 * GIB)), "partial-codebook"),
        (lambda: tiny().with_file(BANK, Sparse(64 * GIB)), "trailing-bytes"),
    ],
)
def test_claims_reserve_no_memory(written, bounded, model, kind):
    """The container is refused within little memory, which its legal twin opens in as well."""
    paths = [written(model()), written(tiny())]
    found = bounded(PREPARE, ASK, *paths, allowance=LITTLE).split()
    assert found == [kind, str(len(tiny().tensors))]


def test_a_manifest_of_twenty_thousand_tensors_opens(written, bounded):
    """Memory follows the manifest, not what it describes."""
    entry = {"fmt": 0, "shape": [1], "bytes": 4}
    trunk = [{**entry, "name": f"t{number}", "off": 4 * number} for number in range(20_000)]
    model = tiny().with_manifest(("trunk",), trunk).with_file(TRUNK, bytes(80_000))
    size = len(json.dumps(model.manifest))
    assert bounded(PREPARE, ASK, written(model), allowance=LITTLE + 32 * size) == "20000"


def test_opening_reads_no_payload(written, monkeypatch):
    """Manifest and headers of books alone are read, however long trunk and banks are."""
    model = made(experts=2, layers=2)
    large = model.with_file(TRUNK, Sparse(64 * GIB, {0: model.files[TRUNK]}))
    read: dict[str, int] = {}
    real = Source.read

    def watched(self, offset, length):
        read[self.name] = read.get(self.name, 0) + length
        return real(self, offset, length)

    monkeypatch.setattr(Source, "read", watched)
    assert waste_open(path=written(large)) == waste_open(path=written(model))
    assert set(read) == {"manifest.json", BOOKS}


def test_records_beyond_four_gib_are_the_right_ones(written):
    """Offsets are formed exactly: records are read at their places in a sparse bank of 5 GiB."""
    experts, stride = 40_000, 128 << 10
    model = made(experts=1, layers=2)
    record = model.record(1, 0)
    places = (0, 1, 16_384, 32_768, experts - 1)
    pieces = {
        number * stride: record.with_stored(expert_id=number, record_4k_blocks=stride // 4096).data
        for number in places
    }
    large = model.with_config("num_experts", experts).with_layer(1, "experts", experts)
    large = large.with_layer(1, "bytes", experts * stride).with_file(BANK, Sparse(experts * stride, pieces))
    path = written(large)
    for number in places:
        weights = waste_matrix(path=path, layer=1, expert=number, matrix="down")
        assert weights.tobytes() == model.weights(1, 0, "down").tobytes()
        assert waste_record(path=path, layer=1, expert=number)["header"]["expert_id"] == number


def test_tensors_beyond_four_gib_are_the_right_ones(written):
    """Payload and scales far behind in a sparse trunk decode as at the beginning."""
    model = tiny()
    (entry,) = [entry for entry in model.manifest["trunk"] if entry["name"] == EMBEDDING]
    stored, far = model.files[TRUNK], {"off": 5 * GIB, "scale_off": 3 * GIB}
    length = {"off": entry["scale_off"] - entry["off"], "scale_off": 0}
    length["scale_off"] = entry["bytes"] - length["off"]
    pieces = {0: stored} | {far[key]: stored[entry[key] :][: length[key]] for key in far}
    large = model.with_file(TRUNK, Sparse(6 * GIB, pieces))
    for key, offset in far.items():
        large = large.with_entry(EMBEDDING, key, offset)
    path = written(large)
    expected = model.values(EMBEDDING)
    assert waste_tensor(path=path, name=EMBEDDING).tobytes() == expected.tobytes()
    for row in (0, len(expected) - 1):
        assert waste_tensor(path=path, name=EMBEDDING, row=row).tobytes() == expected[row].tobytes()


def test_a_tensor_that_shrank_is_refused(written, refusal, monkeypatch):
    """It never becomes zeros or a shorter array."""
    path = written(tiny())
    real = Source.read

    def cut(self, offset, length):
        return real(self, offset, length)[: -1 if self.name == TRUNK else None]

    monkeypatch.setattr(Source, "read", cut)
    kind, names = refusal(waste_tensor, path=path, name=EMBEDDING)
    assert (kind, names["tensor"], names["need"] - names["have"]) == ("truncated", EMBEDDING, 1)


def test_two_thousand_refused_opens_leave_nothing(written):
    """As many descriptors and threads are there as after the first ten."""
    paths = [
        written(tiny().with_file(BANK, tiny().files[BANK] + b"x")),
        written(tiny().with_manifest(("format_version",), 1)),
        written(tiny().without_file(TRUNK)),
    ]

    def state():
        return len(list(Path("/proc/self/fd").iterdir())), threading.active_count()

    seen = []
    for number in range(2000):
        with pytest.raises(Refusal):
            waste_open(path=paths[number % 3])
        if number in (10, 1999):
            seen.append(state())
    assert seen[0] == seen[1]


@pytest.mark.parametrize("spelling", ["-0", "0.0", "0e0", "-0.0", "1", "null", '"0"', "false", "[]"])
def test_the_version_is_spelt_as_the_integer(written, refusal, spelling):
    """Other spellings are refused, wherever else a -0 stands in a manifest that is good."""
    good = tiny().with_manifest(("extra",), {"a": "-0", "b": -0.0})
    text = good.text.decode()
    assert waste_open(path=written(good))["format_version"] == 0
    wrong = text.replace('"format_version":0', f'"format_version":{spelling}', 1)
    assert wrong != text
    path = written(good.folder.with_file("manifest.json", wrong.encode()))
    kind, names = refusal(waste_open, path=path)
    assert (kind, names["path"], names["supported"]) == ("unknown-version", "manifest.json", [0])


@pytest.mark.parametrize("key", ["9" * 5000, "128", "1" * 30])
def test_layers_beyond_the_model_are_ignored(written, key):
    """However many digits a number has, its entry is neither judged nor listed."""
    path = written(tiny().with_manifest(("layers", key), "no entry"))
    assert list(waste_open(path=path)["layers"]) == ["1", "2"]


def test_links_that_lead_out_are_refused(written, refusal, tmp_path):
    """A data file behind a link is read where it lies in the container, and refused elsewhere."""
    path = written(tiny())
    bank = Path(path, BANK)
    bank.rename(Path(path, "real"))
    bank.symlink_to("real")
    assert waste_record(path=path, layer=1, expert=0)["data"]
    bank.unlink()
    Path(path, "real").rename(tmp_path / "outside")
    bank.symlink_to(tmp_path / "outside")
    assert refusal(waste_open, path=path) == ("path-escape", {"path": BANK})


@pytest.mark.parametrize("name", ["manifest.json", TRUNK, BOOKS, BANK, "usage.waste"])
@pytest.mark.parametrize("verb", [usage_read, partial(waste_write, model={"resume": True})])
def test_no_verb_follows_a_link_out(written, refusal, tmp_path, name, verb):
    """Statistics and resumed containers are read from the folder alone, like all others."""
    path = written(tiny().with_file("usage.waste", b"WUSG" + bytes(12)))
    Path(path, name).rename(tmp_path / "outside")
    Path(path, name).symlink_to(tmp_path / "outside")
    if verb is not usage_read and name == "usage.waste":
        assert verb(path=path)["written"] == []
        return
    kind, names = refusal(verb, path=path)
    assert kind == "path-escape" or (kind, names["path"]) == ("missing-file", BOOKS)


def test_statistics_of_any_length_take_no_memory(written, bounded):
    """A hole that is longer than an entry for every expert is refused unread, and nothing else is touched."""
    path = written(tiny().with_file("usage.waste", Sparse(64 * GIB, {0: b"WUSG" + struct.pack("<IQ", 1, 0)})))
    assert bounded(PREPARE, ASK, path, allowance=LITTLE) == str(len(tiny().tensors))
    asked = ASK.replace('len(verbs.waste_open(path=path)["trunk"])', "verbs.usage_read(path=path)")
    assert bounded(PREPARE, asked, path, allowance=LITTLE) == "io"


def test_a_folder_that_is_a_link_is_a_folder(written, tmp_path):
    """Only what lies in the container is held to its bounds, not the way there."""
    (tmp_path / "link").symlink_to(written(tiny()))
    assert waste_open(path=str(tmp_path / "link"))["format_version"] == 0


def test_a_path_that_is_no_folder(written, refusal, tmp_path):
    """The path is named as given; a folder without a manifest is told by the manifest's name."""
    (tmp_path / "file").write_bytes(b"")
    for path in (str(tmp_path / "file"), str(tmp_path / "nothing"), "a\0b"):
        assert refusal(waste_open, path=path) == ("missing-file", {"path": path})
    path = written(tiny().without_file(BANK))
    Path(path, "manifest.json").unlink()
    assert refusal(waste_open, path=path) == ("missing-file", {"path": "manifest.json"})


def test_usage_never_decides(written, refusal):
    """Its own verb refuses it, and opening does not even look."""
    path = written(tiny().with_file("usage.waste", b"WUS"))
    assert waste_open(path=path)["format_version"] == 0
    kind, names = refusal(usage_read, path=path)
    assert (kind, names["need"], names["have"]) == ("truncated", 16, 3)
