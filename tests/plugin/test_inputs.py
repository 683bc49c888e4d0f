"""Inputs of failures: kept beside the user, bounded, and shown where they are wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_vindex3.command._values import parsed
from pytest_vindex3.contract.difference import free_order
from pytest_vindex3.contract.outcome import Answer, Outcome, Refused, Reply
from pytest_vindex3.contract.patterns import field
from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.law.registry import clauses
from pytest_vindex3.plugin.check import Failure
from pytest_vindex3.plugin.excerpt import MOST_LINES, WIDTH, excerpt
from pytest_vindex3.plugin.expect import Expectation, answers, refuses
from pytest_vindex3.plugin.facts import facts
from pytest_vindex3.plugin.kept import Kept
from pytest_vindex3.report.page import page
from pytest_vindex3.report.row import Row
from vindex3_fixtures.goldens import goldens
from vindex3_reference.adapter import lyrw_parse

if TYPE_CHECKING:
    from pathlib import Path

MIB = 1 << 20
GOLDEN = goldens()["lyrw/dense_f32_worked"].path
FOLDER = goldens()["container/derived"].path


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """The folder of a test with one input."""
    folder = tmp_path / "inputs"
    folder.mkdir()
    (folder / "a.lyrw").write_bytes(b"LYRW")
    return folder


def test_inputs_are_kept_beside_the_user(tmp_path: Path, inputs: Path) -> None:
    """They lie in .vindex3/last under the name they are given, in a folder that git ignores."""
    (tmp_path / "user").mkdir()
    kept = Kept(tmp_path / "user").keep(inputs, "mypkg/test_x")
    assert kept == tmp_path / "user/.vindex3/last/mypkg/test_x"
    assert (kept / "a.lyrw").read_bytes() == b"LYRW"
    assert (tmp_path / "user/.vindex3/.gitignore").read_text(encoding="ascii") == "*\n"


def test_the_next_run_forgets_them(tmp_path: Path, inputs: Path) -> None:
    """What the run before kept is gone once another one begins."""
    Kept(tmp_path).keep(inputs, "old")
    Kept(tmp_path).clear()
    assert not (tmp_path / ".vindex3/last/old").exists()


def test_a_test_that_fails_again_leaves_only_its_last_inputs(tmp_path: Path, inputs: Path) -> None:
    """Inputs of the same test replace each other whole."""
    Kept(tmp_path).keep(inputs, "same")
    (inputs / "a.lyrw").rename(inputs / "b.lyrw")
    kept = Kept(tmp_path).keep(inputs, "same")
    assert kept is not None
    assert [path.name for path in kept.iterdir()] == ["b.lyrw"]


def test_what_is_kept_is_capped(tmp_path: Path, inputs: Path) -> None:
    """Once the room is used up nothing more is copied."""
    (inputs / "b.lyrw").write_bytes(os.urandom(2 * MIB))
    room = Kept(tmp_path, cap=3 * MIB)
    assert room.keep(inputs, "first") is not None
    second = room.keep(inputs, "second")
    assert second is not None
    assert [path.name for path in second.iterdir()] == ["a.lyrw"]


def test_a_sparse_input_stays_sparse(tmp_path: Path, inputs: Path) -> None:
    """A file of 8 GiB with two islands of data is kept in full length and little room."""
    sparse = inputs / "sparse.lyrw"
    with sparse.open("wb") as file:
        for place, data in ((0, b"begin"), (5 << 30, b"middle")):
            file.seek(place)
            file.write(data)
        file.truncate(8 << 30)
    if sparse.stat().st_blocks * 512 > 100 * MIB:
        pytest.skip("this file system makes no sparse files")
    kept = Kept(tmp_path).keep(inputs, "sparse")
    assert kept is not None
    copy = kept / "sparse.lyrw"
    assert copy.stat().st_size == 8 << 30
    assert copy.stat().st_blocks * 512 < 10 * MIB
    with copy.open("rb") as file:
        assert file.read(5) == b"begin"
        file.seek(5 << 30)
        assert file.read(7) == b"middle\0"


def test_a_large_input_is_not_kept(tmp_path: Path, inputs: Path) -> None:
    """A test whose only input is above the cap keeps nothing."""
    (inputs / "a.lyrw").write_bytes(bytes(range(256)) * 8192)
    assert Kept(tmp_path, cap=MIB).keep(inputs, "large") is None


def failure(path: Path, outcome: Outcome, expectation: Expectation, **more: object) -> Failure:
    """A failure of a request about this file."""
    reply = Reply("lyrw.parse", {"path": str(path), **more}, outcome)
    difference = expectation.difference(outcome)
    assert difference is not None
    return Failure(clauses()["LYRW-MAGIC-01"], reply, difference, expectation=expectation)


def golden(inputs: Path, name: str = "dense_f32_worked", **changes: bytes) -> Path:
    """A copy of a golden, with these bytes put at these offsets (`at_16=b"..."`)."""
    data = bytearray(goldens()[f"lyrw/{name}"].path.read_bytes())
    for place, new in changes.items():
        at = int(place.removeprefix("at_"))
        data[at : at + len(new)] = new
    path = inputs / "wrong.lyrw"
    path.write_bytes(data)
    return path


def told(path: Path, at: str, value: object = "no such value") -> tuple[Outcome, Expectation]:
    """An answer of lyrw.parse that is wrong at one place of the answer."""
    right = lyrw_parse(path=str(path))
    wrong: Any = deepcopy(right)
    *way, last = [int(step) if step.isdigit() else step for step in re.findall(r"\w+", at)]
    inner = wrong
    for step in way:
        inner = inner[step]
    inner[last] = value
    return Answer(wrong), answers(right)


@pytest.mark.parametrize(
    ("at", "line"),
    [
        ("header.flags", "header.flags = "),
        ("header.logical_layer", "header.logical_layer = "),
        ("banks[1].input_dim", "bank 1.input_dim = "),
        ("banks[0].kind", "bank 0.bank_kind = "),
        ("banks[1].browse", "bank 1.flags = "),
        ("banks[1].schemas[2].rows", "bank 1 schema 2.rows = "),
        ("banks[0].schemas[1].pair_id", "bank 0 schema 1.pair_id = "),
        ("banks[1].schemas", "bank 1 schema 0.schema_index = "),
        ("segments[1].entry_count", "segment 1.entry_count = "),
    ],
)
def test_the_bytes_of_the_field_that_differs_are_shown(inputs: Path, at: str, line: str) -> None:
    """A difference in an answer is shown at the bytes of its own field, first of all."""
    path = golden(inputs, "shared_and_routed")
    assert f"; {line}" in excerpt(failure(path, *told(path, at)), inputs)[0]


def test_an_unknown_value_is_shown_where_it_stands(inputs: Path) -> None:
    """An entry of `unknown` that is missing leads to the field that it names."""
    path = golden(inputs)
    item = {"where": "banks[0].schemas[1]", "field": "format", "value": 77}
    wanted = answers(unknown=free_order([item]))
    assert "; schema 1.format = " in excerpt(failure(path, Answer({"unknown": []}), wanted), inputs)[0]


def test_a_region_is_shown_by_the_coordinates_of_its_request(inputs: Path) -> None:
    """Offset, length and bytes of a region are shown at its row and its payload, asked by index or role."""
    path, wrong = golden(inputs), Answer({"offset": 0, "length": 0, "data": b""})
    by_index = {"bank_id": 0, "entry": 0, "schema_index": 1}
    for key, line in (("offset", "schema 1.offset"), ("length", "schema 1.length"), ("data", "schema 1 up")):
        found = excerpt(failure(path, wrong, answers({key: 5}), **by_index), inputs)
        assert f"; entry 0 {line} = " in found[0]
    by_role = failure(path, wrong, answers(offset=5), bank_id=0, entry=0, role="down")
    assert "; entry 0 schema 2.offset = " in excerpt(by_role, inputs)[0]


def test_a_refusal_that_did_not_come_is_shown_at_the_mark_of_its_kind(inputs: Path) -> None:
    """Of several marks the one of the kind and the coordinates is shown, not the first changed byte."""
    path = golden(inputs, at_8=b"\x09", at_70=b"\x01", at_90=b"\x01")
    (inputs / "legal.lyrw").write_bytes(GOLDEN.read_bytes())
    for schema, offset in ((0, 70), (1, 90)):
        wanted = refuses("layout-on-non-fused", bank_id=0, schema_index=schema)
        line = excerpt(failure(path, Answer({}), wanted), inputs)[0]
        assert line.split()[0] == str(offset)
        assert f"; schema {schema}.layout = 1" in line


def test_a_missing_defect_is_shown_at_its_mark(inputs: Path) -> None:
    """An item of `defects` leads to the mark of its kind, also where only one of its facts is wrong."""
    path = golden(inputs, at_90=b"\x01")
    item = {"kind": "layout-on-non-fused", "names": {"bank_id": 0, "schema_index": 1}}
    near = {"kind": "layout-on-non-fused", "names": {"bank_id": 0, "schema_index": 2}}
    for found in ([], [near]):
        wanted = answers(defects=free_order([item]) if not found else [item])
        lines = excerpt(failure(path, Answer({"defects": found}), wanted), inputs)
        assert "! layout-on-non-fused" in lines[0]


def test_the_bytes_that_part_a_wrong_input_from_its_legal_twin_are_shown(inputs: Path) -> None:
    """Where the ruler marks nothing of the kind, the lines begin where the two inputs of the test part."""
    path = golden(inputs, at_16=b"\xff")
    (inputs / "a.lyrw").write_bytes(GOLDEN.read_bytes())
    lines = excerpt(failure(path, Answer({}), refuses("truncated")), inputs)
    assert lines[0].split()[0] == "16"


def test_lines_that_both_inputs_have_are_left_out(inputs: Path) -> None:
    """Changes that are far apart are both shown: lengths stand before what they are of."""
    path = golden(inputs, at_16=b"\xff", at_100=b"\xff")
    (inputs / "a.lyrw").write_bytes(GOLDEN.read_bytes())
    lines = excerpt(failure(path, Answer({}), refuses("truncated")), inputs)
    offsets = [int(found[1]) for line in lines if (found := re.match(r" *(\d+)  ", line))]
    assert offsets[0] == 16
    assert 16 < offsets[1] <= 100


def folders(inputs: Path, **files: bytes) -> Path:
    """A legal folder of three files and a wrong one, in which these are others."""
    for name in ("legal", "wrong"):
        shutil.copytree(FOLDER, inputs / name)
    for name, data in files.items():
        (inputs / "wrong" / f"{name}.json").write_bytes(data)
    return inputs / "wrong"


def test_of_folders_the_file_is_shown_that_is_another_one(inputs: Path) -> None:
    """The changed file of a container is named in front of its bytes."""
    wrong = folders(inputs, system_graph=b'{"schema":9}')
    lines = excerpt(failure(wrong, Answer({}), refuses("unknown-version")), inputs)
    assert lines[0] == "system_graph.json:"
    assert any('"schema":9' in line for line in lines[1:])


def test_folders_further_down_have_twins_too(inputs: Path) -> None:
    """What stands in the same place below another input is compared, as copies of goldens are."""
    for name in ("legal", "golden"):
        shutil.copytree(FOLDER, inputs / name / "container")
    (inputs / "golden/container/index.json").write_bytes(b"[]")
    lines = excerpt(failure(inputs / "golden/container", Answer({}), refuses("bad-type")), inputs)
    assert lines[0] == "index.json:"


def test_of_several_files_the_one_is_shown_that_a_fact_names(inputs: Path) -> None:
    """What changed with it, as digests do, is not shown."""
    wrong = folders(inputs, index=b"[]", system_graph=b"{}")
    for name in ("index.json", "system_graph.json"):
        said = failure(wrong, Answer({}), refuses("malformed-json", path=name))
        assert excerpt(said, inputs)[0] == f"{name}:"


def test_of_equal_folders_nothing_is_shown_but_what_a_fact_names(inputs: Path) -> None:
    """Nothing else tells which of the files it is about."""
    wrong = folders(inputs)
    assert excerpt(failure(wrong, Answer({}), refuses("truncated")), inputs) == []
    named = excerpt(failure(wrong, Answer({}), refuses("truncated", path="index.json")), inputs)
    assert named[0] == "index.json:"


def test_without_a_twin_a_document_is_shown_at_the_key_that_a_fact_names(inputs: Path) -> None:
    """Found, or wanted and not found: the first line has the key, with or without the way to it."""
    path = inputs / "model"
    path.mkdir()
    (path / "a.bin").write_bytes(b"flag")
    (path / "manifest.json").write_bytes(b'{"first":[1,2,3,4],"config":{"other":1,"flag":[2]}}')
    told = refuses("bad-type", field=field("flag"))
    for outcome, wanted in (
        (Refused("bad-type", {"field": "config.flag[0]"}, ""), answers(count=1)),
        (Answer({}), told),
    ):
        name, line, *_ = excerpt(failure(path, outcome, wanted), inputs)
        assert name == "manifest.json:"
        assert '"flag":' in line
    assert excerpt(failure(path, Answer({}), refuses("bad-type", field="absent")), inputs) == []


def test_an_explanation_goes_on_below(inputs: Path) -> None:
    """A long line is not cut: what is left of its comment stands on the next one, below it."""
    path = golden(inputs, at_4=(0x01020304).to_bytes(4, "little"), at_0=b"WRYL")
    lines = excerpt(failure(path, Answer({}), refuses("bad-magic")), inputs)
    assert len(lines) <= MOST_LINES
    assert all(len(line) <= WIDTH for line in lines)
    first = " ".join([lines[0], lines[1].lstrip(" ;")])
    assert first.endswith("! bad-magic: 57 52 59 4C, expected 4C 59 52 57")
    assert lines[1].index(";") == lines[0].index(";")


def test_the_end_of_a_cut_file_is_shown_with_what_stands_before_it(inputs: Path) -> None:
    """The mark of a cut file is its last line, which alone would say little."""
    path = golden(inputs)
    path.write_bytes(path.read_bytes()[:51])
    lines = excerpt(failure(path, Answer({}), refuses("truncated")), inputs)
    assert "cut: " in lines[0]
    assert "! truncated" in " ".join(lines[1:])


def test_a_request_without_a_file_has_no_bytes(inputs: Path) -> None:
    """Nothing is shown of a path that is missing, a folder or no path at all."""
    said = Answer({}), refuses("truncated")
    assert excerpt(failure(inputs / "missing.lyrw", *said), inputs) == []
    assert excerpt(failure(inputs, *said), inputs) == []


def test_inputs_in_lists_are_replayed_where_they_are_kept(inputs: Path) -> None:
    """The line to replay a question about several files names their kept copies, at any depth."""
    path = str(inputs / "a.lyrw")
    arguments = {"files": [path], "segments": {"key": [path, "elsewhere.lyrw"]}}
    reply = Reply("capability.check", arguments, Answer({"verdict": "refused"}))
    expected = answers(verdict="permitted")
    difference = expected.difference(reply.outcome)
    law = clauses()["CAPABILITY-OPEN-01"]
    told = facts(Failure(law, reply, difference, expectation=expected), inputs)
    assert told["arguments"] == {
        "files": [{"input": "a.lyrw"}],
        "segments": {"key": [{"input": "a.lyrw"}, "elsewhere.lyrw"]},
    }
    row = Row("lyrw/t.py::t", "", "lyrw", "fail", failure=told, inputs=".vindex3/last/t")
    shown = page(row, "mypkg")[-1]
    assert "'files=[\".vindex3/last/t/a.lyrw\"]'" in shown
    assert '[".vindex3/last/t/a.lyrw", "elsewhere.lyrw"]' in shown


def test_bytes_and_arrays_are_replayed(inputs: Path) -> None:
    """What a kernel was given stands on the replay line, or is written beside the inputs that there are."""
    indices, x = bytes(range(100)), np.array([1, -0.0], np.float32)
    arguments = {"indices": indices, "scales": b"ab", "x": x}
    reply = Reply("kernel.vq_matvec", arguments, Answer({"isa": "scalar"}))
    difference = answers(isa="avx2").difference(reply.outcome)
    folder = inputs / "none_yet"
    told = facts(Failure(clauses()["VQ-MATVEC-01"], reply, difference), folder)["arguments"]
    assert told["scales"] == "6162"
    assert told["indices"] == {"document": "argument_indices.bin"}
    verb = verbs()["kernel.vq_matvec"]
    assert parsed(verb, f"indices=@{folder / 'argument_indices.bin'}")[1] == indices
    read: Any = parsed(verb, f"x={json.dumps(told['x'])}")[1]
    assert (read.dtype, read.tobytes()) == (x.dtype, x.tobytes())


def test_a_long_document_is_replayed_from_a_file(inputs: Path) -> None:
    """A plan and a payload lie among the inputs as JSON, bytes in base64, and the replay line names them."""
    plan = {"header": {"logical_layer": 3}, "banks": list(range(100))}
    payload = [{"bank_id": 0, "entry": 0, "schema_index": 0, "data": bytes(120)}]
    short = [{"bank_id": 0, "entry": 0, "schema_index": 0, "data": b"ab"}]
    target = str(inputs / "target.lyrw")
    for pieces, shown in ((payload, "payload=@kept/argument_payload.json"), (short, '"base64": "YWI="')):
        arguments = {"plan": plan, "payload": pieces, "path": target}
        reply = Reply("lyrw.write", arguments, Answer({"file_length": 1}))
        difference = answers(file_length=2).difference(reply.outcome)
        failure = Failure(clauses()["LAYOUT-WRITE-01"], reply, difference)
        row = Row("a", "mypkg", "lyrw", "fail", "must", {})
        row.failure, row.inputs = {**facts(failure, inputs), "bytes": []}, "kept"
        (line,) = [line for line in page(row, "mypkg") if "vindex3 call" in line]
        assert "plan=@kept/argument_plan.json" in line
        assert "path=kept/target.lyrw" in line
        assert shown in line
    written = {
        name: json.loads((inputs / f"argument_{name}.json").read_bytes()) for name in ("plan", "payload")
    }
    assert written["plan"] == plan
    verb = verbs()["lyrw.write"]
    name, read = parsed(verb, f"payload=@{inputs / 'argument_payload.json'}")
    assert (name, read) == ("payload", payload)
    assert parsed(verb, f"payload={json.dumps(written['payload'])}")[1] == payload
    assert parsed(verbs()["lyrw.verify"], 'path=["a", "b"]')[1] == ["a", "b"]
    assert parsed(verbs()["lyrw.verify"], "path=a")[1] == "a"
