"""Inputs that are folders: handed out, watched, kept and replayed like files."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from pytest_vindex3.contract.outcome import Answer, Fault, Reply
from pytest_vindex3.law.registry import clauses
from pytest_vindex3.plugin.check import Failure
from pytest_vindex3.plugin.facts import facts
from pytest_vindex3.plugin.inputs import Inputs
from pytest_vindex3.plugin.kept import Kept
from vindex3_fixtures.container import Folder
from vindex3_fixtures.lyrw import Bank, LyrwFile

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Project

MODEL = Folder({"index.json": b"{}", "segments/a.bin": b"1234", "empty": Folder()})

FOLDERS = """
from vindex3_fixtures.container import Folder

@clause("LYRW-HEADER-03")
def test_red(ask):
    folder = ask.file("model", Folder({"segments/a.bin": b"answer 1", "index.json": b"{}"}))
    reply = ask("lyrw.parse", path=f"{folder}/segments/a.bin")
    check("LYRW-HEADER-03", reply, answers(header={"logical_layer": 0, "flags": 2}))
"""

MEDDLER = """
import os
import obedient

def lyrw_parse(path):
    answer = obedient.lyrw_parse(path)
    os.truncate(path, 0)
    return answer
"""


def _truncate(model: Path) -> None:
    os.truncate(model / "segments/a.bin", 2)


def _unlink(model: Path) -> None:
    (model / "index.json").unlink()


def _replace(model: Path) -> None:
    (model / "index.json").rename(model / "other")
    (model / "index.json").write_bytes(b"[]")


def _rewrite(model: Path) -> None:
    with (model / "segments/a.bin").open("r+b") as file:
        file.write(b"9")


DEEDS: dict[Callable[[Path], None], str] = {
    _truncate: "changed model/segments/a.bin",
    _unlink: "removed model/index.json",
    _replace: "changed model/index.json",
}


def test_a_folder_is_written_whole(tmp_path: Path) -> None:
    """Files lie in their sub-folders, a folder among the contents is one, and nothing else is left."""
    inputs = Inputs(tmp_path / "test")
    path = inputs.put("model", MODEL)
    assert (path / "segments/a.bin").read_bytes() == b"1234"
    assert list((path / "empty").iterdir()) == []
    assert [one.name for one in inputs.folder().iterdir()] == ["model"]


def test_a_folder_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    """A second folder of one name has none of the first one's files, and a link's target stays as it was."""
    inputs = Inputs(tmp_path / "test")
    inputs.put("model", MODEL)
    path = inputs.put("model", Folder({"index.json": b"[]"}))
    assert [one.name for one in path.iterdir()] == ["index.json"]
    (tmp_path / "precious").mkdir()
    (inputs.folder() / "linked").symlink_to(tmp_path / "precious")
    inputs.put("linked", MODEL)
    assert not list((tmp_path / "precious").iterdir())


@pytest.mark.parametrize("deed", list(DEEDS))
def test_a_file_in_a_folder_is_watched(tmp_path: Path, deed: Callable[[Path], None]) -> None:
    """What an implementation does to a file in a folder is told of, and put back for a replay."""
    inputs = Inputs(tmp_path / "test")
    path = inputs.put("model", MODEL)
    before = inputs.look()
    deed(path)
    inputs.compare(before, "container.open", {"path": str(path)})
    assert inputs.told() == DEEDS[deed]
    inputs.restore()
    assert (path / "index.json").read_bytes() == b"{}"
    assert (path / "segments/a.bin").read_bytes() == b"1234"


def test_a_change_that_leaves_no_trace_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other bytes of one length within a tick of the clock are told of as a changed folder, and put back."""
    monkeypatch.setattr("pytest_vindex3.plugin.inputs._state", lambda status: (status.st_mode, 1, 0))
    inputs = Inputs(tmp_path / "test")
    path = inputs.put("model", MODEL)
    before = inputs.look()
    _rewrite(path)
    inputs.compare(before, "container.open", {"path": str(path)})
    assert inputs.deeds == {}
    inputs.restore()
    assert inputs.deeds == {"model": "changed"}
    assert (path / "segments/a.bin").read_bytes() == b"1234"


def test_the_next_folder_of_a_name_keeps_what_is_alike(tmp_path: Path) -> None:
    """Only the files that differ are written, as new ones: who holds the former open still sees it."""
    inputs = Inputs(tmp_path / "test")
    path = inputs.put("model", MODEL)
    kept = (path / "segments/a.bin").stat()
    with (path / "index.json").open("rb") as former:
        inputs.compare(inputs.look(), "container.open", {"path": str(path)})
        inputs.put("model", MODEL.with_file("index.json", b"[]").with_file("new/b", b"b"))
        assert former.read() == b"{}"
    assert (path / "segments/a.bin").stat() == kept
    assert ((path / "index.json").read_bytes(), (path / "new/b").read_bytes()) == (b"[]", b"b")


@pytest.mark.parametrize("deed", [*DEEDS, lambda model: (model / "segments/stray").write_bytes(b"")])
def test_a_meddled_folder_is_written_anew(tmp_path: Path, deed: Callable[[Path], None]) -> None:
    """Nothing that an implementation did to a folder is left in the next one of its name."""
    inputs = Inputs(tmp_path / "test")
    path = inputs.put("model", MODEL)
    before = inputs.look()
    deed(path)
    inputs.compare(before, "container.open", {"path": str(path)})
    inputs.put("model", MODEL.with_file("c", b"c"))
    assert (path / "segments/a.bin").read_bytes() == b"1234"
    assert sorted(one.name for one in path.rglob("*")) == ["a.bin", "c", "empty", "index.json", "segments"]


def test_what_the_test_changes_in_a_folder_is_kept_as_changed(tmp_path: Path) -> None:
    """A file that the test itself changes between requests is no deed of the implementation."""
    inputs = Inputs(tmp_path / "test")
    path = inputs.put("model", MODEL)
    inputs.compare(inputs.look(), "container.open", {"path": str(path)})
    _truncate(path)
    inputs.compare(inputs.look(), "container.open", {"path": str(path)})
    inputs.restore()
    assert (inputs.deeds, (path / "segments/a.bin").read_bytes()) == ({}, b"12")


def test_a_container_rewritten_in_place_is_no_meddling(tmp_path: Path) -> None:
    """The folder that a verb is asked to write is written by right, with everything in it."""
    inputs = Inputs(tmp_path / "test")
    path = inputs.put("model", MODEL)
    before = inputs.look()
    _replace(path)
    inputs.compare(before, "container.rewrite", {"path": str(path), "out": str(path)})
    inputs.restore()
    assert (inputs.deeds, inputs.meddled, (path / "index.json").read_bytes()) == ({}, False, b"[]")


def test_folders_are_kept(tmp_path: Path) -> None:
    """Files lie in their folders, sparse ones included, and empty folders are there."""
    inputs = Inputs(tmp_path / "test")
    large = LyrwFile(banks=(Bank(),), length=1 << 30)
    inputs.put("model", MODEL.with_file("big.bin", large))
    kept = Kept(tmp_path).keep(inputs.place, "x")
    assert kept is not None
    assert (kept / "model/segments/a.bin").read_bytes() == b"1234"
    assert (kept / "model/empty").is_dir()
    assert (kept / "model/big.bin").stat().st_size == 1 << 30
    assert (kept / "model/big.bin").stat().st_blocks < 1000


def test_a_folder_is_replayed_where_it_is_kept(tmp_path: Path) -> None:
    """The path of a folder, and of a file in it, is named by the input, which a replay finds inputs."""
    inputs = Inputs(tmp_path / "test")
    path = inputs.put("model", MODEL)
    given = {"path": str(path), "out": str(path / "segments/a.bin")}
    reply = Reply("container.rewrite", given, Answer({}))
    failure = Failure(clauses()["LYRW-HEADER-03"], reply, fault=Fault("crash", ""))
    named = facts(failure, inputs.place)["arguments"]
    assert named == {"path": {"input": "model"}, "out": {"input": "model/segments/a.bin"}}


def test_a_failure_with_a_folder_can_be_replayed(project: Project) -> None:
    """The page's line names the kept folder, and asking it again gives the same answer."""
    run = project.suite("test_red", FOLDERS).run("--vindex3-impl=obedient", "test_red.py")
    (row,) = run.report.rows
    assert row.verdict == "fail"
    (line,) = [line for line in run.lines if "vindex3 call obedient" in line]
    assert f"path={row.inputs}/model/segments/a.bin" in line
    assert (project.folder / row.inputs / "model/index.json").read_bytes() == b"{}"
    words = shlex.split(line.partition("vindex3 ")[2])
    again = subprocess.run(
        [sys.executable, "-m", "pytest_vindex3.command", *words, "--json"],
        cwd=project.folder,
        capture_output=True,
        check=True,
    )
    assert json.loads(again.stdout)["answer"]["header"] == {"logical_layer": 0, "flags": 1}


def test_a_meddled_folder_is_kept_as_it_was_handed_out(project: Project) -> None:
    """The page says which file of the folder was changed, and the kept one is the one that was given."""
    project.write(meddler=MEDDLER)
    run = project.suite("test_red", FOLDERS).run("--vindex3-impl=meddler", "test_red.py")
    (row,) = run.report.rows
    assert (project.folder / row.inputs / "model/segments/a.bin").read_bytes() == b"answer 1"
    assert "may be    the implementation: it changed model/segments/a.bin" in run.out
