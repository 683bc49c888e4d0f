"""What a right reader delivers where the answer is an array and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vindex3.contract.difference import Difference, first_difference
from pytest_vindex3.contract.outcome import Answer
from pytest_vindex3.plugin.expect import Side, Words, said

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Outcome
    from vindex3_fixtures.waste.quant import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Delivers:
    """An array of float32 of this shape, every number of it by its bits, NaN as one class."""

    array: Floats
    sides: frozenset[Side] = frozenset({"legal"})

    def difference(self, outcome: Outcome) -> Difference | None:
        """The first number that is another one."""
        if not isinstance(outcome, Answer):
            return Difference("", Words("an answer"), said(outcome))
        return first_difference(self.array, outcome.value)


def delivers(array: Floats) -> Delivers:
    """Expect this array."""
    return Delivers(array)
