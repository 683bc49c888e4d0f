"""What judging the tables costs beside unpacking rows without any check (896 entries of 3 regions).

usage: python benchmarks/lyrw_verify.py [ROUNDS]

Sides take turns: struct.iter_unpack of the rows into a list; all checks of an open file; the verb
lyrw.verify, opening included. The payload is a hole. A second file has its entries in reversed order, so
that its ranges must be sorted.
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

from vindex3_reference.lyrw import verify
from vindex3_reference.lyrw.reader import LayerFile
from vindex3_reference.lyrw.verbs import lyrw_verify

if TYPE_CHECKING:
    from collections.abc import Callable

ENTRIES, SCHEMAS = 896, 3
ROWS = ENTRIES * SCHEMAS
LENGTH = 4 * 64 * 64
TABLE_BYTES = 24 + 24 + 12 + 20 * SCHEMAS + 16 * ROWS
CALLS = 200
DEFAULT_ROUNDS = 15


def tables(order: range) -> tuple[bytes, bytes]:
    """Everything before the rows, and the rows, of one routed bank in f32; `order` places its regions."""
    header = struct.pack("<4sIIHHII", b"LYRW", 2, 0, 1, 1, 0, 0)
    bank = struct.pack("<HHHHIIII", 0, 1, SCHEMAS, 1, ENTRIES, 64, 64, 64)
    segment = struct.pack("<HHII", 0, 0, 0, ENTRIES)
    roles = enumerate((0, 1, 3))
    schemas = b"".join(struct.pack("<HHHHHHII", at, role, 0, 0, 0xFFFF, 0, 64, 64) for at, role in roles)
    start = -(-TABLE_BYTES // 64) * 64
    rows = b"".join(struct.pack("<QQ", start + LENGTH * place, LENGTH) for place in order)
    return header + bank + segment + schemas, rows


def microseconds(call: Callable[[], object]) -> float:
    """Wall time of one call, over many."""
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS * 1e6


def measure(path: str, rows: bytes, rounds: int) -> None:
    """Print the median and range of each side, and the ratio of the first to the second."""
    with LayerFile(path) as layer:

        def checks() -> None:
            assert not [defect for found in verify.faults(layer) for defect in found]

        sides = {
            "iter_unpack": lambda: list(struct.iter_unpack("<QQ", rows)),
            "table checks": checks,
            "lyrw.verify": lambda: lyrw_verify(path=path),
        }
        taken: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(rounds):
            for name, call in sides.items():
                taken[name].append(microseconds(call))
    for name, times in taken.items():
        print(f"  {name:14}{statistics.median(times):8.1f} us  ({min(times):.1f} to {max(times):.1f})")
    medians = [statistics.median(times) for times in taken.values()]
    print(f"  ratio {medians[0] / medians[1]:.2f}, of the whole verb {medians[0] / medians[2]:.2f}")


def main(rounds: int) -> None:
    """Measure both files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, order in (("in order", range(ROWS)), ("reversed", range(ROWS)[::-1])):
            head, rows = tables(order)
            path = Path(folder) / "layer.lyrw"
            path.write_bytes(head + rows)
            os.truncate(path, -(-TABLE_BYTES // 64) * 64 + LENGTH * ROWS)
            print(name)
            measure(str(path), rows, rounds)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_ROUNDS)
