"""Containers on the disk for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vindex3_fixtures.container.model import Model


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Model], str]:
    """Write a container into a folder of its own; gives the folder."""
    count = iter(range(1_000_000))

    def write(model: Model) -> str:
        path = tmp_path / f"model-{next(count)}"
        model.folder.write_to(path)
        return str(path)

    return write
