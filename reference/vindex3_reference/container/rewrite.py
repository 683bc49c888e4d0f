"""A container written again from what was read of it, with nothing lost (container.md, section 6)."""

from __future__ import annotations

import os
import re
from pathlib import Path

from vindex3_reference import json_text
from vindex3_reference.container import names
from vindex3_reference.container.container import Container
from vindex3_reference.container.folder import files_below
from vindex3_reference.container.publish import Publication, copy
from vindex3_reference.container.unreferenced import shown
from vindex3_reference.disk import Disk, refusing
from vindex3_reference.refusal import Refusal
from vindex3_reference.source import Source

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
    with Publication(out, names.INDEX, disk) as publication:
        carried, dropped = _kept(container) if _is_same(path, out) else _copied(container, publication)
        with publication.stage(names.INDEX) as part:
            part.write(json_text.encoded(container.index.document, names.INDEX))
        publication.publish()
    carried.append(names.INDEX)
    dropped = [name for name in dropped if not os.path.lexists(f"{out or '.'}/{name}")]
    return {
        "path": out,
        "carried_files": sorted(map(shown, carried)),
        "dropped_files": sorted(map(shown, dropped)),
    }


def _kept(container: Container) -> tuple[list[str], list[str]]:
    """In place: every file that is not written stays, and none is dropped."""
    return sorted({*container.files, *_named(container)} - {names.INDEX}), []


def _copied(container: Container, publication: Publication) -> tuple[list[str], list[str]]:
    """Stage copies of all files but the index; gives the names of those, and of the rest."""
    with refusing(container.path, "read"):
        found = {name for name, _ in files_below(container.path or ".", whole=True)}
    named = _named(container)
    carried, dropped = [], []
    for name in sorted(found.union(named) - {names.INDEX}):
        source = _opened(container, name, is_named=name in named)
        if source is None:
            dropped.append(name)
            continue
        with source, publication.stage(name) as part:
            copy(source, part)
        carried.append(name)
    return carried, dropped


def _named(container: Container) -> set[str]:
    """The files that the index means."""
    return {*container.index.roots, *container.index.segment_files}


def _opened(container: Container, name: str, *, is_named: bool) -> Source | None:
    """A file to be carried; None for what nothing asks for and is a link, a remnant, or no regular file."""
    asked = is_named or name in names.CAPABILITY_FILES
    if not asked and (_REMAINS.fullmatch(name) or _is_link(container.file(name))):
        return None
    try:
        return Source(container.file(name), shown(name))
    except Refusal as refusal:
        if refusal.kind == "missing-file" and not is_named:
            return None
        raise


def _is_same(path: str, out: str) -> bool:
    """Whether two ways lead to one folder."""
    with refusing(out):
        return Path(out or ".").exists() and Path(path or ".").samefile(out or ".")


def _is_link(path: str) -> bool:
    return os.path.islink(path)  # noqa: PTH114 -- which answers also where the system refuses to look
