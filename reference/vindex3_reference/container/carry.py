"""What comes along when a container is written again elsewhere (container.md, section 6)."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.container import names
from vindex3_reference.container.folder import files_below
from vindex3_reference.container.publish import copy
from vindex3_reference.container.unreferenced import shown
from vindex3_reference.disk import refusing
from vindex3_reference.refusal import Refusal
from vindex3_reference.source import Source

if TYPE_CHECKING:
    from collections.abc import Collection

    from vindex3_reference.container.container import Container
    from vindex3_reference.container.publish import Publication

_REMAINS = re.compile(r"(?:.*/)?\.[0-9a-f]{16}\.part", re.DOTALL)
"""What a writer that was stopped leaves."""


class Carried(NamedTuple):
    """The files of a container by what becomes of them, each list sorted."""

    linked: list[str]
    copied: list[str]
    dropped: list[str]


def carry(
    container: Container,
    publication: Publication,
    *,
    without: Collection[str],
    linking: Collection[str] = frozenset(),
) -> Carried:
    """Stage every file of a container for another folder.

    Left behind is what is no regular file and what stopped writers leave; a link is followed where the
    index or the name of a capability file asks for it.

    Args:
        container: where the files are.
        publication: where they are to be.
        without: files that are to be written anew.
        linking: files that nobody changes in place, so that a further name is as good as a copy.

    Raises:
        Refusal: `io`; `missing-file` for one that the index names.
    """
    carried = Carried([], [], [])
    with refusing(container.path, "read"):
        found = {name for name, _ in files_below(container.path or ".", whole=True)}
    named = named_files(container)
    for name in sorted(found.union(named).difference(without)):
        source = _opened(container, name, is_named=name in named)
        if source is None:
            carried.dropped.append(name)
            continue
        with source:
            path = container.file(name)
            if name in linking and not _is_link(path) and publication.link(name, path):
                carried.linked.append(name)
                continue
            with publication.stage(name) as part:
                copy(source, part)
        carried.copied.append(name)
    return carried


def named_files(container: Container) -> set[str]:
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


def _is_link(path: str) -> bool:
    return os.path.islink(path)  # noqa: PTH114 -- which answers also where the system refuses to look
