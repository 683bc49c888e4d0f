"""The garbage collector of a certifying run: it looks at what a test makes, not at thousands of tests.

Tests, their cases and the models behind them are made while they are collected and live to the end. A full
collection, of which every long answer causes one, would go through all of them each time.
"""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest


class Pace:
    """The hook of collection that sees to it; for a process of our own, never a project's session."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Collect no garbage while tests are collected, and leave aside for good what is there then."""
        was_on = gc.isenabled()
        gc.disable()
        try:
            return (yield)
        finally:
            gc.freeze()
            if was_on:
                gc.enable()
