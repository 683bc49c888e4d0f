"""A container with one bank of large records, made when it is first asked for, that can be read raw."""

from __future__ import annotations

import os
import shutil
import struct
import zlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from pytest_vindex3.bench.row import Place, Unmeasured
from pytest_vindex3.plugin.check import NotRun
from vindex3_fixtures.waste.make import made
from vindex3_fixtures.waste.model import Waste
from vindex3_fixtures.waste.quant import Quant
from vindex3_fixtures.waste.record import FIELDS, HEADER_BYTES, Record
from vindex3_reference.waste.memory import room
from vindex3_suites.waste.reading import direct_disk

LAYER, RECORDS = 0, 24
STRIDE = 12_406_784
"""Bytes of a record of the largest known container, whose experts have the shape below."""
INNER, WIDTH = 3072, 3584
QUANT = Quant(stages=3, vec_dim=8, entries=256, index_block=64)
"""Any byte is an index."""
SPARE = 1 << 30
"""Bytes that stay free on the disk."""


@dataclass(frozen=True, slots=True)
class Varied:
    """A bank of RECORDS records, of which the given one is the pattern and no two are alike."""

    pattern: Record

    def write_to(self, path: Path) -> None:
        """Make the file, with every byte on the disk when it is done.

        Raises:
            OSError: it cannot be written.
        """
        record, header = bytearray(self.pattern.data), self.pattern.header
        indices = np.frombuffer(record, np.uint8)[HEADER_BYTES : header["correction_off"]]
        with path.open("xb") as file:
            for number in range(RECORDS):
                indices[:] = np.random.default_rng(number).integers(0, 256, indices.size, np.uint8)
                payload = memoryview(record)[HEADER_BYTES : self.pattern.payload_end]
                for name, value in (("expert_id", number), ("crc32", zlib.crc32(payload))):
                    offset, form = FIELDS[name]
                    struct.pack_into(form, record, offset, value)
                file.write(record)
            file.flush()
            os.fsync(file.fileno())


def pattern() -> Waste:
    """A container with the one record that others are made from."""
    return made(quant=QUANT, inner=INNER, width=WIDTH, experts=1, layers=1, dense=0, tensors=())


class LargeBank:
    """A container of one layer with RECORDS records, on a file system that is read direct.

    Args:
        place: where its files are made, and what is open is kept.
    """

    def __init__(self, place: Place) -> None:
        self._place = place

    @cached_property
    def path(self) -> str:
        """The container.

        Raises:
            Unmeasured: the file system is not read direct, or has no room for it.
        """
        folder = self._place.folder
        try:
            direct_disk(folder)
        except NotRun as reason:
            raise Unmeasured(f"{reason}: {folder}") from None
        if shutil.disk_usage(folder).free < RECORDS * STRIDE + SPARE:
            raise Unmeasured(f"no room for {RECORDS * STRIDE + SPARE} bytes: {folder}")
        model = pattern()
        bank = Varied(model.record(LAYER, 0))
        model = model.with_layer(LAYER, "experts", RECORDS).with_layer(LAYER, "bytes", RECORDS * STRIDE)
        model = model.with_config("num_experts", RECORDS).with_file(model.bank_file(LAYER), bank)
        model.folder.write_to(folder / "large.waste")
        return str(folder / "large.waste")

    def forget(self) -> None:
        """Make the system drop what it keeps of the bank in memory."""
        os.posix_fadvise(self._descriptor, 0, 0, os.POSIX_FADV_DONTNEED)

    def read(self, number: int, view: memoryview) -> None:
        """Read a record as plainly as it can be done: one aligned preadv, past the page cache.

        Raises:
            OSError: it came in parts.
        """
        count = os.preadv(self._descriptor, [view], number * STRIDE)
        if count != len(view):
            raise OSError(f"a read of {len(view)} bytes gave {count}")

    def read_all(self, threads: int) -> int:
        """Read every record, each thread into memory of its own, and say how many bytes there were."""
        runs = [range(first, RECORDS, threads) for first in range(threads)]
        with ThreadPoolExecutor(threads) as pool:
            return sum(pool.map(self._read_run, runs))

    def _read_run(self, numbers: Iterable[int]) -> int:
        view, total = room(STRIDE), 0
        for number in numbers:
            self.read(number, view)
            total += len(view)
        return total

    @cached_property
    def _descriptor(self) -> int:
        bank = Path(self.path, f"experts-L{LAYER}.bin")
        descriptor = os.open(bank, os.O_RDONLY | os.O_DIRECT)
        self._place.callback(os.close, descriptor)
        return descriptor
