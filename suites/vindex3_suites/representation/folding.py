"""How authority is folded, and what a right fold answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3.plugin.expect import answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers

Structural = dict[str, Any] | None
OMITTED: Structural = {"omitted": ["target.expert_bank"]}
REPLACED: Structural = {"replaced": "target.decoder_stack"}


def fold(
    ask: Ask,
    selected: Sequence[str],
    complete: bool = True,
    structural: Structural = None,
    claim: str | None = None,
) -> Reply:
    """Ask what these words come to."""
    given: dict[str, Any] = {"structural": structural, "claim": claim}
    present = {key: value for key, value in given.items() if value is not None}
    return ask("authority.fold", selected=list(selected), execution_complete=complete, **present)


def folds(
    level: str, weakest: str, by_completeness: bool = False, by_structure: bool = False, **keys: object
) -> Answers:
    """A level, the weakest word, and which caps lowered it; nothing was claimed unless `keys` say so."""
    flags = {"capped_by_completeness": by_completeness, "capped_by_structure": by_structure}
    return answers(level=level, weakest_selected=weakest, **flags, **{"claim_permitted": None, **keys})
