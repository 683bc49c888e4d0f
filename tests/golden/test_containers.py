"""The pinned containers as a set: one fault each, digests of their own bytes, and tools that say so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from vindex3_fixtures.goldens import goldens
from vindex3_fixtures.recorded import misrecorded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTAINERS = [
    name
    for name, golden in goldens().items()
    if golden.path.is_dir() and "file index.json\n" in golden.source
]
WITH_TWIN = [name for name in CONTAINERS if goldens()[name].twin]
RECORDED = ("tensor_count", "payload_bytes", "payload_sha256", "segment_sha256")
IN_TWO_PLACES = {
    "container/digests_swapped": ["payload_sha256", "segment_sha256"],
    "container/key_not_joined": ["target.final_norm", "target.final_norm@F32"],
}
"""Keys of the index under which a fault shows that cannot show in one place."""


def files_of(folder: Path) -> dict[str, bytes]:
    """The files below a folder by their path."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def places(one: Any, other: Any, way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where two documents part: the ways to members that one of them lacks or has otherwise."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from places(one.get(key), other.get(key), (*way, key))
    elif one != other:
        yield way


@pytest.mark.parametrize("name", WITH_TWIN)
def test_a_wrong_container_differs_from_its_twin_in_one_file(name: str) -> None:
    """One file differs or is missing; the index is another only in what it records of that file."""
    golden = goldens()[name]
    files, twin = files_of(golden.path), files_of(goldens()[golden.twin or ""].path)
    other = [file for file in {*files, *twin} - {"index.json"} if files.get(file) != twin.get(file)]
    assert len(other) <= 1
    try:
        index = json.loads(files["index.json"])
    except ValueError:
        assert not other
        return
    ways = list(places(index, json.loads(twin["index.json"])))
    if other and name not in IN_TWO_PLACES:
        assert {way[-1] for way in ways} <= set(RECORDED)
    else:
        assert sorted(way[-1] for way in ways) == IN_TWO_PLACES.get(name, [way[-1] for way in ways[:1]])
    assert other or ways or files["index.json"] != twin["index.json"]


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_typed_digest_is_that_of_its_bytes(name: str) -> None:
    """Every digest of an index is right, but for those that the golden says do not hold."""
    golden = goldens()[name]
    assert misrecorded(golden.path, golden.path.with_name("expected.json")) == []


def container(folder: Path, **entry: object) -> tuple[Path, Path]:
    """A container of one segment with an empty header, and a question that expects both digests to hold."""
    (folder / "c").mkdir()
    (folder / "c/a.bin").write_bytes(bytes(8) + b"payload")
    written = {"representations": {"a@F32": {"segment": "a.bin", **entry}}}
    (folder / "c/index.json").write_text(json.dumps(written), encoding="utf-8")
    told = {"representation": "a@F32", "payload_ok": True, "segment_ok": True}
    request = {"verb": "container.verify", "arguments": {}, "answer": {"entries": [told]}}
    (folder / "expected.json").write_text(json.dumps({"requests": [request]}), encoding="utf-8")
    return folder / "c", folder / "expected.json"


PAYLOAD = "239f59ed55e737c77147cf55ad0c1b030b6d7ee748a7426952f9b852d5a935e5"


def test_the_right_value_of_a_wrong_digest_is_said(tmp_path: Path) -> None:
    """A digest that is typed wrong is named with the value that the bytes give."""
    wrong = "0" * 64
    [payload, whole] = misrecorded(*container(tmp_path, payload_sha256=wrong, segment_sha256=wrong))
    assert payload == f"payload_sha256 of a@F32 is {wrong}, and the bytes give {PAYLOAD}"
    assert whole.startswith(f"segment_sha256 of a@F32 is {wrong}, and the bytes give ")


def test_a_digest_that_should_not_hold_must_differ(tmp_path: Path) -> None:
    """Where the answer says that a digest does not hold, the right one is a mistake."""
    folder, expected = container(tmp_path, payload_sha256=PAYLOAD, segment_sha256=PAYLOAD)
    text = expected.read_text(encoding="utf-8").replace('_ok": true', '_ok": false')
    expected.write_text(text, encoding="utf-8")
    assert misrecorded(folder, expected) == [f"payload_sha256 of a@F32 is {PAYLOAD}, and payload_ok is false"]


def test_what_cannot_be_read_records_nothing(tmp_path: Path) -> None:
    """Without an index, or with one that is no JSON, there is no digest to compare."""
    folder, expected = container(tmp_path, payload_sha256="", segment_sha256="")
    (folder / "index.json").write_text("{", encoding="utf-8")
    assert misrecorded(folder, expected) == []
    (folder / "index.json").unlink()
    assert misrecorded(folder, expected) == []
