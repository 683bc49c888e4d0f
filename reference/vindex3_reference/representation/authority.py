"""Authority: how far an execution may be taken for its source (representation.md, section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.variants import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vindex3_reference.slot import Slot

WEAKEST = LEVELS[0]
STRUCTURAL = LEVELS[1]
"""The most that an execution with another structure than its source comes to."""


class Folded(NamedTuple):
    """A derived level, and what it follows from.

    Attributes:
        level: what the execution comes to.
        weakest_selected: the weakest word that was selected.
        capped_by_completeness: whether operands that lack lowered it.
        capped_by_structure: whether an omission or a replacement lowered it.
    """

    level: str
    weakest_selected: str
    capped_by_completeness: bool
    capped_by_structure: bool

    def permits(self, claim: str) -> bool:
        """Let a claim stand that is at or below the level (AUTHORITY-CLAIM-01).

        Returns:
            True, always.

        Raises:
            Refusal: `overclaim` for one above it (AUTHORITY-CLAIM-02).
        """
        if LEVELS.index(claim) <= LEVELS.index(self.level):
            return True
        raise Refusal(
            "overclaim", f"{claim} is claimed, and {self.level} derived", claimed=claim, derived=self.level
        )


def fold(selected: Iterable[str], *, complete: bool = True, changed: bool = False) -> Folded:
    """The level of what is selected: the weakest, capped by what is missing or changed (AUTHORITY-MIN-01).

    Args:
        selected: words of `LEVELS`; nothing folds to the weakest of all (AUTHORITY-MIN-02).
        complete: whether every required operand is there.
        changed: whether a component was declared omitted or replaced.
    """
    weakest = min(selected, key=LEVELS.index, default=WEAKEST)
    if not complete:
        return Folded(WEAKEST, weakest, weakest != WEAKEST, capped_by_structure=False)
    if changed and weakest not in (WEAKEST, STRUCTURAL):
        return Folded(STRUCTURAL, weakest, capped_by_completeness=False, capped_by_structure=True)
    return Folded(weakest, weakest, capped_by_completeness=False, capped_by_structure=False)


def declares_change(structural: Slot | None) -> bool:
    """Whether components are declared omitted or replaced.

    Raises:
        Refusal: `bad-type`; `missing-field` for a declaration that says neither.
    """
    if structural is None:
        return False
    replaced = structural.optional("replaced")
    if replaced is not None:
        replaced.text()
        return True
    return bool([component.text() for component in structural.required("omitted").elements()])
