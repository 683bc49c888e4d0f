"""A folder in memory for small files that are written and removed by the thousand."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108 -- folders of random names are made in it


def memory(room: int) -> Path | None:
    """The folder, where the system has one with so many bytes left; else None."""
    roomy = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > room
    return _MEMORY if roomy else None
