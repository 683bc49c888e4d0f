"""Records of a bank past the page cache: read, verified as they are read, verified all; against raw reads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial

import numpy as np

from pytest_vindex3.bench.bank import LAYER, RECORDS, STRIDE, LargeBank
from pytest_vindex3.bench.row import Place, Row
from vindex3_reference.waste.container import Container
from vindex3_reference.waste.memory import room
from vindex3_reference.waste.records import Records
from vindex3_reference.waste.verify import verified

AT_ONCE = 12
"""Records that a call reads, each into memory of its own."""
JOBS = 2
GOAL_READ, GOAL_VERIFIED, GOAL_ALL = 0.95, 0.95, 0.9


def bench_rows(place: Place) -> Iterator[Row]:
    """Reading without and with verification; waste.verify with two jobs."""
    bank = LargeBank(place)
    reading = Reading(place, bank)
    what = f"direct reads of {AT_ONCE} records of {STRIDE} bytes, scattered"
    plain, checked = partial(reading.read, verify=False), partial(reading.read, verify=True)
    raw = "aligned preadv of the same offsets"
    yield Row(what, raw, GOAL_READ, plain, reading.read_raw, _same, 1, bank.forget)
    yield Row(
        f"{what}, verified", "the same not verified", GOAL_VERIFIED, checked, plain, _same, 1, bank.forget
    )
    yield Row(
        f"waste.verify of {RECORDS} records of {STRIDE} bytes, {JOBS} jobs",
        f"aligned preadv of every record, direct, {JOBS} threads",
        GOAL_ALL,
        lambda: verified(bank.path, jobs=JOBS),
        partial(bank.read_all, JOBS),
        _all_read,
        1,
        bank.forget,
    )


class Reading:
    """Reads scattered records into memory that was touched, by the reader and raw.

    Args:
        place: where what is open is kept.
        bank: the records.
    """

    def __init__(self, place: Place, bank: LargeBank) -> None:
        self._place = place
        self._bank = bank
        self._numbers = np.random.default_rng(1).permutation(RECORDS)[:AT_ONCE].tolist()

    def read(self, *, verify: bool) -> list[memoryview]:
        """The records by the reader; they stay as they are until it reads as many the same way."""
        records, rooms = (self._verifying, self._second) if verify else (self._plain, self._first)
        for number, view in zip(self._numbers, rooms, strict=True):
            records.deliver(LAYER, number, view)
        return rooms

    def read_raw(self) -> list[memoryview]:
        """The same by the system alone."""
        for number, view in zip(self._numbers, self._second, strict=True):
            self._bank.read(number, view)
        return self._second

    @cached_property
    def _container(self) -> Container:
        return self._place.enter_context(Container(self._bank.path))

    @cached_property
    def _plain(self) -> Records:
        return self._place.enter_context(Records(self._container, "direct", capacity=0))

    @cached_property
    def _verifying(self) -> Records:
        return self._place.enter_context(Records(self._container, "direct", verify=True, capacity=0))

    @cached_property
    def _first(self) -> list[memoryview]:
        return _touched()

    @cached_property
    def _second(self) -> list[memoryview]:
        return _touched()


def _touched() -> list[memoryview]:
    rooms = [room(STRIDE) for _ in range(AT_ONCE)]
    for view in rooms:
        np.frombuffer(view, np.uint8).fill(255)
    return rooms


def _same(own: object, other: object) -> bool:
    """Judges records that were read, byte by byte."""
    return own is not other and own == other


def _all_read(own: object, other: object) -> bool:
    return own == {"records_checked": RECORDS, "defects": []} and other == RECORDS * STRIDE
