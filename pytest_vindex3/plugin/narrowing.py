"""Which modules of the suites `--vindex3-only` can mean: others need not be collected."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from pathlib import Path

from pytest_vindex3.plugin.identity import suites
from pytest_vindex3.plugin.settings import Settings


def narrowed(settings: Settings) -> frozenset[str] | None:
    """The modules below the suites that hold what is asked for; None where only their tests can tell.

    That is so for globs over clauses and families, for globs that mean no module, whose nearest names are
    then sought among all tests, and for the profile *quick*, which picks from all tests.
    """
    if not settings.only or settings.profile == "quick":
        return None
    wanted = [frozenset(name for name in _modules() if may_hold(name, glob)) for glob in settings.only]
    named = all("/" in _head(glob) for glob in settings.only)
    return frozenset().union(*wanted) if named and all(wanted) else None


def may_hold(module: str, glob: str) -> bool:
    """Whether a glob over paths can mean a test of this module, or the module."""
    head, start = _head(glob), f"{module}::"
    if glob in (module, module.replace("test_canary.py", "canary")):
        return True
    return head.startswith(start) or (head != glob and start.startswith(head))


def _head(glob: str) -> str:
    """What stands before the first sign that means any other."""
    return re.split(r"[*?]", glob, maxsplit=1)[0]


@cache
def _modules() -> Collection[str]:
    return [path.relative_to(suites()).as_posix() for path in suites().rglob("test_*.py")]


def is_passed_over(path: Path, wanted: frozenset[str]) -> bool:
    """Whether a file is a module of the suites that is not wanted."""
    name = path.relative_to(suites()).as_posix() if path.is_relative_to(suites()) else ""
    return name in _modules() and name not in wanted
