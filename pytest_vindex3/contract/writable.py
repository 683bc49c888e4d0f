"""Inputs that write themselves: sparse files, folders, whatever is more than its bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable


@runtime_checkable
class Writable(Protocol):
    """Content that writes itself, such as a sparse file or a folder."""

    def write_to(self, path: Path) -> object:
        """Write the content to this path, where nothing is yet.

        Raises:
            OSError: it cannot be written.
        """
        ...
