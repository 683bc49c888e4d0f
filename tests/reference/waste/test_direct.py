"""Direct reads: alignment, cuts, interruptions, and what happens where there are none."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path

import pytest

from vindex3_reference.source import Source
from vindex3_reference.waste import direct as module
from vindex3_reference.waste.direct import Direct, Unavailable, is_aligned
from vindex3_reference.waste.memory import PAGE, address_of, room

TAIL = 7
LENGTH = 4 * PAGE + TAIL


class System:
    """`os.preadv` with a plan: what happens at each call, and what was asked for."""

    def __init__(self, monkeypatch, *plan):
        self.calls: list[tuple[int, int, int]] = []
        self._plan = list(plan)
        self._real = os.preadv
        monkeypatch.setattr(os, "preadv", self._read)

    def _read(self, descriptor, buffers, offset):
        (view,) = buffers
        self.calls.append((address_of(view) % PAGE, len(view), offset))
        step = self._plan.pop(0) if self._plan else None
        if isinstance(step, BaseException):
            raise step
        if callable(step):
            return step(self._real, descriptor, view, offset)
        return self._real(descriptor, buffers if step is None else [view[:step]], offset)


def cut(length):
    """A read that delivers only so many bytes; direct ones are cut behind the system's back."""

    def read(real, descriptor, view, offset):
        return min(length, real(descriptor, [view], offset))

    return read


def error(number):
    return OSError(number, os.strerror(number))


@pytest.fixture
def data():
    return random.Random(11).randbytes(LENGTH)


@pytest.fixture
def file(tmp_path, data):
    """A file on a disk that has direct reads, with a length that is no whole page."""
    path = tmp_path / "bank"
    path.write_bytes(data)
    with Source(str(path)) as source:
        try:
            Direct(str(path), source).close()
        except Unavailable as reason:
            pytest.skip(f"no direct reads here: {reason}")
        yield str(path), source


@pytest.fixture
def opened(file):
    direct = Direct(*file)
    yield direct
    direct.close()


@pytest.mark.parametrize("address", [0, 1, 511, 512, 4095])
@pytest.mark.parametrize("offset", [0, 1, 512, PAGE, PAGE + 3, 3 * PAGE])
@pytest.mark.parametrize("length", [1, 511, PAGE, PAGE + 1, LENGTH])
def test_any_address_offset_and_length_is_served(opened, data, address, offset, length):
    """What the system would refuse goes over memory of the reader's own, and nothing around is touched."""
    memory = room(length + 16, address - 8)
    memory[:] = b"\xee" * (length + 16)
    count = opened.read_into(offset, memory[8 : 8 + length])
    expected = data[offset : offset + length]
    assert (count, memory[8 : 8 + count].tobytes()) == (len(expected), expected)
    assert memory[:8] == b"\xee" * 8
    assert memory[8 + length :] == b"\xee" * 8


def test_only_aligned_reads_reach_the_system(opened, monkeypatch):
    """Address, length and offset of every call are whole pages, whatever was asked for."""
    system = System(monkeypatch)
    opened.read_into(5, room(PAGE, 3))
    opened.read_into(PAGE, room(PAGE, 8))
    opened.read_into(PAGE, room(2 * PAGE))
    assert all(is_aligned(offset, length, address) for address, length, offset in system.calls)
    assert [call[1:] for call in system.calls] == [(2 * PAGE, 0), (PAGE, PAGE), (2 * PAGE, PAGE)]


def test_alignment_is_judged_before_the_system_sees_it():
    """A file system that takes any address hides no mistake: the reader's own check does not."""
    assert is_aligned(PAGE, 2 * PAGE, 3 * PAGE)
    assert not is_aligned(512, PAGE, 0)
    assert not is_aligned(0, 512, 0)
    assert not is_aligned(0, PAGE, 512)
    assert is_aligned(0, 4 * PAGE, 4 * PAGE, 4 * PAGE)
    assert not is_aligned(0, 4 * PAGE, PAGE, 4 * PAGE)


@pytest.mark.parametrize("address", [0, 1, 511, 4095, 4096, -1])
def test_memory_is_at_the_address_that_was_asked_for(address):
    """Modulo the page, or modulo a larger unit."""
    assert address_of(room(100, address)) % PAGE == address % PAGE
    assert address_of(room(100, address, 4 * PAGE)) % (4 * PAGE) == address % (4 * PAGE)
    assert len(room(100, address)) == 100


def test_a_cut_at_a_page_is_gone_on_from_there(opened, data, monkeypatch):
    """The second call begins where the first ended."""
    system = System(monkeypatch, PAGE, 2 * PAGE)
    view = room(4 * PAGE)
    assert opened.read_into(0, view) == 4 * PAGE
    assert view == data[: 4 * PAGE]
    assert [call[1:] for call in system.calls] == [
        (4 * PAGE, 0),
        (3 * PAGE, PAGE),
        (PAGE, 3 * PAGE),
    ]


@pytest.mark.parametrize("length", [PAGE + 1, 2 * PAGE - 1, 2 * PAGE + 512])
def test_a_cut_inside_a_page_is_gone_on_from_where_the_page_begins(opened, data, monkeypatch, length):
    """The calls stay aligned, no byte is missing and none is doubled (DIO-SHORT-03)."""
    system = System(monkeypatch, cut(length))
    view = room(4 * PAGE)
    assert opened.read_into(0, view) == 4 * PAGE
    assert view == data[: 4 * PAGE]
    assert system.calls[1] == (0, 4 * PAGE - length // PAGE * PAGE, length // PAGE * PAGE)


def test_an_interruption_is_no_error(opened, data, monkeypatch):
    """The call is made again, as often as it takes, also behind a cut."""
    interrupted = InterruptedError(errno.EINTR, "interrupted")
    system = System(monkeypatch, interrupted, cut(PAGE + 5), interrupted, interrupted)
    view = room(3 * PAGE)
    assert opened.read_into(0, view) == 3 * PAGE
    assert view == data[: 3 * PAGE]
    assert len(system.calls) == 5


def test_the_end_of_the_file_ends_the_read(opened, data):
    """What lies there is delivered, once, and behind it nothing."""
    view = room(2 * PAGE)
    assert opened.read_into(4 * PAGE, view) == TAIL
    assert view[:TAIL] == data[-TAIL:]
    assert opened.read_into(8 * PAGE, view) == 0


def test_a_system_that_gets_nowhere_is_not_asked_for_ever(opened, monkeypatch):
    """Less than a page at each call is no progress: so much is said to be there, and nothing is made up."""
    system = System(monkeypatch, *[cut(100)] * 9)
    assert opened.read_into(0, room(2 * PAGE)) == 100
    assert len(system.calls) == 2


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EOPNOTSUPP])
def test_a_file_that_is_not_direct_after_all(opened, monkeypatch, number):
    """These two errors say that the file has no direct reads; any other is an error."""
    System(monkeypatch, error(number), error(errno.EIO))
    with pytest.raises(Unavailable):
        opened.read_into(0, room(PAGE))
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        opened.read_into(0, room(PAGE))


@pytest.mark.parametrize("failure", [error(errno.EINVAL), error(errno.EIO), cut(0)])
def test_the_first_read_proves_what_the_open_does_not(file, monkeypatch, failure):
    """A descriptor that opens and does not read is none, and is not left open (DIO-PROBE-01)."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    system = System(monkeypatch, failure)
    with pytest.raises(Unavailable):
        Direct(*file)
    assert system.calls == [(0, PAGE, 0)]
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_another_file_under_the_name_is_not_read(file):
    """A bank that was replaced after it was opened is not mixed with the new one."""
    path, source = file
    Path(path).rename(f"{path}.old")
    Path(path).write_bytes(bytes(LENGTH))
    with pytest.raises(Unavailable, match="another file"):
        Direct(path, source)


def test_a_system_without_direct_reads(file, monkeypatch):
    """Where the flag does not exist there is nothing to try."""
    monkeypatch.setattr(module, "_FLAG", None)
    with pytest.raises(Unavailable, match="no direct reads"):
        Direct(*file)


def test_a_file_system_that_says_it_has_none(file, monkeypatch):
    """Alignments of 0 mean that the file has no direct reads; larger ones are kept to."""
    monkeypatch.setattr(module.native, "direct_alignment", lambda descriptor: (0, 0))
    with pytest.raises(Unavailable):
        Direct(*file)
    monkeypatch.setattr(module.native, "direct_alignment", lambda descriptor: (4 * PAGE, PAGE))
    system = System(monkeypatch)
    wide = Direct(*file)
    view = room(2 * PAGE, PAGE, 4 * PAGE)
    assert wide.read_into(PAGE, view) == 2 * PAGE
    wide.close()
    assert [call[1:] for call in system.calls] == [(4 * PAGE, 0), (4 * PAGE, 0)]


def test_the_buffered_twin_goes_on_as_well(file, data, monkeypatch):
    """Cuts and interruptions of buffered reads are gone on from the very byte."""
    interrupted = InterruptedError(errno.EINTR, "interrupted")
    system = System(monkeypatch, 1, interrupted, 100, 7)
    view = memoryview(bytearray(LENGTH + 9))
    assert file[1].read_into(0, view) == LENGTH
    assert view[:LENGTH] == data
    assert [offset for _, _, offset in system.calls] == [0, 1, 1, 101, 108, LENGTH]
