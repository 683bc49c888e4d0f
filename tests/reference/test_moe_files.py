"""moe.check with files: whether those of a routed bank hold what its programme needs."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest

from vindex3_reference.lyrw.verbs import lyrw_write, moe_check

PROGRAMMES = {
    "gated-mlp-v1": [("gate_up_fused", "down"), ("gate", "up", "down")],
    "shared-routed-mlp-v1": [("gate_up_fused", "down"), ("gate", "up", "down")],
    "latent-moe-v1": [("gate_up_fused", "down"), ("gate", "up", "down")],
    "gated-mlp-fused-fc1-v1": [("gate_up_fused", "down")],
    "gpt-oss-expert-v1": [("gate_up_fused", "down", "bias"), ("gate", "up", "down", "bias")],
}


@pytest.fixture
def bank(plans, tmp_path):
    """Write a layer file whose bank 0 has these roles, each of one f32 value, and give its path."""
    count = iter(range(100))

    def write(
        *roles: str | int, experts: int = 2, segments: list[tuple[int, int]] | None = None, layer: int = 0
    ) -> str:
        halves = {"layout": "contiguous_halves"}
        schemas = [
            plans.schema(role, "f32", 1, 1, **(halves if role == "gate_up_fused" else {})) for role in roles
        ]
        plan = plans.routed(experts, (1, 2, 3), schemas, header={"logical_layer": layer, "flags": 1})
        plan["segments"] = [
            {"bank_id": 0, "segment_index": first, "first_entry": first, "entry_count": entries}
            for first, entries in segments or [(0, experts)]
        ]
        path = str(tmp_path / f"{next(count)}.lyrw")
        lyrw_write(plan=plan, payload=lambda *_: b"abcd", path=path)
        return path

    return write


@pytest.fixture
def defects(tmp_path):
    """Kind and names of each defect of a manifest of one layer, with these files under key `k`."""

    def ask(
        segments: Any, programme: str = "gated-mlp-v1", **fields: Any
    ) -> list[tuple[str, dict[str, Any]]]:
        latent = programme == "latent-moe-v1"
        transforms = {"routed_input": "a", "routed_output": "b"} if latent else None
        layer = {
            "layer": 0, "input_space": "latent" if latent else "residual", "transforms": transforms,
            "router": {"scores": "r", "activation": "softmax", "selection": {"kind": "top_k", "k": 1}},
            "routed_bank": {"experts": 2, "programme": programme, "storage": "k"},
            "reduction": "gate_weighted_sum", "combine": "residual_add", **fields,
        }  # fmt: skip
        path = tmp_path / "moe_manifest.json"
        path.write_text(json.dumps({"schema_version": 1, "layers": [layer]}))
        answer: Any = moe_check(path=str(path), segments=segments)
        return [(defect["kind"], defect["names"]) for defect in answer["defects"]]

    return ask


@pytest.mark.parametrize("programme", PROGRAMMES)
def test_a_programme_runs_on_each_of_its_role_sets(bank, defects, programme):
    """Every accepted role set satisfies its programme, in any order and with roles beyond it."""
    for roles in PROGRAMMES[programme]:
        assert defects({"k": [bank(*roles)]}, programme) == []
        assert defects({"k": [bank(300, *reversed(roles), "scales")]}, programme) == []


@pytest.mark.parametrize(
    ("programme", "roles", "missing"),
    [
        ("gated-mlp-v1", ("gate_up_fused",), ["down"]),
        ("gated-mlp-v1", ("gate", "up"), ["down"]),
        ("gated-mlp-v1", ("gate", "down"), ["gate_up_fused"]),
        ("gated-mlp-v1", ("gate",), ["down", "gate_up_fused"]),
        ("gated-mlp-v1", ("bias",), ["down", "gate_up_fused"]),
        ("gated-mlp-v1", ("up", "gate", 300), ["down"]),
        ("gated-mlp-fused-fc1-v1", ("gate", "up", "down"), ["gate_up_fused"]),
        ("gpt-oss-expert-v1", ("gate_up_fused", "down"), ["bias"]),
        ("gpt-oss-expert-v1", ("gate", "up", "down"), ["bias"]),
        ("latent-moe-v1", ("latent_in", "latent_out", "down"), ["gate_up_fused"]),
    ],
)
def test_a_programme_that_lacks_roles(bank, defects, programme, roles, missing):
    """The missing roles of the closest set are named, sorted."""
    facts = {"layer": 0, "programme": programme, "missing": missing}
    assert defects({"k": [bank(*roles)]}, programme) == [("unsatisfied-programme", facts)]


def test_without_segments_no_file_is_opened(defects):
    """Null judges the document alone."""
    assert defects(None) == []


@pytest.mark.parametrize("segments", [{}, {"k": []}, {"K": ["x"]}, {"other": ["x"]}], ids=str)
def test_a_key_without_files(defects, segments):
    """A key that is not in segments, or has no file there, is unusable."""
    facts = {"layer": 0, "key": "k", "why": "not-declared"}
    assert defects(segments) == [("storage-unusable", facts)]


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"LYRW", "truncated"), (b"WRYL" + bytes(20), "bad-magic"),
     (struct.pack("<4sIIHHII", b"LYRW", 1, 0, 0, 0, 0, 0), "wrong-generation"),
     (struct.pack("<4sIIHHII", b"LYRW", 2, 0, 0, 0, 0, 0), "no-bank"), (None, "missing-file")],
    ids=["header", "magic", "version", "no bank", "no file"],
)  # fmt: skip
def test_files_that_cannot_be_used(bank, defects, tmp_path, data, why):
    """The cause is named by its kind, of one of several files as well, and nothing else is judged."""
    path = tmp_path / "bad.lyrw"
    if data is not None:
        path.write_bytes(data)
    expected = [("storage-unusable", {"layer": 0, "key": "k", "why": why})]
    assert defects({"k": [str(path)]}) == expected
    assert defects({"k": [bank("gate"), str(path)]}) == expected


@pytest.mark.parametrize("fields", [{"programme": "x"}, {"storage": " "}], ids=str)
def test_what_is_not_judged(defects, fields):
    """Files are not looked at under an unknown programme or without a key."""
    bank = {"experts": 2, "programme": "gated-mlp-v1", "storage": "k", **fields}
    found = defects({}, routed_bank=bank)
    assert [kind for kind, _ in found] in (["unknown-programme"], ["bank-has-no-storage"])


def test_both_files_of_a_split_layer(bank, defects):
    """Entries are sought in all files of the key; each file alone lacks those of the other."""
    first = bank("gate_up_fused", "down", segments=[(0, 1)])
    second = bank("gate_up_fused", "down", segments=[(1, 1)])
    assert defects({"k": [first, second]}) == defects({"k": [second, first]}) == []
    facts = {"layer": 0, "bank_id": 0, "entry": 1, "segment": "k"}
    assert defects({"k": [first]}) == [
        ("missing-region", {**facts, "role": role}) for role in ("gate_up_fused", "down")
    ]


def test_a_region_that_is_refused(bank, defects, tmp_path):
    """A row that leaves the file, or is not whole, is missing unless another file has the region."""
    path = bank("gate_up_fused", "down", 300)
    with open(path, "r+b") as file:  # noqa: PTH123 -- the path is a string, as the verb takes it
        file.seek(24 + 24 + 12 + 60 + 16 * 4)
        file.write((2**64 - 64).to_bytes(8, "little"))
    facts = {"layer": 0, "bank_id": 0, "entry": 1, "role": "down", "segment": "k"}
    assert defects({"k": [path]}) == [("missing-region", facts)]
    assert defects({"k": [path, bank("gate_up_fused", "down", 300)]}) == []
    cut = tmp_path / "cut.lyrw"
    with open(path, "rb") as file:  # noqa: PTH123 -- as above
        cut.write_bytes(file.read(24 + 24 + 12 + 60 + 16 * 5 + 8))
    assert [kind for kind, _ in defects({"k": [str(cut)]})] == ["missing-region"] * 6


def test_where_two_segments_hold_an_entry_the_first_answers(bank, defects, tmp_path):
    """A region that the first segment refuses is missing although the second has it, and not otherwise."""
    head = struct.pack("<4sIIHHII", b"LYRW", 2, 0, 1, 2, 0, 0) + struct.pack(
        "<HHHHIIII", 0, 1, 2, 0, 2, 1, 2, 3
    )
    head += struct.pack("<HHII", 0, 0, 0, 2) + struct.pack("<HHII", 0, 1, 1, 1)
    head += struct.pack("<HHHHHHII", 0, 2, 0, 0, 65535, 1, 1, 1) + struct.pack(
        "<HHHHHHII", 1, 3, 0, 0, 65535, 0, 1, 1
    )
    good, bad = (256, 4), (2**40, 4)
    for rows, missing in [([good, good, bad, good, good, good], 1), ([good, good, good, good, bad, bad], 0)]:
        path = tmp_path / "twice.lyrw"
        path.write_bytes((head + b"".join(struct.pack("<QQ", *row) for row in rows)).ljust(260, b"\0"))
        kinds = [kind for kind, _ in defects({"k": [str(path)]})]
        assert kinds == ["missing-region"] * missing


def test_a_population_that_no_file_could_hold(defects, tmp_path):
    """Entries by the thousand million are counted, and as many named as a list has room for."""
    path = tmp_path / "claims.lyrw"
    head = struct.pack("<4sIIHHII", b"LYRW", 2, 0, 1, 1, 0, 0)
    head += struct.pack("<HHHHIIII", 0, 1, 2, 0, 2**32 - 1, 1, 2, 3) + struct.pack(
        "<HHII", 0, 0, 0, 2**32 - 1
    )
    head += struct.pack("<HHHHHHII", 0, 2, 0, 0, 65535, 1, 1, 1) + struct.pack(
        "<HHHHHHII", 1, 3, 0, 0, 65535, 0, 1, 1
    )
    path.write_bytes(head + struct.pack("<QQ", 64, 4))
    found = [names for kind, names in defects({"k": [str(path)]}) if kind == "missing-region"]
    assert len(found) == 10_000
    assert [(names["entry"], names["role"]) for names in found[:2]] == [(0, "down"), (1, "gate_up_fused")]


def test_the_manifest_alone_binds_a_programme(bank, defects):
    """One file runs under two programmes, whatever its bank is called."""
    path = bank("gate", "up", "down")
    assert defects({"k": [path]}, "gated-mlp-v1") == defects({"k": [path]}, "latent-moe-v1") == []


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"experts": 3}, "experts"),
        ({"expert_dims": {"input": 1, "intermediate": 2, "output": 4}}, "expert_dims"),
    ],
    ids=str,
)
def test_numbers_that_contradict_the_file(bank, defects, fields, field):
    """Experts, dimensions and layer of the manifest are held against the file."""
    dims = {"input": 1, "intermediate": 2, "output": 3}
    routed = {"experts": 2, "programme": "gated-mlp-v1", "storage": "k", "expert_dims": dims}
    path = bank("gate_up_fused", "down")
    assert defects({"k": [path]}, routed_bank=routed) == []
    facts = {"layer": 0, "field": field}
    assert defects({"k": [path]}, routed_bank={**routed, **fields}) == [("bank-contradicts-manifest", facts)]


def test_a_file_of_another_layer(bank, defects):
    """A file that says it is of another layer contradicts the manifest."""
    path = bank("gate_up_fused", "down", layer=7)
    assert defects({"k": [path]}) == [("bank-contradicts-manifest", {"layer": 0, "field": "layer"})]
    assert defects({"k": [path]}, layer=7) == []


@pytest.mark.parametrize("segments", [[], "x", {"k": "x"}, {"k": [1]}, {"k": None}], ids=str)
def test_segments_of_another_type(defects, refusal, segments):
    """Segments are an object of lists of paths."""
    assert refusal(defects, segments)[0] == "bad-type"
