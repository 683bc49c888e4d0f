"""Registration: what joins a session in which an implementation is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vindex3.contract.door import NotLoaded
from pytest_vindex3.plugin import collection, restart, running, settings, terminal
from pytest_vindex3.plugin.session import Session
from pytest_vindex3.plugin.state import STATE, State


def register(config: pytest.Config) -> None:
    """Load the implementations and join the session.

    Raises:
        pytest.UsageError: an implementation that cannot be loaded, or a wrong value of an option.
    """
    wanted = settings.read(config)
    place = restart.origin()
    roots = (
        [Path(place.directory), Path(place.root)]
        if place
        else [config.invocation_params.dir, config.rootpath]
    )
    try:
        session = Session.open(wanted, roots)
    except NotLoaded as problem:
        raise pytest.UsageError(str(problem)) from None
    state = State(session, place, worker=hasattr(config, "workerinput"))
    config.stash[STATE] = state
    config.add_cleanup(session.close)
    manager = config.pluginmanager
    manager.register(collection.Collection(state), "vindex3-collection")
    manager.register(running.Running(state), "vindex3-running")
    if not state.worker:
        manager.register(terminal.Terminal(state), "vindex3-terminal")
