"""The canary as tests, one for each verb that it may be: the smallest of the usual containers is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from vindex3_suites.waste.canary import COMPUTED, EXPECTED, sing

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

VERBS = [
    pytest.param(verb, id=verb, marks=pytest.mark.vindex3_clause(row[0]))
    for verb, row in {**EXPECTED, **COMPUTED}.items()
]


@pytest.mark.parametrize("verb", VERBS)
def test_canary(ask: Ask, verb: str) -> None:
    """A container with experts is read exactly, and an example of the format's text computed."""
    sing(ask, verb)
