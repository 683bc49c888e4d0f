"""container.verify over packs: held to the map, not called canonical, and no bytes stored twice."""

from __future__ import annotations

from typing import Any

import pytest

from vindex3_fixtures.container.model import Model
from vindex3_fixtures.container.segment import Segment, Tensor
from vindex3_fixtures.container.tiny import DOWN, GATE_UP, Q6K, bank, tiny
from vindex3_fixtures.graph import representation
from vindex3_reference.container.verify import verified

Document = dict[str, Any]

STACK = "target.decoder_stack"
SOURCE, PACK = f"{STACK}@BF16", f"{STACK}@NVFP4"
NAMES = (
    "0.input_layernorm.weight",
    "0.mlp.down_proj.weight",
    "0.mlp.x_proj.weight",
    "1.mlp.down_proj.weight",
)
SHAPES = {NAMES[0]: (16,), NAMES[1]: (2, 16), NAMES[2]: (2, 24), NAMES[3]: (2, 16)}
MAP: Document = {
    "name": "m", "encoding": "NVFP4", "roles": ["decoder-linear"],
    "exceptions": [{"projection": "down_proj", "layers": [1, 1], "encoding": "Q8_0"}],
}  # fmt: skip
SOUND = ("BF16", "NVFP4", "F16", "BF16")
"""A dtype for each name that agrees with the map: norm and misfits at anything but the default."""


def packed(
    *dtypes: str, policy: Any = MAP, at: str = PACK, fidelity: str = "approximate", **entry: Any
) -> Model:
    """The tiny container with a stack of four tensors, a pack of it in these dtypes, and a map."""
    source = Segment(SOURCE, tuple(Tensor(name, shape=SHAPES[name]) for name in NAMES))
    pack = Segment(at, tuple(Tensor(*row, (8,)) for row in zip(NAMES, dtypes, strict=False)))
    changes = {"compiled_from": SOURCE, **entry}
    kept = {key: value for key, value in changes.items() if value is not None}
    model = tiny().with_segment(source).with_added(pack, "segments/pack.bin", **kept)
    place = next(i for i, each in enumerate(model.graph["objects"]) if each["id"] == STACK)
    stored = [representation("BF16"), representation(at.partition("@")[2], fidelity)]
    model = model.with_graph(("objects", place, "representations"), stored)
    return model if policy is None else model.with_index(("precision_map",), policy)


def defects(path: str) -> list[tuple[str, Document]]:
    """Kind and facts of every defect; the container is verified exactly where there is none."""
    answer: Any = verified(path)
    assert answer["verified"] is not bool(answer["defects"])
    assert all(entry["segment_ok"] and entry["payload_ok"] for entry in answer["entries"])
    return [(each["kind"], each["names"]) for each in answer["defects"]]


def mismatch(name: str, expected: str, found: str) -> tuple[str, Document]:
    """A tensor of the pack that is not what the map gives."""
    return "map-mismatch", {"representation": PACK, "tensor": name, "expected": expected, "found": found}


def test_a_pack_is_held_to_the_map(written):
    """Compiled tensors have the decided dtype, carried ones any but the default; shapes are the source's."""
    policy = {**MAP, "exceptions": []}
    assert defects(written(packed("BF16", "NVFP4", "F16", "NVFP4", policy=policy))) == []
    assert defects(written(packed("F32", "NVFP4", "odd", "NVFP4", policy=policy))) == []
    assert defects(written(packed("NVFP4", "BF16", "NVFP4", "Q8_0", policy=policy))) == [
        mismatch(NAMES[0], "BF16", "NVFP4"),
        mismatch(NAMES[1], "NVFP4", "BF16"),
        mismatch(NAMES[2], "BF16", "NVFP4"),
        mismatch(NAMES[3], "NVFP4", "Q8_0"),
    ]


def test_exceptions_decide_in_a_pack_as_in_a_compilation(written):
    """Q8_0 does not fit sixteen values, so that tensor is carried; a source exception carries it too."""
    assert defects(written(packed(*SOUND))) == []
    assert defects(written(packed(*SOUND[:3], "NVFP4"))) == [mismatch(NAMES[3], "BF16", "NVFP4")]
    kept = {**MAP, "exceptions": [{"projection": "down_proj"}]}
    assert defects(written(packed("BF16", "BF16", "BF16", "Q8_0", policy=kept))) == []
    assert defects(written(packed(*SOUND, policy=kept))) == [mismatch(NAMES[1], "BF16", "NVFP4")]


@pytest.mark.parametrize(
    "changes",
    [
        {"policy": None},
        {"compiled_from": None},
        {"at": f"{STACK}@mixed"},
        {"policy": {**MAP, "encoding": "a newer one"}, "at": f"{STACK}@a newer one"},
        {"policy": {**MAP, "exceptions": [{"encoding": ""}]}},
    ],
    ids=["no map", "not compiled", "another encoding", "unknown default", "unknown exception"],
)
def test_nothing_else_is_held_to_the_map(written, changes):
    """Without a map, for an entry that was not compiled or has another encoding, every dtype is right."""
    wrong = ("NVFP4", "BF16", "NVFP4", "NVFP4")
    assert any(kind == "map-mismatch" for kind, _ in defects(written(packed(*wrong))))
    assert defects(written(packed(*wrong, **changes))) == []


def test_a_tensor_that_the_first_representation_lacks_is_not_judged(written):
    """Nor is a whole pack whose first representation is not there; what is missing is said elsewhere."""
    model = packed("NVFP4")
    source = Segment(SOURCE, tuple(Tensor(name, shape=SHAPES[name]) for name in NAMES[1:]))
    assert defects(written(model.with_segment(source))) == []
    path = written(model.without_file(model.file_of(SOURCE)))
    found: Any = verified(path)["defects"]
    assert [each["kind"] for each in found] == ["missing-file"]


def test_a_map_of_another_form_is_a_defect_where_it_is_needed(written):
    """Without a compiled pack nobody asks what the map says."""
    broken = {"name": "m", "encoding": "NVFP4", "roles": "all"}
    assert defects(written(packed(*SOUND, policy=broken))) == [
        ("bad-type", {"path": "index.json", "field": "precision_map.roles"})
    ]
    assert defects(written(packed(*SOUND, policy=broken, compiled_from=None))) == []


def test_a_compiled_pack_that_is_called_canonical_is_faulted(written):
    """An entry without provenance may be canonical, wherever it stands."""
    found = defects(written(packed(*SOUND, fidelity="canonical")))
    assert found == [("asserted-fidelity", {"representation": PACK})]
    assert defects(written(packed(*SOUND, fidelity="canonical", compiled_from=None))) == []


def test_two_representations_of_one_object_with_one_payload_are_faulted(written):
    """Equal payloads of two objects are not."""
    model = tiny().with_added(
        Segment("target.embedding@copy", (Tensor("weight", shape=(6, 4)),)), "segments/copy.bin"
    )
    embedding, head = (model.segments[f"target.{one}@BF16"].payload for one in ("embedding", "output_head"))
    assert embedding == head
    names = {"subject": "target.embedding@copy", "other": "target.embedding@BF16"}
    assert defects(written(model)) == [("duplicate-bytes", names)]
    assert defects(written(tiny())) == []


def test_two_variants_of_one_set_with_one_storage_are_faulted(written):
    """Two sets may share a storage, and the variants of a set may have several."""
    way = ("variants", DOWN, "variants", "same")
    model = bank().with_index(way, {"storage": Q6K, "fidelity": "analysis-only"})
    stored = model.index["variants"]
    assert stored[GATE_UP]["variants"]["exact-q6k"]["storage"] == Q6K
    names = {"subject": "same", "other": "exact-q6k", "region_set": DOWN}
    assert defects(written(model)) == [("duplicate-bytes", names)]
    assert defects(written(bank())) == []
