"""A container written again from what was read of it, with nothing lost (container.md, section 6)."""

from __future__ import annotations

import os

from vindex3_reference import json_text
from vindex3_reference.container import names
from vindex3_reference.container.carry import carry, named_files
from vindex3_reference.container.container import Container
from vindex3_reference.container.folder import is_same
from vindex3_reference.container.publish import Publication
from vindex3_reference.container.unreferenced import shown
from vindex3_reference.disk import Disk


def container_rewrite(*, path: str, out: str) -> dict[str, object]:
    """Write a container that was read to `out`, which may be the path that it is read from."""
    return rewrite(Disk(), path, out)


def rewrite(disk: Disk, path: str, out: str) -> dict[str, object]:
    """Write the index anew, and carry every other file byte for byte.

    In place, only the index is written. Elsewhere files are copied, never linked: a later change of
    one container must not reach the other.

    Args:
        disk: what makes the calls of the system.
        path: the container.
        out: the folder for the result.

    Raises:
        Refusal: what opening the container refuses; `io`.
    """
    container = Container(path)
    with Publication(out, names.INDEX, disk) as publication:
        carried, dropped = _kept(container) if is_same(path, out) else _copied(container, publication)
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
    return sorted({*container.files, *named_files(container)} - {names.INDEX}), []


def _copied(container: Container, publication: Publication) -> tuple[list[str], list[str]]:
    """Elsewhere: copies of all files but the index; gives the names of those, and of the rest."""
    carried = carry(container, publication, without={names.INDEX})
    return carried.copied, carried.dropped
