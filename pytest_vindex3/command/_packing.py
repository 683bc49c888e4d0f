"""What a pack is made of: the tensors of an object's first representation, encoded where a map says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vindex3_reference.container.container import Container
from vindex3_reference.container.segment import Segment
from vindex3_reference.container.tensor import representation_of
from vindex3_reference.representation.codecs import decode, encode
from vindex3_reference.representation.codecs.fidelity import Stored, fidelity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack that can be added.

    Attributes:
        object: the id of the object.
        tensors: the `tensors` of pack.add.
        encoded: how many of them were encoded; the others are as they were.
        before, after: bytes of payload of the first representation and of the pack.
        fidelity: what comparing the values of both gives.
    """

    object: str
    tensors: list[dict[str, Any]]
    encoded: int
    before: int
    after: int
    fidelity: str


def packed(directory: str, thing: str, decisions: Sequence[Mapping[str, Any]]) -> Pack:
    """The pack of an object by the decisions of precision.compile about its tensors, in stored order.

    Raises:
        Refusal: what opening the container and its segment refuses; `unknown-encoding` for a target that is
            not encoded here or a source that is not read; `out-of-range` for values that are not finite.
    """
    container = Container(directory, whole=False)
    entry = container.index.representations[representation_of(container, thing, None)]
    sources: dict[str, Stored] = {}
    stored: dict[str, Stored] = {}
    with Segment(container.file(entry.segment), entry.segment) as segment:
        for row, decision in zip(segment.rows, decisions, strict=True):
            sources[row.name] = Stored(row.dtype, row.shape, segment.read(row))
            stored[row.name] = _encoded(sources[row.name], decision["encoding"])
    return Pack(
        object=thing,
        tensors=[
            {"name": name, "dtype": one.dtype, "shape": list(one.shape), "data": one.data}
            for name, one in stored.items()
        ],
        encoded=sum(decision["encoding"] is not None for decision in decisions),
        before=sum(len(one.data) for one in sources.values()),
        after=sum(len(one.data) for one in stored.values()),
        fidelity=fidelity(sources, stored),
    )


def _encoded(source: Stored, encoding: str | None) -> Stored:
    if encoding is None:
        return source
    values = decode(source.dtype, source.data, source.shape).reshape(source.shape)
    return Stored(encoding, source.shape, encode(encoding, values))
