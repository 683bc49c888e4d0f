"""One tensor of a container, with no byte of another one read (container.md, sections 4 and 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.container import table
from vindex3_reference.container.segment import Segment
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.container.container import Container
    from vindex3_reference.container.table import Row


def representation_of(container: Container, asked: str, encoding: str | None) -> str:
    """The id of the representation that answers for an object: the asked one, or its first.

    Index and graph decide, and nothing else answers in its place (SELECT-OBJECT-01 to 03).

    Raises:
        Refusal: `missing-root` without a graph; `dangling-reference` for an object that it lacks;
            `missing-representation` for one without any; `absent-variant`.
    """
    thing = next((each for each in container.graph().objects if each.id == asked), None)
    if thing is None:
        raise Refusal("dangling-reference", f"the graph has no object {asked!r}", missing=asked)
    if not thing.representations:
        raise Refusal("missing-representation", f"{asked} has no representation", object=asked)
    ids = {each.encoding: f"{asked}@{each.encoding}" for each in thing.representations}
    wanted = thing.representations[0].encoding if encoding is None else encoding
    present = [each for each, key in ids.items() if key in container.index.representations]
    if wanted not in present:
        raise Refusal(
            "absent-variant",
            f"{asked} has no encoding {wanted!r}",
            region_set=asked,
            requested=wanted,
            present=sorted(present),
        )
    return ids[wanted]


def stored_tensor(container: Container, representation: str, name: str) -> dict[str, object]:
    """The tensor as it is stored: dtype, shape and bytes (SEGMENT-TENSOR-01).

    Raises:
        Refusal: `unknown-representation`; what opening its segment refuses; `id-mismatch` where that is
            another's; `missing-tensor`; `length-mismatch` or `shape-mismatch` of its row.
    """
    entry = container.index.representations.get(representation)
    if entry is None:
        raise Refusal(
            "unknown-representation",
            f"the directory has no {representation!r}",
            representation=representation,
            present=sorted(container.index.representations),
        )
    with Segment(container.file(entry.segment), entry.segment) as segment:
        if segment.representation != representation:
            raise other_representation(representation, segment.representation)
        row = segment.row(name)
        if row is None:
            raise Refusal(
                "missing-tensor",
                f"{representation} has no tensor {name!r}",
                representation=representation,
                tensor=name,
            )
        _check(row, segment, representation)
        return {
            "representation": representation,
            "dtype": row.dtype,
            "shape": row.shape,
            "data": segment.read(row),
        }


def other_representation(key: str, found: str) -> Refusal:
    """A header that names another representation than the directory (SEGMENT-HEAD-03, VERIFY-ID-01)."""
    return Refusal(
        "id-mismatch",
        f"the directory has {key!r} in a segment of {found!r}",
        subject=key,
        expected=key,
        found=found,
    )


def _check(row: Row, segment: Segment, representation: str) -> None:
    """Refuse a row that leaves the payload, or whose length is wrong, before its bytes are asked for."""
    if row.end > segment.payload_length:
        raise Refusal(
            "length-mismatch",
            f"{row.name!r} ends at {row.end} of a payload of {segment.payload_length} bytes",
            subject=representation,
            expected=row.end,
            found=segment.payload_length,
        )
    refusal = table.misfit(row)
    if refusal is not None:
        raise refusal
