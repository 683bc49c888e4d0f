"""The rows of `vindex3 bench` for pytest-benchmark: either side of each row is a benchmark."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from pytest_vindex3.bench.row import Place, rows

PLACE = pytest.StashKey[Place]()


def pytest_configure(config: pytest.Config) -> None:
    """Make the place of the rows' files; it is there from the collection to the end."""
    folder = tempfile.TemporaryDirectory(prefix="vindex3-bench-")
    config.stash[PLACE] = Place(Path(folder.name))
    config.stash[PLACE].callback(folder.cleanup)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Close what the rows keep open, and remove their files."""
    config.stash[PLACE].close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each test that asks for them either side of every row."""
    if "side" in metafunc.fixturenames:
        sides = [
            pytest.param(row, side, id=f"{side}: {row.what}; {row.against}")
            for row in rows(metafunc.config.stash[PLACE])
            for side in ("ours", "theirs")
        ]
        metafunc.parametrize(("row", "side"), sides)
