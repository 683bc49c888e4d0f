"""Products of vector-quantised matrices, each variant against the plain formulas."""

from __future__ import annotations

import numpy as np
import pytest

from vindex3_fixtures.waste import formulas
from vindex3_fixtures.waste.quant import Quant, region
from vindex3_reference.kernels import decode, multiply
from vindex3_reference.kernels.plain import NumpyMatrix

POSITIONS = [1, 31, 32, 33, 64, 1025]
"""Around the blocks of 32 positions, and around what is worked on at once."""


def numpy_product(sample, table):
    """What numpy alone gives."""
    out = np.empty(sample.rows, np.float32)
    matrix = NumpyMatrix(sample.geometry, *(np.frombuffer(data, np.uint8) for data in sample.buffers))
    (matrix.multiply if table == "f32" else matrix.multiply_int8)(sample.x, out, 0, sample.rows)
    return out


@pytest.mark.parametrize("finite", [True, False])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_shape(multiply_isa, same, sample, shape, finite, threads):
    """Each shape gives the bits of the formula, also with infinities and NaN, in any number of threads."""
    sample = sample(shape.rows, shape.positions, shape.quant, finite)
    found = multiply(sample.geometry, *sample.buffers, sample.x, isa=multiply_isa, threads=threads)
    assert same(found, sample.product)


def test_numpy_gives_the_same(same, shape):
    """Where there is no C, the products have the same bits."""
    assert same(numpy_product(shape, "f32"), shape.product)


@pytest.mark.parametrize("scale", [1.0, -1.0])
def test_sums_start_at_plus_zero(multiply_isa, same, sample, scale):
    """Products that all are -0 add up to +0, which a negative scale makes -0 again."""
    matrix = sample(3, 2, Quant(3, 8, 256))
    books, scales = np.full((3, 256, 8), -1, np.float16), np.full(3, scale, np.float16)
    x = np.zeros(16, np.float32)
    found = multiply(matrix.geometry, matrix.buffers[0], books, scales, x, isa=multiply_isa)
    assert same(found, np.full(3, np.float32(0) * np.float32(scale), np.float32))


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("block", [0, 5, 64, 128])
@pytest.mark.parametrize("threads", [1, 3])
def test_the_table_of_codes(multiply_isa, same, sample, positions, block, threads):
    """int8 gives the bits of its formula, whatever the positions, the rows' order and the threads."""
    matrix = sample(70, positions, Quant(4, 8, 64, 6, block))
    asked = {"isa": multiply_isa, "threads": threads, "table": "int8"}
    found = multiply(matrix.geometry, *matrix.buffers, matrix.x, **asked)
    assert same(found, matrix.product_int8)
    assert not same(found, multiply(matrix.geometry, *matrix.buffers, matrix.x))


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 128, 200])
def test_every_tail_of_the_table_of_codes(multiply_isa, same, sample, rows):
    """Rows that fill no tile of 64 give the same as whole tiles."""
    matrix = sample(rows, 40, Quant(4, 8, 64, 6, 64))
    found = multiply(matrix.geometry, *matrix.buffers, matrix.x, isa=multiply_isa, table="int8")
    assert same(found, matrix.product_int8)
    assert same(numpy_product(matrix, "int8"), matrix.product_int8)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_sum_of_codes_fits(multiply_isa, sample, sign):
    """128 codes of 127 add up to 16 256, of either sign, in every row."""
    matrix = sample(64, 32, Quant(4, 8, 64, 6, 64))
    books = np.ones((4, 64, 8), np.float16)
    ones = np.ones(64, np.float16)
    x = np.full(matrix.geometry.n_in, sign, np.float32)
    found = multiply(matrix.geometry, matrix.buffers[0], books, ones, x, isa=multiply_isa, table="int8")
    unit = np.float32(8) / np.float32(127)
    assert found.tolist() == [float(np.float32(sign * 16_256) * unit)] * 64


@pytest.mark.parametrize("power", [-149, -146, -142, -126, None])
def test_units_at_the_bottom_of_the_floats(multiply_isa, same, sample, power):
    """A unit that is 0 gives zeros, and a subnormal one is not flushed to it."""
    matrix = sample(70, 33, Quant(4, 8, 64, 6, 64))
    x = np.full(matrix.geometry.n_in, 0 if power is None else 2.0**power, np.float32)
    found = multiply(matrix.geometry, *matrix.buffers, x, isa=multiply_isa, table="int8")
    assert same(found, formulas.product_int8(matrix.indices, list(matrix.books), matrix.scales, x))
    assert found.any() == (power is not None and power > -149)


def test_ties_between_codes_go_to_even(multiply_isa, sample):
    """Quotients half-way between whole numbers become the even one: 0.5, 1.5, 2.5 are 0, 2, 2."""
    matrix = sample(4, 1, Quant(4, 8, 64, 6, 0))
    books = np.zeros((4, 64, 8), np.float16)
    books[0, :5, 0] = [127, 0.5, 1.5, 2.5, -0.5]
    indices = np.zeros((4, 1, 4), np.uint8)
    indices[:, 0, 0] = [1, 2, 3, 4]
    indices[:, 0, 1:] = 1
    x = np.zeros(8, np.float32)
    x[0] = 1
    stored = region(indices, matrix.quant)
    found = multiply(
        matrix.geometry, stored, books, np.ones(4, np.float16), x, isa=multiply_isa, table="int8"
    )
    assert found.tolist() == [0.0, 2.0, 2.0, 0.0]


def test_a_table_that_is_not_finite_is_refused_by_codes_alone(multiply_isa, refused, same, sample):
    """int8 names the block with an infinity or NaN; f32 follows IEEE; finite values give numbers."""
    matrix = sample(70, 70, Quant(4, 8, 64, 6, 64))
    asked = {"isa": multiply_isa, "table": "int8"}
    assert np.isfinite(multiply(matrix.geometry, *matrix.buffers, matrix.x, **asked)).all()
    for value in (np.inf, -np.inf, np.nan):
        for position, block in ((0, 0), (31, 0), (32, 1), (69, 2)):
            x = matrix.x.copy()
            x[8 * position + 3] = value
            kind, names = refused(multiply, matrix.geometry, *matrix.buffers, x, **asked)
            assert (kind, names) == ("non-finite", {"block": block})
            assert not np.isfinite(multiply(matrix.geometry, *matrix.buffers, x, isa=multiply_isa)).all()


def test_one_column_is_that_of_the_decoded_matrix(multiply_isa, same, sample):
    """With x all zero but 1 in a column, f32 gives this column of the weights."""
    matrix = sample(70, 5, Quant(3, 8, 256, 8, 64))
    weights = decode(matrix.geometry, *matrix.buffers)
    for column in range(matrix.geometry.n_in):
        x = np.zeros(matrix.geometry.n_in, np.float32)
        x[column] = 1
        found = multiply(matrix.geometry, *matrix.buffers, x, isa=multiply_isa)
        assert same(found, np.ascontiguousarray(weights[:, column])), column


def test_x_holds_exactly_the_columns(multiply_isa, refused, sample):
    """One value more or less is refused with both numbers; the right number may stand anywhere."""
    matrix = sample(3, 2)
    x = matrix.x
    moved = np.frombuffer(b"\0" + x.tobytes(), np.float32, offset=1)
    expected = multiply(matrix.geometry, *matrix.buffers, x, isa=multiply_isa)
    assert multiply(matrix.geometry, *matrix.buffers, moved, isa=multiply_isa).tobytes() == expected.tobytes()
    for count in (15, 17):
        kind, names = refused(
            multiply, matrix.geometry, *matrix.buffers, np.resize(x, count), isa=multiply_isa
        )
        assert (kind, names) == ("length-mismatch", {"subject": "x", "expected": 16, "found": count})


@pytest.mark.parametrize("table", ["int8", "int4"])
def test_a_table_that_is_not_there_is_refused(refused, sample, table):
    """Codes for whole-byte indices, or a table of another name, are never answered by another table."""
    matrix = sample(3, 2, Quant(4, 8, 64))
    assert multiply(matrix.geometry, *matrix.buffers, matrix.x, table="f32").shape == (3,)
    kind, names = refused(multiply, matrix.geometry, *matrix.buffers, matrix.x, table=table)
    assert (kind, names) == ("unsupported-feature", {"field": "table", "found": table})
