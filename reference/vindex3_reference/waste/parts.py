"""The contents of a container as a caller hands them over, judged before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vindex3_reference.container.sources import buffer
from vindex3_reference.kernels import Geometry, half_to_float
from vindex3_reference.kernels.buffers import floats_of
from vindex3_reference.kernels.grouped import Q3G, Q4G, Q8G
from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.about import about
from vindex3_reference.waste.expert import KINDS

if TYPE_CHECKING:
    import numpy.typing as npt

    from vindex3_reference.kernels import Groups
    from vindex3_reference.kernels.buffers import Buffer, Bytes
    from vindex3_reference.slot import Slot
    from vindex3_reference.waste.expert import Expert
    from vindex3_reference.waste.quant import Quant
    from vindex3_reference.waste.trunk_index import Entry

_CODES = {Q8G: (-128, 127), Q4G: (-8, 7), Q3G: (-4, 3)}
_EXPONENT = 0x7C00

Parts = list[tuple["Bytes", "Bytes"]]
"""Of gate, up and down each the indices and the halves of the scales, as bytes in their owner's memory."""


class Layer(NamedTuple):
    """The books and experts of a layer."""

    books: list[memoryview]
    experts: list[Parts]


class Tensor(NamedTuple):
    """The values of a tensor: float32, or codes and the halves of their scales, as bytes."""

    values: Bytes
    scales: Bytes


def layer_of(given: Slot, number: int, expert: Expert, quant: Quant) -> Layer:
    """The contents of a layer, of which nothing is wrong.

    Raises:
        Refusal: `missing-field`, `bad-type`; `count-mismatch`, `length-mismatch`; `out-of-range` for an index
            at or beyond entries; `non-finite`. Each names the layer.
    """
    with about(layer=number):
        books = list(given.required("codebooks").elements())
        if len(books) != quant.books:
            subject = given.required("codebooks").field
            raise Refusal(
                "count-mismatch",
                f"{subject}: {len(books)} books",
                subject=subject,
                expected=quant.books,
                found=len(books),
            )
        halves = [_halves(book, quant.entries * quant.vec_dim).data for book in books]
        return Layer(halves, [_parts(one, expert) for one in given.required("experts").elements()])


def tensor_of(given: Slot, entry: Entry) -> Tensor:
    """The contents of a tensor, of which nothing is wrong.

    Raises:
        Refusal: `missing-field`, `bad-type`, `length-mismatch`, `out-of-range` for a code that the format has
            not, `non-finite` for a scale. Each names the tensor.
    """
    with about(tensor=entry.name):
        if entry.groups is None:
            return Tensor(_values(given.required("values"), entry), np.empty(0, np.uint8))
        codes = _codes(given.required("codes"), entry.groups)
        return Tensor(codes, _halves(given.required("scales"), entry.rows * entry.groups.per_row))


def _parts(given: Slot, expert: Expert) -> Parts:
    return [
        _matrix(given.required(kind), geometry) for kind, geometry in zip(KINDS, expert.matrices, strict=True)
    ]


def _matrix(given: Slot, geometry: Geometry) -> tuple[Bytes, Bytes]:
    indices = _sized(given.required("indices"), geometry.rows * geometry.positions * geometry.stages)
    largest = int(indices.max())
    if largest >= geometry.entries:
        field = given.required("indices").field
        message = f"{field} has an index {largest} of {geometry.entries} entries"
        raise Refusal("out-of-range", message, field=field, value=largest)
    return indices, _halves(given.required("scales"), geometry.rows)


def _codes(given: Slot, groups: Groups) -> Bytes:
    codes = _sized(given, groups.rows * groups.columns)
    least, most = _CODES[groups.fmt]
    for value in (int(codes.view(np.int8).min()), int(codes.view(np.int8).max())):
        if not least <= value <= most:
            message = f"{given.field} has a code {value}, not between {least} and {most}"
            raise Refusal("out-of-range", message, field=given.field, value=value)
    return codes


def _values(given: Slot, entry: Entry) -> Bytes:
    try:
        floats = floats_of(_any(given), given.field)
    except Refusal as refusal:
        refusal.names["path"] = given.path
        raise
    count = entry.rows * entry.columns
    if floats.size != count:
        message = f"{given.field} has {floats.size} values, not {count}"
        raise Refusal(
            "length-mismatch", message, subject=given.field, expected=4 * count, found=4 * floats.size
        )
    stored: npt.NDArray[np.float32] = floats.reshape(-1).astype("<f4", copy=False)
    return stored.view(np.uint8)


def _any(given: Slot) -> Buffer:
    value: object = given.value
    return value  # type: ignore[return-value]  # the one slot that holds an array


def _halves(given: Slot, count: int) -> Bytes:
    """So many halves, as bytes; each a finite number.

    Raises:
        Refusal: `non-finite`, with the place in the buffer.
    """
    data = _sized(given, 2 * count)
    halves = data.view("<u2")
    infinite = np.flatnonzero((halves & _EXPONENT) == _EXPONENT)
    if len(infinite):
        place = int(infinite[0])
        found = str(half_to_float(halves[place : place + 1].tobytes())[0])
        message = f"{given.field} has {found} at {place}"
        raise Refusal("non-finite", message, field=given.field, element=place, found=found)
    return data


def _sized(given: Slot, length: int) -> Bytes:
    """The bytes of a buffer of this very length."""
    data = np.frombuffer(buffer(given), np.uint8)
    if data.size != length:
        message = f"{given.field} has {data.size} bytes, not {length}"
        raise Refusal("length-mismatch", message, subject=given.field, expected=length, found=data.size)
    return data
