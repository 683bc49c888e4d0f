"""Files that lie in a container and have no part in it (container.md, section 3)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from vindex3_reference.container import names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vindex3_reference.container.container import Container


def unreferenced(container: Container) -> list[str]:
    """Every file below the folder that the index does not name and that is no capability file, sorted.

    A link is a file and is not followed. A folder that cannot be listed shows nothing: what lies in
    it has no part in the container, and is no reason to refuse it.
    """
    index = container.index
    named = {names.INDEX, *names.CAPABILITY_FILES, *index.roots, *index.segment_files()}
    return sorted(set(files_below(container.path or ".")) - named)


def files_below(folder: str) -> Iterator[str]:
    """Every file below a folder, by its way from there with `/`; a link is one, wherever it leads."""
    waiting = [""]
    while waiting:
        at = waiting.pop()
        try:
            with os.scandir(f"{folder}/{at}") as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(f"{at}{entry.name}/")
                    else:
                        yield _shown(f"{at}{entry.name}")
        except OSError:
            continue


def _shown(name: str) -> str:
    """A name as text; bytes of it that are no UTF-8 are shown as escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
