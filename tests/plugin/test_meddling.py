"""What an implementation does to its inputs: the kit neither waits for it, follows it nor believes it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vindex3.contract import fresh
from pytest_vindex3.plugin.inputs import Inputs
from pytest_vindex3.plugin.kept import Kept
from vindex3_fixtures.goldens import goldens

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Project

HERE = ("--vindex3-impl=meddler", "--vindex3-profile=quick")

MEDDLER = """
import os, shutil
import obedient

def lyrw_parse(path):
    answer = obedient.lyrw_parse(path)
    {deed}
    return answer
"""

DEEDS = {
    "fifo": "os.unlink(path); os.mkfifo(path)",
    "link": "os.unlink(path); os.symlink(os.path.abspath('precious'), path)",
    "folder": "os.unlink(path); os.makedirs(path + '/below')",
    "rmdir": "shutil.rmtree(os.path.dirname(path))",
    "unlink": "os.unlink(path)",
    "append": "open(path, 'a').write(' ')",
    "truncate": "os.truncate(path, 0)",
    "same_size": "open(path, 'r+').write('refuse')",
}

AGAIN = """
@clause("LYRW-HEADER-03")
def test_again(ask):
    for flags in (1, 2):
        reply = ask("lyrw.parse", path=ask.file("one.lyrw", b"answer %d" % flags))
        check("LYRW-HEADER-03", reply, answers(header={"logical_layer": 0, "flags": flags}))
"""

RED = """
@clause("LYRW-HEADER-03")
def test_red(ask):
    reply = ask("lyrw.parse", path=ask.file("one.lyrw", b"answer 1"))
    check("LYRW-HEADER-03", reply, answers(header={"logical_layer": 0, "flags": 2}))
"""

GOES_ON = """
import os

@clause("LYRW-HEADER-03")
def test_goes_on(ask):
    path = ask.file("one.lyrw", b"answer 12")
    check("LYRW-HEADER-03", ask("lyrw.parse", path=path), answers(header={"logical_layer": 0, "flags": 12}))
    os.truncate(path, 8)
    check("LYRW-HEADER-03", ask("lyrw.parse", path=path), answers(header={"logical_layer": 0, "flags": 1}))
"""


def meddling(project: Project, deed: str) -> Project:
    """The project, with an implementation that does this to its input after it has read it."""
    (project.folder / "precious").write_bytes(b"precious")
    return project.write(meddler=MEDDLER.format(deed=DEEDS[deed]))


@pytest.mark.parametrize("deed", list(DEEDS))
def test_an_input_is_written_anew_whatever_became_of_the_one_before(project: Project, deed: str) -> None:
    """A second input of the same name is right, and nothing outside the test's folder is touched."""
    run = meddling(project, deed).suite("test_again", AGAIN).run(*HERE, "test_again.py")
    assert run.verdict("test_again") == "pass"
    assert (project.folder / "precious").read_bytes() == b"precious"


@pytest.mark.parametrize("deed", list(DEEDS))
def test_what_is_kept_is_what_was_handed_out(project: Project, deed: str) -> None:
    """The kept input of a failure is the one that was given, and the page says what was done to it."""
    run = meddling(project, deed).suite("test_red", RED).run(*HERE, "test_red.py")
    (row,) = run.report.rows
    assert row.verdict == "fail"
    assert (project.folder / row.inputs / "one.lyrw").read_bytes() == b"answer 1"
    done = "removed" if deed in ("rmdir", "unlink") else "changed"
    assert f"may be    the implementation: it {done} one.lyrw" in run.out


def test_a_test_that_cannot_go_on_is_the_fault_of_the_one_who_meddled(project: Project) -> None:
    """An error of a removed input is a fault of the implementation, with exit code 1 and no traceback."""
    run = meddling(project, "rmdir").suite("test_goes_on", GOES_ON).run(*HERE, "test_goes_on.py")
    assert run.verdict("test_goes_on") == "fault"
    assert run.code == 1
    assert "damage    the implementation removed one.lyrw" in run.out
    assert "Traceback" not in run.out


def test_an_error_of_the_test_itself_stays_one(project: Project) -> None:
    """Where the implementation touched nothing, a file that is not there is an error of the suite."""
    body = GOES_ON.replace("os.truncate(path, 8)", "os.truncate(path + 'x', 8)")
    run = project.suite("test_goes_on", body).run("--vindex3-impl=obedient", "test_goes_on.py")
    assert run.verdict("test_goes_on") == "error"


def test_what_the_test_changes_is_kept_as_changed(tmp_path: Path) -> None:
    """An input that the test itself changes between requests is no deed of the implementation."""
    inputs = Inputs(tmp_path / "test")
    path = inputs.put("a", b"1234")
    inputs.compare(inputs.look(), "lyrw.parse", {"path": str(path)})
    os.truncate(path, 2)
    inputs.compare(inputs.look(), "lyrw.parse", {"path": str(path)})
    inputs.restore()
    assert (inputs.deeds, path.read_bytes()) == ({}, b"12")


def test_a_target_is_written_by_right(tmp_path: Path) -> None:
    """The file that a verb is asked to write is no input that was meddled with."""
    inputs = Inputs(tmp_path / "test")
    path = inputs.put("a", b"1234")
    before = inputs.look()
    path.write_bytes(b"written")
    inputs.compare(before, "lyrw.write", {"path": str(path)})
    inputs.restore()
    assert (inputs.deeds, inputs.meddled, path.read_bytes()) == ({}, False, b"written")


def test_content_that_writes_itself_takes_the_place_of_a_link(tmp_path: Path) -> None:
    """A sparse file replaces a planted link, and its target stays as it was."""

    class Sparse:
        def write_to(self, path: Path) -> None:
            with path.open("wb") as file:
                file.truncate(5)

    precious = tmp_path / "precious"
    precious.write_bytes(b"precious")
    inputs = Inputs(tmp_path / "test")
    (inputs.folder() / "a").symlink_to(precious)
    path = inputs.put("a", Sparse())
    assert (path.read_bytes(), path.is_symlink(), precious.read_bytes()) == (bytes(5), False, b"precious")
    assert [one.name for one in inputs.folder().iterdir()] == ["a"]


def test_a_folder_is_made_in_place_of_a_link(tmp_path: Path) -> None:
    """A link in the place of the test's folder is removed, and nothing is written where it led."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    inputs = Inputs(tmp_path / "test")
    inputs.place.symlink_to(elsewhere)
    inputs.put("a", b"1")
    assert not list(elsewhere.iterdir())


def test_a_golden_is_handed_out_in_place_of_what_was_planted(tmp_path: Path) -> None:
    """A FIFO, a link or a folder of a golden's name does not hold up its copy."""
    golden: Any = goldens()["lyrw/dense_f32_worked"]
    target = tmp_path / golden.path.name
    for plant in (os.mkfifo, os.mkdir, lambda path: path.symlink_to(tmp_path / "precious")):
        fresh.remove(target)
        plant(target)
        assert golden.hand_out(tmp_path).read_bytes() == golden.path.read_bytes()
    assert not (tmp_path / "precious").exists()


def test_what_is_planted_is_not_kept(tmp_path: Path) -> None:
    """Links and FIFOs beside the inputs are neither read nor copied."""
    folder = tmp_path / "inputs"
    folder.mkdir()
    (folder / "a").write_bytes(b"1")
    (folder / "link").symlink_to(folder / "a")
    os.mkfifo(folder / "fifo")
    kept = Kept(tmp_path).keep(folder, "planted")
    assert kept is not None
    assert [path.name for path in kept.iterdir()] == ["a"]


def test_a_folder_without_permissions_is_removed(tmp_path: Path) -> None:
    """Folders that deny everything are removed like any other."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "file").write_bytes(b"1")
    inner.chmod(0)
    (tmp_path / "a").chmod(0)
    fresh.remove(tmp_path / "a")
    assert not (tmp_path / "a").exists()
