"""moe_manifest.json among the formats: recognised, shown line by line, with both capabilities."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vindex3.formats import Inspects, Verifies, detect, dump, dump_text, formats
from vindex3_fixtures.annotated import assemble
from vindex3_fixtures.goldens import goldens

MANIFESTS = [
    path
    for golden in goldens().values()
    if golden.name.startswith("moe/")
    for path in ([golden.path] if golden.path.is_file() else sorted(golden.path.glob("moe_manifest.json")))
]


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.parent.name)
def test_a_manifest_is_recognised_and_survives(path: Path) -> None:
    """Every golden, broken ones included, is recognised by its name, and its dump gives it back."""
    assert detect(path) is formats()["moe_manifest"]
    assert assemble(dump_text(path)) == path.read_bytes()


@pytest.mark.parametrize(
    ("data", "known"),
    [
        (b'{"schema_version": 1, "layers": []}', True),
        (b'\n {\n"schema_version" : 7 ,\n"layers":[', True),
        (b'{"schema_version": 1, "layers": {"1": {}}}', False),
        (b'{"schema_version": 4, "tensors": []}', False),
        (b'{"layers": [], "schema_version": 1}', False),
    ],
)
def test_a_document_is_recognised_by_its_beginning(data: bytes, known: bool) -> None:
    """Version and list of layers, in this order, make a manifest; other documents are not taken for one."""
    assert (detect(data) is formats()["moe_manifest"]) is known


def test_lines_of_text_have_their_numbers() -> None:
    """Each line of text begins a line of the dump, whatever its length and however it ends."""
    data = b'{"a":\r\n' + b" " * 20 + b"1\n\n}"
    assert [line.text(4) for line in dump(data, form="moe_manifest")] == [
        '   0  7B 22 61 22 3A 0D 0A     ; line 1 = {"a":..',
        "   7  20 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20  ; line 2 =                 ",
        "  23  20 20 20 20 31 0A        ; +16 =     1.",
        "  29  0A                       ; line 3 = .",
        "  30  7D                       ; line 4 = }",
    ]
    assert [line.text(4) for line in dump(b"", form="moe_manifest")] == ["; no bytes"]


def test_lines_are_found_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a document is read in parts, lines end at their line feeds alone."""
    monkeypatch.setattr("pytest_vindex3.formats._document._AT_ONCE", 3)
    fields = [(line.offset, line.length) for line in dump(b"abcd\nef\n\nghi", form="moe_manifest")]
    assert fields == [(0, 5), (5, 3), (8, 1), (9, 3)]


def test_both_formats_describe_and_judge() -> None:
    """Layer files and manifests have both capabilities; several layer files make up a layer."""
    lyrw, manifest = formats()["lyrw"], formats()["moe_manifest"]
    assert isinstance(lyrw, Inspects)
    assert isinstance(manifest, Inspects)
    assert isinstance(lyrw, Verifies)
    assert isinstance(manifest, Verifies)
    assert (lyrw.whole, lyrw.binds, manifest.whole, manifest.binds) == ("layer", False, "", True)
