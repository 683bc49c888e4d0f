"""Implementations that are forked from a process which has imported everything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_vindex3.contract.opening import open_door
from pytest_vindex3.contract.outcome import Answer, Fault, Refused
from pytest_vindex3.contract.process import Process
from pytest_vindex3.trust.nursery import nursery

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="forks are watched on Linux alone")

MUTANT = "vindex3_fixtures.mutants.adapter:schema-5-is-upgraded"
FIFTH = '{"schema": 5, "components": [], "objects": [], "edges": []}'


@pytest.fixture(scope="module")
def warm() -> Iterator[None]:
    """A nursery in which these tests start what they ask."""
    with nursery():
        yield


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize(("spec", "kind"), [("vindex3_reference", Refused), (MUTANT, Answer)])
def test_a_fork_answers_like_a_process_of_its_own(spec: str, kind: type) -> None:
    """A fork is the implementation that was asked for, with its defect where it has one."""
    door = open_door(spec)
    try:
        assert isinstance(door.ask("graph.load", {"text": FIFTH}).outcome, kind)
    finally:
        door.close()


@pytest.mark.usefixtures("warm")
def test_one_defect_is_not_in_the_next_fork() -> None:
    """Whoever is forked later has nothing of those before."""
    for spec, kind in ((MUTANT, Answer), ("vindex3_reference", Refused)):
        door = open_door(spec)
        assert isinstance(door.ask("graph.load", {"text": FIFTH}).outcome, kind)
        door.close()


@pytest.mark.usefixtures("warm")
def test_a_fork_that_ends_is_a_crash_and_is_started_again(tmp_path: Path) -> None:
    """A fork that dies in a request is told of by how it ended, and the next request meets a new one."""
    adapter = tmp_path / "dying.py"
    adapter.write_text(
        "import os, signal\n"
        "def graph_load(*, text=None, path=None):\n"
        "    if text == 'die':\n"
        "        os.kill(os.getpid(), signal.SIGSEGV)\n"
        "    return {'schema': 6, 'components': [], 'objects': [], 'edges': [], 'primary': None,\n"
        "            'document': {}, 'defects': []}\n"
    )
    door = open_door(str(adapter))
    try:
        outcome = door.ask("graph.load", {"text": "die"}).outcome
        assert isinstance(outcome, Fault)
        assert outcome.what == "crash"
        assert "SIGSEGV" in outcome.detail
        assert isinstance(door.ask("graph.load", {"text": "live"}).outcome, Answer)
    finally:
        door.close()


@pytest.mark.usefixtures("warm")
def test_what_is_no_python_host_is_started_as_ever() -> None:
    """A program is no fork."""
    process = Process([sys.executable, "-c", "print('ready', flush=True); input()"], dict(os.environ))
    try:
        assert process.receive(30.0) == b"ready"
        assert isinstance(process._popen, subprocess.Popen)
    finally:
        process.close()


@pytest.mark.usefixtures("warm")
def test_a_fork_can_be_waited_for_and_killed() -> None:
    """A fork runs until it is ended, and then its exit code is known."""
    door = open_door("vindex3_reference")
    door.describe()
    program = door._process._popen  # type: ignore[attr-defined]
    assert program.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        program.wait(0.01)
    program.kill()
    assert program.wait(30.0) == -signal.SIGKILL
    assert program.poll() == -signal.SIGKILL
    door.close()


def test_behind_a_nursery_programs_are_started_as_before() -> None:
    """What starts programs is put back."""
    before = Process.start
    with nursery():
        assert Process.start is not before
    assert Process.start is before
