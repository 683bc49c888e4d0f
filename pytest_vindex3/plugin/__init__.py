"""The pytest plugin: silent and light until `--vindex3-impl` names an implementation.

pytest loads this module in every project the kit is installed in, so it imports nothing but pytest
and a table of options; all else is imported and registered when the option is set.

The modules in the order in which a run goes through them:

Starting
    options     the table of options, on the command line and in the ini file
    restart     the certifying run: pytest once more, with the suites' own ini and root
    settings    what the options ask for
    memory      a folder in memory, where there is room for one
    session     the implementations, each behind its door
    known       the file of known failures
    state       all that the hooks of one process share
    hooks       what joins a session in which an implementation is named
Choosing
    identity    the stable id of a test, its clauses, the verbs it asks
    selection   the globs of --vindex3-only
    narrowing   modules that need not be collected for it
    collection  which tests run: claimed, in the profile, asked for
    pace        what garbage is collected meanwhile
Judging
    inputs      what a test hands out, and what became of it
    ask         the fixture through which a test reaches the implementation
    generated   tests whose inputs are drawn
    expect      what an outcome must be
    check       the one way in which a test judges
    canary      one small question a family, before anything else of it
    verdict     from what a test did to its verdict
    running     the hooks around a test, and its row
Telling
    compared    the two sides of a failed comparison
    blame       whose fault it may be
    facts       a failure as plain data
    excerpt     the annotated bytes it is about
    twins       the file of a folder that they are of
    kept        its inputs, for a replay
    telling     all of these, put on its row
Ending
    header      what is judged, by what, and how
    goldens     whether the pinned files are what was pinned
    overclaim   verbs that are listed and do not exist
    fuzzing     inputs that grow by chance, for as long as is asked
    ending      rows of all workers, the standing, the report, the exit code
    terminal    what is printed; the texts themselves are made in `pytest_vindex3.report`
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
    "vindex3_on_disk: a conformance test whose files must lie on a disk",
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
