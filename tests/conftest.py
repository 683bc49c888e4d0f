"""What holds for every test of the kit."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def no_worker() -> Iterator[None]:
    """Take the marks of a pytest-xdist worker away: a pytest that a test starts is no worker of this run."""
    marks = {name: os.environ.pop(name) for name in [*os.environ] if name.startswith("PYTEST_XDIST_")}
    yield
    os.environ.update(marks)
