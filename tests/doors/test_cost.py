"""What a request takes is measured and bounded from outside, on the doors that can."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_vindex3.contract import cost
from pytest_vindex3.contract.door import Door
from pytest_vindex3.contract.outcome import Answer, Cost, Fault, Limits, Unjudged
from pytest_vindex3.contract.pipe import Pipe

from .conftest import PARSED, SPEAKER

MIB = 1 << 20


def measured(door: Door, path: str) -> Cost:
    reply = door.ask("lyrw.parse", {"path": path}, Limits(measure=True))
    assert reply.outcome == Answer(PARSED)
    assert reply.cost
    return reply.cost


@pytest.fixture(scope="module")
def warm(misbehaving: Path) -> Iterator[Pipe]:
    """The misbehaving adapter with everything imported."""
    pipe = Pipe.to_python(str(misbehaving))
    pipe.ask("lyrw.parse", {"path": "reads"})
    yield pipe
    pipe.close()


def test_bytes_read(warm: Pipe) -> None:
    """Bytes of read calls are counted exactly, and those of the request itself are not among them."""
    assert measured(warm, "well").bytes_read == 0
    assert measured(warm, "reads").bytes_read == 100 * 1000


def test_what_is_held(warm: Pipe, misbehaving: Path) -> None:
    """A thread, a file and its map that outlive a request are seen, and seen to be gone when they are."""
    measured(warm, "holds")
    measured(warm, "lets go")
    before = measured(warm, "well").held
    during = measured(warm, "holds").held
    assert before
    assert during
    assert during.threads == before.threads + 1
    assert during.descriptors > before.descriptors
    assert during.mapped_bytes - before.mapped_bytes == -(-misbehaving.stat().st_size // 4096) * 4096
    assert measured(warm, "lets go").held == before


def test_processor_time(warm: Pipe) -> None:
    """Processor time is that of the request."""
    assert measured(warm, "busy").cpu_seconds >= 0.1 > measured(warm, "well").cpu_seconds


def test_mapped_file(warm: Pipe, tmp_path: Path) -> None:
    """Of a mapped file the pages that were touched count, the others do not."""
    path = tmp_path / "file"
    path.write_bytes(bytes(16 * MIB))
    measured(warm, f"maps={path}")
    assert measured(warm, f"maps={path}").bytes_read < MIB
    assert 16 * MIB <= measured(warm, f"touches={path}").bytes_read < 17 * MIB


def test_honest_map(warm: Pipe, tmp_path: Path) -> None:
    """A bound on memory lets a read-only map of any size through."""
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(64 << 30)
    reply = warm.ask("lyrw.parse", {"path": f"maps={path}"}, Limits(memory=16 * MIB))
    assert reply.outcome == Answer(PARSED)


def test_shell_wrapper(tmp_path: Path) -> None:
    """A program behind a shell is measured and bounded like one without."""
    path = tmp_path / "speaker.py"
    path.write_text(SPEAKER)
    inner = shlex.join([sys.executable, "-S", str(path)])
    door = Pipe.to_program(shlex.join(["sh", "-c", f"{inner}; exit $?"]))
    act = "os.read(os.open('/dev/zero', 0), 5000); bytearray(1 << 26); say(number, answer=PARSED)"
    assert measured(door, act).bytes_read == 5000
    found = door.ask("lyrw.parse", {"path": act}, Limits(memory=16 * MIB)).outcome
    door.close()
    assert isinstance(found, Fault)
    assert found.what == "memory"


@pytest.mark.parametrize("limits", [Limits(measure=True), Limits(memory=MIB)])
def test_elsewhere(warm: Pipe, monkeypatch: pytest.MonkeyPatch, limits: Limits) -> None:
    """Where nothing can be measured the request is not judged, says why, and ordinary ones are answered."""
    monkeypatch.setattr(sys, "platform", "darwin")
    found = warm.ask("lyrw.parse", {"path": "well"}, limits).outcome
    assert isinstance(found, Unjudged)
    assert "darwin" in found.reason
    assert warm.ask("lyrw.parse", {"path": "well"}).outcome == Answer(PARSED)


@pytest.mark.parametrize("limits", [Limits(measure=True), Limits(memory=MIB)])
def test_unseen(warm: Pipe, monkeypatch: pytest.MonkeyPatch, limits: Limits, tmp_path: Path) -> None:
    """Where the system does not show its processes, the request is not judged either."""
    monkeypatch.setattr(cost, "_PROC", tmp_path)
    found = warm.ask("lyrw.parse", {"path": "well"}, limits).outcome
    assert isinstance(found, Unjudged)
    assert warm.ask("lyrw.parse", {"path": "well"}).outcome == Answer(PARSED)
