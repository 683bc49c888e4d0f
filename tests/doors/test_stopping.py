"""Writers that are stopped before a change of a file, by both doors; disks that are full, and permissions."""

from __future__ import annotations

import errno
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_vindex3.contract import preload
from pytest_vindex3.contract.door import Door
from pytest_vindex3.contract.opening import open_door
from pytest_vindex3.contract.outcome import Answer, Fault, Limits, Refused, Reply, Stop, Unjudged
from pytest_vindex3.contract.pipe import Pipe
from tests.doors.compiling import compiled

HERE = Path(__file__).parent
SHIM = Path(preload.__file__).parent / "shim/changes.c"

# One change of a file for each entry, with what the folder holds after it.
WRITER = """
import io, os, shutil, tempfile
from os import replace as put_in_place
from pathlib import Path


def steps(out):
    os.mkdir(out / "new")
    file = open(out / "new/a", "wb")
    file.write(bytes(3))
    file.flush()
    file.write(bytes(2))
    file.close()
    text = (out / "b").open("x", encoding="utf-8", newline="")
    text.write("b")
    text.close()
    raw = io.FileIO(out / "b", "r+")
    raw.write(b"B")
    raw.truncate(0)
    raw.close()
    put_in_place(out / "b", out / "c")
    os.chdir(out)
    descriptor = os.open("d", flags=os.O_CREAT | os.O_WRONLY)
    os.pwrite(descriptor, b"d", 5)
    os.ftruncate(descriptor, 1)
    os.close(descriptor)
    folder = os.open("new", os.O_RDONLY)
    os.link("d", "e", dst_dir_fd=folder)
    os.symlink("a", "f", dir_fd=folder)
    os.truncate("new/e", 0)
    os.unlink("e", dir_fd=folder)
    Path("new/f").unlink()
    Path("d").rename("g")
    shutil.rmtree("new")
    os.close(os.open("g", os.O_WRONLY))
    open("g", "r+b").close()
    open("g").read()


def container_rewrite(*, path, out):
    with tempfile.TemporaryFile() as elsewhere:
        elsewhere.write(b"no")
    try:
        steps(Path(out))
    except OSError as error:
        raise Failed(error) from None
    return {"path": out, "carried_files": [], "dropped_files": []}


class Failed(Exception):
    kind = "io"

    def __init__(self, error):
        self.names = {"reason": error.strerror}
"""
PYTHON_CHANGES = 20
C_CHANGES = 17


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """The writer in Python, in a child."""
    path = tmp_path_factory.mktemp("writer") / "writer.py"
    path.write_text(WRITER)
    door = open_door(str(path))
    yield door
    door.close()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The writer in C."""
    return compiled(HERE / "writer.c", tmp_path_factory.mktemp("writer") / "writer", "-Wno-format")


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The library that stops programs, built from its source without a warning."""
    path = tmp_path_factory.mktemp("shim") / "changes.so"
    flags = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preload, "_SHIM", compiled(SHIM, path, *flags, "-ldl").parent)
        yield path


@pytest.fixture
def cmd(program: Path, shim: Path) -> Iterator[Door]:
    """The writer in C, behind a shell."""
    assert shim.is_file()
    door = Pipe.to_program(shlex.join(["sh", "-c", f"{shlex.quote(str(program))}; exit $?"]))
    yield door
    door.close()


@pytest.fixture
def stopped(tmp_path: Path) -> Callable[..., tuple[Reply, list[str]]]:
    """Put a request that is stopped; the reply, and the names and lengths that the folder then holds."""

    def ask(door: Door, before: int | None, error: int | None = None) -> tuple[Reply, list[str]]:
        folder = tmp_path / f"{before}-{error}"
        folder.mkdir()
        stop = Stop(str(folder.resolve()), before, error)
        reply = door.ask("container.rewrite", {"path": "x", "out": str(folder)}, Limits(stop=stop))
        found = sorted(path for path in folder.rglob("*"))
        return reply, [
            f"{path.relative_to(folder)} {path.lstat().st_size * path.is_file()}" for path in found
        ]

    return ask


def states(stopped: Callable[..., tuple[Reply, list[str]]], door: Door, changes: int) -> list[list[str]]:
    """What the disk holds before each of the changes and after the last, each of which is a change."""
    found = []
    for number in range(1, changes + 1):
        reply, state = stopped(door, number)
        assert (reply.stopped, reply.changes) == (True, number)
        assert isinstance(reply.outcome, Unjudged)
        found.append(state)
    reply, state = stopped(door, changes + 1)
    assert (reply.stopped, reply.changes) == (False, changes)
    assert isinstance(reply.outcome, Answer)
    return [*found, state]


@pytest.mark.skipif(sys.platform != "linux", reason="writers are stopped on Linux")
def test_a_python_writer_is_stopped_before_every_change(stopped, python) -> None:
    """Each call that changes a file below the folder counts once; neither it nor a later one happens."""
    assert states(stopped, python, PYTHON_CHANGES) == [
        [],
        ["new 0"],
        ["new 0", "new/a 0"],
        ["new 0", "new/a 3"],
        ["new 0", "new/a 5"],
        ["b 0", "new 0", "new/a 5"],
        ["b 1", "new 0", "new/a 5"],
        ["b 1", "new 0", "new/a 5"],
        ["b 0", "new 0", "new/a 5"],
        ["c 0", "new 0", "new/a 5"],
        ["c 0", "d 0", "new 0", "new/a 5"],
        ["c 0", "d 6", "new 0", "new/a 5"],
        ["c 0", "d 1", "new 0", "new/a 5"],
        ["c 0", "d 1", "new 0", "new/a 5", "new/e 1"],
        ["c 0", "d 1", "new 0", "new/a 5", "new/e 1", "new/f 1"],
        ["c 0", "d 0", "new 0", "new/a 5", "new/e 0", "new/f 1"],
        ["c 0", "d 0", "new 0", "new/a 5", "new/f 1"],
        ["c 0", "d 0", "new 0", "new/a 5"],
        ["c 0", "g 0", "new 0", "new/a 5"],
        ["c 0", "g 0", "new 0"],
        ["c 0", "g 0"],
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="writers are stopped on Linux")
def test_a_program_is_stopped_before_every_change(stopped, cmd) -> None:
    """Calls of the C library, its streams among them, are counted once each, behind a shell as well."""
    found = states(stopped, cmd, C_CHANGES)
    assert found[:3] == [[], ["new 0"], ["new 0", "new/a 0"]]
    assert found[8] == ["new 0", "new/a 2", "new/b 1"]
    assert found[9:12] == [["new 0", "new/a 2", "new/b 1", f"new/c {length}"] for length in (0, 10, 11)]
    assert found[-1] == ["new 0", "new/a 2", "new/b 1", "new/d 1"]


@pytest.mark.parametrize("name", ["python", "cmd"])
def test_a_change_fails_instead(stopped, request, name) -> None:
    """With an error the one call fails with it, and the implementation says what it makes of that."""
    reply, state = stopped(request.getfixturevalue(name), 2, errno.ENOSPC)
    assert (reply.stopped, reply.changes) == (True, 2)
    assert isinstance(reply.outcome, Refused)
    assert reply.outcome.kind == "io"
    assert os.strerror(errno.ENOSPC) in f"{reply.outcome.message}{reply.outcome.names}"
    assert state == ["new 0"]


@pytest.mark.parametrize("name", ["python", "cmd"])
def test_all_changes_are_counted(stopped, request, name) -> None:
    """Without a number nothing is stopped, and the door answers the next request as if nothing had been."""
    door = request.getfixturevalue(name)
    reply, state = stopped(door, None)
    assert (reply.stopped, reply.changes) == (False, PYTHON_CHANGES if name == "python" else C_CHANGES)
    assert isinstance(reply.outcome, Answer)
    assert state
    stopped(door, 1)
    plain = door.ask("container.rewrite", {"path": "x", "out": "/nonexistent"})
    assert plain.changes is None


def test_without_the_library_programs_are_not_judged(stopped, program, monkeypatch, tmp_path) -> None:
    """Where it was not built the request is not put at all."""
    monkeypatch.setattr(preload, "_SHIM", tmp_path)
    door = Pipe.to_program(str(program))
    reply, state = stopped(door, 1)
    door.close()
    assert isinstance(reply.outcome, Unjudged)
    assert "no C compiler" in reply.outcome.reason
    assert state == []


def test_a_program_that_does_not_load_the_library_is_not_judged(stopped, shim, tmp_path) -> None:
    """One that is linked statically is not asked."""
    assert shim.is_file()
    try:
        static = compiled(HERE / "writer.c", tmp_path / "static", "-static", "-Wno-format")
    except subprocess.CalledProcessError:
        pytest.skip("nothing is linked statically here")
    door = Pipe.to_program(str(static))
    reply, state = stopped(door, 1)
    door.close()
    assert isinstance(reply.outcome, Unjudged)
    assert "linked statically" in reply.outcome.reason
    assert state == []


def test_a_crash_of_its_own_stays_a_fault(tmp_path) -> None:
    """A writer that ends by itself while it may be stopped has crashed."""
    path = tmp_path / "crashing.py"
    path.write_text("import os\n\ndef container_rewrite(*, path, out):\n    os.kill(os.getpid(), 11)\n")
    door = open_door(str(path))
    limits = Limits(stop=Stop(str(tmp_path), 1))
    found = door.ask("container.rewrite", {"path": "x", "out": str(tmp_path)}, limits).outcome
    door.close()
    assert found == Fault("crash", "killed by SIGSEGV, without an answer")


def test_a_full_disk(python, tmp_path) -> None:
    """Beyond the bound no file of the request grows; the next request is free of it."""
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    arguments = {"path": "x", "out": str(first)}
    bounded = python.ask("container.rewrite", arguments, Limits(file_size=2)).outcome
    assert isinstance(bounded, Refused)
    assert bounded.names == {"reason": os.strerror(errno.EFBIG)}
    free = python.ask("container.rewrite", {"path": "x", "out": str(second)}).outcome
    assert isinstance(free, Answer)


def test_a_program_that_a_bound_on_files_would_kill_is_not_judged(cmd, tmp_path) -> None:
    """A program that does not ignore the signal of the bound is not put under it."""
    arguments = {"path": "x", "out": str(tmp_path)}
    found = cmd.ask("container.rewrite", arguments, Limits(file_size=2)).outcome
    assert isinstance(found, Unjudged)
    assert "SIGXFSZ" in found.reason


@pytest.mark.parametrize("name", ["python", "cmd"])
def test_permissions_hold(request, name, tmp_path) -> None:
    """Without privileges a folder that nobody may write to is one, whoever runs the kit."""
    door = request.getfixturevalue(name)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    arguments = {"path": "x", "out": str(closed)}
    found = door.ask("container.rewrite", arguments, Limits(unprivileged=True)).outcome
    closed.chmod(0o700)
    assert isinstance(found, Refused)
    assert os.strerror(errno.EACCES) in f"{found.message}{found.names}"
