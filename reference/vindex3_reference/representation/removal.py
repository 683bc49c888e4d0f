"""A pack taken out of a container again (representation.md, section 8; PACK-REMOVE-01)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vindex3_reference import json_text
from vindex3_reference.container import names
from vindex3_reference.container.container import Container
from vindex3_reference.container.publish import Publication
from vindex3_reference.disk import Disk, refusing
from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.lines import object_of, without_line

if TYPE_CHECKING:
    from vindex3_reference.strict_json import Json


def pack_remove(disk: Disk, path: str, thing: str, encoding: str) -> dict[str, object]:
    """Take a pack out of a container, in place: its line, its entry with its key, then its segment.

    A stop leaves a container that opens, and of which every other representation is as it was. The pack
    itself may be damaged or gone. A segment that something else means stays, and its key with it.

    Args:
        disk: what makes the calls of the system.
        path: the container.
        thing: the id of the object.
        encoding: the label of the pack.

    Returns:
        The container's path, the id in `removed`, and the files that are gone in `files`.

    Raises:
        Refusal: what opening the container and reading its graph refuse; `dangling-reference`;
            `unknown-representation` for a pack that is not there; `missing-representation` for the first
            representation, without which the object would be another; `io`.
    """
    container = Container(path, whole=False)
    graph = container.graph()
    found = object_of(graph, thing)
    key = f"{thing}@{encoding}"
    present = container.index.representations
    if key not in present:
        message = f"the directory has no {key!r}"
        raise Refusal("unknown-representation", message, representation=key, present=sorted(present))
    if encoding == found.canonical:
        raise Refusal("missing-representation", f"{thing} would lose its first one", object=thing)
    segment = present[key].segment
    alone = _is_alone(container, key)
    with Publication(path, names.INDEX, disk, adding=True) as publication:
        lines = without_line(graph, found, encoding) if found.representations else None
        if lines is not None:
            with publication.stage(str(container.index.system_graph)) as part:
                part.write(json_text.encoded(lines, part.name))
        with publication.stage(names.INDEX) as part:
            part.write(json_text.encoded(_without(container, key, alone=alone), names.INDEX))
        publication.publish()
    return {
        "path": path,
        "removed": key,
        "files": [segment] if alone and _unlink(disk, container, segment) else [],
    }


def _is_alone(container: Container, key: str) -> bool:
    """Whether nothing but this entry means its segment."""
    index = container.index
    segment = index.representations[key].segment
    others = (entry.segment for other, entry in index.representations.items() if other != key)
    return segment not in {names.INDEX, *index.roots, *others}


def _without(container: Container, key: str, *, alone: bool) -> dict[str, Json]:
    """The index without an entry, and without the key of its segment unless something else means that."""
    index = container.index
    gone = index.representations[key].key if alone else None
    entries = {other: entry.document for other, entry in index.representations.items() if other != key}
    kept = {name: count for name, count in index.segments.items() if name != gone}
    return {**index.document, "representations": {**entries}, "segments": {**kept}}


def _unlink(disk: Disk, container: Container, segment: str) -> bool:
    """Take the name of a segment away; False where there is none, or one in a folder that is a link."""
    top = Path(container.path or ".")
    place = top / segment
    with refusing(segment, "removed"):
        if place.parent.resolve() != top.resolve() / Path(segment).parent:
            return False
        try:
            disk.unlink(str(place))
        except FileNotFoundError:
            return False
    return True
