"""Files that are watched tell who opens them, and nothing of who does not."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_vindex3.plugin.check import NotRun
from vindex3_suites.representation.opens import Watch

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("a", "folder/b", "folder/c")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    for name in NAMES:
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


@pytest.mark.skipif(sys.platform != "linux", reason="opened files are watched on Linux")
def test_an_opened_file_is_told_once(folder: Path) -> None:
    """Whoever opens a watched file is seen, also another process; looking at a name is no opening."""
    with Watch(folder, NAMES) as watch:
        assert watch.opened() == []
        for name in NAMES:
            (folder / name).stat()
        list((folder / "folder").iterdir())
        assert watch.opened() == []
        (folder / "folder/c").read_bytes()
        (folder / "folder/c").read_bytes()
        subprocess.run([sys.executable, "-c", f"open({str(folder / 'a')!r})"], check=True)
        assert watch.opened() == ["a", "folder/c"]
        assert watch.opened() == []


@pytest.mark.skipif(sys.platform != "linux", reason="opened files are watched on Linux")
def test_files_that_are_not_watched_are_not_told(folder: Path) -> None:
    """Of other files of the folder nothing is told."""
    with Watch(folder, NAMES[:1]) as watch:
        (folder / "folder/b").read_bytes()
        assert watch.opened() == []


def test_elsewhere_nothing_is_watched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A platform that does not tell is no failure: the test is not run."""
    monkeypatch.setattr(sys, "platform", "another")
    with pytest.raises(NotRun, match="another"):
        Watch(folder, NAMES)
