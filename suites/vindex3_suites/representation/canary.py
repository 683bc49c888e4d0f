"""The canary of the family: one small question of the first verb that is claimed, before anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import answers, check
from vindex3_fixtures.representation import candidate, policy
from vindex3_fixtures.representation import vocabulary as v
from vindex3_fixtures.representation.catalogue import DECLARED, EXAMPLE
from vindex3_fixtures.representation.tensors import linear
from vindex3_suites.representation.compiling import compile_, says
from vindex3_suites.representation.promoting import SELECTED, promote, promotes
from vindex3_suites.representation.selecting import resolve, takes_baselines

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_vindex3.plugin.ask import Ask


def canary(ask: Ask) -> None:
    """Ask the first choosing verb of the family that is claimed, and compare its answer whole."""
    for verb, question in QUESTIONS.items():
        if ask.claims(verb):
            question(ask)
            return


def resolve_published(ask: Ask) -> None:
    """Resolve the published profile that selects nothing."""
    expected = takes_baselines("exact", EXAMPLE)
    check("SELECT-BASELINE-01", resolve(ask, "exact", DECLARED, EXAMPLE), expected)


def fold_two(ask: Ask) -> None:
    """Fold two words to the weaker one."""
    reply = ask("authority.fold", selected=[v.EXACT, v.NUMERICAL], execution_complete=True)
    expected = answers(
        level=v.NUMERICAL,
        weakest_selected=v.NUMERICAL,
        capped_by_completeness=False,
        capped_by_structure=False,
        claim_permitted=None,
    )
    check("AUTHORITY-MIN-01", reply, expected)


def compile_one(ask: Ask) -> None:
    """Compile a map without exceptions against one projection."""
    usual, tensors = policy(), [linear("0.self_attn.q_proj.weight")]
    expected = says(usual, tensors, [(v.NVFP4, "default", None)])
    check("ELIGIBLE-LINEAR-01", compile_(ask, usual, tensors), expected)


def promote_one(ask: Ask) -> None:
    """Promote a candidate that has all that it needs."""
    expected = promotes([SELECTED], roles=[v.LINEAR])
    check("PROMOTE-MAP-01", promote(ask, [candidate()]), expected)


QUESTIONS: dict[str, Callable[[Ask], None]] = {
    "selection.resolve": resolve_published,
    "authority.fold": fold_two,
    "precision.compile": compile_one,
    "promotion.promote": promote_one,
}
