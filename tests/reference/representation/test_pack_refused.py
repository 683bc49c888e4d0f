"""pack.add: what is refused, and that nothing is written then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.container.model import Model
from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.container.sources import source
from vindex3_fixtures.container.tiny import bank, tiny
from vindex3_fixtures.json_text import at
from vindex3_reference.container.verbs import container_verify
from vindex3_reference.representation.verbs import pack_add

HEAD = "target.output_head"
BASE = f"{HEAD}@BF16"
WEIGHT = source("weight", "Q8_0", (6, 4), bytes(34))
PACK: Any = {"object": HEAD, "encoding": "Q8_0", "tensors": [WEIGHT]}
STORED = tiny().segments[BASE].payload


@pytest.fixture
def refused(tmp_path, refusal):
    """What an addition is refused for, in place and elsewhere; no file is new, changed or gone."""

    def ask(model: Model, **changes: Any) -> tuple[str, dict[str, Any]]:
        model.folder.write_to(tmp_path / "model")
        before = _states(tmp_path)
        request = {"path": str(tmp_path / "model"), **PACK, **changes}
        found: tuple[str, dict[str, Any]] = refusal(pack_add, **request)
        assert refusal(pack_add, out=str(tmp_path / "new" / "out"), **request) == found
        assert _states(tmp_path) == before
        return found

    return ask


def _states(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.rglob("*")}


def test_the_twin(tmp_path):
    """The request that all others here differ from in one thing is answered."""
    tiny().folder.write_to(tmp_path / "model")
    assert len(pack_add(path=str(tmp_path / "model"), **PACK)["added"]) == 1


@pytest.mark.parametrize("thing", ["target.head", "", "Target.output_head", "../target"])
def test_an_object_that_the_graph_lacks(refused, thing):
    """An object is there under its very id or not at all."""
    assert refused(tiny(), object=thing) == ("dangling-reference", {"missing": thing})


@pytest.mark.parametrize("encoding", ["../Q8_0", "a/b", "..", ".", "a\\b", "a\0b", "/"])
def test_an_encoding_that_leads_elsewhere(refused, encoding):
    """A label that is no part of a file's name gives no file."""
    assert refused(tiny(), encoding=encoding) == ("path-escape", {"path": encoding})


def test_the_bytes_of_the_first_representation(refused):
    """Another label for the same payload would store it twice."""
    found = refused(tiny(), tensors=[source("weight", "Q8_0", (6, 4), STORED)])
    assert found == ("duplicate-bytes", {"subject": f"{HEAD}@Q8_0", "other": BASE})


def test_the_bytes_of_another_pack(refused):
    """Nor is a payload stored twice as two packs of an object; those of another object do not count."""
    other = Segment(f"{HEAD}@Q6_K", (Tensor("weight", "Q6_K", (6, 4), bytes(34)),))
    place = ("objects", _position(HEAD), "representations")
    lines = [*at(tiny().graph, place), {"encoding": "Q6_K", "fidelity": "approximate"}]
    model = tiny().with_added(other, f"segments/{HEAD}.q6k.bin").with_graph(place, lines)
    found = refused(model)
    assert found == ("duplicate-bytes", {"subject": f"{HEAD}@Q8_0", "other": f"{HEAD}@Q6_K"})


def test_equal_bytes_of_another_object(tmp_path):
    """The payload of another object is no alternative of this one."""
    tiny().folder.write_to(tmp_path / "model")
    payload = tiny().segments["target.final_norm@F32"].payload
    pack_add(path=str(tmp_path / "model"), **{**PACK, "tensors": [source("weight", "Q", (6, 4), payload)]})
    assert container_verify(path=str(tmp_path / "model"))["verified"] is True


def _position(object_id: str) -> int:
    return next(at for at, one in enumerate(tiny().graph["objects"]) if one["id"] == object_id)


def test_a_tensor_that_is_lacking(refused):
    """Every tensor of the first representation must be there; all that are not are named."""
    stack = tiny().segments["target.decoder_stack@BF16"]
    lacking = ["0.mlp.up_proj.weight", "1.self_attn.v_proj.weight"]
    given = [source(row["name"], "NVFP4", row["shape"]) for row in stack.rows if row["name"] not in lacking]
    kind, names = refused(tiny(), object="target.decoder_stack", tensors=given)
    expected = [{"object": "target.decoder_stack", "operand": operand} for operand in lacking]
    assert kind == "missing-operand"
    assert {key: names[key] for key in ("object", "operand")} == expected[0]
    assert [defect["names"] for defect in names["defects"]] == expected


@pytest.mark.parametrize(
    ("tensors", "kind", "names"),
    [
        ([WEIGHT, WEIGHT], "duplicate-id", {"id": "weight", "field": "name"}),
        (
            [source("weight", "BF16", (6, 4), bytes(47))],
            "length-mismatch",
            {"subject": "weight", "expected": 48, "found": 47},
        ),
        ([{**WEIGHT, "shape": [6, -4]}], "out-of-range", None),
        ([{**WEIGHT, "name": "\ud800"}], "bad-type", None),
        ([{**WEIGHT, "data": "text"}], "bad-type", None),
        ([{"name": "weight"}], "missing-field", None),
        ({}, "bad-type", None),
        (None, "bad-type", None),
    ],
)
def test_tensors_that_are_wrong(refused, tensors, kind, names):
    """A tensor is judged before anything is written."""
    found = refused(tiny(), tensors=tensors)
    assert found[0] == kind
    assert names is None or found[1] == names


@pytest.mark.parametrize("name", ["object", "encoding"])
@pytest.mark.parametrize("value", [7, None, "\ud800"])
def test_an_id_that_is_no_text(refused, name, value):
    """Object and encoding are texts that a file can hold."""
    kind, names = refused(tiny(), **{name: value})
    assert (kind, names["field"]) == ("bad-type", name) or (kind == "dangling-reference" and name == "object")


@pytest.mark.parametrize("key", ["codec", "encoder"])
@pytest.mark.parametrize("value", [{"scale": float("nan")}, {1: "one"}, {"text": "\udc00"}, [b"bytes"]])
def test_provenance_that_is_no_json(refused, key, value):
    """What cannot be read again is not recorded."""
    assert refused(tiny(), **{key: value})[0] in {"out-of-range", "bad-type", "malformed-json"}


def test_an_object_without_a_first_representation(refused):
    """A pack stands beside something that is stored."""
    found = refused(tiny().without_index(("representations", BASE)))
    assert found == ("missing-representation", {"object": HEAD})


def test_a_line_that_calls_it_canonical(refused):
    """A graph that lists the encoding already, as canonical, would contradict the recorded source."""
    place = ("objects", _position(HEAD), "representations")
    lines = [*at(tiny().graph, place), {"encoding": "Q8_0", "fidelity": "canonical"}]
    found = refused(tiny().with_graph(place, lines))
    assert found == ("asserted-fidelity", {"representation": f"{HEAD}@Q8_0"})


@pytest.mark.parametrize("encoding", ["Q8_0", "q8_0"])
def test_a_file_that_another_entry_has(refused, encoding):
    """No segment that is named is replaced, also not where case is folded."""
    taken = f"segments/{HEAD}@{encoding}.bin"
    model = tiny().with_entry(BASE, "segment", taken)
    model = model.with_file(taken, model.files[f"segments/{HEAD}.bin"])
    kind, names = refused(model)
    assert (kind, names["paths"]) == ("path-collision", sorted({taken, f"segments/{HEAD}@Q8_0.bin"}))


@pytest.mark.parametrize("file", ["index.json", "system_graph.json"])
def test_a_document_that_is_a_segment_too(refused, file):
    """An addition would change the bytes of that segment."""
    found = refused(tiny().with_entry("target.embedding@BF16", "segment", file))
    assert found == ("path-collision", {"paths": [file]})


def test_a_segment_of_another_representation(refused):
    """A first representation whose header names another one is none to compare with."""
    segment = tiny().segments[BASE]
    found = refused(tiny().with_segment(Segment("target.other@BF16", segment.tensors), BASE))
    facts = {"subject": BASE, "expected": BASE, "found": "target.other@BF16"}
    assert found == ("id-mismatch", facts)


def test_a_container_that_does_not_open(refused):
    """What opening refuses, adding does."""
    assert refused(tiny().without_file("system_graph.json"))[0] == "missing-file"


def test_a_container_without_a_graph(refused):
    """An expert bank has no objects to add to."""
    assert refused(bank())[0] == "missing-root"
