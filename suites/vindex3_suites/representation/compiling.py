"""How a map is compiled, and what a right compiler answers: typed rulings, or those of the first match."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pytest_vindex3.plugin.expect import answers
from vindex3_fixtures.representation.tensors import linear
from vindex3_fixtures.representation.vocabulary import ENCODINGS, NVFP4

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers
    from vindex3_fixtures.representation import Placed

Map = dict[str, Any]
Ruling = tuple[str | None, str, int | None]
"""The encoding that was decided, None at the precision of the source; the reason; the exception or None."""

KEPT: Ruling = (None, "role", None)
DEFAULT: Ruling = (NVFP4, "default", None)
"""What the usual map rules where no exception is met."""
SOURCE_0: Ruling = (None, "exception", 0)
"""What the first exception rules where it has no encoding."""


def linears(*names: str) -> list[Placed]:
    """Projection weights of these names, of a shape that every encoding fits."""
    return [linear(name) for name in names]


def compile_(ask: Ask, policy: Map, tensors: Sequence[Placed]) -> Reply:
    """Ask what a map makes of these tensors."""
    return ask("precision.compile", map=policy, tensors=[one.tensor for one in tensors])


def says(policy: Map, tensors: Sequence[Placed], rulings: Sequence[Ruling]) -> Answers:
    """These rulings, one for each tensor in the order of the request; bytes and untouched are not judged."""
    decisions = [_decision(policy, one, ruling) for one, ruling in zip(tensors, rulings, strict=True)]
    compiled = sum(encoding is not None for encoding, _, _ in rulings)
    return answers(decisions=decisions, compiled=compiled, carried=len(tensors) - compiled)


def _decision(policy: Map, placed: Placed, ruling: Ruling) -> dict[str, object]:
    encoding, reason, exception = ruling
    return {
        "object": placed.object,
        "name": placed.name,
        "role": placed.role,
        "eligible": placed.role in policy["roles"],
        "encoding": encoding,
        "reason": reason,
        "exception": exception,
    }


def rulings(policy: Map, tensors: Sequence[Placed]) -> list[Ruling]:
    """What a map rules by the first match; the tensors' roles are those that stand beside them."""
    return [_ruling(policy, one) for one in tensors]


def _ruling(policy: Map, placed: Placed) -> Ruling:
    if placed.role not in policy["roles"]:
        return KEPT
    exceptions = policy.get("exceptions", [])
    exception = first_match(exceptions, placed.name)
    decided = policy if exception is None else exceptions[exception]
    encoding = decided.get("encoding")
    if encoding is not None and not fits(encoding, placed.shape):
        return None, "shape", exception
    return encoding, "default" if exception is None else "exception", exception


def first_match(exceptions: Sequence[Mapping[str, Any]], name: str) -> int | None:
    """The position of the first exception whose selectors are all met."""
    *_, projection, _ = (None, *name.split("."))
    depth = _depth(name.partition(".")[0])
    for position, one in enumerate(exceptions):
        low, high = one.get("layers", (-1, math.inf))
        if one.get("projection", projection) == projection and low <= depth <= high:
            return position
    return None


def _depth(part: str) -> int:
    return int(part) if part.isdecimal() else -1


def fits(encoding: str, shape: Sequence[int]) -> bool:
    """Whether an encoding holds a tensor of this shape."""
    known = ENCODINGS[encoding]
    return bool(shape) and shape[-1] % known.block == 0 and (len(shape) == 2 or not known.matrix_only)
