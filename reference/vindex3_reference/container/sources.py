"""The tensors of source artifacts, as a caller hands them over (container.md, section 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import Slot

if TYPE_CHECKING:
    from vindex3_reference.strict_json import Json

EMPTY = memoryview(b"")


class SourceTensor(NamedTuple):
    """A tensor under its source name.

    Attributes:
        name: as its artifact calls it.
        dtype: the label, verbatim.
        shape: extent of each axis, the slowest first.
        data: its bytes, row-major, in their owner's memory.
    """

    name: str
    dtype: str
    shape: list[int]
    data: memoryview


Sources = dict[str, list[SourceTensor]]
"""From an artifact to its tensors, in the order given."""


def sources_of(given: Json) -> Sources:
    """The tensors of each artifact; no byte is copied where a buffer lies in one piece.

    Raises:
        Refusal: `missing-field`, `bad-type`, `out-of-range`.
    """
    artifacts = Slot.root(given, "").members()
    return {artifact: [_tensor(tensor) for tensor in tensors.elements()] for artifact, tensors in artifacts}


def tensors_of(given: Json) -> list[SourceTensor]:
    """The tensors of one list, judged as those of an artifact.

    Raises:
        Refusal: `missing-field`, `bad-type`, `out-of-range`.
    """
    return [_tensor(tensor) for tensor in Slot(given, "tensors", Slot({}, "", None)).elements()]


def _tensor(given: Slot) -> SourceTensor:
    return SourceTensor(
        written(given.required("name")),
        written(given.required("dtype")),
        [extent.u64() for extent in given.required("shape").elements()],
        buffer(given.required("data")),
    )


def written(given: Slot) -> str:
    """A string that a header can hold: one with a lone surrogate has no UTF-8.

    Raises:
        Refusal: `bad-type`.
    """
    text = given.text()
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Refusal("bad-type", f"{given.field} is no Unicode text", field=given.field) from None
    return text


def buffer(given: Slot) -> memoryview:
    """The bytes of a buffer, copied where they do not lie in one piece.

    Raises:
        Refusal: `bad-type`.
    """
    try:
        view = memoryview(cast("bytes", given.value))  # the one slot that holds no JSON
    except TypeError:
        raise Refusal("bad-type", f"{given.field} is no buffer of bytes", field=given.field) from None
    if view.nbytes == 0:
        return EMPTY  # a view with an empty axis cannot be cast
    return view.cast("B") if view.c_contiguous else memoryview(view.tobytes())
