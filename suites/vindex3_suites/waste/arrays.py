"""Answers that are arrays of float32, as expectations."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pytest_vindex3.contract.difference import Difference, first_difference
from pytest_vindex3.contract.outcome import Answer
from pytest_vindex3.plugin.expect import Side, Words, said

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Outcome
    from vindex3_fixtures.waste.quant import Floats

LEGAL: Final[frozenset[Side]] = frozenset({"legal"})


@dataclass(frozen=True, slots=True, eq=False)
class Gives:
    """An answer that is this array: type, shape, and every number by its bits, NaN as one class."""

    array: Floats
    sides: frozenset[Side] = LEGAL

    def difference(self, outcome: Outcome) -> Difference | None:
        """The first number that differs."""
        if not isinstance(outcome, Answer):
            return Difference("", Words("an answer"), said(outcome))
        return first_difference(self.array, outcome.value)


@dataclass(frozen=True, slots=True)
class Digested:
    """An array of float32 of this shape, whose bytes, row-major and little-endian, have this digest."""

    shape: tuple[int, ...]
    sha256: str
    sides: frozenset[Side] = LEGAL

    def difference(self, outcome: Outcome) -> Difference | None:
        """A difference of shape, else one of digests."""
        if not isinstance(outcome, Answer):
            return Difference("", Words("an answer"), said(outcome))
        found: Any = outcome.value
        for fact, wanted in (("dtype", "float32"), ("shape", str(self.shape))):
            there = str(getattr(found, fact, None))
            if there != wanted:
                return Difference(fact, wanted, there)
        return first_difference(self.sha256, sha256(found.astype("<f4").tobytes()).hexdigest(), "sha256")


def gives(array: Floats) -> Gives:
    """Expect this array."""
    return Gives(np.ascontiguousarray(array, np.float32))
