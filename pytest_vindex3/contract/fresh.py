"""Places made free for writing: nothing that others left there is followed, waited for or overwritten.

A program under test can replace a file it was handed by a link to another one, by a FIFO, which blocks
who opens it, or by a folder.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path


def remove(path: Path) -> None:
    """Remove whatever has this name: a file, a link itself, a FIFO, a folder with all that is in it.

    Raises:
        OSError: it cannot be removed.
    """
    try:
        path.unlink()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:  # a folder, by the words of one platform or another
        if path.is_symlink() or not path.is_dir():
            raise
        _remove_folder(path)


def write(path: Path, data: bytes) -> None:
    """Write a new file of that name in place of whatever has it.

    Raises:
        OSError: it cannot be written, or something else takes the name at that moment.
    """
    remove(path)
    with path.open("xb") as file:
        file.write(data)


def folder(path: Path) -> None:
    """See that a folder is there which this process can write to; what else has the name is removed.

    Raises:
        OSError: it cannot be made.
    """
    try:
        there = stat.S_ISDIR(path.lstat().st_mode)
        if not there:
            remove(path)
    except OSError:
        there = False
    if not there:
        path.mkdir(parents=True, exist_ok=True)
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        path.chmod(0o700)


def _remove_folder(path: Path) -> None:
    """Remove a folder, also one below which permissions were taken away."""
    with suppress(OSError):
        shutil.rmtree(path)
        return
    path.chmod(0o700)
    for place, folders, _ in os.walk(path):  # goes down after what is done here
        for name in folders:
            below = Path(place, name)
            if not below.is_symlink():
                below.chmod(0o700)
    shutil.rmtree(path)
