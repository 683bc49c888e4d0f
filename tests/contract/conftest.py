"""Adapters made in temporary folders, and an import system that is left as it was found."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_vindex3.contract.find import find
from pytest_vindex3.contract.in_process import InProcess

WriteModule = Callable[..., Path]
DoorTo = Callable[[str], InProcess]


@pytest.fixture(autouse=True)
def _clean_imports() -> Iterator[None]:
    path, modules = list(sys.path), dict(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - set(modules):
        if getattr(sys.modules[name], "__file__", None) and name not in modules:
            own = not str(sys.modules[name].__file__).startswith(sys.prefix)
            if own and not name.startswith(("pytest_vindex3", "vindex3_")):
                del sys.modules[name]


@pytest.fixture
def write(tmp_path: Path) -> WriteModule:
    """Write a Python file below the test's folder."""

    def written(name: str, source: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        return path

    return written


@pytest.fixture
def door_to(write: WriteModule) -> DoorTo:
    """The in-process door to an adapter of this source."""

    def opened(source: str) -> InProcess:
        return InProcess(find(str(write("subject.py", source))))

    return opened
