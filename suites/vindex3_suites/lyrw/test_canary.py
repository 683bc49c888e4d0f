"""The canary as a test: the smallest whole layer file is described."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import clause
from vindex3_suites.lyrw.canary import sing

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


@clause("LYRW-MAGIC-01")
def test_canary(ask: Ask) -> None:
    """The worked dense layer file is described exactly."""
    sing(ask, "lyrw.parse", "LYRW-MAGIC-01")


@clause("REGION-READ-01")
def test_canary_of_a_region(ask: Ask) -> None:
    """A region of the same file is given exactly."""
    sing(ask, "lyrw.region", "REGION-READ-01")
