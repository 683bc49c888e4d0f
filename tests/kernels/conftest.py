"""Matrices of indices with what they decode to, and programs in a process of their own."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import draw, formulas
from vindex3_fixtures.waste.quant import Quant, region
from vindex3_reference.kernels import Geometry, available, force
from vindex3_reference.refusal import Refusal

FILLING = 0xFF
"""The byte of rows that only fill a block: no entry of a small book, and seen if it is ever judged."""


@dataclass(frozen=True)
class Sample:
    """A matrix drawn for a shape.

    Attributes:
        books: patterns of halves, [stages][entries][vec_dim]; of all 65 536 unless `finite`.
    """

    rows: int
    positions: int
    quant: Quant = field(default_factory=Quant)
    finite: bool = True

    @cached_property
    def numbers(self) -> Numbers:
        return Numbers("kernels", self.rows, self.positions, self.quant, self.finite)

    @property
    def geometry(self) -> Geometry:
        quant = self.quant
        shape = quant.stages, quant.vec_dim, quant.entries, quant.index_bits, quant.index_block
        return Geometry(self.rows, self.positions * quant.vec_dim, *shape)

    @cached_property
    def indices(self) -> npt.NDArray[np.uint8]:
        return draw.indices(self.numbers, self.rows, self.positions, self.quant.stages, self.quant.entries)

    @cached_property
    def books(self) -> npt.NDArray[np.uint16]:
        return self._halves(self.quant.stages, self.quant.entries, self.quant.vec_dim)

    @cached_property
    def scales(self) -> npt.NDArray[np.uint16]:
        return self._halves(self.rows)

    @cached_property
    def x(self) -> npt.NDArray[np.float32]:
        return draw.reals(self.numbers, self.geometry.n_in)

    @cached_property
    def buffers(self) -> tuple[bytes, bytes, bytes]:
        stored = region(self.indices, self.quant, FILLING)
        return stored, self.books.astype("<u2").tobytes(), self.scales.astype("<u2").tobytes()

    @cached_property
    def weights(self) -> npt.NDArray[np.float32]:
        return formulas.decoded(self.indices, list(self.books), self.scales)

    @cached_property
    def product(self) -> npt.NDArray[np.float32]:
        return formulas.product(self.indices, list(self.books), self.scales, self.x)

    @cached_property
    def product_int8(self) -> npt.NDArray[np.float32]:
        return formulas.product_int8(self.indices, list(self.books), self.scales, self.x)

    def arguments(self) -> dict[str, Any]:
        """As a verb is asked."""
        names = "rows", "n_in", "stages", "vec_dim", "entries", "index_bits", "index_block"
        buffers = dict(zip(("indices", "codebooks", "scales"), self.buffers, strict=True))
        return buffers | {name: getattr(self.geometry, name) for name in names}

    def _halves(self, *shape: int) -> npt.NDArray[np.uint16]:
        if self.finite:
            return draw.halves(self.numbers, *shape)
        size = int(np.prod(shape))
        return np.frombuffer(self.numbers.data(2 * size), "<u2").reshape(shape)


PACKED = Quant(stages=4, vec_dim=8, entries=64, index_bits=6)

SHAPES = [
    Sample(rows, positions, Quant(stages, vec_dim, entries, 8, block))
    for rows, positions, stages, vec_dim, entries, block in [
        (1, 1, 1, 1, 1, 0),
        (1, 1, 1, 64, 2, 64),
        (2, 5, 2, 7, 17, 0),
        (70, 9, 3, 8, 256, 64),
        (64, 140, 3, 8, 256, 64),
        (131, 5, 3, 8, 255, 0),
        (65, 3, 4, 16, 64, 64),
        (7, 33, 8, 33, 128, 5),
        (129, 2, 5, 3, 129, 128),
    ]
] + [
    Sample(rows, positions, Quant(4, 8, 64, 6, block))
    for rows, positions, block in [
        (1, 1, 0),
        (1, 1, 64),
        (70, 33, 64),
        (200, 64, 0),
        (131, 31, 5),
        (66, 130, 128),
    ]
]


@cache
def drawn(rows: int, positions: int, quant: Quant = PACKED, finite: bool = True) -> Sample:
    """A matrix, and what was computed of it, once for all variants."""
    return Sample(rows, positions, quant, finite)


@pytest.fixture
def sample() -> Callable[..., Sample]:
    """What draws a matrix; of packed indices unless it is told how they are quantised."""
    return drawn


@pytest.fixture(params=SHAPES, ids=lambda shape: "-".join(str(part) for part in astuple(shape.geometry)))
def shape(request: pytest.FixtureRequest) -> Sample:
    """A matrix of each kind of shape."""
    found: Sample = request.param
    return found


def astuple(geometry: Geometry) -> tuple[int, ...]:
    """The numbers of a shape."""
    return tuple(getattr(geometry, name) for name in geometry.__slots__)


@pytest.fixture
def same() -> Callable[[npt.ArrayLike, npt.ArrayLike], bool]:
    """Whether two float32 arrays are equal bit for bit, every NaN being one value."""

    def equal(one: Any, other: Any) -> bool:
        assert one.dtype == other.dtype == np.float32
        bits = one.view(np.uint32) == other.view(np.uint32)
        return bool(one.shape == other.shape and (bits | (np.isnan(one) & np.isnan(other))).all())

    return equal


@pytest.fixture
def refused() -> Callable[..., tuple[str, dict[str, object]]]:
    """The kind and facts with which a call is refused."""

    def ask(call: Callable[..., object], *arguments: Any, **named: Any) -> tuple[str, dict[str, object]]:
        with pytest.raises(Refusal) as caught:
            call(*arguments, **named)
        return caught.value.kind, caught.value.names

    return ask


@pytest.fixture
def in_child() -> Callable[..., str]:
    """Runs a program of Python elsewhere, so that a crash is a failure; gives what it printed.

    Under an emulator VINDEX3_CHILD is the command that starts a Python there.
    """

    def run(program: str, *arguments: str) -> str:
        command = [*shlex.split(os.environ.get("VINDEX3_CHILD", sys.executable)), "-c", program, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def forced() -> Iterator[Callable[[str | None], None]]:
    """Forces a variant, until the test is over."""
    yield force
    force(None)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `crc32_isa`, `decode_isa` and the like is run with each variant of that kernel."""
    for name in metafunc.fixturenames:
        kernel, _, isa = name.rpartition("_")
        if isa == "isa" and kernel:
            metafunc.parametrize(name, available(kernel))
