"""Registration: what joins a session in which an implementation is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vindex3.contract.door import NotLoaded
from pytest_vindex3.plugin import known, restart, settings
from pytest_vindex3.plugin.collection import Collection
from pytest_vindex3.plugin.ending import Ending
from pytest_vindex3.plugin.header import header
from pytest_vindex3.plugin.kept import Kept
from pytest_vindex3.plugin.pace import Pace
from pytest_vindex3.plugin.running import Running
from pytest_vindex3.plugin.session import Session
from pytest_vindex3.plugin.settings import Settings
from pytest_vindex3.plugin.state import State
from pytest_vindex3.plugin.telling import Telling
from pytest_vindex3.plugin.terminal import Terminal
from pytest_vindex3.report.document import write_beginning


def register(config: pytest.Config) -> None:
    """Load the implementations and join the session.

    Raises:
        pytest.UsageError: an implementation that cannot be loaded, a wrong value of an option, a file of
            known failures that is none, a report that cannot be written.
    """
    wanted = settings.read(config)
    entries = _known(wanted)
    place = restart.origin()
    directory = Path(place.directory) if place else config.invocation_params.dir
    roots = dict.fromkeys([directory, Path(place.root) if place else config.rootpath])
    try:
        session = Session.open(wanted, tuple(roots))
    except NotLoaded as problem:
        raise pytest.UsageError(str(problem)) from None
    config.add_cleanup(session.close)
    if getattr(config.option, "dist", "no") != "no":
        session.rest()  # its workers have doors of their own
    state = State(session, place, worker=hasattr(config, "workerinput"), known=entries)
    kept = Kept(directory)
    _join(config, "collection", Collection(state))
    _join(config, "running", Running(state, Telling(kept, directory)))
    _join(config, "ending", Ending(state))
    if place:
        _join(config, "pace", Pace())
    if not state.worker:
        _join(config, "terminal", Terminal(state, directory))
        if not config.option.collectonly:
            _begin(state, kept)


def _join(config: pytest.Config, name: str, plugin: object) -> None:
    config.pluginmanager.register(plugin, f"vindex3-{name}")


def _known(wanted: Settings) -> tuple[known.Known, ...]:
    try:
        return known.read(wanted.known_failures) if wanted.known_failures else ()
    except known.Malformed as problem:
        raise pytest.UsageError(str(problem)) from None


def _begin(state: State, kept: Kept) -> None:
    """Forget what the run before left, unless this one only repeats a part of it."""
    settings = state.session.settings
    if not settings.only:
        kept.clear()
    try:
        if settings.report:
            write_beginning(settings.report, header(state))
    except (OSError, ValueError) as problem:  # a path without a name, or with a zero in it
        why = getattr(problem, "strerror", None) or problem
        raise pytest.UsageError(f"the report cannot be written to {settings.report}: {why}") from None
