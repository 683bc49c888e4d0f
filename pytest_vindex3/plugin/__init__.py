"""The pytest plugin: silent and light until `--vindex3-impl` names an implementation.

pytest loads this module in every project the kit is installed in, so it imports nothing but pytest
and a table of options; all else is imported and registered when the option is set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_vindex3.plugin import options

if TYPE_CHECKING:
    from collections.abc import Generator

MARKERS = (
    "vindex3_clause(*ids): the clauses of the law that a conformance test is about",
    "vindex3_needs(*verbs): verbs (or verb:option) that a conformance test asks beyond those of its clauses",
    "vindex3_generated: a conformance test whose inputs are drawn",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option group and its ini twins."""
    options.add(parser)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser) -> Generator[None]:
    """Hand the run over to a pytest of the suites' own, before output is captured or a conftest is read."""
    if options.asked(early_config):
        from pytest_vindex3.plugin import restart

        restart.hand_over(early_config, parser)
    return (yield)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks always, everything else when an implementation is named."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    if options.asked(config):
        from pytest_vindex3.plugin import hooks

        hooks.register(config)
