"""container.open: the order of opening, each refusal beside its legal twin, and what is observed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.container.model import Model
from vindex3_fixtures.container.tiny import MXFP4, Q6K, bank, tiny
from vindex3_fixtures.json_text import json_text
from vindex3_reference.container.verbs import container_open

KEY = "target.embedding@BF16"
FILE = "segments/target.embedding.bin"
DIGEST = "0" * 64

BARE = {
    "version": 4,
    "model": "m",
    "family": "",
    "hidden_size": 0,
    "num_layers": 0,
    "system_graph": "g.json",
    "profiles": [],
    "segments": {},
}


def bare(**changes: Any) -> Model:
    """The least index that opens, beside an empty graph."""
    return Model(index={**BARE, **changes}, files={"g.json": b""})


def entry(**changes: Any) -> dict[str, Any]:
    """A directory entry of an empty segment."""
    return {
        "object": "o",
        "encoding": "E",
        "segment": "s.bin",
        "tensor_count": 0,
        "payload_bytes": 0,
        "payload_sha256": DIGEST,
        "segment_sha256": DIGEST,
    } | changes


def test_the_least_index_is_filled_in(written):
    """What an index leaves out is observed by the values of the law."""
    assert container_open(path=written(bare())) == {
        "generation": "VINDEX3",
        "schema": 4,
        "shapes": ["graph"],
        "model": "m",
        "family": "",
        "hidden_size": 0,
        "num_layers": 0,
        "system_graph": "g.json",
        "moe_manifest": None,
        "authority": "canonical",
        "derived_from_model": None,
        "precision_map": None,
        "profiles": [],
        "representations": {},
        "segments": {},
        "variants": {},
        "extra": {},
        "unreferenced_files": [],
    }


def test_everything_that_is_written_is_observed(written):
    """Entries, profiles, variants and unknown keys come out as they stand in the index."""
    packed = entry(compiled_from="o@E", codec=None, encoder={"algorithm": "a"}, later=None)
    found = container_open(
        path=written(
            bare(
                version=3,
                authority="derived",
                derived_from_model="big",
                precision_map={"exceptions": [2, 1]},
                profiles=["a", {"name": "b"}, {"name": "c", "selects": {"r": "v"}, "note": 1}],
                variants={"r": {"baseline": "w", "variants": VARIANTS, "note": 1}},
                representations={"o@E": entry(), "o@P": packed},
                segments={"s": 2**32 - 1, "gone": 0},
                __class__=2**64 - 1,
            ).with_file("s.bin", b"")
        )
    )
    assert found["schema"] == 3
    assert (found["authority"], found["derived_from_model"]) == ("derived", "big")
    assert found["precision_map"] == {"exceptions": [2, 1]}
    assert found["profiles"] == [
        {"name": "a", "selects": {}},
        {"name": "b", "selects": {}},
        {"name": "c", "selects": {"r": "v"}},
    ]
    assert found["variants"] == {"r": {"baseline": "w", "variants": VARIANTS}}
    del packed["codec"]
    assert found["representations"] == {"o@E": entry(), "o@P": packed}
    assert found["segments"] == {"s": 2**32 - 1, "gone": 0}
    assert found["extra"] == {"__class__": 2**64 - 1}


VARIANTS = {
    "v": {"storage": "x", "fidelity": "source-exact"},
    "w": {"storage": "y", "fidelity": "analysis-only"},
}


def test_a_bank_and_both_shapes_open(written):
    """A manifest alone is a bank, one beside a graph is both; its segment keys mean files."""
    found = container_open(path=written(bank()))
    assert (found["shapes"], found["unreferenced_files"]) == (["bank"], [])
    both = bank().with_index(("system_graph",), "g.json").with_file("g.json", b"")
    assert container_open(path=written(both))["shapes"] == ["graph", "bank"]


def test_a_key_of_an_entry_means_its_file_beside_a_manifest(written, refusal):
    """A segments key that is an entry's segment without extension is no key of a layer file."""
    model = bank().with_index(("representations",), {"o@E": entry()}).with_index(("segments", "s"), 1)
    assert container_open(path=written(model.with_file("s.bin", b"")))["unreferenced_files"] == []
    assert refusal(container_open, path=written(model)) == ("missing-file", {"path": "s.bin"})
    lost = model.with_file("s.bin", b"").without_file(f"{MXFP4}.lyrw")
    assert refusal(container_open, path=written(lost)) == ("missing-file", {"path": f"{MXFP4}.lyrw"})


INDEX_FAULTS: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "version 0": ({"version": 0}, "unknown-version", {"found": 0}),
    "version 5": ({"version": 5, "model": 1}, "unknown-version", {"found": 5}),
    "version 2": (
        {"version": 2, "model": 1},
        "wrong-generation",
        {"found": "VINDEX2", "required": "VINDEX3"},
    ),
    "version null": ({"version": None}, "bad-type", {"field": "version"}),
    "version text": ({"version": "4"}, "bad-type", {"field": "version"}),
    "version 2^32": ({"version": 2**32}, "out-of-range", {"field": "version", "value": 2**32}),
    "model": ({"model": 1}, "bad-type", {"field": "model"}),
    "family": ({"family": None}, "bad-type", {"field": "family"}),
    "hidden_size": ({"hidden_size": True}, "bad-type", {"field": "hidden_size"}),
    "num_layers": ({"num_layers": 2**64}, "out-of-range", {"field": "num_layers", "value": 2**64}),
    "system_graph": ({"system_graph": "../g.json"}, "path-escape", {"path": "../g.json"}),
    "no root": ({"system_graph": None}, "missing-root", {"path": "index.json"}),
    "authority": ({"authority": "Derived"}, "unknown-value", {"field": "authority", "value": "Derived"}),
    "derived_from_model": ({"derived_from_model": 1}, "bad-type", {"field": "derived_from_model"}),
    "precision_map": ({"precision_map": []}, "bad-type", {"field": "precision_map"}),
    "profiles": ({"profiles": {}}, "bad-type", {"field": "profiles"}),
    "a profile": ({"profiles": ["a", 1]}, "bad-type", {"field": "profiles[1]"}),
    "a profile's name": ({"profiles": [{}]}, "missing-field", {"field": "profiles[0].name"}),
    "selects": ({"profiles": [{"name": "a", "selects": []}]}, "bad-type", {"field": "profiles[0].selects"}),
    "a selection": (
        {"profiles": [{"name": "a", "selects": {"r": 1}}]},
        "bad-type",
        {"field": "profiles[0].selects.r"},
    ),
    "a name twice": ({"profiles": ["a", {"name": "a"}]}, "duplicate-id", {"id": "a"}),
    "segments": ({"segments": []}, "bad-type", {"field": "segments"}),
    "a count": ({"segments": {"s": 1.0}}, "bad-type", {"field": "segments.s"}),
    "a count below": ({"segments": {"s": -1}}, "out-of-range", {"field": "segments.s", "value": -1}),
    "a count above": ({"segments": {"s": 2**32}}, "out-of-range", {"field": "segments.s"}),
    "a key": ({"segments": {"s": 1, "a//b": 1}}, "path-escape", {"path": "a//b"}),
    "representations": ({"representations": []}, "bad-type", {"field": "representations"}),
    "an entry": ({"representations": {"k": []}}, "bad-type", {"field": "representations.k"}),
    "variants": ({"variants": []}, "bad-type", {"field": "variants"}),
    "a region set": (
        {"variants": {"r": {"baseline": "b"}}},
        "missing-field",
        {"field": "variants.r.variants"},
    ),
    "a baseline": ({"variants": {"r": {"variants": {}}}}, "missing-field", {"field": "variants.r.baseline"}),
    "a storage": (
        {"variants": {"r": {"baseline": "b", "variants": {"b": {"fidelity": "source-exact"}}}}},
        "missing-field",
        {"field": "variants.r.variants.b.storage"},
    ),
    "a storage name": (
        {
            "variants": {
                "r": {"baseline": "b", "variants": {"b": {"storage": "/x", "fidelity": "source-exact"}}}
            }
        },
        "path-escape",
        {"path": "/x"},
    ),
    "a fidelity": (
        {"variants": {"r": {"baseline": "b", "variants": {"b": {"storage": "x", "fidelity": "exact"}}}}},
        "unknown-value",
        {"field": "variants.r.variants.b.fidelity", "value": "exact"},
    ),
}


@pytest.mark.parametrize(("changes", "kind", "facts"), INDEX_FAULTS.values(), ids=INDEX_FAULTS)
def test_a_fault_of_the_index_is_refused(changes, kind, facts, written, refusal):
    """One wrong value in the least index is refused with its kind, and named."""
    assert container_open(path=written(bare()))["schema"] == 4
    found, names = refusal(container_open, path=written(bare(**changes)))
    assert found == kind
    assert names.items() >= facts.items()
    assert kind not in ("bad-type", "missing-field", "unknown-value") or names["path"] == "index.json"


ENTRY_FAULTS: dict[str, tuple[str, object, str, dict[str, Any]]] = {
    "object": ("object", None, "bad-type", {"field": "representations.b.object"}),
    "encoding": ("encoding", 1, "bad-type", {"field": "representations.b.encoding"}),
    "segment": ("segment", [], "bad-type", {"field": "representations.b.segment"}),
    "segment name": ("segment", "a/../b", "path-escape", {"path": "a/../b"}),
    "tensor_count": ("tensor_count", 1.0, "bad-type", {"field": "representations.b.tensor_count"}),
    "tensor_count below": ("tensor_count", -1, "out-of-range", {"value": -1}),
    "payload_bytes": ("payload_bytes", True, "bad-type", {"field": "representations.b.payload_bytes"}),
    "payload_bytes above": ("payload_bytes", 2**64, "out-of-range", {"value": 2**64}),
    "payload_sha256": ("payload_sha256", 0, "bad-type", {"field": "representations.b.payload_sha256"}),
    "segment_sha256": ("segment_sha256", {}, "bad-type", {"field": "representations.b.segment_sha256"}),
    "compiled_from": ("compiled_from", 1, "bad-type", {"field": "representations.b.compiled_from"}),
    "source digest": (
        "source_representation_digest",
        1,
        "bad-type",
        {"field": "representations.b.source_representation_digest"},
    ),
}


@pytest.mark.parametrize(("key", "value", "kind", "facts"), ENTRY_FAULTS.values(), ids=ENTRY_FAULTS)
def test_a_fault_of_one_entry_among_others_is_refused(key, value, kind, facts, written, refusal):
    """Entries that are judged together hide no fault of one, whichever of them it is."""
    model = bare(representations={name: entry() for name in "abc"}).with_file("s.bin", b"")
    assert container_open(path=written(model))["representations"] == {name: entry() for name in "abc"}
    found, names = refusal(container_open, path=written(model.with_entry("b", key, value)))
    assert found == kind
    assert names.items() >= facts.items()


@pytest.mark.parametrize("key", entry())
def test_a_key_that_an_entry_lacks_is_named(key, written, refusal):
    """Each required key is missed in an entry with fewer keys, and in one that has another in its place."""
    model = bare(representations={name: entry() for name in "abc"}).with_file("s.bin", b"")
    for wrong in (
        model.without_index(("representations", "b", key)),
        model.without_index(("representations", "b", key)).with_entry("b", "other", 1),
    ):
        facts = {"path": "index.json", "field": f"representations.b.{key}"}
        assert refusal(container_open, path=written(wrong)) == ("missing-field", facts)


@pytest.mark.parametrize("key", [key for key in BARE if key not in ("version", "system_graph")])
def test_a_key_that_the_index_lacks_is_named(key, written, refusal):
    """Each required key of the index is missed; no default is invented."""
    facts = {"path": "index.json", "field": key}
    assert refusal(container_open, path=written(bare().without_index((key,)))) == ("missing-field", facts)


def test_no_version_is_version_0(written, refusal):
    """An index without a version is of an unknown one."""
    kind, names = refusal(container_open, path=written(bare().without_index(("version",))))
    assert (kind, names["found"], names["path"]) == ("unknown-version", 0, "index.json")


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (b"", "malformed-json"),
        (b"{", "malformed-json"),
        (b"\xff", "malformed-json"),
        (b"[]", "bad-type"),
        (b'{"version":4,"version":4}', "duplicate-key"),
    ],
)
def test_the_index_is_one_object(root, expected, written, refusal):
    """What is no object of the law's JSON is refused under the name that the index has in the container."""
    path = written(bare())
    Path(path, "index.json").write_bytes(root)
    kind, names = refusal(container_open, path=path)
    assert kind == {b"[]": "bad-type", b'{"version":4,"version":4}': "duplicate-key"}.get(
        root, "malformed-json"
    )
    assert names["path"] == "index.json"


def test_a_folder_without_an_index_is_none(written, refusal, tmp_path):
    """Neither other files nor a folder of that name make a root; nor is there one where no folder is."""
    path = written(tiny())
    Path(path, "index.json").unlink()
    assert refusal(container_open, path=path) == ("missing-file", {"path": "index.json"})
    Path(path, "index.json").mkdir()
    assert refusal(container_open, path=path) == ("missing-file", {"path": "index.json"})
    assert refusal(container_open, path=str(tmp_path / "nothing")) == ("missing-file", {"path": "index.json"})
    assert refusal(container_open, path="") == ("missing-file", {"path": "index.json"})


def test_roots_and_segments_must_be_there(written, refusal):
    """A root or segment that is gone, or is a folder, is named relative to the container."""
    assert container_open(path=written(tiny()))["shapes"] == ["graph"]
    for name in ("system_graph.json", FILE):
        path = written(tiny().without_file(name))
        assert refusal(container_open, path=path) == ("missing-file", {"path": name})
        Path(path, name).mkdir(parents=True)
        assert refusal(container_open, path=path) == ("missing-file", {"path": name})
    path = written(bank().without_file("moe_manifest.json"))
    assert refusal(container_open, path=path) == ("missing-file", {"path": "moe_manifest.json"})


def test_a_name_no_file_can_have_is_a_missing_file(written, refusal):
    """A name beyond what a file system takes names a file that is not there."""
    for name in ("a" * 5000, "d/" * 3000 + "e"):
        path = written(tiny().with_entry(KEY, "segment", name))
        assert refusal(container_open, path=path) == ("missing-file", {"path": name})


def test_the_manifest_is_judged_as_a_document(written, refusal):
    """What moe.load refuses is refused, and what moe.check finds without files, all of it together."""
    manifest = {"schema_version": 2, "layers": []}
    kind, names = refusal(
        container_open, path=written(bank().with_file("moe_manifest.json", json_text(manifest)))
    )
    assert (kind, names["path"], names["found"]) == ("unknown-version", "moe_manifest.json", 2)
    kind, names = refusal(container_open, path=written(bank().with_file("moe_manifest.json", b"{}")))
    assert (kind, names) == ("missing-field", {"path": "moe_manifest.json", "field": "schema_version"})
    layer = {
        "layer": 0,
        "input_space": "residual",
        "router": {"scores": " ", "activation": "softmax", "selection": {"kind": "top_k", "k": 3}},
        "routed_bank": {"experts": 2, "programme": "gated-mlp-v1", "storage": Q6K},
        "reduction": "gate_weighted_sum",
        "combine": "residual_add",
    }
    text = json_text({"schema_version": 1, "layers": [layer]})
    kind, names = refusal(container_open, path=written(bank().with_file("moe_manifest.json", text)))
    assert (kind, names["layer"]) == ("router-has-no-scores", 0)
    assert names["defects"] == [
        {"kind": "router-has-no-scores", "names": {"layer": 0}},
        {"kind": "selection-exceeds-bank", "names": {"layer": 0, "selected": 3, "available": 2}},
    ]


def test_profiles_come_before_segments(written, refusal):
    """A profile that does not resolve is refused where every segment is gone as well."""
    gone = bank().without_file(f"{MXFP4}.lyrw").without_file(f"{Q6K}.lyrw")
    wrong = gone.with_index(("profiles", 1, "selects", "layer.0.routed.gate_up"), "mxfp4")
    assert refusal(container_open, path=written(wrong)) == (
        "absent-variant",
        {
            "region_set": "layer.0.routed.gate_up",
            "requested": "mxfp4",
            "present": ["exact-q6k", "native-mxfp4"],
        },
    )
    assert refusal(container_open, path=written(gone)) == ("missing-file", {"path": f"{MXFP4}.lyrw"})


def test_other_files_are_listed_and_change_nothing(written, tmp_path):
    """Every file that nothing names is listed, links unfollowed, whatever kind of file it is."""
    path = written(tiny().with_file("tokenizer.json", b"\xff").with_file("z/deep/er/f", b""))
    Path(path, "loop").symlink_to(tmp_path)
    Path(path, "segments/dangling").symlink_to("nowhere")
    os.mkfifo(f"{path}/fifo")
    Path(path, "empty").mkdir()
    Path(os.fsdecode(os.fsencode(path) + b"/odd\xff")).touch()
    Path(path, "\u00e9").touch()
    found = container_open(path=path)
    others = ["fifo", "loop", "odd\\xff", "segments/dangling", "z/deep/er/f", "\u00e9"]
    assert found["unreferenced_files"] == others
    del found["unreferenced_files"]
    plain = container_open(path=written(tiny()))
    assert plain.pop("unreferenced_files") == []
    assert found == plain


def test_a_folder_that_cannot_be_listed_shows_nothing(written):
    """A folder deeper than a path can say is no reason to refuse the container."""
    path = written(tiny().with_file("other/f", b""))
    folder = os.open(path, os.O_RDONLY)
    for _ in range(30):
        os.mkdir("d" * 200, dir_fd=folder)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=folder))
    os.close(folder)
    assert container_open(path=path)["unreferenced_files"] == ["other/f"]


def test_a_segment_under_a_link_is_there(written, tmp_path):
    """A segment that a link leads to is a file like any other; a link to nothing is none."""
    path = written(tiny())
    Path(path, FILE).rename(tmp_path / "elsewhere.bin")
    Path(path, FILE).symlink_to(tmp_path / "elsewhere.bin")
    assert container_open(path=path)["unreferenced_files"] == []


def test_opening_reads_no_segment_and_no_graph(written, bounded):
    """A terabyte of segment and a graph of holes cost nothing to open."""
    path = written(tiny())
    os.truncate(f"{path}/{FILE}", 1 << 40)
    os.truncate(f"{path}/system_graph.json", 1 << 40)
    prepare = "from vindex3_reference.container.verbs import container_open"
    body = "print(container_open(path=sys.argv[1])['schema'])"
    assert bounded(prepare, body, path, allowance=1 << 22) == "4"


def test_an_index_that_is_a_hole_is_no_document(written, bounded):
    """An index that claims a terabyte of nothing is refused in little memory."""
    path = written(tiny())
    os.truncate(f"{path}/index.json", 1 << 40)
    prepare = """
from vindex3_reference.container.verbs import container_open
from vindex3_reference.refusal import Refusal
"""
    body = """
try: container_open(path=sys.argv[1])
except Refusal as refusal: print(refusal.kind)
"""
    assert bounded(prepare, body, path, allowance=1 << 23) == "malformed-json"


def test_thousands_of_entries_open(written):
    """A directory of thousands is observed entry by entry as one of three is."""
    entries = {f"o{number}@E": entry(object=f"o{number}") for number in range(3000)}
    found = container_open(path=written(bare(representations=entries).with_file("s.bin", b"")))
    assert found["representations"] == entries
