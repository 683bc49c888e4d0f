"""Files that lie in a container and have no part in it (container.md, section 3)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from vindex3_reference.container import names

if TYPE_CHECKING:
    from vindex3_reference.container.container import Container


def unreferenced(container: Container) -> list[str]:
    """Every file below the folder that the index does not name and that is no capability file, sorted."""
    index = container.index
    named = {names.INDEX, *names.CAPABILITY_FILES, *index.roots, *index.segment_files}
    return sorted(map(shown, container.files.keys() - named))


def shown(name: str) -> str:
    """A name as text; bytes of it that are no UTF-8 are shown as escapes."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")
