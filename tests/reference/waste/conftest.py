"""WASTE containers on the disk for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.waste.model import Waste


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Waste | Folder], str]:
    """Write a container into a folder of its own; gives the folder."""
    count = iter(range(1_000_000))

    def write(model: Waste | Folder) -> str:
        path = tmp_path / f"{next(count)}.waste"
        folder = model.folder if isinstance(model, Waste) else model
        folder.write_to(path)
        return str(path)

    return write
