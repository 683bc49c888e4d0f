"""What lies in the folder of a container; nothing has a meaning by lying there (container.md, section 1)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from vindex3_reference.disk import refusing

if TYPE_CHECKING:
    from collections.abc import Iterator


def files_below(folder: str, *, whole: bool = False) -> Iterator[tuple[str, bool]]:
    """Every file below a folder by its way from there with `/`, and whether it is a regular one.

    A link is a file, wherever it leads, and is not followed. A folder that cannot be listed shows nothing:
    what lies in it may have no part in the container, and is no reason to refuse it.

    Args:
        folder: where to begin.
        whole: for one who must not miss a file: a folder that cannot be listed ends the listing.

    Raises:
        OSError: where `whole` is asked for, as the system has it.
    """
    waiting = [""]
    while waiting:
        at = waiting.pop()
        try:
            with os.scandir(f"{folder}/{at}") as entries:
                for entry in entries:
                    name = f"{at}{entry.name}"
                    if entry.is_file(follow_symlinks=False):
                        yield name, True
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append(f"{name}/")
                    else:
                        yield name, False
        except OSError:
            if whole:
                raise


def is_same(path: str, out: str) -> bool:
    """Whether two ways lead to one folder.

    Raises:
        Refusal: `io`, where the system does not say.
    """
    with refusing(out):
        return Path(out or ".").exists() and Path(path or ".").samefile(out or ".")
