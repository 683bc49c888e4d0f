"""What a pack is worth beside its source: derived from both, never from what anybody states."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.codecs.codec import decode
from vindex3_reference.representation.variants import LEVELS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vindex3_reference.representation.codecs.elements import Floats

_, _, APPROXIMATE, EQUIVALENT, EXACT = LEVELS
_NAN = np.uint32(0x7FC00000)


class Stored(NamedTuple):
    """A tensor as it is stored: dtype, shape and bytes."""

    dtype: str
    shape: Sequence[int]
    data: bytes | memoryview


def fidelity(source: Mapping[str, Stored], pack: Mapping[str, Stored]) -> str:
    """The level of a pack: that of its weakest tensor, each beside the one of its name in the source.

    Raises:
        Refusal: as from `fidelity_of`; `missing-operand` for a tensor that the pack lacks.
    """
    for name in source:
        if name not in pack:
            raise Refusal("missing-operand", f"the pack lacks {name!r}", operand=name)
    levels = (fidelity_of(tensor, pack[name]) for name, tensor in source.items())
    return min(levels, key=LEVELS.index, default=EXACT)


def fidelity_of(source: Stored, packed: Stored) -> str:
    """The level of one tensor beside its source.

    source-exact is the very same bytes; source-equivalent other bytes that stand for the same float32
    values bit by bit, every NaN being one, as values that an encoding happens to hold do;
    numerically-approximate all else.

    Raises:
        Refusal: `shape-mismatch` for another shape, and what `decode` refuses where bytes differ.
    """
    if list(source.shape) != list(packed.shape):
        raise Refusal(
            "shape-mismatch",
            f"{list(packed.shape)} is not the shape of its source",
            tensor=packed.dtype,
            expected=list(source.shape),
            found=list(packed.shape),
        )
    if (source.dtype, source.data) == (packed.dtype, packed.data):
        return EXACT
    equal = np.array_equal(_patterns(decode(*_of(source))), _patterns(decode(*_of(packed))))
    return EQUIVALENT if equal else APPROXIMATE


def _of(stored: Stored) -> tuple[str, bytes | memoryview, Sequence[int]]:
    return stored.dtype, stored.data, stored.shape


def _patterns(values: Floats) -> NDArray[np.uint32]:
    """The bits of values, one pattern for every NaN."""
    return np.where(np.isnan(values), _NAN, values.view(np.uint32))
