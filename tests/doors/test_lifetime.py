"""No process, thread or file outlives its door, nor a door its owner."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from pytest_vindex3.contract.outcome import Answer, Fault, Limits
from pytest_vindex3.contract.pipe import Pipe
from pytest_vindex3.contract.process import environment

from .conftest import PARSED, children, gone, written

OWNER = """
import sys
from pytest_vindex3.contract.opening import open_door

for number, spec in enumerate(sys.argv[2:]):
    door = open_door(spec)
    door.ask("lyrw.parse", {"path": f"tell={sys.argv[1]}/{number}"})
print("asked", flush=True)
door = open_door(sys.argv[2])
ENDING
"""


@pytest.mark.usefixtures("leaves_nothing")
def test_close(misbehaving: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing a door ends its process, threads and scratch folder; closing again does nothing."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    door = Pipe.to_python(str(misbehaving))
    door.ask("lyrw.parse", {"path": f"tell={tmp_path / 'pid'}"})
    pid = int(written(tmp_path / "pid"))
    assert pid in children()
    assert len(list(folder.iterdir())) == 1
    door.close()
    door.close()
    assert gone(pid, 0.1)
    assert not list(folder.iterdir())


@pytest.mark.usefixtures("leaves_nothing")
@pytest.mark.parametrize("path", ["C loop", "abort", "os._exit"])
def test_close_after_fault(misbehaving: Path, path: str) -> None:
    """Neither a hang nor a crash leaves a process or a thread behind."""
    door = Pipe.to_python(str(misbehaving))
    door.ask("lyrw.parse", {"path": path}, Limits(seconds=0.2))
    door.close()


def test_asked_again_after_close(child: Pipe) -> None:
    """A door that was closed opens anew when it is asked."""
    assert child.ask("lyrw.parse", {"path": "well"}).outcome == Answer(PARSED)
    child.close()
    assert child.ask("lyrw.parse", {"path": "well"}).outcome == Answer(PARSED)


def test_restarted_only_when_needed(child: Pipe) -> None:
    """The process lives on over answers, refusals, misfits and exceptions, and is another after a crash."""

    def pid() -> object:
        outcome = child.ask("lyrw.parse", {"path": "pid"}).outcome
        assert isinstance(outcome, Answer)
        return outcome.value["table_bytes"]  # type: ignore[index]

    first = pid()
    for path in ("well", "refusal", "true", "exception", "prints"):
        child.ask("lyrw.parse", {"path": path})
    assert pid() == first
    child.ask("lyrw.parse", {"path": "os._exit"})
    assert pid() != first


def test_killed_between_requests(child: Pipe) -> None:
    """A process that is gone when a request comes is started again: the request is not to blame."""
    before = children()
    child.describe()
    [process] = [pid for pid in children() - before if "watchman" not in _command(pid)]
    os.kill(process, signal.SIGKILL)
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    assert child.ask("lyrw.parse", {"path": "well"}).outcome == Answer(PARSED)


@pytest.mark.usefixtures("leaves_nothing")
def test_interrupt(misbehaving: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's interrupt ends the request in flight, and its answer meets no later request."""
    door = Pipe.to_python(str(misbehaving))
    before = children()
    door.describe()
    started = children() - before
    with monkeypatch.context() as patch:
        patch.setattr("pytest_vindex3.contract.process.Process.receive", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            door.ask("lyrw.parse", {"path": "refusal"})
    assert ["watchman" in _command(pid) for pid in children() & started] == [True]
    assert door.ask("lyrw.parse", {"path": "well"}).outcome == Answer(PARSED)
    door.close()


@pytest.mark.parametrize(
    "ending",
    [
        "door.ask('lyrw.parse', {'path': f'loop={sys.argv[1]}/loop'})",
        "import os; os.kill(os.getpid(), 9)",
        "import os; os._exit(0)",
        "raise SystemExit",
    ],
)
def test_owner_ends(misbehaving: Path, tmp_path: Path, ending: str) -> None:
    """However the owner ends, idle and looping children, shells between them and scratch end with it."""
    serve = f"vindex3 serve {misbehaving}"
    specs = [str(misbehaving), f"cmd:{serve}", f"cmd:sh -c '{serve}; exit 0'"]
    folder = tmp_path / "temporary"
    folder.mkdir()
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER.replace("ENDING", ending), str(tmp_path), *specs],
        stdout=subprocess.PIPE,
        env={**environment(), "TMPDIR": str(folder)},
    )
    assert owner.stdout
    assert owner.stdout.readline() == b"asked\n"
    pids = [int(written(tmp_path / name)) for name in ("0", "1", "2")]
    if "loop" in ending:
        pids.append(int(written(tmp_path / "loop")))
        owner.kill()
    owner.wait()
    owner.stdout.close()
    assert all(gone(pid) for pid in pids)
    assert _empties(folder)


def test_escaped_grandchild(speaker: Pipe, tmp_path: Path) -> None:
    """A process that leaves the group and holds the pipe open does not hold the door."""
    path = tmp_path / "pid"
    escape = f"os.setsid(), open({str(path)!r}, 'w').write(str(os.getpid())), time.sleep(60)"
    found = speaker.ask("lyrw.parse", {"path": f"os.fork() or ({escape}); os._exit(5)"}, Limits(seconds=0.3))
    assert isinstance(found.outcome, Fault)
    assert speaker.ask("lyrw.parse", {"path": "well"}).outcome == Answer(PARSED)
    os.kill(int(written(path)), signal.SIGKILL)


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The session's own variables stay with the session; the interpreter's scripts are found last."""
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "x")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x")
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    monkeypatch.setenv("KEPT", "kept")
    monkeypatch.setenv("PATH", "/first")
    found = environment()
    assert not [name for name in found if name.startswith("PYTEST_")]
    assert found["KEPT"] == "kept"
    assert found["PATH"].startswith("/first" + os.pathsep)
    assert Path(found["PATH"].split(os.pathsep)[-1], "vindex3").is_file()


def _interrupted(*_: object, **__: object) -> bytes:
    raise KeyboardInterrupt


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def _empties(folder: Path) -> bool:
    deadline = time.monotonic() + 10
    while any(folder.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(folder.iterdir())
