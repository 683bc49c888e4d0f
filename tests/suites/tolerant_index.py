"""An opener of containers that takes null for absence wherever it may, and looks at nothing but the index."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import container_index

__all__ = ["container_open"]


class Index(container_index.Index):
    """It names a field by its key, or by the object that has it where the key is a name."""

    nulls_are_absent = True
    looks_further = False

    def named(self, path: str) -> str:
        """The shortest name that a field may go by."""
        home, _, key = path.partition(".")
        return home if home in ("segments", "selects") else key.rpartition(".")[2] or home

    def open_object(self, home: dict[str, Any], path: str) -> dict[str, Any]:
        """Values of an object of names, which go by the name of that object."""
        name = path.rpartition(".")[2]
        for value in home.values():
            self.typed(value, dict, name)
        return dict(home)

    def entry(self, one: dict[str, Any]) -> dict[str, Any]:
        """The known keys of an entry alone."""
        known = {*container_index.ENTRY, "codec", "encoder"}
        return {key: value for key, value in super().entry(one).items() if key in known}


def container_open(path: str) -> dict[str, Any]:
    """See the format's text."""
    return container_index.container_open(path, Index)
