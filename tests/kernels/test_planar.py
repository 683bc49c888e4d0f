"""Indices taken apart into planes: what the planes hold, and products with the bits of the stored form."""

from __future__ import annotations

import numpy as np
import pytest

from vindex3_fixtures.waste.quant import Quant
from vindex3_reference.kernels import Geometry, Planar, multiply, native

TILE = 64


def packed(block=0):
    return Quant(4, 8, 64, 6, block)


def test_the_planes_of_two_tiles():
    """Byte k of row r at position p is number r of plane k there; behind the last row are zeros."""
    rows, positions = 66, 2
    stored = np.arange(rows * positions * 3, dtype=np.uint16).astype(np.uint8).reshape(rows, positions, 3)
    found = Planar(Geometry(rows, 16, 4, 8, 64, 6), stored).planes.reshape(2, positions, 3, TILE)
    for row in range(rows):
        assert (found[row // TILE, :, :, row % TILE] == stored[row]).all(), row
    assert not found[1, :, :, 2:].any()


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("block", [0, 5, 64, 128])
@pytest.mark.parametrize(("rows", "positions"), [(1, 1), (63, 33), (64, 32), (130, 1025), (200, 40)])
def test_every_shape(monkeypatch, multiply_isa, same, sample, compiled, block, rows, positions):
    """The bits of the formula, whatever the rows' order, in any number of threads, with C or without."""
    if not compiled:
        monkeypatch.setattr(native, "built", False)
    matrix = sample(rows, positions, packed(block))
    stored, *rest = matrix.buffers
    apart = Planar(matrix.geometry, stored)
    for threads in (1, 2, 3, 7):
        found = apart.multiply(*rest, matrix.x, isa=multiply_isa, threads=threads)
        assert same(found, matrix.product_int8), threads


def test_c_and_numpy_take_apart_the_same(monkeypatch, sample):
    """Where there is no C, the planes are the same bytes, those of rows that fill a block left out."""
    for block in (0, 5, 64, 128):
        matrix = sample(70, 33, packed(block))
        with_c = Planar(matrix.geometry, matrix.buffers[0])
        with monkeypatch.context() as patch:
            patch.setattr(native, "built", False)
            without = Planar(matrix.geometry, matrix.buffers[0])
        assert with_c.planes.tobytes() == without.planes.tobytes()


def test_what_was_given_is_needed_no_more(multiply_isa, same, sample):
    """Indices that change afterwards change no product."""
    matrix = sample(70, 33, packed(64))
    stored = bytearray(matrix.buffers[0])
    apart = Planar(matrix.geometry, stored)
    stored[:] = bytes(len(stored))
    assert same(apart.multiply(*matrix.buffers[1:], matrix.x, isa=multiply_isa), matrix.product_int8)


def test_a_result_may_be_put_anywhere(same, sample):
    """`out` is filled from its first to its last value, and nothing besides."""
    matrix = sample(70, 33, packed(5))
    room = np.full(72, 7, np.float32)
    found = Planar(matrix.geometry, matrix.buffers[0]).multiply(*matrix.buffers[1:], matrix.x, out=room[1:71])
    assert found.base is room
    assert same(room[1:71], matrix.product_int8)
    assert room[0] == room[71] == 7


def test_whole_bytes_have_no_planes(refused, sample):
    """Packed indices alone are taken apart."""
    assert Planar(sample(3, 2, packed()).geometry, sample(3, 2, packed()).buffers[0])
    whole = sample(3, 2, Quant(4, 8, 64))
    kind, names = refused(Planar, whole.geometry, whole.buffers[0])
    assert (kind, names) == ("unsupported-feature", {"field": "index_bits", "found": 8})


@pytest.mark.parametrize("which", ["indices", "codebooks", "scales", "x"])
def test_a_short_buffer_is_refused(refused, sample, which):
    """One byte or value less than is needed is a length-mismatch; the exact length gives a product."""
    matrix = sample(70, 3, packed(64))
    named = {
        **dict(zip(("indices", "codebooks", "scales"), matrix.buffers, strict=True)),
        "x": matrix.x,
    }

    def product(indices, **rest):
        return Planar(matrix.geometry, indices).multiply(**rest)

    assert product(**named).shape == (70,)
    short = named | {which: named[which][:-1]}
    expected = len(named[which])
    kind, names = refused(product, **short)
    assert (kind, names) == (
        "length-mismatch",
        {"subject": which, "expected": expected, "found": expected - 1},
    )


def test_a_table_that_is_not_finite_is_refused(multiply_isa, refused, sample):
    """The block is named as by the stored form."""
    matrix = sample(70, 70, packed(64))
    apart = Planar(matrix.geometry, matrix.buffers[0])
    assert np.isfinite(apart.multiply(*matrix.buffers[1:], matrix.x, isa=multiply_isa)).all()
    x = matrix.x.copy()
    x[8 * 32] = np.inf
    stored = refused(multiply, matrix.geometry, *matrix.buffers, x, isa=multiply_isa, table="int8")
    assert refused(apart.multiply, *matrix.buffers[1:], x, isa=multiply_isa) == stored
    assert stored == ("non-finite", {"block": 1})


def test_another_variant_never_answers(refused, sample):
    """A variant that is not there is refused."""
    matrix = sample(3, 2, packed())
    kind, _ = refused(
        Planar(matrix.geometry, matrix.buffers[0]).multiply, *matrix.buffers[1:], matrix.x, isa="mmx"
    )
    assert kind == "isa-unavailable"
