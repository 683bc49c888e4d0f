"""The canaries as tests: the smallest whole graph loads, and one drafter finds its target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import clause
from vindex3_suites.graph.canary import load_smallest, resolve_smallest

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


@clause("GRAPH-FIELD-02")
def test_canary(ask: Ask) -> None:
    """A graph of one component is observed whole, without a defect."""
    load_smallest(ask)


@clause("EDGE-ONE-01")
def test_canary_of_resolving(ask: Ask) -> None:
    """A text model and a drafter with a projector give one edge."""
    resolve_smallest(ask)
