"""Buffers beside inaccessible pages, in a process of their own; and what a caller's processor is set to."""

from __future__ import annotations

import ctypes
import platform
import sys

import numpy as np
import pytest

from vindex3_fixtures.waste.quant import Quant
from vindex3_reference.kernels import available, decode, multiply, native

QUANTS = [
    (rows, positions, quant)
    for rows, positions in [(1, 1), (2, 33), (3, 2), (64, 33), (70, 5)]
    for quant in ("3, 8, 256", "2, 7, 5", "1, 1, 1", "8, 33, 4", "4, 8, 64, 6")
]

SUMS = """
import sys
from vindex3_reference.kernels.verbs import kernel_crc32
data = bytes(range(256)) * 5
expected = [kernel_crc32(data=data[:length], isa="scalar")["crc32"] for length in range(1025)]
for isa in sys.argv[1:]:
    for length in range(1025):
        found = kernel_crc32(data=data[:length], isa=isa, guard=True)["crc32"]
        assert found == expected[length], (isa, length)
print("summed")
"""

MATRICES = """
import json, sys
import numpy as np
from vindex3_reference.kernels import available
from vindex3_reference.kernels.verbs import kernel_vq_decode, kernel_vq_matvec

rng = np.random.default_rng(5)
names = "rows", "n_in", "stages", "vec_dim", "entries", "index_bits", "index_block"
for rows, positions, quant in json.loads(sys.argv[1]):
    for block in (0, 5, 64):
        stages, dim, entries, bits = (json.loads(f"[{quant}]") + [8])[:4]
        numbers = rows, positions * dim, stages, dim, entries, bits, block
        stored = rows if not block else -(-rows // block) * block
        run = 3 if bits == 6 else stages
        indices = rng.integers(0, 256 if bits == 6 else entries, stored * positions * run, dtype=np.uint8)
        asked = {"indices": indices.tobytes(), **dict(zip(names, numbers))}
        asked["codebooks"] = rng.standard_normal(stages * entries * dim).astype("<f2").tobytes()
        asked["scales"] = rng.standard_normal(rows).astype("<f2").tobytes()
        x = rng.standard_normal(positions * dim).astype(np.float32)
        for isa in available("decode"):
            plain = kernel_vq_decode(**asked, isa=isa)["out"]
            beside = kernel_vq_decode(**asked, isa=isa, guard=True, threads=2)["out"]
            assert plain.tobytes() == beside.tobytes()
        for isa in available("multiply"):
            for table in ("f32", "int8")[: 1 + (bits == 6)]:
                ask = {**asked, "x": x, "isa": isa, "table": table}
                plain = kernel_vq_matvec(**ask)["out"]
                beside = kernel_vq_matvec(**ask, guard=True, threads=2)["out"]
                assert plain.tobytes() == beside.tobytes()
print("multiplied")
"""

PLACED = """
from vindex3_reference.kernels.guarded import Edge
for end in (True, False):
    room = Edge(end=end).room(100)
    room[:] = 1
print("touched")
"""
BEYOND = """
import ctypes
ctypes.memset(room.ctypes.data + {offset}, 0, 1)
print("and beyond")
"""


def test_sums_touch_nothing_else(in_child):
    """Each length to 1024 is summed beside an inaccessible page, by every variant."""
    assert in_child(SUMS, *available("crc32")) == "summed\n"


def test_matrices_touch_nothing_else(in_child):
    """Decoding and multiplying read and write no byte outside their buffers, by every variant."""
    import json

    assert in_child(MATRICES, json.dumps(QUANTS)) == "multiplied\n"


def test_the_pages_are_inaccessible(in_child):
    """The byte before a buffer and the one behind it end the process, and those inside do not."""
    assert in_child(PLACED) == "touched\n"
    for program, offset in ((PLACED, -1), (PLACED.replace("(True, False)", "(False, True)"), 100)):
        with pytest.raises(AssertionError):
            in_child(program + BEYOND.format(offset=offset))


class FloatState:
    """The floating-point state of this thread, as the C library saves it."""

    PLACE, FLUSHING = (7, 0xE040) if platform.machine() == "x86_64" else (0, 0x1C00000)
    """Which word controls it, and the bits that flush subnormals and round towards zero."""

    def __init__(self) -> None:
        self._libm = ctypes.CDLL("libm.so.6")
        self._words = (ctypes.c_uint32 * 64)()

    def control(self) -> int:
        """The bits of the control word that say how to compute."""
        self._libm.fegetenv(self._words)
        return self._words[self.PLACE] & self.FLUSHING

    def set(self, control: int) -> None:
        """Compute in another way from now on."""
        self._libm.fegetenv(self._words)
        self._words[self.PLACE] = self._words[self.PLACE] & ~self.FLUSHING | control
        self._libm.fesetenv(self._words)


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64") or not native.built,
    reason="the state is set by the C library of Linux, and kept by compiled kernels",
)
def test_the_callers_float_state_neither_shows_nor_changes(sample, same):
    """With subnormals flushed and rounding to zero, the bits are the same, and so is the state afterwards."""
    matrix = sample(70, 5, Quant(3, 8, 256, 8, 64))
    x = np.full(matrix.geometry.n_in, 2.0**-130, np.float32)
    work = [lambda isa=isa: decode(matrix.geometry, *matrix.buffers, isa=isa) for isa in available("decode")]
    work += [
        lambda isa=isa: multiply(matrix.geometry, *matrix.buffers, x, isa=isa)
        for isa in available("multiply")
    ]
    expected = [kernel() for kernel in work]
    state, found, after = FloatState(), [], []
    usual = state.control()
    state.set(FloatState.FLUSHING)
    try:
        for kernel in work:
            found.append(kernel())
            after.append(state.control())
        flushed = x + x
    finally:
        state.set(usual)
    assert after == [FloatState.FLUSHING] * len(work)
    assert not flushed.any()
    assert all(same(one, other) and one.any() for one, other in zip(found, expected, strict=True))
