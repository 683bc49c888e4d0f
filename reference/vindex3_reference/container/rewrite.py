"""A container written again from what was read of it, with nothing lost (container.md, section 6)."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from vindex3_reference import json_text
from vindex3_reference.container import names
from vindex3_reference.container.container import Container
from vindex3_reference.container.publish import Publication, copy
from vindex3_reference.disk import Disk, refusing
from vindex3_reference.refusal import Refusal
from vindex3_reference.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

_REMAINS = re.compile(r"(?:.*/)?\.[0-9a-f]{16}\.part", re.DOTALL)
"""What a writer that was stopped leaves."""


def container_rewrite(*, path: str, out: str) -> dict[str, object]:
    """Write a container that was read to `out`, which may be the path that it is read from."""
    return rewrite(Disk(), path, out)


def rewrite(disk: Disk, path: str, out: str) -> dict[str, object]:
    """Write the index anew, and carry every other file byte for byte.

    In place, only the index is written. Elsewhere files are copied, never linked: a later change of
    one container must not reach the other. Left behind is what is no regular file and what stopped
    writers leave; a link is followed where the index or the name of a capability file asks for it.

    Args:
        disk: what makes the calls of the system.
        path: the container.
        out: the folder for the result.

    Raises:
        Refusal: what opening the container refuses; `io`.
    """
    container = Container(path)
    found = {*container.files, *_named(container)} - {names.INDEX}
    with Publication(out, names.INDEX, disk) as publication:
        carried = sorted(found) if _is_same(path, out) else _carry(container, sorted(found), publication)
        with publication.stage(names.INDEX) as part:
            part.write(json_text.encoded(container.index.document, names.INDEX))
        publication.publish()
    dropped = [
        name for name in sorted(found.difference(carried)) if not os.path.lexists(f"{out or '.'}/{name}")
    ]
    return {"path": out, "carried_files": sorted([*carried, names.INDEX]), "dropped_files": dropped}


def _carry(container: Container, found: Iterable[str], publication: Publication) -> list[str]:
    """Stage copies, and give the names of those that there are."""
    kept = _named(container).union(names.CAPABILITY_FILES)
    carried = []
    for name in found:
        if name in kept or not (_REMAINS.fullmatch(name) or _is_link(container.file(name))):
            source = _opened(container, name)
            if source is not None:
                with source, publication.stage(name) as part:
                    copy(source, part)
                carried.append(name)
    return carried


def _named(container: Container) -> set[str]:
    """The files that the index means."""
    return {*container.index.roots, *container.index.segment_files}


def _opened(container: Container, name: str) -> Source | None:
    """A file of the container; None for what is no regular file and is not meant by the index."""
    try:
        return Source(container.file(name), name)
    except Refusal as refusal:
        if refusal.kind == "missing-file" and name not in _named(container):
            return None
        raise


def _is_same(path: str, out: str) -> bool:
    """Whether two ways lead to one folder."""
    with refusing(out):
        return Path(out or ".").exists() and Path(path or ".").samefile(out or ".")


def _is_link(path: str) -> bool:
    return os.path.islink(path)  # noqa: PTH114 -- which answers also where the system refuses to look
