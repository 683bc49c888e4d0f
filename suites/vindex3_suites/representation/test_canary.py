"""The canaries as tests: one small question of each choosing verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import clause
from vindex3_suites.representation.canary import compile_one, fold_two, promote_one, resolve_published

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


@clause("SELECT-BASELINE-01")
def test_canary(ask: Ask) -> None:
    """The published profile that selects nothing takes the baselines."""
    resolve_published(ask)


@clause("AUTHORITY-MIN-01")
def test_canary_of_folding(ask: Ask) -> None:
    """Of two words the weaker one is the level."""
    fold_two(ask)


@clause("ELIGIBLE-LINEAR-01")
def test_canary_of_compiling(ask: Ask) -> None:
    """A projection takes the encoding of a map."""
    compile_one(ask)


@clause("PROMOTE-MAP-01")
def test_canary_of_promoting(ask: Ask) -> None:
    """A candidate with all evidence is promoted."""
    promote_one(ask)
