"""`vindex3 verify`: lines, folding, layers, manifests, exit codes, progress."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from pytest_vindex3.command import _progress
from vindex3_fixtures.goldens import goldens
from vindex3_fixtures.real.layer_files import good, malformed

SPLIT = goldens()["moe/split_layer"].path


@pytest.fixture
def layer(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a real file by its name."""

    def copy(name: str) -> Path:
        path = tmp_path / f"{name}.lyrw"
        path.write_bytes(good()[name].data if name in good() else malformed()[name])
        return path

    return copy


def test_a_defect_is_a_line(layer: Callable[[str], Path], run: Callable[..., Any]) -> None:
    """A line has file, kind and facts; then come the number of each kind and what the law says it means."""
    path = layer("length_one_past_end")
    assert run("verify", path) == (
        1,
        f"{path}: region-out-of-bounds bank_id=7 entry=1 schema_index=1 role=down offset=1152 length=193"
        " file_length=1344\n"
        f"{path}: region-length-mismatch bank_id=7 entry=1 schema_index=1 role=down format=f16 length=193"
        " expected=192\n"
        f"{path}: 2 defects\n"
        "  region-out-of-bounds          1  A row's offset and length leave the file.\n"
        "  region-length-mismatch        1  A region's length is not the one that its format, packing, rows"
        " and cols give.\n",
        "",
    )


def test_both_sides_of_an_overlap_are_on_its_line(
    layer: Callable[[str], Path], run: Callable[..., Any]
) -> None:
    """The facts of the other region stand on the same line."""
    text = run("verify", layer("offset_misaligned_32")).out
    [line] = [line for line in text.splitlines() if ": overlap " in line]
    assert "offset=192" in line
    assert "other.entry=0" in line
    assert "other.offset=544" in line


def test_many_alike_are_folded(layer: Callable[[str], Path], run: Callable[..., Any]) -> None:
    """Ten defects of a kind are listed, then the last with the number of those left out; --all lists all."""
    path = layer("offset_zero")
    bare = [offset for offset in range(384, 576) if malformed()["offset_zero"][offset]]
    lines = run("verify", path).out.splitlines()
    padding = [line for line in lines if ": non-zero-padding " in line]
    assert padding[:10] == [f"{path}: non-zero-padding offset={offset}" for offset in bare[:10]]
    assert padding[10:] == [
        f"{path}: non-zero-padding offset={bare[-1]} is the last of {len(bare) - 10} more; --all lists them"
    ]
    assert f"{path}: {len(bare) + 1} defects" in lines
    every = run("verify", "--all", path).out.splitlines()
    assert [line for line in every if ": non-zero-padding " in line] == [
        f"{path}: non-zero-padding offset={offset}" for offset in bare
    ]


def test_files_of_two_layers_are_no_layer(layer: Callable[[str], Path], run: Callable[..., Any]) -> None:
    """Several files are one layer; with --each they are clean by themselves, and the end says so."""
    files = (layer("split_seg0"), layer("dense_f32"))
    done = run("verify", *files)
    assert done.code == 1
    assert f"{files[1]}: layer-mismatch logical_layer=3 other=37\n" in done.out
    assert done.out.endswith("These files are taken for one layer; --each judges every file by itself.\n")
    assert run("verify", "--each", *files) == (
        0,
        f"{files[0]}: clean\n{files[1]}: clean\n2 clean\n",
        "",
    )
    assert run("verify", "--each", files[0], files[0]).out.endswith("\n2 clean\n")


def test_the_gravest_outcome_is_the_exit_code(layer: Callable[[str], Path], run: Callable[..., Any]) -> None:
    """One refused file among clean and damaged ones makes the exit code 3; all are judged all the same."""
    done = run("verify", "--each", layer("version_0"), layer("dense_f32"), layer("rows_too_large"))
    assert done.code == 3
    assert done.out.endswith("1 clean, 1 with defects, 1 refused\n")
    assert run("verify", layer("split_seg0"), layer("version_0")).code == 3


def test_a_listed_file_that_is_not_there_is_refused(
    layer: Callable[[str], Path], tmp_path: Path, run: Callable[..., Any]
) -> None:
    """A file of the layer that is missing is refused as such, and names its path."""
    done = run("verify", "--json", layer("split_seg0"), tmp_path / "gone.lyrw")
    assert done.code == 3
    refused = json.loads(done.out)["refused"]
    assert (refused["kind"], refused["names"]) == ("missing-file", {"path": str(tmp_path / "gone.lyrw")})


def test_a_manifest_is_judged_by_itself(run: Callable[..., Any]) -> None:
    """Every defect that the golden's expectation has is reported, in text and in JSON."""
    golden = goldens()["moe/many_defects"]
    expected = json.loads(golden.path.with_name("expected.json").read_text("utf-8"))["requests"][0]
    done = run("verify", "--json", golden.path)
    assert done.code == 1
    line = json.loads(done.out)
    assert line["files"] == [str(golden.path)]
    for wanted in expected["answer"]["defects"]:
        assert any(
            found["kind"] == wanted["kind"] and wanted["names"].items() <= found["names"].items()
            for found in line["defects"]
        )
    text = run("verify", golden.path).out
    assert f"{golden.path}: selection-exceeds-bank layer=1 selected=4294967296 available=4\n" in text


def test_a_manifest_is_judged_with_its_files(run: Callable[..., Any]) -> None:
    """With --segments the layer files of a key are judged too: whole, and with one of them left out."""
    manifest = SPLIT / "moe_manifest.json"
    first, second = SPLIT / "layer_012_0.lyrw", SPLIT / "layer_012_1.lyrw"
    assert run("verify", manifest, "--segments", f"layer_012={first},{second}").code == 0
    twice = ("--segments", f"layer_012={first}", "--segments", f"layer_012={second}")
    assert run("verify", manifest, *twice).code == 0
    done = run("verify", manifest, "--segments", f"layer_012={second}")
    assert done.code == 1
    assert "missing-region layer=12 bank_id=7 entry=1 role=down segment=layer_012\n" in done.out


def test_wrong_usage_ends_with_two(layer: Callable[[str], Path], run: Callable[..., Any]) -> None:
    """--segments without a manifest or without a key is wrong usage; no file is nothing examined."""
    path = layer("dense_f32")
    done = run("verify", path, "--segments", "a=b")
    assert (done.code, done.out) == (2, "")
    assert "--segments is for a moe_manifest.json, and there is none" in done.err
    assert run("verify", path, "--segments", "a").code == 2
    assert run("verify") == (5, "", "no file was examined\n")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_long_work_shows_its_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal stderr says what is judged, how much is done and what was read; a pipe gets nothing."""
    terminal, piped = _Terminal(), io.StringIO()
    monkeypatch.setattr(_progress, "PATIENCE", 0)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(sys, "stdout", piped)
    with _progress.watched(3) as watch:
        watch.begin("layer_000.lyrw")
        watch.begin("layer_001.lyrw")
        watch.tell(1 << 20, 2 << 20)
        until = time.monotonic() + 20
        while "layer_001.lyrw" not in terminal.getvalue() and time.monotonic() < until:
            time.sleep(0.02)
        click.echo("layer_000.lyrw: clean")
    assert piped.getvalue() == "layer_000.lyrw: clean\n"
    assert "layer_001.lyrw" in terminal.getvalue()
    assert "50%" in terminal.getvalue()
    if _progress.bytes_read() is not None:
        assert "B/s" in terminal.getvalue()
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    with _progress.watched(3) as watch:
        watch.begin("layer_000.lyrw")
    assert pipe.getvalue() == ""


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that is done before anyone waits for it leaves the terminal alone."""
    terminal = _Terminal()
    monkeypatch.setattr(_progress, "PATIENCE", 60)
    monkeypatch.setattr(sys, "stderr", terminal)
    with _progress.watched(1) as watch:
        watch.begin("layer_000.lyrw")
    assert terminal.getvalue() == ""
