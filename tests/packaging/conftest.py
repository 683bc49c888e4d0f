"""The checkout as git knows it, and what it builds to."""

from __future__ import annotations

import os
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
def source(tracked: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tracked files alone."""
    copy = tmp_path_factory.mktemp("source")
    for name in tracked:
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(CHECKOUT / name, target)
    return copy


@pytest.fixture(scope="session")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.Path:
    """The wheel, built from the source distribution."""
    return built(source, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="session")
def pure_wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.Path:
    """The wheel as it is built where there is no C compiler."""
    return built(source, tmp_path_factory.mktemp("dist"), "--wheel", CC="no-compiler-of-this-name")


def built(source: Path, target: Path, *options: str, **variables: str) -> zipfile.Path:
    """The wheel that the build makes with these options and further variables of the environment."""
    command = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        *options,
        "--outdir",
        str(target),
        str(source),
    ]
    environment = {**os.environ, **variables}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    [path] = target.glob("*.whl")
    return zipfile.Path(path)
