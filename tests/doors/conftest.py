"""Doors to small adapters that misbehave on demand, and what is left of processes."""

from __future__ import annotations

import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_vindex3.contract.door import Door
from pytest_vindex3.contract.opening import open_door
from pytest_vindex3.contract.pipe import Pipe

PARSED = {
    "header": {"logical_layer": 1, "flags": 0},
    "banks": [],
    "segments": [],
    "table_bytes": 64,
    "payload_start": 64,
    "unknown": [],
}
"""What the adapters of these tests answer to `lyrw.parse` when they behave."""

MISBEHAVING = f"""
import ctypes, itertools, mmap, os, signal, sys, threading, time
import numpy as np
import pytest_vindex3

vindex3_verbs = ["lyrw.parse", "lyrw.region", "lyrw.partner"]
PARSED = {PARSED!r}


class Tagged(Exception):
    names = {{"declared": 1}}

    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind


class TaggedMemory(MemoryError):
    kind, names = "truncated", {{}}


def swallow():
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass


def loud():
    os.write(2, b"beginning" + b"." * (10 << 20) + b"the end")
    return PARSED


def prints():
    print("by Python")
    os.write(1, b"by the descriptor\\n")
    ctypes.CDLL(None).puts(b"by C")
    ctypes.CDLL(None).fflush(None)
    return PARSED


def tell(path):
    with open(path, "w") as file:
        file.write(f"{{os.getpid()}}")


def loop(path):
    tell(path)
    sum(itertools.repeat(0))


def raised(exception):
    raise exception


def reads():
    file = os.open(__file__, os.O_RDONLY)
    for _ in range(100):
        os.pread(file, 1000, 0)
    os.close(file)
    return PARSED


def busy():
    start = time.process_time()
    while time.process_time() - start < 0.1:
        pass
    return PARSED


KEPT = []


def maps(path):
    with open(path, "rb") as file:
        KEPT.append(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    return PARSED


def touches(path):
    maps(path)
    sum(KEPT[-1][place] for place in range(0, len(KEPT[-1]), 4096))
    return PARSED


def zeros(gib):
    return {{**PARSED, "table_bytes": int(np.zeros(gib << 30, np.uint8).size)}}


HELD = []


def holds():
    end = threading.Event()
    waiting = threading.Thread(target=end.wait, daemon=True)
    waiting.start()
    file = open(__file__, "rb")
    HELD.append((end, waiting, file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
    return PARSED


def lets_go():
    for end, waiting, file, view in HELD:
        end.set()
        waiting.join()
        view.close()
        file.close()
    HELD.clear()
    return PARSED


ACTS = {{
    "holds": holds,
    "lets go": lets_go,
    "well": lambda: PARSED,
    "pid": lambda: {{**PARSED, "table_bytes": os.getpid()}},
    "sys.exit": lambda: sys.exit(3),
    "os._exit": lambda: os._exit(3),
    "exit silently": lambda: os._exit(0),
    "abort": os.abort,
    "segfault": lambda: ctypes.string_at(0),
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "C loop": lambda: sum(itertools.repeat(0)),
    "swallows": swallow,
    "prints": prints,
    "reads stdin": lambda: {{**PARSED, "table_bytes": len(sys.stdin.read())}},
    "loud": loud,
    "zeros": lambda: zeros(64),
    "reads": reads,
    "busy": busy,
    "over-wide": lambda: {{**PARSED, "table_bytes": 2**200}},
    "numpy": lambda: {{**PARSED, "table_bytes": np.uint32(64), "banks": (), "unknown": ()}},
    "true": lambda: {{**PARSED, "header": {{"logical_layer": True, "flags": 0}}}},
    "real": lambda: {{**PARSED, "header": {{"logical_layer": 1.0, "flags": 0}}}},
    "missing": lambda: {{**PARSED, "header": {{"logical_layer": 1}}}},
    "stranger": lambda: {{**PARSED, "header": object()}},
    "none": lambda: None,
    "refusal": lambda: raised(pytest_vindex3.Refusal("truncated", "short", declared=2**70, found=[1, "a"])),
    "own refusal": lambda: raised(Tagged("truncated")),
    "wrong kind": lambda: raised(Tagged(7)),
    "exception": lambda: raised(ValueError("not this")),
    "assertion": lambda: raised(AssertionError("never")),
    "memory as refusal": lambda: raised(TaggedMemory("no")),
    "recursion": lambda: recursion(),
}}


def recursion():
    return recursion()


def lyrw_parse(path):
    act, _, rest = path.partition("=")
    told = {{"tell": tell, "loop": loop, "maps": maps, "touches": touches}}
    return told[act](rest) if rest else ACTS[act]()


def lyrw_region(path, bank_id, entry):
    return {{"offset": 0, "length": entry, "data": memoryview(bytes(i % 251 for i in range(entry)))}}
"""
"""A Python adapter whose `path` argument says how it goes wrong."""

SPEAKER = (
    f"""
PARSED = {PARSED!r}
"""
    + """
import json, os, sys, time

def say(number, **body):
    sys.stdout.write(json.dumps({"id": number, **body}) + "\\n")
    sys.stdout.flush()

def raw(text):
    sys.stdout.write(text)
    sys.stdout.flush()

DESCRIPTION = {"name": "speaker", "version": "1", "language": "none", "protocol": 1, "verbs": ["lyrw.parse"]}

for line in sys.stdin:
    request = json.loads(line)
    number, path = request["id"], request["arguments"].get("path", "")
    if request["verb"] == "describe":
        say(number, answer=DESCRIPTION)
        scratch = request["arguments"]["scratch"]
    elif path == "well":
        say(number, answer=PARSED)
    else:
        exec(path)
"""
)
"""A program that speaks the protocol by hand; it executes a path other than "well"."""


@pytest.fixture(scope="module")
def misbehaving(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the adapter that goes wrong as its argument says."""
    path = tmp_path_factory.mktemp("adapter") / "misbehaving.py"
    path.write_text(MISBEHAVING)
    return path


@pytest.fixture(scope="module", params=["child", "cmd", "in process"])
def door(request: pytest.FixtureRequest, misbehaving: Path) -> Iterator[Door]:
    """The misbehaving adapter, by every door in turn."""
    spec = f"cmd:vindex3 serve {misbehaving}" if request.param == "cmd" else str(misbehaving)
    opened = open_door(spec, in_process=request.param == "in process")
    yield opened
    opened.close()


@pytest.fixture
def child(misbehaving: Path) -> Iterator[Pipe]:
    """The misbehaving adapter in a child of its own."""
    pipe = Pipe.to_python(str(misbehaving))
    yield pipe
    pipe.close()


@pytest.fixture(scope="module")
def speaker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipe]:
    """The door to a program that does what the path of a request says."""
    path = tmp_path_factory.mktemp("speaker") / "speaker.py"
    path.write_text(SPEAKER)
    pipe = Pipe.to_program(shlex.join([sys.executable, "-S", str(path)]))
    yield pipe
    pipe.close()


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Callable[[str], Pipe]]:
    """Makes the door to a program of the given source."""
    opened: list[Pipe] = []

    def made(source: str) -> Pipe:
        path = tmp_path / "program.py"
        path.write_text(source)
        opened.append(Pipe.to_program(shlex.join([sys.executable, "-S", str(path)])))
        return opened[-1]

    yield made
    for pipe in opened:
        pipe.close()


@pytest.fixture
def leaves_nothing() -> Iterator[None]:
    """Holds the test to leave no child process and no thread behind."""
    before = (children(), threading.active_count())
    yield
    assert (children(), threading.active_count()) == before


def children() -> set[int]:
    """The processes, zombies included, whose parent is this one."""
    tasks = Path("/proc/self/task").iterdir()
    return {int(pid) for task in tasks for pid in (task / "children").read_text().split()}


def gone(pid: int, seconds: float = 10.0) -> bool:
    """Whether the process has ended, or does within some seconds; an unreaped one has."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return True
        if stat.rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False


def written(path: Path, seconds: float = 10.0) -> str:
    """The text of a file that another process writes, once there is some."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if path.is_file() and (text := path.read_text()):
            return text
        time.sleep(0.01)
    raise AssertionError(f"{os.fspath(path)} was not written")
