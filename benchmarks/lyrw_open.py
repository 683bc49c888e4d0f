"""What opening a layer file costs beside reading its tables' bytes (896 entries of 3 regions).

usage: python benchmarks/lyrw_open.py [ROUNDS]

Three sides take turns: open + pread + close of all table bytes; the reader itself; the verb lyrw.parse
with its whole answer. The file's payload is a hole, once of 1 MiB and once of 64 GiB.
"""

from __future__ import annotations

import os
import statistics
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from vindex3_reference import adapter
from vindex3_reference.lyrw.reader import LayerFile

if TYPE_CHECKING:
    from collections.abc import Callable

ENTRIES, SCHEMAS = 896, 3
CALLS = 1000
DEFAULT_ROUNDS = 9


def tables() -> bytes:
    """Header and tables of one routed bank with gate, up and down; every row is zero."""
    header = struct.pack("<4sIIHHII", b"LYRW", 2, 0, 1, 1, 0, 0)
    bank = struct.pack("<HHHHIIII", 0, 1, SCHEMAS, 1, ENTRIES, 64, 64, 64)
    segment = struct.pack("<HHII", 0, 0, 0, ENTRIES)
    roles = enumerate((0, 1, 3))
    schemas = b"".join(struct.pack("<HHHHHHII", at, role, 0, 0, 0xFFFF, 0, 64, 64) for at, role in roles)
    return header + bank + segment + schemas + bytes(16 * ENTRIES * SCHEMAS)


def microseconds(call: Callable[[], object]) -> float:
    """Wall time of one call, over many."""
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS * 1e6


def measure(path: str, size: int, rounds: int) -> None:
    """Print the median and range of each side, and the ratio of the first to the second."""

    def read() -> None:
        descriptor = os.open(path, os.O_RDONLY)
        os.pread(descriptor, size, 0)
        os.close(descriptor)

    def open_() -> None:
        LayerFile(path).source.close()

    sides = {
        "open + pread + close": read,
        "reader": open_,
        "lyrw.parse": lambda: adapter.lyrw_parse(path=path),
    }
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, call in sides.items():
            taken[name].append(microseconds(call))
    for name, times in taken.items():
        print(f"  {name:22}{statistics.median(times):8.2f} us  ({min(times):.2f} to {max(times):.2f})")
    medians = [statistics.median(times) for times in taken.values()]
    print(f"  ratio {medians[0] / medians[1]:.2f}, adds {medians[1] - medians[0]:.1f} us")


def main(rounds: int) -> None:
    """Measure both files."""
    data = tables()
    with tempfile.TemporaryDirectory() as folder:
        for payload in (1 << 20, 64 << 30):
            path = Path(folder) / "layer.lyrw"
            path.write_bytes(data)
            os.truncate(path, len(data) + payload)
            print(f"payload {payload >> 20} MiB")
            measure(str(path), len(data), rounds)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_ROUNDS)
