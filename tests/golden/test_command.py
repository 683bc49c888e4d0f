"""`vindex3 golden list | check | export`."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from pytest_vindex3.command.golden import command
from vindex3_fixtures import goldens as loaders

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `vindex3 golden`."""
    result = CliRunner().invoke(command, arguments)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The goldens of an installation in which one byte of one file has changed."""
    folder = tmp_path / "damaged"
    shutil.copytree(loaders.root(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    path = folder / "lyrw/dense_f32_worked/dense_f32_worked.lyrw"
    data = bytearray(path.read_bytes())
    data[200] ^= 1
    path.write_bytes(data)
    monkeypatch.setattr(loaders, "root", lambda: folder)
    return folder


def test_list_has_a_line_for_every_golden() -> None:
    """Name, verdict and description stand in a line each."""
    code, text, _ = run("list")
    assert code == 0
    lines = text.splitlines()
    assert len(lines) == len(loaders.goldens())
    assert [line.split()[:2] for line in lines if line.startswith("lyrw/wrong_magic")] == [
        ["lyrw/wrong_magic", "refuse"]
    ]
    assert all(line.endswith(".") for line in lines)


def test_list_as_json_is_what_scripts_depend_on() -> None:
    """The object has path, sha256, clauses and verdict of each golden, and the path leads to these bytes."""
    code, text, _ = run("list", "--json")
    document = json.loads(text)
    assert code == 0
    assert list(document) == ["goldens"]
    assert {tuple(row) for row in document["goldens"]} == {("path", "sha256", "clauses", "verdict")}
    worked = next(row for row in document["goldens"] if "dense_f32_worked" in row["path"])
    assert worked["path"] == "lyrw/dense_f32_worked/dense_f32_worked.lyrw"
    assert worked["sha256"] == "58dde013980e15df3c875276d7a191c4302b5436dfdb64b6182912166fa762f6"
    assert worked["verdict"] == "accept"
    assert "LYRW-MAGIC-01" in worked["clauses"]


def test_check_says_how_many_are_whole() -> None:
    """Untouched goldens are counted, with exit code 0."""
    assert run("check") == (0, f"{len(loaders.goldens())} goldens are what was pinned\n", "")


def test_check_names_what_changed_and_exits_6(damaged: Path) -> None:
    """One changed byte breaks the integrity of the suite: the digest and the source both say so."""
    code, text, error = run("check")
    assert (code, text) == (6, "")
    assert error.splitlines()[:2] == [
        "lyrw/dense_f32_worked/dense_f32_worked.lyrw has changed",
        "lyrw/dense_f32_worked: the source does not give the pinned bytes",
    ]
    assert damaged.is_dir()


def test_export_copies_everything_that_the_manifest_lists(tmp_path: Path) -> None:
    """The folder stands alone: the manifest, every file it lists with its bytes, and no Python."""
    folder = tmp_path / "out" / "goldens"
    code, text, _ = run("export", str(folder))
    assert (code, text) == (0, f"copied to {folder}\n")
    rows = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["goldens"]
    listed = {name for row in rows for name in row["files"]}
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == listed | {"manifest.json"}
    assert loaders.changed(folder) == []


def test_export_overwrites_only_when_told(tmp_path: Path) -> None:
    """A folder with anything in it is left alone without --force, and what else lies in it stays with it."""
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    code, text, error = run("export", str(tmp_path))
    assert (code, text) == (2, "")
    assert "is not empty; --force writes into it all the same" in error
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    assert run("export", str(tmp_path), "--force")[0] == 0
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"
    assert (tmp_path / "manifest.json").exists()


def test_export_gives_out_nothing_that_cannot_be_trusted(damaged: Path, tmp_path: Path) -> None:
    """Damaged goldens are not copied; the exit code is that of suite integrity."""
    code, _, error = run("export", str(tmp_path / "out"))
    assert code == 6
    assert "not what was pinned" in error
    assert not (tmp_path / "out").exists()
    assert damaged.is_dir()


def test_export_to_a_place_that_cannot_be_written_is_usage(tmp_path: Path) -> None:
    """A folder that cannot be made is told with exit code 2."""
    (tmp_path / "file").write_bytes(b"")
    code, _, error = run("export", str(tmp_path / "file" / "below"))
    assert code == 2
    assert "cannot be written" in error
