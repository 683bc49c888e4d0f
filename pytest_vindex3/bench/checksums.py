"""crc32 against isal, zlib-ng and zlib: memory, a record in cache, many short buffers in one call."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import metadata

import numpy as np
import numpy.typing as npt

from pytest_vindex3.bench.row import Place, Row
from vindex3_reference.kernels import crc32, crc32_ranges, native

MEMORY = 64 << 20
RECORD = 12_405_760
"""Bytes of a record's payload in the largest known container."""
PART, PARTS = 4096, 1000
LIBRARIES = {"isal": "isal.isal_zlib", "zlib-ng": "zlib_ng.zlib_ng"}
"""Distributions that are measured where they are installed, and the module of each."""
GOALS = {
    (MEMORY, "isal"): 0.95,
    (MEMORY, "zlib-ng"): 0.95,
    (MEMORY, "zlib"): 5.5,
    (RECORD, "isal"): 0.9,
}

Checksum = Callable[[memoryview], int]


def bench_rows(place: Place) -> Iterator[Row]:
    """Rows of a build with compiled kernels."""
    del place
    if not native.built:
        return
    opponents = dict(_opponents())
    for size, calls in ((MEMORY, 1), (RECORD, 4)):
        for name, (named, theirs) in opponents.items():
            yield Row(
                f"crc32 of {size} bytes",
                named,
                GOALS.get((size, name)),
                partial(_ours, size),
                partial(_theirs, theirs, size),
                _same,
                calls,
            )
    if "isal" in opponents:
        named, theirs = opponents["isal"]
        yield Row(
            f"crc32 of {PARTS} ranges of {PART} bytes in one call",
            f"{named}, {PARTS} calls",
            1.0,
            _our_parts,
            partial(_their_parts, theirs),
            _same,
            20,
        )


def _opponents() -> Iterator[tuple[str, tuple[str, Checksum]]]:
    for name, module in LIBRARIES.items():
        try:
            function = importlib.import_module(module).crc32
        except ImportError:
            continue
        yield name, (f"{name} {metadata.version(name)}", function)
    yield "zlib", (f"zlib {zlib.ZLIB_RUNTIME_VERSION} of the standard library", zlib.crc32)


@cache
def _data(size: int) -> memoryview:
    """Bytes without a pattern, which were touched."""
    return np.random.default_rng(0).integers(0, 256, size, np.uint8).data


@cache
def _parts() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], list[memoryview]]:
    offsets = np.arange(PARTS, dtype=np.uint64) * PART
    views = [_data(PARTS * PART)[begin : begin + PART] for begin in range(0, PARTS * PART, PART)]
    return offsets, np.full(PARTS, PART, np.uint64), views


def _ours(size: int) -> int:
    return crc32(_data(size))


def _theirs(function: Checksum, size: int) -> int:
    return function(_data(size))


def _our_parts() -> npt.NDArray[np.uint32]:
    offsets, lengths, _ = _parts()
    return crc32_ranges(_data(PARTS * PART), offsets, lengths)


def _their_parts(function: Checksum) -> list[int]:
    return [function(part) for part in _parts()[2]]


def _same(ours: object, theirs: object) -> bool:
    return bool(np.array_equal(np.asarray(ours), np.asarray(theirs)))
