"""The same reader of WASTE when it leaves to verification, or lets pass, whatever it may."""

from __future__ import annotations

import fcntl
import os
import secrets
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import free_waste
from strict_reader import No
from waste_container import Container
from waste_writer import Files, put, there, written

MANIFEST = "manifest.json"


class Late(Container):
    """It honours every block and the halves of the trunk, and looks for faults of the files first."""

    strict = False


def withdraw(path: str, files: Files) -> None:
    """Put files beside those that are there, take the manifest away, and let it come back after them."""
    home, token = Path(path), secrets.token_hex(8)
    home.mkdir(parents=True, exist_ok=True)
    fresh = [name for name in files if name != MANIFEST and there(path, name) != files[name]]
    beside = {name: home / f".{token}.{name[:99]}" for name in [*fresh, MANIFEST]}
    try:
        for name, place in beside.items():
            put(place, files[name])
        (home / MANIFEST).unlink(missing_ok=True)
        for name, place in beside.items():
            place.rename(home / name)
    except OSError:
        for place in beside.values():
            place.unlink(missing_ok=True)
        raise


class Adapter(free_waste.Adapter):
    """The verbs over such containers; a container that does not open has one defect."""

    container = Late

    def waste_matrix(self, path: str, layer: int, expert: int, matrix: str) -> Any:
        """See the format's text."""
        return memoryview(super().waste_matrix(path, layer, expert, matrix))

    def waste_tensor(self, path: str, name: str, row: int | None = None) -> Any:
        """See the format's text."""
        return memoryview(super().waste_tensor(path, name, row))

    def waste_write(self, model: dict[str, Any], path: str, workers: int = 1) -> dict[str, Any]:
        """See the format's text."""
        parent = os.open(Path(path).absolute().parent, os.O_RDONLY)
        try:
            fcntl.flock(parent, fcntl.LOCK_EX)
            return written(model, path, withdraw)
        finally:
            os.close(parent)

    def waste_verify(self, path: str) -> dict[str, Any]:
        """See the format's text."""
        try:
            return super().waste_verify(path)
        except No as problem:
            return {"records_checked": 0, "defects": [{"kind": problem.kind, "names": problem.names}]}


vindex3_adapter = Adapter()
