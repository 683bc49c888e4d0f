"""Pinned WASTE containers as a set: one fault each, dumps that give them back, a writer that makes them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_vindex3.contract.difference import first_difference
from pytest_vindex3.formats import detect, dump_text
from vindex3_fixtures.annotated import assemble
from vindex3_fixtures.checksums import mistyped
from vindex3_fixtures.goldens import Golden, goldens
from vindex3_reference.waste.verbs import waste_open, waste_write

if TYPE_CHECKING:
    from pathlib import Path

WASTE = {name: golden for name, golden in goldens().items() if name.startswith("waste/")}
LAID_ANEW = ("waste/longer_regions",)
"""Goldens with a twin of the same content whose regions all lie elsewhere."""
WITH_TWIN = [golden for name, golden in WASTE.items() if golden.twin and name not in LAID_ANEW]
CHECKSUM = range(36, 40)
MATRICES = ("gate", "up", "down")
AS_WRITTEN = (
    "worked",
    "vq3r_blocked",
    "vq3r_row_major",
    "vq4p_blocked",
    "vq4p_row_major",
    "unsigned_bytes",
    "eight_stages",
    "halves_at_their_ends",
    "trunk_f32",
)
"""Goldens in which every byte is one that a writer chooses."""


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of a container by their name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def places(one: Any, other: Any, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where two documents part: the ways to members that one of them lacks or has otherwise."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from places(one.get(key), other.get(key), (*way, key))
    elif isinstance(one, list) and isinstance(other, list) and way[-1:] != ("shape",):
        for at, pair in enumerate(zip_longest(one, other)):
            yield from places(*pair, (*way, at))
    elif one != other:
        yield way


@pytest.mark.parametrize("golden", [pytest.param(one, id=one.name) for one in WITH_TWIN])
def test_a_wrong_container_differs_from_its_twin_in_one_place(golden: Golden) -> None:
    """One file is another, in one member, within eight bytes, or by its end."""
    files, twin = files_of(golden.path), files_of(goldens()[golden.twin or ""].path)
    [name] = [name for name in {*files, *twin} if files.get(name) != twin.get(name)]
    found, legal = files.get(name, b""), twin[name]
    if name == "manifest.json" and found:
        assert len(list(places(json.loads(found), json.loads(legal)))) <= 1
    elif len(found) == len(legal):
        differs = [at for at, pair in enumerate(zip(found, legal, strict=True)) if pair[0] != pair[1]]
        alone = [at for at in differs if at not in CHECKSUM] or differs
        assert alone[-1] - alone[0] < 8
    else:
        shorter = min(len(found), len(legal))
        assert found[:shorter] == legal[:shorter]


@pytest.mark.parametrize("name", list(WASTE))
def test_a_typed_checksum_is_that_of_its_bytes(name: str) -> None:
    """Every record has the checksum of its payload, but for those that are listed as a mismatch."""
    assert mistyped(WASTE[name].path, WASTE[name].path.with_name("expected.json")) == []


def changed(name: str, folder: Path, expert: int, checksum: int) -> list[str]:
    """What is said of a golden in whose first bank the record of an expert has another checksum."""
    home = shutil.copytree(WASTE[name].path.parent, folder / "golden")
    path = home / "container" / "experts-L1.bin"
    data = bytearray(path.read_bytes())
    data[4096 * expert + 36 : 4096 * expert + 40] = checksum.to_bytes(4, "little")
    path.write_bytes(data)
    return mistyped(home / "container", home / "expected.json")


def test_the_right_checksum_of_a_wrong_one_is_said(tmp_path: Path) -> None:
    """A checksum that is typed wrong is named by its record, with the one that the bytes give."""
    said = changed("waste/two_experts", tmp_path, 1, 0x12345678)
    assert said == ["crc32 of record 1/1 is 0x12345678, and the bytes give 0x0E4C854E"]


def test_a_mismatch_must_be_one(tmp_path: Path) -> None:
    """Where verification lists a mismatch, the right checksum is a mistake."""
    assert changed("waste/checksum_changed", tmp_path, 0, 0xCA68BF2A) == [
        "crc32 of record 1/0 is 0xCA68BF2A, and checksum-mismatch is listed"
    ]


def test_a_manifest_without_its_bank_is_told(tmp_path: Path) -> None:
    """Checksums that cannot be found are no reason to be silent."""
    home = shutil.copytree(WASTE["waste/worked"].path.parent, tmp_path / "golden")
    (home / "container" / "experts-L0.bin").unlink()
    [said] = mistyped(home / "container", home / "expected.json")
    assert said.startswith("its checksums cannot be found: FileNotFoundError(")


def dumped() -> Iterator[Any]:
    """The files of goldens that have a format of their own, with its name."""
    forms = {"codebooks.bin": "waste_codebooks", "usage.waste": "waste_usage"}
    for golden in WASTE.values():
        for path in sorted(golden.path.iterdir()):
            bank = "waste_bank" if path.suffix != ".json" and path.name != "trunk.bin" else None
            form = forms.get(path.name, bank)
            if form:
                yield pytest.param(path, form, id=f"{golden.name}-{path.name}")


@pytest.mark.parametrize(("path", "form"), list(dumped()))
def test_a_dump_gives_the_file_back(path: Path, form: str) -> None:
    """Records, codebooks and statistics are shown by their own format, and assemble from what is shown."""
    assert detect(path).name == form
    assert assemble(dump_text(path)) == path.read_bytes()


def described(it: Any) -> dict[str, Any]:
    """What waste.write makes a container of, from its second description."""
    quant = {key: value for key, value in it.quant.items() if key not in ("bits_per_weight", "fmt")}
    kept = {key: it.manifest[key] for key in ("arch", "tensor_prefix", "config")}
    return {
        **kept,
        **({"expert_quant": quant} if it.layers() else {}),
        "layers": {str(layer): layer_of(it, layer) for layer in it.layers()},
        "trunk": [
            {"name": one["name"], "fmt": 0, "shape": one["shape"], "values": it.tensor(one["name"])}
            for one in it.manifest["trunk"]
        ],
    }


def layer_of(it: Any, layer: int) -> dict[str, Any]:
    books = [it.book(number) for number in range(3 * it.quant["stages"])]
    experts = [
        {
            kind: {
                "indices": np.array(it.indices(layer, expert, kind), np.uint8).tobytes(),
                "scales": np.array(it.scales(layer, expert, kind), "<u2").tobytes(),
            }
            for kind in MATRICES
        }
        for expert in range(it.config["num_experts"])
    ]
    return {"codebooks": [np.array(book.halves, "<u2").tobytes() for book in books], "experts": experts}


@pytest.mark.parametrize("name", AS_WRITTEN)
def test_a_writer_makes_it(name: str, second: Callable[[Path], Any], tmp_path: Path) -> None:
    """The reference writes trunk, codebooks and banks byte for byte from what the second reading found."""
    pinned = WASTE[f"waste/{name}"].path
    waste_write(model=described(second(pinned)), path=str(tmp_path / "written"))
    written, legal = files_of(tmp_path / "written"), files_of(pinned)
    del written["manifest.json"], legal["manifest.json"]
    assert written == legal
    told, wanted = (waste_open(path=str(folder)) for folder in (tmp_path / "written", pinned))
    assert first_difference(wanted["layers"], told["layers"]) is None
    assert first_difference(wanted["trunk"], told["trunk"]) is None
