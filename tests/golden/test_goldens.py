"""The goldens as a set: pinned, complete, one fault each, and handed out as copies."""

from __future__ import annotations

import hashlib
import json
import shutil
from typing import TYPE_CHECKING

import pytest

from pytest_vindex3.contract.difference import FreeOrder, HexDigits
from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.law.registry import clauses, kinds
from vindex3_fixtures import pin
from vindex3_fixtures.annotated import assemble, assemble_files
from vindex3_fixtures.goldens import Request, changed, digest, goldens, listed, root, sparse_files

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED = [name for name, golden in goldens().items() if not golden.made]
WITH_TWIN = [name for name in SHIPPED if goldens()[name].twin and goldens()[name].path.is_file()]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of all goldens that a test may damage."""
    folder = tmp_path / "goldens"
    shutil.copytree(root(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_everything_is_what_was_pinned() -> None:
    """Digests, manifest, sidecars and sources of the shipped goldens agree."""
    assert pin.problems(root()) == []
    assert (root() / "manifest.json").read_text(encoding="utf-8") == pin.manifest_text(root())


@pytest.mark.parametrize("name", SHIPPED)
def test_a_source_gives_its_bytes(name: str) -> None:
    """The annotated source assembles to the pinned bytes, whose SHA-256 is the manifest's."""
    golden = goldens()[name]
    if golden.path.is_dir():
        files = (path for path in golden.path.rglob("*") if path.is_file())
        contents = {path.relative_to(golden.path).as_posix(): path.read_bytes() for path in files}
        assert assemble_files(golden.source) == contents
        assert sum(map(len, contents.values())) == golden.length
        return
    data = golden.path.read_bytes()
    assert assemble(golden.source) == data
    assert hashlib.sha256(data).hexdigest() == golden.sha256
    assert len(data) == golden.length


@pytest.mark.parametrize("name", list(goldens()))
def test_a_golden_speaks_the_words_of_the_law(name: str) -> None:
    """Clauses, verbs, arguments, refusal kinds and facts of a golden are all defined."""
    golden = goldens()[name]
    assert set(golden.clauses) <= set(clauses())
    for request in golden.requests:
        implied = set() if golden.path.is_dir() else {"path"}
        assert set(request.arguments) <= set(verbs()[request.verb].arguments) - implied
        assert set(request.about) <= set(golden.clauses)
        assert all(clauses()[name].verb == request.verb for name in request.about)
        assert request.answer is not None or request.kind is not None
        if request.kind is not None:
            assert set(request.names) - {"defects"} <= set(kinds()[request.kind].names)


@pytest.mark.parametrize("name", list(goldens()))
def test_a_verdict_says_what_is_expected(name: str) -> None:
    """`either` has both outcomes everywhere, `refuse` a clause that refuses, and its twin is legal."""
    golden = goldens()[name]
    both = [request.answer is not None and request.kind is not None for request in golden.requests]
    refused = [request for request in golden.requests if request.answer is None]
    assert all(both) if golden.verdict == "either" else not any(both)
    if golden.verdict == "refuse":
        assert refused
    if golden.verdict != "accept":
        assert golden.twin is not None
        assert goldens()[golden.twin].verdict == "accept"


@pytest.mark.parametrize("name", WITH_TWIN)
def test_a_twin_differs_in_one_place(name: str) -> None:
    """A malformed golden is its twin cut short, continued, or changed within eight bytes."""
    golden = goldens()[name]
    data, twin = golden.path.read_bytes(), goldens()[golden.twin or ""].path.read_bytes()
    if name == "lyrw/version_1_header":
        assert (len(data), data[:4]) == (24, twin[:4])
    elif name == "lyrw/misaligned_region":
        row, moved = 136, slice(256, 280)
        assert data[257:281] == twin[moved]
        assert data[row + 1 : 256] + data[282:] == twin[row + 1 : 256] + twin[282:]
    elif len(data) != len(twin):
        shorter = min(len(data), len(twin))
        assert data[:shorter] == twin[:shorter]
    else:
        places = [place for place, (one, other) in enumerate(zip(data, twin, strict=True)) if one != other]
        assert places
        assert places[-1] - places[0] < 8


def test_the_worked_example_is_read_as_written() -> None:
    """Hexadecimal digits of expected.json become bytes, and lists whose order is free become such."""
    parse, gate, *_ = goldens()["lyrw/dense_f32_worked"].requests
    assert isinstance(parse.answer, dict)
    assert parse.answer["unknown"] == FreeOrder(())
    data = bytes.fromhex("0000803f000000400000404000008040 0000a0400000c040")
    arguments = {"bank_id": 0, "entry": 0, "schema_index": 0}
    assert gate == Request("lyrw.region", arguments, {"offset": 192, "length": 24, "data": data})
    magic = goldens()["lyrw/wrong_magic"].requests[0]
    assert magic.names == {"found": HexDigits("5752594C"), "expected": HexDigits("4C595257")}
    reserved = goldens()["lyrw/reserved_word"].requests[0].answer
    assert isinstance(reserved, dict)
    assert reserved["unknown"].ignored == {"where": "header", "field": "reserved", "value": 0xDEADBEEF}


def test_numbers_and_stretches_are_read_as_written() -> None:
    """The bits of an array become float32 in its shape, and a stretch of a pinned file its bytes."""
    golden = goldens()["waste/worked"]
    record = next(one.answer for one in golden.requests if one.verb == "waste.record")
    assert record is not None
    assert record["data"] == (golden.path / "experts-L0.bin").read_bytes()
    gate = next(one.answer for one in golden.requests if one.verb == "waste.matrix")
    assert (gate.dtype, gate.shape) == ("float32", (2, 2))
    assert gate.tobytes() == bytes.fromhex("00a02a44 efaebb3e 00000080 aaf2ff3e")


def test_a_stretch_beyond_the_file_is_no_expectation(copied: Path) -> None:
    """An answer cannot hold bytes that its golden does not have."""
    path = copied / "waste/worked/expected.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"offset": 0', '"offset": 1'), encoding="utf-8")
    golden = next(golden for golden in listed(copied) if golden.name == "waste/worked")
    with pytest.raises(ValueError, match=r"experts-L0\.bin has no 4096 bytes at 1"):
        assert golden.requests


def test_a_golden_is_handed_out_as_a_copy(tmp_path: Path) -> None:
    """What an implementation does to its copy leaves the pinned file alone, and the next copy is whole."""
    golden = goldens()["lyrw/dense_f32_worked"]
    first = golden.hand_out(tmp_path)
    assert first.parent == tmp_path
    first.write_bytes(b"repaired")
    assert golden.hand_out(tmp_path).read_bytes() == golden.path.read_bytes()
    assert digest(golden.path) == golden.sha256


def test_the_files_of_a_folder_are_named_in_its_questions(tmp_path: Path) -> None:
    """Wherever a question names a file of the golden, it asks for that file of the copy."""
    golden = goldens()["moe/split_layer"]
    folder = golden.hand_out(tmp_path)
    placed = golden.requests[0].placed(folder)
    paths = [str(folder / f"layer_012_{part}.lyrw") for part in (0, 1)]
    assert placed == {"path": str(folder / "moe_manifest.json"), "segments": {"layer_012": paths}}
    single = goldens()["moe/latent"].hand_out(tmp_path)
    assert goldens()["moe/latent"].requests[0].placed(single) == {"path": str(single)}


def test_a_made_golden_is_made_once(tmp_path: Path) -> None:
    """A golden beyond 4 GiB takes no room to speak of, and is not made a second time in one folder."""
    if not sparse_files(tmp_path):
        pytest.skip("the file system has no sparse files")
    golden = goldens()["lyrw/beyond_4gib"]
    path = golden.hand_out(tmp_path)
    status = path.stat()
    assert (path.name, status.st_size) == ("beyond_4gib.lyrw", 8589934608)
    assert status.st_blocks * 512 < 1 << 20
    assert golden.hand_out(tmp_path).stat().st_mtime_ns == status.st_mtime_ns
    with path.open("rb") as file:
        file.seek(4294967488)
        assert file.read(16) == bytes.fromhex("00005041 00006041 00007041 00008041")


@pytest.mark.parametrize(
    ("damage", "sentences"),
    [
        (
            lambda folder: (folder / "lyrw/all_roles/all_roles.lyrw").write_bytes(b""),
            ["lyrw/all_roles/all_roles.lyrw has changed"],
        ),
        (
            lambda folder: (folder / "lyrw/all_roles/expected.json").unlink(),
            ["lyrw/all_roles/expected.json is not there"],
        ),
        (
            lambda folder: (folder / "lyrw/all_roles/more.bin").write_bytes(b""),
            ["lyrw/all_roles/more.bin is not in the manifest"],
        ),
    ],
)
def test_damage_is_named(copied: Path, damage: object, sentences: list[str]) -> None:
    """A file that changed, is gone or was added is named; an unharmed copy has nothing to say."""
    assert changed(copied) == []
    damage(copied)  # type: ignore[operator]
    assert changed(copied) == sentences
    assert set(sentences) <= set(pin.problems(copied))


def test_a_manifest_that_cannot_be_read_is_named(copied: Path) -> None:
    """Without a manifest, or with one of another shape, nothing is trusted."""
    for text in ("{", "[]", '{"goldens": [{}]}'):
        (copied / "manifest.json").write_text(text, encoding="utf-8")
        assert [sentence.partition(":")[0] for sentence in changed(copied)] == [
            "manifest.json cannot be read"
        ]
    (copied / "manifest.json").unlink()
    assert changed(copied)[0].startswith("manifest.json cannot be read")


def test_a_stale_manifest_is_named(copied: Path) -> None:
    """A manifest whose words are not the sidecars' is named although every digest fits."""
    path = copied / "manifest.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"verdict": "either"', '"verdict": "accept"', 1))
    assert changed(copied) == []
    assert pin.problems(copied) == ["manifest.json is not what the sidecars give"]


def new_golden(folder: Path, source: str, **sidecar: object) -> Path:
    """A golden of one file, not pinned yet."""
    home = folder / "demo" / "one"
    home.mkdir(parents=True)
    facts = {"description": "One.", "verdict": "accept", "path": "one.bin", "clauses": [], **sidecar}
    home.joinpath("source.txt").write_text(source, encoding="utf-8")
    home.joinpath("expected.json").write_text('{"requests": []}', encoding="utf-8")
    home.joinpath("golden.toml").write_text("".join(f"{key} = {json.dumps(facts[key])}\n" for key in facts))
    return home


def test_pinning_adds_a_golden_and_touches_no_other(copied: Path) -> None:
    """A new source is assembled and listed; pinned bytes are replaced only by name."""
    before = {golden.name: golden.sha256 for golden in listed(copied)}
    home = new_golden(copied, "u16 7\n")
    assert pin.pin(copied) == ["demo/one"]
    assert (home / "one.bin").read_bytes() == b"\x07\x00"
    after = {golden.name: golden for golden in listed(copied)}
    assert {name: after[name].sha256 for name in before} == before
    assert (after["demo/one"].length, after["demo/one"].sha256) == (
        2,
        hashlib.sha256(b"\x07\x00").hexdigest(),
    )
    (home / "source.txt").write_text("u16 8\n", encoding="utf-8")
    with pytest.raises(pin.GoldenError, match="demo/one: the source does not give the pinned bytes"):
        pin.pin(copied)
    assert pin.pin(copied, ["demo/one"]) == ["demo/one"]
    assert pin.problems(copied) == []


def test_a_golden_can_be_a_folder(copied: Path, tmp_path: Path) -> None:
    """A source with several sections is pinned as a folder, digested by its files and copied whole."""
    new_golden(copied, "file a.json\n| {}\nfile b/c.bin\n0  01\n", path="container")
    assert pin.pin(copied) == ["demo/one"]
    golden = next(golden for golden in listed(copied) if golden.name == "demo/one")
    inner = {"a.json": b"{}\n", "b/c.bin": b"\x01"}
    lines = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in inner.items())
    assert golden.sha256 == hashlib.sha256(lines.encode()).hexdigest()
    assert golden.length == 4
    copy = golden.hand_out(tmp_path)
    assert (copy / "b" / "c.bin").read_bytes() == b"\x01"
    assert pin.problems(copied) == []
    (copied / "demo/one/container/b/c.bin").write_bytes(b"\x02")
    assert "demo/one: the source does not give the pinned bytes" in pin.problems(copied)


@pytest.mark.parametrize(
    ("sidecar", "what"),
    [
        ({"verdict": "perhaps"}, "verdict is one of accept, refuse, either"),
        ({"twin": "demo/none"}, "there is no twin 'demo/none'"),
        ({"surplus": 1}, "keys are"),
        ({"made": "one.bin"}, "keys are"),
    ],
)
def test_a_wrong_sidecar_is_refused(copied: Path, sidecar: dict[str, object], what: str) -> None:
    """A sidecar of other keys or words is refused with its place."""
    new_golden(copied, "u16 7\n", **sidecar)
    with pytest.raises(pin.GoldenError, match=what):
        pin.pin(copied)


def test_a_wrong_source_is_refused(copied: Path) -> None:
    """A source that does not assemble is refused with its golden and line."""
    new_golden(copied, "u16 7\n3  00\n")
    with pytest.raises(pin.GoldenError, match="demo/one: line 2: the offset column says 3"):
        pin.pin(copied)
