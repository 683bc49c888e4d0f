"""A precision map, compiled against the tensors of a model (representation.md, sections 5 and 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.container.table import WIDTHS, product
from vindex3_reference.refusal import Refusal, joined
from vindex3_reference.representation.eligibility import role_of
from vindex3_reference.representation.encodings import ENCODINGS
from vindex3_reference.representation.matching import Matcher, Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vindex3_reference.representation.precision_map import Decision, PrecisionMap
    from vindex3_reference.slot import Slot

MOST_VALUES = 2**128
"""More than any matrix has; a shape of many axes could name numbers that take longer to say than to store."""


class Tensor(NamedTuple):
    """A tensor without its bytes, under the role that it was given or has by its names and shape."""

    object: str
    name: str
    shape: list[int]
    dtype: str
    role: str

    @classmethod
    def read(cls, tensor: Slot) -> Tensor:
        """One element of the request's `tensors`."""
        thing = tensor.required("object").text()
        tensor.required("kind").text()
        component_role = tensor.required("component_role").text()
        name = tensor.required("name").text()
        shape = _shape(tensor.required("shape"))
        bound = tensor.optional("role")
        return cls(
            object=thing,
            name=name,
            shape=shape,
            dtype=tensor.required("dtype").text(),
            role=role_of(thing, component_role, name, shape) if bound is None else bound.text(),
        )


def compiled(policy: PrecisionMap, tensors: Sequence[Tensor]) -> dict[str, object]:
    """The answer of precision.compile: what becomes of each tensor, and why.

    Raises:
        Refusal: `unknown-encoding`; `nothing-eligible` (PRECISION-EMPTY-01); `dead-rule` with all of them
            (PRECISION-DEAD-01), whatever the shapes.
    """
    policy.refuse_unknown()
    eligible = [tensor for tensor in tensors if tensor.role in policy.roles]
    if not eligible:
        raise Refusal("nothing-eligible", f"no tensor has a role that {policy.name!r} compiles")
    matcher = Matcher(policy.rules)
    dead = list(matcher.dead(Place.of(tensor.name) for tensor in eligible))
    if dead:
        raise joined(dead)
    decided = [
        (tensor, policy.decide(tensor.role, matcher.first(Place.of(tensor.name)), tensor.shape))
        for tensor in tensors
    ]
    touched = {tensor.object for tensor, decision in decided if decision.encoding is not None}
    count = sum(decision.encoding is not None for _, decision in decided)
    return {
        "decisions": [_answer(policy, tensor, decision) for tensor, decision in decided],
        "untouched": sorted({tensor.object for tensor in tensors} - touched),
        "compiled": count,
        "carried": len(decided) - count,
    }


def _answer(policy: PrecisionMap, tensor: Tensor, decision: Decision) -> dict[str, object]:
    return {
        "object": tensor.object,
        "name": tensor.name,
        "role": tensor.role,
        "eligible": tensor.role in policy.roles,
        "encoding": decision.encoding,
        "reason": decision.reason,
        "exception": decision.exception,
        "bytes": _bytes(tensor, decision),
    }


def _bytes(tensor: Tensor, decision: Decision) -> int | None:
    """Bytes of the tensor as decided; None for one that is carried, of a dtype that says nothing of them."""
    if decision.encoding is not None:
        return ENCODINGS[decision.encoding].size(tensor.shape)
    width = WIDTHS.get(tensor.dtype)
    return None if width is None else product(tensor.shape, width)


def _shape(slot: Slot) -> list[int]:
    shape = [extent.u64() for extent in slot.elements()]
    values = 0 if 0 in shape else 1
    for extent in shape:
        values *= extent
        if values > MOST_VALUES:
            raise Refusal(
                "out-of-range",
                f"{slot.path}: {slot.field} has too many values",
                path=slot.path,
                field=slot.field,
            )
    return shape
