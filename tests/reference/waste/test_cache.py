"""The cache by itself: how many slots it has, which gives way, and what threads see of each other."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.cache import Cache

LENGTH = 8


class Shelf:
    """Records whose bytes say which they are, and a count of how often each was read."""

    def __init__(self, capacity: int) -> None:
        self.cache = Cache(capacity)
        self.reads: list[int] = []
        self.broken: set[int] = set()

    def hold(self, number: int, verified: bool = False):
        """Hold record `number` of layer 0; gives the slot and whether its bytes were there."""

        def load(view):
            self.reads.append(number)
            view[:] = bytes([0xEE]) * LENGTH
            if number in self.broken:
                raise Refusal("checksum-mismatch", "broken", layer=0, expert=number)
            view[:] = bytes([number]) * LENGTH
            return "buffered", verified

        return self.cache.hold((0, number), LENGTH, load, verified=verified)

    def touch(self, *numbers: int) -> None:
        """Use records one after the other, holding none."""
        for number in numbers:
            slot, _ = self.hold(number)
            assert slot.view == bytes([number]) * LENGTH
            self.cache.release(slot)

    @property
    def kept(self) -> list[int]:
        return [number for _, number in self.cache.kept()]


@pytest.mark.parametrize("capacity", [0, 1, 2, 3, 5])
def test_it_keeps_as_many_records_as_it_has_slots(capacity):
    """However many records pass, the last `capacity` of them are kept."""
    shelf = Shelf(capacity)
    shelf.touch(*range(20))
    assert shelf.kept == list(range(20))[20 - capacity :]
    assert shelf.reads == list(range(20))


def test_the_least_recently_used_gives_way():
    """Using a record again saves it; the one that was used longest ago goes."""
    shelf = Shelf(3)
    shelf.touch(1, 2, 3, 1, 4)
    assert shelf.kept == [3, 1, 4]
    shelf.touch(3, 5)
    assert (shelf.kept, shelf.reads) == ([4, 3, 5], [1, 2, 3, 4, 5])


def test_memory_is_used_again():
    """A slot that gives way hands its memory on: no more rooms are made than there are slots."""
    shelf = Shelf(2)
    rooms = set()
    for number in range(10):
        slot, _ = shelf.hold(number)
        rooms.add(id(slot.view.obj))
        shelf.cache.release(slot)
    assert len(rooms) == 2


def test_a_longer_record_gets_more_memory():
    """A slot that held a short record is no reason to cut a long one."""
    cache = Cache(1)
    for length in (8, 5000, 16):
        slot, found = cache.hold((0, length), length, lambda view: ("direct", False))
        assert (len(slot.view), found) == (length, False)
        cache.release(slot)


def test_a_held_record_never_gives_way():
    """Others pass it by, on the free slot, and its bytes stay."""
    shelf = Shelf(2)
    held, _ = shelf.hold(1)
    shelf.touch(2, 3, 4)
    assert shelf.kept == [1, 4]
    assert held.view == b"\x01" * LENGTH
    shelf.cache.release(held)
    shelf.touch(5)
    assert shelf.kept == [4, 5]


def test_with_every_slot_held_records_are_read_beside_the_cache():
    """They are served from memory of their own, kept by nobody, and held slots keep their bytes."""
    shelf = Shelf(2)
    held = [shelf.hold(number)[0] for number in (1, 2)]
    beside = [shelf.hold(3) for _ in range(2)]
    assert [found for _, found in beside] == [False, False]
    assert [slot.view.tobytes()[0] for slot, _ in beside] == [3, 3]
    assert [slot.view.tobytes()[0] for slot in held] == [1, 2]
    assert (shelf.kept, shelf.reads) == ([1, 2], [1, 2, 3, 3])


def test_two_holds_need_two_releases():
    """A record held twice stays until both holders are done."""
    shelf = Shelf(1)
    slot, _ = shelf.hold(1)
    again, found = shelf.hold(1)
    assert again is slot
    assert found is True
    shelf.cache.release(slot)
    shelf.touch(2)
    assert shelf.kept == [1]
    shelf.cache.release(again)
    shelf.touch(2)
    assert shelf.kept == [2]


def test_a_failed_read_leaves_nothing_behind():
    """It is refused each time and read each time, and its slot serves the next record."""
    shelf = Shelf(1)
    shelf.broken.add(1)
    for _ in range(2):
        with pytest.raises(Refusal):
            shelf.hold(1)
    assert shelf.kept == []
    shelf.touch(2)
    assert (shelf.kept, shelf.reads) == ([2], [1, 1, 2])
    shelf.broken.clear()
    shelf.touch(1)
    assert shelf.kept == [1]


def test_unverified_bytes_answer_no_request_that_verifies():
    """They are read anew, those of a holder staying as they are; verified ones answer both."""
    shelf = Shelf(2)
    held, _ = shelf.hold(1)
    shelf.broken.add(1)
    with pytest.raises(Refusal):
        shelf.hold(1, verified=True)
    assert held.view == b"\x01" * LENGTH
    shelf.broken.clear()
    slot, found = shelf.hold(1, verified=True)
    assert (found, slot is held) == (False, False)
    assert [shelf.hold(1, verified=verified)[1] for verified in (False, True)] == [True, True]


def test_layers_and_experts_are_told_apart_in_full():
    """No part of a number is dropped: experts 65535 and 0 of layers 127 and 0 are four records."""
    cache = Cache(8)
    keys = [(layer, expert) for layer in (0, 127, 256) for expert in (0, 65535)]
    for number, key in enumerate(keys):

        def load(view, number=number):
            view[:] = bytes([number]) * LENGTH
            return "direct", False

        cache.release(cache.hold(key, LENGTH, load)[0])
    found = [cache.hold(key, LENGTH, lambda view: pytest.fail("read twice"))[0] for key in keys]
    assert [slot.view.tobytes()[0] for slot in found] == list(range(len(keys)))


def test_a_record_on_its_way_is_waited_for():
    """Of several threads that want one record, one reads it and the others get the same bytes."""
    cache, begun, go, reads = Cache(1), threading.Event(), threading.Event(), []

    def load(view):
        reads.append(1)
        begun.set()
        assert go.wait(10)
        view[:] = b"\x07" * LENGTH
        return "direct", False

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(cache.hold, (0, 7), LENGTH, load)
        assert begun.wait(10)
        others = [pool.submit(cache.hold, (0, 7), LENGTH, load) for _ in range(3)]
        time.sleep(0.02)
        go.set()
        results = [each.result(10) for each in (first, *others)]
    assert len(reads) == 1
    assert sorted(found for _, found in results) == [False, True, True, True]
    assert all(slot.view == b"\x07" * LENGTH for slot, _ in results)
    assert results[0][0].holds == 4


def test_a_failure_on_its_way_fails_its_own_reader_alone():
    """Who waited for a record that could not be read reads it again."""
    cache, begun, go, reads = Cache(1), threading.Event(), threading.Event(), []

    def load(view):
        reads.append(1)
        if len(reads) == 1:
            begun.set()
            assert go.wait(10)
            raise Refusal("io", "a failure", layer=0, expert=7)
        view[:] = b"\x07" * LENGTH
        return "direct", False

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(cache.hold, (0, 7), LENGTH, load)
        assert begun.wait(10)
        second = pool.submit(cache.hold, (0, 7), LENGTH, load)
        go.set()
        with pytest.raises(Refusal):
            first.result(10)
        slot, found = second.result(10)
    assert (found, slot.view.tobytes()) == (False, b"\x07" * LENGTH)


def test_many_threads_see_whole_records_alone():
    """Eight threads over a small cache: every view has one record's bytes for as long as it is held."""
    shelf = Shelf(3)

    def use(seed: int) -> int:
        for step in range(300):
            number = (seed * 7 + step * step) % 11
            slot, _ = shelf.hold(number)
            before = slot.view.tobytes()
            time.sleep(0)
            assert before == slot.view.tobytes() == bytes([number]) * LENGTH
            shelf.cache.release(slot)
        return seed

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(use, range(8))) == list(range(8))
    assert len(shelf.kept) <= 3
