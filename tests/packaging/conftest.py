"""The checkout as git knows it, and what it builds to."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def tracked() -> list[str]:
    """Every file under version control that is there, relative to the checkout, `/` between folders."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=CHECKOUT, check=True, capture_output=True, text=True
    )
    return [name for name in listed.stdout.split("\0") if name and (CHECKOUT / name).is_file()]


@pytest.fixture(scope="session")
def wheel(tracked: list[str], tmp_path_factory: pytest.TempPathFactory) -> zipfile.Path:
    """The wheel, built from the source distribution of the tracked files alone."""
    source = tmp_path_factory.mktemp("source")
    for name in tracked:
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(CHECKOUT / name, target)
    built = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(built), str(source)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    [path] = built.glob("*.whl")
    return zipfile.Path(path)
