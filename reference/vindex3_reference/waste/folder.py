"""The files of a container, each opened where it lies."""

from __future__ import annotations

import os

from vindex3_reference.refusal import Refusal
from vindex3_reference.source import Source


def opened(folder: str, name: str) -> Source:
    """A file of a container; one that a link puts outside of the folder is not even opened (WASTE-PATH-05).

    Args:
        folder: the container, as it was given; the way there may have links.
        name: the file's, which refusals name.

    Raises:
        Refusal: `path-escape`; `missing-file`, `io` as from `Source`.
    """
    path = f"{folder or '.'}/{name}"
    if not _is_inside(folder or ".", path):
        raise Refusal("path-escape", f"{name!r} leads out of the container", path=name)
    return Source(path, name)


def _is_inside(folder: str, path: str) -> bool:
    try:
        whole, part = os.path.realpath(folder), os.path.realpath(path)
    except ValueError:  # a NUL: nothing is there, which is for `Source` to say
        return True
    return os.path.commonpath([whole, part]) == whole
