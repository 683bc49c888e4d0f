"""The canary as a test: the smallest of the usual containers is described."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import clause
from vindex3_suites.waste.canary import sing

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


@clause("WASTE-DIR-01")
def test_canary(ask: Ask) -> None:
    """A container with experts is described exactly."""
    sing(ask, "waste.open")
