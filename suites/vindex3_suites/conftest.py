"""What the suites need of a session that is not their own."""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Say what is missing where the suites are named without an implementation.

    Raises:
        pytest.UsageError: no implementation is named.
    """
    plugins = config.pluginmanager
    if not (plugins.has_plugin("vindex3-running") or config.option.collectonly):
        raise pytest.UsageError("the suites judge an implementation: name one with --vindex3-impl=SPEC")
