"""A range of layers, as maps and candidates name it (representation.md, sections 6 and 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.slot import Slot

Layers = tuple[int, int]
"""The first and the last layer, both included; none where the first is above the last."""


def layers_of(slot: Slot) -> Layers:
    """A range as it is written: a list of two unsigned integers.

    Raises:
        Refusal: `bad-type` for anything else (PRECISION-FIELD-01), `out-of-range` above 64 bits.
    """
    ends = list(slot.elements())
    if len(ends) != 2:
        raise _no_range(slot)
    first, last = (_layer(end) for end in ends)
    return first, last


def _layer(slot: Slot) -> int:
    if type(slot.value) is int and slot.value < 0:
        raise _no_range(slot)
    return slot.u64()


def _no_range(slot: Slot) -> Refusal:
    message = f"{slot.path}: {slot.field} is no pair of unsigned integers"
    return Refusal("bad-type", message, path=slot.path, field=slot.field)
