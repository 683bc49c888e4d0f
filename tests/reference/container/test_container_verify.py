"""container.verify: every check beside an intact container, one pass over the bytes, several threads."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.container.index import entry
from vindex3_fixtures.container.model import Model
from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.container.sources import source
from vindex3_fixtures.container.tiny import MXFP4, Q6K, bank, tiny
from vindex3_fixtures.container.writings import ARTIFACT, tower, whole_model
from vindex3_fixtures.json_text import json_text
from vindex3_reference.container import verdict, verify
from vindex3_reference.container.meter import Meter
from vindex3_reference.container.verbs import container_verify, container_write
from vindex3_reference.container.verify import verified
from vindex3_reference.refusal import Refusal
from vindex3_reference.source import Source

KEY, FILE = "target.embedding@BF16", "segments/target.embedding.bin"
NORM, NORM_FILE = "target.final_norm@F32", "segments/target.final_norm.bin"
START = 144
"""Where the embedding's payload begins: behind a header of 132 characters, 4 spaces and 8 bytes."""
SOUND = {"segment_ok": True, "payload_ok": True}


def facts_of(answer: Any) -> list[tuple[str, dict[str, Any]]]:
    """Kind and facts of each defect."""
    return [(defect["kind"], defect["names"]) for defect in answer["defects"]]


def flags_of(answer: Any) -> dict[str, tuple[bool, bool]]:
    """Both flags of each entry."""
    return {one["representation"]: (one["segment_ok"], one["payload_ok"]) for one in answer["entries"]}


def test_an_intact_container_verifies(written):
    """Every representation stands there, sorted, with both flags true and nothing against it."""
    keys = [
        "target.decoder_stack@BF16",
        "target.embedding@BF16",
        "target.final_norm@F32",
        "target.output_head@BF16",
    ]
    answer = container_verify(path=written(tiny()))
    assert answer == {
        "verified": True,
        "examined": 4,
        "entries": [{"representation": key, **SOUND} for key in keys],
        "defects": [],
    }


def test_a_bank_has_no_entries(written):
    """A sound bank verifies with nothing examined."""
    answer = container_verify(path=written(bank()))
    assert answer == {"verified": True, "examined": 0, "entries": [], "defects": []}


def changed(model: Model, at: int) -> Model:
    """The container with one byte of the embedding's segment turned over."""
    data = bytearray(model.segments[KEY].bytes())
    data[at] ^= 0xFF
    return model.with_file(FILE, bytes(data))


def test_each_digest_has_its_range(written):
    """A payload byte breaks both digests, a header byte the whole file's alone, each record its own."""
    model = tiny()
    data = model.segments[KEY].bytes()
    assert data[START:] == bytes(range(48))
    whole, payload = hashlib.sha256(data).hexdigest(), hashlib.sha256(data[START:]).hexdigest()
    answer = container_verify(path=written(changed(model, START)))
    assert (answer["verified"], flags_of(answer)[KEY]) == (False, (False, False))
    assert [flags for key, flags in flags_of(answer).items() if key != KEY] == [(True, True)] * 3
    (first, one), (second, other) = facts_of(answer)
    assert (first, one["digest"], one["subject"], one["expected"]) == ("hash-mismatch", "segment", KEY, whole)
    assert (second, other["digest"], other["expected"]) == ("hash-mismatch", "payload", payload)
    spaced = model.with_file(FILE, data.replace(b"    ", b"\t   ", 1))
    answer = container_verify(path=written(spaced))
    assert flags_of(answer)[KEY] == (False, True)
    assert [names["digest"] for _, names in facts_of(answer)] == ["segment"]
    for record in ("", payload[:-1], payload.upper(), f"sha256:{payload}", whole):
        answer = container_verify(path=written(model.with_entry(KEY, "payload_sha256", record)))
        assert flags_of(answer)[KEY] == (True, False)
        assert [(kind, names["digest"]) for kind, names in facts_of(answer)] == [("hash-mismatch", "payload")]


def test_the_first_and_the_last_byte_of_a_payload_are_in_its_digest(written):
    """The payload begins right behind the header and ends with the file, also across what is read at once."""
    tensors = (Tensor("weight", "U8", (600_000,)),)
    model = tiny().with_segment(Segment(KEY, tensors))
    start = model.segments[KEY].payload_start
    assert container_verify(path=written(model))["verified"]
    for at, flags in ((start - 1, (False, True)), (start, (False, False)), (start + 599_999, (False, False))):
        assert flags_of(container_verify(path=written(changed(model, at))))[KEY] == flags


def test_a_missing_file_is_reported_beside_the_others(written):
    """A segment that is gone, or is a folder, has both flags false; every other one is judged."""
    path = written(tiny().without_file(FILE).without_file(NORM_FILE))
    Path(path, NORM_FILE).mkdir()
    answer = container_verify(path=path)
    assert facts_of(answer) == [("missing-file", {"path": FILE}), ("missing-file", {"path": NORM_FILE})]
    assert [*flags_of(answer).values()] == [(True, True), (False, False), (False, False), (True, True)]


def recorded(data: bytes, **changes: Any) -> Model:
    """The container with these bytes as a segment, its segment digest recorded over them."""
    model = tiny().with_file(FILE, data)
    for key, value in {"segment_sha256": hashlib.sha256(data).hexdigest(), **changes}.items():
        model = model.with_entry(KEY, key, value)
    return model


def test_a_file_without_a_payload_start_has_no_payload(written):
    """Where nobody can say where the payload begins its flag is false; the file's own digest is judged."""
    for data, kind in (
        (b"\1\2\3", "truncated"),
        (b"\xff" * 9, "header-too-large"),
        (b"\x09" + bytes(7) + b"{}", "truncated"),
    ):
        answer = container_verify(path=written(recorded(data)))
        assert [kind for kind, _ in facts_of(answer)] == [kind]
        assert flags_of(answer)[KEY] == (True, False)


def test_a_header_that_cannot_be_read_still_has_a_payload(written):
    """Behind a header that is no document the payload is where its length says, and so is its end."""
    data = tiny().segments[KEY].bytes().replace(b'"schema":1', b'"schema";1')
    answer = container_verify(path=written(recorded(data)))
    assert [(kind, names["path"]) for kind, names in facts_of(answer)] == [("malformed-json", FILE)]
    assert flags_of(answer)[KEY] == (True, True)


def test_lengths_and_counts_are_compared_with_the_directory(written):
    """A file longer than its record, and a table of other rows, give what is expected and what is there."""
    data = tiny().segments[KEY].bytes() + b"!"
    longer = recorded(data, payload_sha256=hashlib.sha256(data[START:]).hexdigest())
    assert facts_of(container_verify(path=written(longer))) == [
        ("length-mismatch", {"subject": KEY, "expected": START + 48, "found": START + 49})
    ]
    counted = tiny().with_entry(KEY, "tensor_count", 2)
    assert facts_of(container_verify(path=written(counted))) == [
        ("count-mismatch", {"subject": KEY, "expected": 2, "found": 1})
    ]


def test_ids_are_joined_and_compared(written):
    """A header of another representation, and a key that object and encoding do not give, are named."""
    other = tiny().with_segment(Segment("target.embedding@F16", (Tensor("weight"),)), KEY)
    ((kind, names),) = facts_of(container_verify(path=written(other)))
    assert (kind, names["expected"], names["found"]) == ("id-mismatch", KEY, "target.embedding@F16")
    misnamed = tiny().with_entry(KEY, "encoding", "F16@x")
    ((kind, names),) = facts_of(container_verify(path=written(misnamed)))
    assert (kind, names["expected"], names["found"]) == ("id-mismatch", "target.embedding@F16@x", KEY)


def rows(*places: tuple[str, int, int]) -> Segment:
    """A segment of 8 bytes with these rows: name, offset, length."""
    stored = [
        {"name": name, "dtype": "U8", "shape": [length], "offset": offset, "len": length}
        for name, offset, length in places
    ]
    return Segment(KEY, stored_rows=stored, stored_payload=bytes(8))


@pytest.mark.parametrize(
    ("segment", "expected"),
    [
        (rows(("a", 0, 3), ("b", 3, 0), ("c", 3, 5)), []),
        (rows(("10.a", 0, 3), ("2.a", 3, 5)), []),
        (
            rows(("2.a", 0, 3), ("10.a", 3, 4), ("1", 7, 1)),
            [("table-order", {"path": FILE, "tensor": "10.a"})],
        ),
        (rows(("\U00010000", 0, 3), ("\uffff", 3, 5)), [("table-order", {"path": FILE, "tensor": "\uffff"})]),
        (rows(("a", 0, 3), ("b", 4, 4)), [("table-layout", {"path": FILE, "tensor": "b"})]),
        (rows(("a", 0, 3), ("b", 2, 6)), [("table-layout", {"path": FILE, "tensor": "b"})]),
        (rows(("a", 1, 7)), [("table-layout", {"path": FILE, "tensor": "a"})]),
        (rows(("a", 0, 7)), [("table-layout", {"path": FILE})]),
        (rows(("a", 0, 9)), [("table-layout", {"path": FILE})]),
        (rows(), [("table-layout", {"path": FILE})]),
    ],
)
def test_a_table_is_in_order_and_without_gaps(segment, expected, written):
    """Names ascend by their UTF-8 bytes, and each row begins where the one above it ends, up to the end."""
    assert facts_of(container_verify(path=written(tiny().with_segment(segment)))) == expected


def test_rows_of_another_length_than_their_shape_are_reported(written):
    """Each row that container.tensor would not serve is a defect."""
    stored = [{"name": "a", "dtype": "F32", "shape": [1], "offset": 0, "len": 8}]
    model = tiny().with_segment(Segment(KEY, stored_rows=stored, stored_payload=bytes(8)))
    ((kind, names),) = facts_of(container_verify(path=written(model)))
    assert (kind, names) == ("shape-mismatch", {"tensor": "a", "expected": 4, "found": 8})


def test_an_empty_segment_verifies(written):
    """A table without rows over a payload without bytes is sound, recorded as such."""
    assert container_verify(path=written(tiny().with_segment(Segment(KEY))))["verified"]


def test_graph_and_directory_are_compared(written):
    """An object that no entry is of, and an entry of no object, are named; the graph's own defects too."""
    alone = tiny().without_index(("representations", KEY)).without_file(FILE)
    assert facts_of(container_verify(path=written(alone))) == [
        ("missing-representation", {"object": "target.embedding"})
    ]
    stray = tiny().with_added(Segment("other@F16@BF16"), object="other@F16", encoding="BF16")
    assert facts_of(container_verify(path=written(stray))) == [
        ("dangling-reference", {"referrer": "other@F16@BF16", "missing": "other@F16"})
    ]
    unbound = tiny().with_graph(("objects", 1, "source_bindings"), [])
    answer = container_verify(path=written(unbound))
    assert facts_of(answer) == [("unbound-object", {"object": "target.embedding"})]
    assert not answer["verified"]


def test_a_graph_that_cannot_be_read_is_a_defect(written):
    """The segments are judged all the same, and what they hold against a graph is left open."""
    answer = container_verify(path=written(tiny().with_file("system_graph.json", b"{")), sources={})
    ((kind, names),) = facts_of(answer)
    assert (kind, names["path"]) == ("malformed-json", "system_graph.json")
    assert [*flags_of(answer).values()] == [(True, True)] * 4


def test_faults_of_a_bank_are_listed(written):
    """A layer file that is gone is named, by its own name and as unusable; a faulty one by each fault."""
    gone = container_verify(path=written(bank().without_file(f"{Q6K}.lyrw")))
    assert facts_of(gone) == [
        ("storage-unusable", {"layer": 0, "key": Q6K, "why": "missing-file"}),
        ("missing-file", {"path": f"{Q6K}.lyrw"}),
    ]
    broken = container_verify(path=written(bank().with_file(f"{MXFP4}.lyrw", b"LYRX" + bytes(20))))
    ((kind, names),) = facts_of(broken)
    assert (kind, names["path"]) == ("bad-magic", f"{MXFP4}.lyrw")
    path = written(bank())
    os.truncate(f"{path}/{Q6K}.lyrw", Path(path, f"{Q6K}.lyrw").stat().st_size - 1)
    cut = container_verify(path=path)
    assert {kind for kind, _ in facts_of(cut)} == {"region-out-of-bounds", "missing-region"}
    assert {names["path"] for kind, names in facts_of(cut) if kind == "region-out-of-bounds"} == {
        f"{Q6K}.lyrw"
    }
    assert not cut["verified"]


def test_segments_beside_a_manifest_are_no_layer_files(written):
    """In a container of both shapes an entry's segment is judged as such, and as nothing else."""
    both = tiny().with_index(("moe_manifest",), "moe_manifest.json")
    for name, content in bank().files.items():
        both = both.with_file(name, content)
    for key in (Q6K, MXFP4):
        both = both.with_index(("segments", key), 1)
    assert container_verify(path=written(both))["verified"]


def test_what_does_not_open_is_not_verified(written, refusal):
    """A profile that does not resolve is refused here as at opening."""
    wrong = tiny().with_index(("profiles",), [{"name": "a", "selects": {"r": "v"}}])
    assert refusal(container_verify, path=written(wrong)) == (
        "unknown-region-set",
        {"region_set": "r", "catalogued": []},
    )


def test_stories_tell_source_from_container(tmp_path):
    """Each object has its story by whether its source and its payload are what is recorded."""
    writing = whole_model()
    path = str(tmp_path / "out")
    container_write(out=path, **writing.request)
    agreed = container_verify(path=path, sources=writing.request["sources"])
    assert agreed["verified"]
    assert [entry["story"] for entry in agreed["entries"]] == ["agree"] * 9
    drifted = writing.with_tensor(ARTIFACT, source("lm_head.weight", data=b"other"))
    drifted = drifted.with_tensor(ARTIFACT, source("model.norm.weight", "F32", (16,), bytes(64)))
    for object_id, at in (("target.embedding", -1), ("target.output_head", -1), ("target.decoder_stack", 10)):
        segment = Path(path, f"segments/{object_id}.bin")
        data = bytearray(segment.read_bytes())
        data[at] ^= 1
        segment.write_bytes(data)
    answer = container_verify(path=path, sources=drifted.request["sources"])
    told = {entry["representation"]: entry["story"] for entry in answer["entries"]}
    assert {key: story for key, story in told.items() if story != "agree"} == {
        "target.embedding@BF16": "container-changed",
        "target.output_head@BF16": "both",
        "target.final_norm@F32": "source-drifted",
    }
    assert [names["subject"] for _, names in facts_of(answer) if names.get("digest") == "source"] == [
        "target.final_norm@F32",
        "target.output_head@BF16",
    ]


def test_an_object_without_its_source_has_no_story(tmp_path):
    """What is of an artifact that is not given is left out; without sources nothing is told."""
    writing = whole_model()
    path = str(tmp_path / "out")
    container_write(out=path, **writing.request)
    answer = container_verify(path=path, sources={"tiny-draft": writing.request["sources"]["tiny-draft"]})
    assert answer["verified"]
    assert [entry["representation"] for entry in answer["entries"] if "story" in entry] == [
        "draft.decoder_stack@BF16",
        "draft.feature_projector@BF16",
        "draft.final_norm@BF16",
    ]
    assert all("story" not in entry for entry in container_verify(path=path)["entries"])


def test_only_a_first_representation_has_a_story(tmp_path):
    """A pack beside the canonical bytes is not compared with the source."""
    writing = tower()
    path = str(tmp_path / "out")
    container_write(out=path, **writing.request)
    index = json.loads(Path(path, "index.json").read_bytes())
    packed = Segment("vision.perception_tower@Q", (Tensor("stem", "Q", (4,), b"pack"),))
    index["representations"]["vision.perception_tower@Q"] = entry(packed, "segments/q.bin")
    Path(path, "index.json").write_bytes(json_text(index))
    packed.write_to(Path(path, "segments/q.bin"))
    answer = container_verify(path=path, sources=writing.request["sources"])
    assert answer["verified"]
    assert [one.get("story") for one in answer["entries"]] == ["agree", None]


def test_every_byte_is_read_once(written, monkeypatch):
    """Both digests come from one pass; only frame and header are read a second time."""
    model = tiny().with_segment(Segment(KEY, (Tensor("weight", "U8", (1_000_000,)),)))
    segment = model.segments[KEY]
    path = written(model)
    count = []
    read = Source.read

    def counted(source: Source, offset: int, length: int) -> bytes:
        if source.name == FILE:
            count.append(length)
        return read(source, offset, length)

    monkeypatch.setattr(Source, "read", counted)
    assert container_verify(path=path)["verified"]
    assert sum(count) == len(segment.bytes()) + segment.payload_start


def test_segments_are_read_at_the_same_time(written, monkeypatch):
    """Two threads are within two segments at once, and the answer is that of one thread."""
    path = written(changed(tiny(), START))
    meeting = threading.Barrier(2, timeout=30)
    alone = verified(path, threads=1)
    digests = verdict.digests

    def met(*asked: Any) -> Any:
        meeting.wait()
        return digests(*asked)

    monkeypatch.setattr(verdict, "digests", met)
    assert verified(path, threads=2) == alone


def test_progress_is_told_up_to_the_last_byte(written, monkeypatch):
    """Whoever asks is told of bytes done, rising to all that there are, missing files apart."""
    monkeypatch.setattr(verify, "PERIOD", 0.0)
    model = tiny().with_segment(Segment(KEY, (Tensor("weight", "U8", (1_000_000,)),))).without_file(NORM_FILE)
    told: list[tuple[int, int]] = []
    verified(written(model), progress=lambda done, total: told.append((done, total)), threads=2)
    total = sum(len(one.bytes()) for key, one in model.segments.items() if key != NORM)
    assert {each for _, each in told} == {total}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == total


@pytest.mark.parametrize("threads", [1, 2])
def test_who_watches_can_give_up(written, threads, monkeypatch):
    """What the watcher raises ends the run in the middle of a segment."""

    def endless(source: Source, start: int | None, meter: Meter) -> None:
        for _ in range(3000):
            meter.add(1)
            time.sleep(0.01)

    def enough(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    monkeypatch.setattr(verdict, "digests", endless)
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        verified(written(tiny()), progress=enough, threads=threads)
    assert time.monotonic() - begun < 10


def test_a_fault_of_the_reader_is_no_answer(written, monkeypatch):
    """An exception that is no refusal comes out as it is, and no segment is waited for."""

    def failing(source: Source, start: int | None, meter: Meter) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(verdict, "digests", failing)
    with pytest.raises(ZeroDivisionError):
        container_verify(path=written(tiny()))


def test_a_file_that_cannot_be_read_is_reported(written, monkeypatch):
    """A failing disk is a defect of the one segment, by its name."""
    path = written(tiny())
    read = Source.read

    def failing(source: Source, offset: int, length: int) -> bytes:
        if source.name == FILE and offset:
            raise Refusal("io", "no", path=source.name, reason="Input/output error")
        return read(source, offset, length)

    monkeypatch.setattr(Source, "read", failing)
    answer = container_verify(path=path)
    assert facts_of(answer) == [("io", {"path": FILE, "reason": "Input/output error"})]
    assert flags_of(answer)[KEY] == (True, True)


def test_verifying_takes_little_memory(written, bounded):
    """Segments of 64 MiB, and a header that is a hole, are judged in a few pieces at a time."""
    path = written(tiny())
    os.truncate(f"{path}/{FILE}", 1 << 26)
    Path(path, NORM_FILE).write_bytes((1 << 26).to_bytes(8, "little"))
    os.truncate(f"{path}/{NORM_FILE}", 1 << 27)
    prepare = """
from vindex3_reference.container.verify import verified
from vindex3_reference.container.verbs import container_verify
"""
    body = "print([each['kind'] for each in verified(sys.argv[1], threads=1)['defects']])"
    kinds = ["hash-mismatch", "hash-mismatch", "length-mismatch", "hash-mismatch", "hash-mismatch"]
    kinds += ["length-mismatch", "malformed-json"]
    assert bounded(prepare, body, path, allowance=24 << 20) == str(kinds)
