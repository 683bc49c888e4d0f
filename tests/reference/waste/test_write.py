"""The writer: what it refuses before it makes a file, what a resume keeps, and two writers at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vindex3_fixtures.waste.description import description
from vindex3_fixtures.waste.make import made
from vindex3_fixtures.waste.quant import Quant
from vindex3_fixtures.waste.tiny import blocked, dense, packed, pairs, single, tiny
from vindex3_reference.waste.verbs import waste_matrix, waste_open, waste_tensor, waste_verify, waste_write

BOOK = 16 + 2 * 16 * 8


def tree(path):
    return {file.name: file.read_bytes() for file in Path(path).iterdir()}


def edited(description, *way, value):
    """The description with another value at the end of a way of keys and positions."""
    copy = dict(description) if isinstance(description, dict) else list(description)
    step, rest = way[0], way[1:]
    copy[step] = edited(copy[step], *rest, value=value) if rest else value
    return copy


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "out")


@pytest.mark.parametrize("model", [tiny, packed, blocked, pairs, dense, single])
@pytest.mark.parametrize("workers", [0, 1, 7])
def test_the_files_are_those_of_an_independent_maker(path, model, workers):
    """Byte for byte, and the manifest by its values; written again, nothing changes."""
    given = description(model())
    first = waste_write(model=given, path=path, workers=workers)
    names = [*model().files, "manifest.json"]
    assert (sorted(first["written"]), first["unchanged"]) == (sorted(names), [])
    files = tree(path)
    document = json.loads(files.pop("manifest.json"))
    assert files == model().files
    expected = dict(model().manifest)
    if "expert_quant" in expected:
        expected["expert_quant"] = {k: v for k, v in expected["expert_quant"].items() if k != "fmt"}
    assert document == expected
    assert first["written"][-1] == "manifest.json"
    again = waste_write(model=given, path=path, workers=workers)
    assert (again["written"], sorted(again["unchanged"])) == ([], sorted(names))


EXPERT = ("layers", "1", "experts", 0, "up")


@pytest.mark.parametrize(
    ("way", "value", "kind", "field"),
    [
        (("config", "num_experts"), 65537, "out-of-range", "config.num_experts"),
        (("config", "hidden_size"), 20, "out-of-range", "config.hidden_size"),
        (("config", "num_hidden_layers"), 0, "out-of-range", "config.num_hidden_layers"),
        (("expert_quant", "index_bits"), 6, "out-of-range", "expert_quant.stages"),
        (("expert_quant", "index_block"), 32, "out-of-range", "expert_quant.index_block"),
        (("expert_quant", "stages"), 9, "out-of-range", "expert_quant.stages"),
        ((*EXPERT, "indices"), bytes([16]) + bytes(16 * 3 * 3 - 1), "out-of-range", None),
        ((*EXPERT, "indices"), bytes(5), "length-mismatch", None),
        ((*EXPERT, "indices"), "text", "bad-type", None),
        ((*EXPERT, "scales"), b"\x00\x7c" + bytes(30), "non-finite", None),
        ((*EXPERT, "scales"), bytes(34), "length-mismatch", None),
        (("layers", "1", "codebooks", 3), bytes(2 * 16 * 8 - 2) + b"\x01\xfe", "non-finite", None),
        (("layers", "1", "codebooks"), [], "count-mismatch", None),
        (("layers", "1", "experts"), [], "count-mismatch", None),
        (("layers", "0"), {"codebooks": [], "experts": []}, "unexpected-layer", None),
        (("layers", "01"), {}, "unknown-value", None),
        (("layers",), {}, "missing-layer", None),
        (("trunk", 1, "name"), "model.embed_tokens.weight", "duplicate-id", None),
        (("trunk", 0, "shape"), [], "out-of-range", None),
        (("sidecars",), {"../a": b""}, "path-escape", None),
        (("sidecars",), {"EXPERTS-l1.bin": b""}, "path-collision", None),
        (("sidecars",), {"a": b"", "A": b""}, "path-collision", None),
        (("sidecars",), {"tokenizer.model": None}, "missing-file", None),
        (("config", "extra"), float("nan"), "out-of-range", None),
        (("config", "extra"), b"bytes", "bad-type", None),
    ],
)
def test_a_wrong_description_makes_no_file(path, refusal, way, value, kind, field):
    """It is refused before anything is written, and what stands there stays as it is."""
    wrong = edited(description(tiny()), *way, value=value)
    found, names = refusal(waste_write, model=wrong, path=path)
    assert found == kind
    assert field is None or names["field"] == field
    assert not Path(path).exists()
    waste_write(model=description(single()), path=path)
    before = tree(path)
    assert refusal(waste_write, model=wrong, path=path)[0] == kind
    assert tree(path) == before


@pytest.mark.parametrize(("fmt", "least", "most"), [(2, -128, 127), (3, -8, 7), (7, -4, 3)])
def test_codes_that_a_format_has_not(path, refusal, fmt, least, most):
    """The least and the largest are written and come back; one beyond is refused."""
    config = description(dense())["config"]

    def model(*codes):
        tensor = {"name": "t", "fmt": fmt, "shape": [2], "group": 2, "scales": b"\x00\x3c"}
        return {"config": config, "trunk": [{**tensor, "codes": np.array(codes, np.int8).tobytes()}]}

    waste_write(model=model(least, most), path=path)
    assert waste_tensor(path=path, name="t").tolist() == [least, most]
    for wrong in ([least - 1, 0], [0, most + 1]) if fmt != 2 else []:
        kind, names = refusal(waste_write, model=model(*wrong), path=path)
        assert (kind, names["tensor"]) == ("out-of-range", "t")
        assert names["value"] == min(wrong, key=lambda code: -abs(code))


def test_float32_values_are_stored_bit_for_bit(path):
    """Not-a-numbers and infinities included, from an array of any layout."""
    patterns = np.array(
        [[0x7F800001, 0xFFC12345, 0x00000001], [0x80000000, 0x7F800000, 0x3F800000]], np.uint32
    )
    values = np.asfortranarray(patterns.view(np.float32))
    tensor = {"name": "t", "fmt": 0, "shape": [2, 3], "values": values}
    waste_write(model={"config": description(dense())["config"], "trunk": [tensor]}, path=path)
    assert waste_tensor(path=path, name="t").view(np.uint32).tolist() == patterns.tolist()


def test_sidecars_and_unknown_keys_of_config_are_carried(path):
    """Config is verbatim, _outer included; sidecars are files beside the others."""
    given = edited(description(tiny()), "config", "_outer", value={"num_hidden_layers": 99, "x": [1, None]})
    sidecars = {"tokenizer.model": b"\x00tokens", "chat/template.jinja": b"{{}}"}
    waste_write(model={**given, "sidecars": sidecars}, path=path)
    assert json.loads(Path(path, "manifest.json").read_text())["config"] == given["config"]
    assert {name: Path(path, name).read_bytes() for name in sidecars} == sidecars


GROWN = {"layers": 4, "dense": 1}
"""The tiny container with one layer more."""


def grown():
    return made(**GROWN)


def test_a_late_layer_is_added_behind_the_books_in_place(path):
    """What was there stays byte for byte, bases included, and only the late layer was given."""
    waste_write(model=description(tiny()), path=path)
    before = tree(path)
    given = {**description(grown(), layers=(3,)), "resume": True}
    answer = waste_write(model=given, path=path)
    after = tree(path)
    assert answer["written"] == ["experts-L3.bin", "codebooks.bin", "manifest.json"]
    assert sorted(answer["unchanged"]) == ["experts-L1.bin", "experts-L2.bin", "trunk.bin"]
    assert after["codebooks.bin"].startswith(before["codebooks.bin"])
    assert {name: after[name] for name in grown().files} == grown().files
    bases = {layer: bank["codebook_base"] for layer, bank in waste_open(path=path)["layers"].items()}
    assert bases == {"1": 0, "2": 9, "3": 18}
    assert waste_verify(path=path)["defects"] == []


def test_a_layer_that_is_done_keeps_what_it_has(path):
    """Whatever a resume says of it: its base and its records are what they were."""
    waste_write(model=description(tiny()), path=path)
    before = tree(path)
    other = {**description(made(seed="other")), "resume": True}
    other.pop("trunk")
    assert waste_write(model=other, path=path)["written"] == []
    assert tree(path) == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: Path(path, "experts-L2.bin").unlink(),
        lambda path: os.truncate(Path(path, "experts-L2.bin"), 4096 + 7),
        lambda path: os.truncate(Path(path, "codebooks.bin"), 14 * BOOK + 5),
        lambda path: os.truncate(Path(path, "codebooks.bin"), 9 * BOOK),
        lambda path: Path(path, "experts-L2.bin").write_bytes(bytes(3 * 4096)),
        lambda path: shutil.copy(Path(path, "experts-L1.bin"), Path(path, "experts-L2.bin")),
    ],
)
def test_what_is_not_done_is_written_anew(path, refusal, damage):
    """A torn or missing bank, or one without its books, comes back as it was, with its base."""
    waste_write(model=description(tiny()), path=path)
    whole = tree(path)
    damage(path)
    torn = tree(path)
    alone = {**description(tiny(), layers=(1,)), "resume": True}
    refusal(waste_write, model=alone, path=path)
    assert tree(path) == torn
    given = {**description(tiny(), layers=(2,)), "resume": True}
    written = waste_write(model=given, path=path)["written"]
    assert tree(path) == whole
    assert written == [name for name in written if torn.get(name) != whole[name]]
    assert waste_verify(path=path)["defects"] == []


def test_all_books_lost_come_back_where_they_were(path):
    """Every layer is given again, and no base changes."""
    waste_write(model=description(tiny()), path=path)
    whole = tree(path)
    Path(path, "codebooks.bin").unlink()
    waste_write(model={**description(tiny()), "resume": True}, path=path)
    assert tree(path) == whole


def test_other_books_than_those_in_place_come_behind(path):
    """A lost bank whose layer has new books leaves the old books alone: they may be somebody's."""
    waste_write(model=description(tiny()), path=path)
    before = tree(path)
    Path(path, "experts-L1.bin").unlink()
    other = made(seed="other")
    waste_write(model={**description(other, layers=(1,)), "resume": True}, path=path)
    assert tree(path)["codebooks.bin"].startswith(before["codebooks.bin"])
    opened = waste_open(path=path)
    assert opened["layers"]["1"]["codebook_base"] == 18
    assert opened["codebooks"]["count"] == 27
    for expert in range(3):
        weights = waste_matrix(path=path, layer=1, expert=expert, matrix="up")
        assert weights.tobytes() == other.weights(1, expert, "up").tobytes()
    assert waste_verify(path=path)["defects"] == []


@pytest.mark.parametrize(
    ("key", "value"), [("stages", 2), ("vec_dim", 4), ("entries", 17), ("index_block", 64)]
)
def test_one_container_has_one_width(path, refusal, key, value):
    """A resume with another setting is refused with both, and changes nothing."""
    waste_write(model=description(tiny()), path=path)
    before = tree(path)
    other = {**description(tiny()), "resume": True}
    other["expert_quant"] = {**other["expert_quant"], key: value}
    expected = before and json.loads(before["manifest.json"])["expert_quant"][key]
    answer = refusal(waste_write, model=other, path=path)
    assert answer == ("settings-mismatch", {"field": key, "expected": expected, "found": value})
    assert tree(path) == before
    packed_quant = Quant(stages=4, vec_dim=8, entries=64, index_bits=6).document()
    other["expert_quant"] = {key: packed_quant[key] for key in ("stages", "vec_dim", "entries", "index_bits")}
    assert refusal(waste_write, model=other, path=path)[0] == "settings-mismatch"


def test_a_resume_of_nothing_is_a_fresh_write(path):
    """No manifest, no container: nothing is made up from the names of files."""
    waste_write(model=description(tiny()), path=path)
    whole = tree(path)
    Path(path, "manifest.json").unlink()
    assert waste_write(model={**description(tiny()), "resume": True}, path=path)["written"] == [
        "manifest.json"
    ]
    assert tree(path) == whole


def test_a_manifest_that_says_the_same_is_left_as_it_is_written(path):
    """Other spacing and keys that the format does not know survive a resume."""
    model = tiny().with_manifest(("note",), {"a": 1}).with_quant("bits_per_weight", 3)
    model.folder.write_to(Path(path))
    before = tree(path)
    assert waste_write(model={**description(model), "resume": True}, path=path)["written"] == []
    assert tree(path) == before
    changed = {**description(model), "resume": True, "arch": "other"}
    assert waste_write(model=changed, path=path)["written"] == ["manifest.json"]
    document = json.loads(Path(path, "manifest.json").read_text())
    assert document == {**json.loads(before["manifest.json"]), "arch": "other"}


def test_more_books_than_records_can_number(path, refusal):
    """Books that no layer names count as well."""
    quant = Quant(stages=1, vec_dim=1, entries=1)
    model = made(quant=quant, inner=1, width=1, experts=1, layers=1, dense=0)
    model.folder.write_to(Path(path))
    book = model.files["codebooks.bin"][:18]
    Path(path, "codebooks.bin").write_bytes(model.files["codebooks.bin"] + book * (65536 - 3 - 3))
    later = made(quant=quant, inner=1, width=1, experts=1, layers=3, dense=0)
    one = {**description(later, layers=(1,)), "resume": True}
    one["config"] = {**one["config"], "num_hidden_layers": 2}
    both = {**description(later, layers=(1, 2)), "resume": True}
    kind, names = refusal(waste_write, model=both, path=path)
    assert (kind, names["field"], names["value"]) == ("out-of-range", "codebooks", 65539)
    waste_write(model=one, path=path)
    assert waste_open(path=path)["codebooks"]["count"] == 65536
    assert waste_verify(path=path)["defects"] == []


def test_lazily_read_data_of_the_same_path(path):
    """What is given may be maps of the very files that are replaced."""
    waste_write(model=description(tiny()), path=path)
    mapped = np.memmap(Path(path, "codebooks.bin"), np.uint8, "r")
    halves = [mapped[number * BOOK + 16 : (number + 1) * BOOK] for number in range(9)]
    swapped = edited(description(tiny()), "layers", "1", "codebooks", value=halves[::-1])
    elsewhere = f"{path}-elsewhere"
    waste_write(model=swapped, path=elsewhere)
    waste_write(model=swapped, path=path)
    assert tree(path) == tree(elsewhere)


IN_TURN = """
import sys
from vindex3_fixtures.waste.description import description
from vindex3_fixtures.waste.make import made
from vindex3_reference.waste.verbs import waste_write
model = description(made(seed=sys.argv[2]))
for _ in range(20):
    waste_write(model=model, path=sys.argv[1])
"""


def test_two_writers_at_one_path(path):
    """Each waits for the other: what stands there in the end is the whole of one of them."""
    writers = [subprocess.Popen([sys.executable, "-c", IN_TURN, path, seed]) for seed in ("a", "b")]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    found = tree(path)
    found.pop("manifest.json")
    assert found in [made(seed=seed).files for seed in ("a", "b")]
    assert waste_verify(path=path)["defects"] == []
