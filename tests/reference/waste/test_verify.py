"""Verification: every kind of defect, in any number of threads, and how it is watched and given up."""

from __future__ import annotations

import errno
import os
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vindex3_fixtures.waste.make import made
from vindex3_fixtures.waste.model import TRUNK
from vindex3_fixtures.waste.tiny import blocked, dense, packed, pairs, single, tiny
from vindex3_fixtures.waste.trunk import Tensor
from vindex3_reference.defects import LISTED
from vindex3_reference.waste.parallel import in_order
from vindex3_reference.waste.verify import verified

INFINITY, NAN = 0x7C00, 0xFE01


def changed(model, layer, expert, kind, **change):
    """The model with an index or a scale of a matrix changed, and the checksum with it."""
    record = model.record(layer, expert)
    matrix = record.matrix(kind)
    if "scale" in change:
        matrix = matrix.with_scale(change["row"], change["scale"])
    else:
        matrix = matrix.with_index(*(change[key] for key in ("row", "position", "stage", "index")))
    return model.with_record(layer, expert, record.with_matrix(kind, matrix))


def defects(path, **more):
    return [(found["kind"], found["names"]) for found in verified(path, **more)["defects"]]


@pytest.mark.parametrize("model", [tiny, packed, blocked, pairs, dense, single])
@pytest.mark.parametrize("jobs", [1, 3])
def test_a_sound_container_has_no_defect(written, model, jobs):
    """Every checksum is computed, whatever the packing and the number of threads."""
    records = sum(len(records) for records in model().banks.values())
    assert verified(written(model()), jobs=jobs) == {"records_checked": records, "defects": []}


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_every_damaged_record_is_listed_once(written, jobs):
    """In the order of layers and experts; a record whose header is wrong has no checksum to be counted."""
    model = (
        tiny()
        .patched("experts-L1.bin", 100, b"\x00\x55\xaa")
        .patched("experts-L1.bin", 2 * 4096 + 6, b"\x09")
    )
    model = model.patched("experts-L2.bin", 4096 + 48, b"\xff\x00\xff")
    answer = verified(written(model), jobs=jobs)
    assert answer["records_checked"] == 5
    found = [(each["kind"], each["names"]["layer"], each["names"]["expert"]) for each in answer["defects"]]
    assert found == [
        ("checksum-mismatch", 1, 0),
        ("record-identity", 1, 2),
        ("checksum-mismatch", 2, 1),
    ]


@pytest.mark.parametrize("kind", ["gate", "up", "down"])
def test_the_first_stray_index_of_each_matrix(written, kind):
    """It is named by place and value; the largest legal index is none."""
    place = {"row": 3, "position": 1, "stage": 2}
    legal = changed(tiny(), 1, 0, kind, **place, index=15)
    wrong = changed(
        changed(legal, 1, 0, kind, **place, index=16), 1, 0, kind, **{**place, "row": 4}, index=99
    )
    assert defects(written(legal)) == []
    facts = {"layer": 1, "expert": 0, "matrix": kind, **place, "index": 16, "entries": 16}
    assert defects(written(wrong)) == [("index-out-of-codebook", facts)]


@pytest.mark.parametrize(("pattern", "word"), [(INFINITY, "inf"), (0xFC00, "-inf"), (NAN, "nan")])
def test_scales_that_are_no_finite_numbers(written, pattern, word):
    """Those of a record name the row, those of the trunk row and group; the largest half is finite."""
    place = {"layer": 2, "expert": 1, "matrix": "down", "row": 23}
    wrong = changed(tiny(), 2, 1, "down", row=23, scale=pattern)
    assert defects(written(wrong)) == [("non-finite", {**place, "found": word})]
    assert defects(written(changed(tiny(), 2, 1, "down", row=23, scale=0x7BFF))) == []
    entry = next(entry for entry in tiny().manifest["trunk"] if entry["fmt"] == 7)
    groups = -(-entry["shape"][-1] // entry["group"])
    at = entry["scale_off"] + 2 * (4 * groups + 1)
    trunk = tiny().patched(TRUNK, at, pattern.to_bytes(2, "little"))
    names = {"tensor": entry["name"], "row": 4, "group": 1, "found": word}
    assert defects(written(trunk)) == [("non-finite", names)]


def test_books_that_layers_name_alone_are_judged(written):
    """Header words and values of a named book are listed, and nothing of any other."""
    model = made(bases=[9], layers=2)
    size = 16 + 2 * 16 * 8
    value = NAN.to_bytes(2, "little")

    def wrong(book):
        changed = model.patched("codebooks.bin", book * size + 4, b"\x07\x01")
        changed = changed.patched("codebooks.bin", book * size + 12, b"\x01")
        return changed.patched("codebooks.bin", book * size + 16 + 2 * (5 * 8 + 3), value)

    header = {"book": 10}
    assert defects(written(wrong(10))) == [
        ("codebook-header", {**header, "field": "id", "found": 263, "expected": 10}),
        ("codebook-header", {**header, "field": "zero", "found": 1, "expected": 0}),
        ("non-finite", {"book": 10, "entry": 5, "element": 3, "found": "nan"}),
    ]
    assert defects(written(wrong(8))) == []


def test_tables_of_another_shape_than_config_has(written):
    """Embedding and head, under their prefix, and no other tensor."""
    name = "model.embed_tokens.weight"
    shape = next(entry["shape"] for entry in tiny().manifest["trunk"] if entry["name"] == name)
    model = tiny().with_config("vocab_size", shape[0] + 1)
    facts = {"tensor": name, "found": shape, "expected": [shape[0] + 1, shape[1]]}
    assert ("config-mismatch", facts) in defects(written(model))
    assert defects(written(model.with_manifest(("tensor_prefix",), "language_model."))) == []


def test_a_gap_is_listed_beside_what_else_is_wrong(written):
    """A region that is too long is a defect and no reason to stop."""
    record = tiny().record(1, 1)
    wide = replace(record, gaps={"up": 6}, gap_byte=0x55)
    gap = {"layer": 1, "expert": 1, "field": "down_off", "found": wide.header["down_off"]}
    listed = ("region-gap", {**gap, "expected": wide.header["down_off"] - 6})
    assert defects(written(tiny().with_record(1, 1, wide))) == [listed]
    found = defects(written(tiny().with_record(1, 1, wide.with_stored(crc32=5))))
    assert [found[0], found[1][0]] == [listed, "checksum-mismatch"]


def test_no_more_of_a_kind_are_listed_than_memory_is_allowed_for(written):
    """Beyond that the kind is named, and other kinds are listed all the same."""
    rows = LISTED + 5
    codes, scales = np.zeros((rows, 2), np.int8), np.full((rows, 1), INFINITY, np.uint16)
    tensor = Tensor(name="wide", fmt=2, shape=(rows, 2), group=2, codes=codes, scales=scales)
    path = written(made(tensors=[tensor], layers=2).patched("experts-L1.bin", 100, b"\x00\x55\xaa"))
    answer = verified(path)
    assert len(answer["defects"]) == LISTED + 1
    assert answer["more"] == ["non-finite"]
    assert answer["defects"][-1]["kind"] == "checksum-mismatch"


def test_progress_counts_records_and_bytes(written):
    """One word after each record, up to all of them."""
    seen = []
    verified(written(tiny()), progress=seen.append, jobs=2)
    assert seen == [(number, 4096 * number, 6, 6 * 4096) for number in range(1, 7)]


def test_who_watches_can_stop_it(written):
    """What is raised there comes out, and no thread or descriptor is left."""
    path = written(made(experts=200, layers=2))
    before = len(list(Path("/proc/self/fd").iterdir())), threading.active_count()

    def watch(progress):
        if progress.records == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verified(path, progress=watch, jobs=2)
    assert (len(list(Path("/proc/self/fd").iterdir())), threading.active_count()) == before


def test_results_come_in_order_and_not_far_ahead():
    """Work is begun for a few more than were taken, whatever the number of threads that was asked for."""
    begun = []
    results = in_order(lambda number: begun.append(number) or number * number, iter(range(1000)), 2)
    assert [next(results) for _ in range(3)] == [0, 1, 4]
    assert max(begun) < 10
    results.close()
    assert list(in_order(lambda number: -number, range(5), 0)) == [0, -1, -2, -3, -4]
    assert list(in_order(str, range(300), 10**9)) == [str(number) for number in range(300)]


def test_a_bank_that_cannot_be_read_is_a_defect_for_each_record(written, monkeypatch):
    """An error of the system ends no verification."""
    path = written(tiny())

    def failing(descriptor, buffers, offset):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "preadv", failing)
    answer = verified(path)
    assert answer["records_checked"] == 0
    assert [defect["kind"] for defect in answer["defects"]] == ["io"] * 6
