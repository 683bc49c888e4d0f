"""The canary as a test: the smallest of the usual containers is described."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import clause
from vindex3_suites.container.canary import sing

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


@clause("INDEX-SHAPE-02")
def test_canary(ask: Ask) -> None:
    """A container of the graph shape is described exactly."""
    sing(ask, "container.open")


@clause("SEGMENT-TENSOR-01")
def test_canary_of_a_tensor(ask: Ask) -> None:
    """A tensor of it is given exactly."""
    sing(ask, "container.tensor")


@clause("VERIFY-INTACT-01")
def test_canary_of_verifying(ask: Ask) -> None:
    """Every segment of it is found intact."""
    sing(ask, "container.verify")
