"""Reads that are counted and hindered, by both doors; requests that are put at once."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_vindex3.contract import preload
from pytest_vindex3.contract.door import Door
from pytest_vindex3.contract.opening import open_door
from pytest_vindex3.contract.outcome import Answer, Limits, Reading, Reads, Refused, Reply, Unjudged
from pytest_vindex3.contract.pipe import Pipe
from tests.doors.compiling import compiled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads are seen on Linux")

HERE = Path(__file__).parent
SHIM = Path(preload.__file__).parent / "shim/reads.c"
SIZE = 10_000
CONTENT = bytes(at % 251 for at in range(SIZE))

# What was read, call by call, and the sum of it; or the error. What a call did not give is still 7.
READER = """
import io, mmap, os, threading
MOST = 1 << 16


class Said(Exception):
    kind = "io"

    def __init__(self, text):
        self.names = {"reason": text}


def readers(how, path):
    if how == "open":
        file = open(path, "rb")
        return lambda room, at: file.readinto(room)
    if how == "whole":
        file = open(path, "rb")
        return lambda room, at: put(room, file.read())
    if how == "unbuffered":
        file = io.FileIO(path)
        return lambda room, at: put(room, file.read(MOST))
    if how == "text":
        file = open(path, encoding="latin-1", newline="")
        return lambda room, at: put(room, file.read().encode("latin-1"))
    descriptor = os.open(path, os.O_RDONLY | (os.O_DIRECT if how == "direct" else 0))
    return {
        "read": lambda room, at: put(room, os.read(descriptor, MOST)),
        "pread": lambda room, at: put(room, os.pread(descriptor, MOST, at)),
        "readv": lambda room, at: os.readv(descriptor, [room[:100], room[100:]]),
        "preadv": lambda room, at: os.preadv(descriptor, [room[:100], room[100:]], at),
        "direct": lambda room, at: os.preadv(descriptor, [room], at),
    }[how]


def put(room, data):
    room[: len(data)] = data
    return len(data)


def container_rewrite(*, path, out):
    said, total, at = "", 0, 0
    try:
        read = readers(out, path)
        while True:
            room = memoryview(mmap.mmap(-1, MOST))
            room[:] = bytes([7]) * MOST
            got = read(room, at)
            total += sum(room[:got]) + 1_000_000 * (bytes(room[got:]) != bytes([7]) * (MOST - got))
            said, at = f"{said}{got}|", at + got
            if not got:
                raise Said(f"{said}{total}")
    except OSError as error:
        raise Said(f"{said}{error.strerror}") from None


def lyrw_region(*, path, logical_layer, bank, entry, region):
    WAITING.wait(20)
    return {"data": str(entry).encode(), "format": 1, "shape": [1, 1], "programme_id": 0}


WAITING = threading.Barrier(8)
"""
PYTHON = ("read", "pread", "readv", "preadv", "open", "whole", "unbuffered", "text")
PROGRAM = ("read", "readv", "pread", "preadv", "stream")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """The reader in Python, in a child."""
    path = tmp_path_factory.mktemp("reader") / "reader.py"
    path.write_text(READER)
    door = open_door(str(path))
    yield door
    door.close()


@pytest.fixture(scope="module")
def cmd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """The reader in C, and the library that sees its reads, built from its source without a warning."""
    folder = tmp_path_factory.mktemp("reader")
    flags = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preload, "_SHIM", compiled(SHIM, folder / "reads.so", *flags, "-ldl").parent)
        door = Pipe.to_program(str(compiled(HERE / "reader.c", folder / "reader")))
        yield door
        door.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """What is read."""
    path = tmp_path.resolve() / "file"
    path.write_bytes(CONTENT)
    return path


Asking = Callable[..., tuple[str, Reads]]


@pytest.fixture
def said(request: pytest.FixtureRequest, file: Path) -> Asking:
    """Let a reader read the file; what it said, and what was seen."""

    def ask(door: str, how: str, **reading: object) -> tuple[str, Reads]:
        limits = Limits(reading=Reading(**{"file": str(file), **reading}))
        reply = request.getfixturevalue(door).ask(
            "container.rewrite", {"path": str(file), "out": how}, limits
        )
        assert isinstance(reply.outcome, Refused), reply.outcome
        assert reply.reads is not None
        return str(reply.outcome.names["reason"]), reply.reads

    return ask


WAYS = [("python", how) for how in PYTHON] + [("cmd", how) for how in PROGRAM]


@pytest.mark.parametrize(("door", "how"), WAYS)
def test_reads_are_counted(said: Asking, door: str, how: str) -> None:
    """Whatever call reads, the bytes of the watched part are counted, and nothing is changed."""
    plain, seen = said(door, how)
    assert plain.endswith(f"{SIZE}|0|{sum(CONTENT)}")
    assert (seen.direct, seen.buffered, seen.hindered) == (0, SIZE, 0)
    assert said(door, how, start=5, end=25)[1].buffered == 20
    assert said(door, how, file="/elsewhere")[1] == Reads()


@pytest.mark.parametrize(("door", "how"), WAYS)
def test_a_call_gives_less(said: Asking, door: str, how: str) -> None:
    """Of short calls every byte arrives once, and what lies behind those that a call gives is untouched."""
    text, seen = said(door, how, most=150)
    assert text.endswith(f"|{sum(CONTENT)}")
    assert seen.hindered >= SIZE // 150
    assert seen.buffered == SIZE


@pytest.mark.parametrize(("door", "how"), WAYS)
def test_a_file_seems_to_end(said: Asking, door: str, how: str) -> None:
    """Behind that place calls give nothing."""
    text, _ = said(door, how, length=3000)
    assert text == f"3000|0|{sum(CONTENT[:3000])}"


@pytest.mark.parametrize(("door", "how"), WAYS)
def test_a_call_fails(said: Asking, door: str, how: str) -> None:
    """It fails where it touches the part, as often as it is to."""
    failed = (os.strerror(errno.EIO), 1)
    text, seen = said(door, how, error=errno.EIO, start=200, end=201)
    assert (text.rpartition("|")[2], seen.hindered) == failed
    text, seen = said(door, how, error=errno.EIO, times=0)
    assert (text.rpartition("|")[2], seen.hindered) == (str(sum(CONTENT)), 0)
    text, seen = said(door, how, error=errno.EMFILE, opening=True)
    assert (text, seen) == (os.strerror(errno.EMFILE), Reads(hindered=1))


@pytest.mark.parametrize(("door", "how"), WAYS)
def test_direct_reads_alone_are_hindered(said: Asking, door: str, how: str) -> None:
    """What reads through the page cache is counted, and nothing else."""
    text, seen = said(door, how, direct=True, error=errno.EINVAL, most=1, length=1)
    assert text.endswith(f"|{sum(CONTENT)}")
    assert (seen.hindered, seen.buffered) == (0, SIZE)
    assert said(door, how, direct=True, error=errno.EINVAL, opening=True)[1].hindered == 0


@pytest.mark.parametrize("door", ["python", "cmd"])
def test_direct_reads_are_told_apart(said: Asking, file: Path, door: str) -> None:
    """They are counted as such, fail, and give less, without what they do not give."""
    try:
        os.close(os.open(file, os.O_RDONLY | os.O_DIRECT))
    except OSError:
        pytest.skip("this file system has no direct reads")
    # behind the end of the file, in the middle of a page, reading on is refused by some systems
    _, seen = said(door, "direct")
    assert (seen.direct, seen.buffered) == (SIZE, 0)
    text, seen = said(door, "direct", most=4096, length=8192)
    assert text == f"4096|4096|0|{sum(CONTENT[:8192])}"
    assert (seen.direct, seen.buffered) == (8192, 0)
    for opening in (True, False):
        text, _ = said(door, "direct", direct=True, error=errno.EINVAL, opening=opening)
        assert text == os.strerror(errno.EINVAL)


def test_a_call_is_interrupted_once(said: Asking) -> None:
    """A program has to call again; Python does so by itself and sees nothing."""
    text, seen = said("cmd", "pread", interrupted=True)
    assert text == f"again|{SIZE}|again|0|{sum(CONTENT)}"
    assert seen.hindered == 2
    assert said("python", "pread", interrupted=True)[0] == f"{SIZE}|0|{sum(CONTENT)}"


@pytest.mark.parametrize("door", ["python", "cmd"])
def test_folders_exchange_their_names(said: Asking, tmp_path: Path, door: str) -> None:
    """They do before the first read, once; who has a file open goes on with it."""
    one, other = tmp_path.resolve() / "one", tmp_path.resolve() / "other"
    for folder, byte in ((one, 1), (other, 2)):
        folder.mkdir()
        (folder / "file").write_bytes(bytes([byte]) * 9)
    swapped = (str(one), str(other))
    said(door, "pread", swapped=swapped)
    assert [(folder / "file").read_bytes()[0] for folder in (one, other)] == [2, 1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "one", "other"]


def test_without_the_library_programs_are_not_judged(tmp_path: Path, cmd: Door, monkeypatch) -> None:
    """Where it was not built the request is not put at all."""
    monkeypatch.setattr(preload, "_SHIM", tmp_path)
    reply = cmd.ask("container.rewrite", {"path": "x", "out": "read"}, Limits(reading=Reading("/x")))
    assert isinstance(reply.outcome, Unjudged)
    assert "no C compiler" in reply.outcome.reason


def regions(door: Door, count: int) -> Reply:
    fixed = {"path": "x", "logical_layer": 1, "bank": 0, "region": 0}
    first, *others = ({**fixed, "entry": entry} for entry in range(count))
    return door.ask("lyrw.region", first, Limits(beside=tuple(others), seconds=30))


def test_requests_are_put_at_once(python: Door) -> None:
    """Eight requests that wait for each other are all answered, each with what it asked for."""
    reply = regions(python, 8)
    outcomes = [reply.outcome, *reply.beside]
    assert [one.value["data"] if isinstance(one, Answer) else one for one in outcomes] == [
        str(place).encode() for place in range(8)
    ]


def test_a_program_is_asked_one_question_at_a_time(cmd: Door) -> None:
    """Over a pipe nothing is put at once."""
    reply = regions(cmd, 2)
    assert isinstance(reply.outcome, Unjudged)
