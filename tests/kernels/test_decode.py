"""Decoding of vector-quantised matrices, each variant against the plain formula."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vindex3_fixtures.waste import worked
from vindex3_fixtures.waste.quant import Quant, region
from vindex3_reference.kernels import Geometry, decode, first_beyond
from vindex3_reference.kernels.plain import NumpyMatrix

EDGES = [0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 170, 192, 240, 252, 255]


def numpy_matrix(sample):
    """A sample as numpy alone decodes it."""
    return NumpyMatrix(sample.geometry, *(np.frombuffer(data, np.uint8) for data in sample.buffers))


def numpy_weights(sample):
    """What numpy alone decodes it to."""
    out = np.empty((sample.rows, sample.geometry.n_in), np.float32)
    numpy_matrix(sample).decode(out, 0, sample.rows)
    return out


@pytest.mark.parametrize("block", [0, 64])
def test_the_worked_matrix(decode_isa, same, block):
    """The two rows of the specification decode to the bits that stand there."""
    quant = replace(worked.DECODE_QUANT, index_block=block)
    geometry = Geometry(2, 2, 3, 2, 2, index_block=block)
    indices = region(worked.DECODE_INDICES, quant)
    books = np.stack(worked.DECODE_BOOKS).astype("<u2")
    found = decode(geometry, indices, books, worked.DECODE_SCALES.astype("<u2"), isa=decode_isa)
    assert same(found, worked.DECODE_WEIGHTS)


@pytest.mark.parametrize("finite", [True, False])
def test_every_shape(decode_isa, same, sample, shape, finite):
    """Each shape decodes to the formula's bits: any stages, sizes, blocks and half floats."""
    sample = sample(shape.rows, shape.positions, shape.quant, finite)
    expected = sample.weights
    assert same(decode(sample.geometry, *sample.buffers, isa=decode_isa), expected)
    assert same(numpy_weights(sample), expected)


@pytest.mark.parametrize("block", [0, 64])
@pytest.mark.parametrize("quant", [Quant(entries=9), Quant(4, 8, 64, 6)], ids=["bytes", "packed"])
def test_every_row_count(decode_isa, same, sample, quant, block):
    """Whole blocks and each partly filled one decode alike, from one row to 200."""
    rows = sample(200, 2, replace(quant, index_block=block))
    weights = rows.weights
    for count in range(1, 201):
        cut = replace(rows.geometry, rows=count)
        indices = region(rows.indices[:count], rows.quant, 0xFF)
        found = decode(cut, indices, *rows.buffers[1:], isa=decode_isa)
        assert same(found, weights[:count]), count


@pytest.mark.parametrize("threads", [2, 3, 64, 1000])
def test_threads_give_the_same(decode_isa, same, shape, threads):
    """Any number of threads, more than rows or not, gives the bits of one."""
    one = decode(shape.geometry, *shape.buffers, isa=decode_isa)
    assert same(decode(shape.geometry, *shape.buffers, isa=decode_isa, threads=threads), one)


@pytest.mark.parametrize(("triple", "indices"), worked.PACKINGS.items(), ids=lambda part: str(part))
def test_the_worked_packings(decode_isa, triple, indices):
    """Three bytes hold the four indices that the specification says."""
    assert unpacked(np.frombuffer(triple, np.uint8).reshape(1, 3), decode_isa).tolist() == [list(indices)]


def test_fields_of_packed_indices_do_not_leak(decode_isa):
    """Any two neighbouring bytes, beside a third at its extremes, unpack by the formula."""
    every = np.arange(256)
    for other in (0, 85, 255):
        pairs = np.stack([axis.ravel() for axis in np.meshgrid(every, every)], 1)
        for place in range(3):
            triples = np.insert(pairs, place, other, axis=1).astype(np.uint8)
            b0, b1, b2 = (triples[:, at].astype(int) for at in range(3))
            together = b0 + 256 * b1 + 65_536 * b2
            expected = np.stack([together // 64**stage % 64 for stage in range(4)], 1)
            assert (unpacked(triples, decode_isa) == expected).all()


def unpacked(triples, isa):
    """The indices in runs of three bytes: book s gives entry e the value e in column s, and 0 elsewhere."""
    books = np.zeros((4, 64, 8), np.float16)
    for stage in range(4):
        books[stage, :, stage] = np.arange(64)
    geometry = Geometry(1, 8 * len(triples), 4, 8, 64, index_bits=6)
    found = decode(geometry, triples.tobytes(), books, np.ones(1, np.float16), isa=isa)
    return found.reshape(-1, 8)[:, :4].astype(int)


def test_results_beyond_the_caches(decode_isa, same, sample):
    """A result of more than 4 MiB, which is written another way, has the same bits at any address."""
    large = sample(600, 250, Quant(3, 8, 256, 8, 64))
    expected = large.weights
    size = large.rows * large.geometry.n_in
    for start in (0, 1, 8, 13):
        room = np.full(size + 32, 7, np.float32)
        out = room[start : start + size].reshape(large.rows, -1)
        assert decode(large.geometry, *large.buffers, isa=decode_isa, out=out) is out
        assert same(out, expected)
        assert (room[:start] == 7).all()
        assert (room[start + size :] == 7).all()


def test_inputs_may_stand_anywhere_and_are_not_changed(decode_isa, same, sample):
    """Odd addresses and read-only buffers decode alike, twice; longer buffers are not read further."""
    matrix = sample(70, 5, Quant(3, 8, 256, 8, 64))
    expected, (indices, books, scales) = matrix.weights, matrix.buffers
    for shift in (1, 2, 3, 7):
        moved = [
            memoryview(b"\xee" * shift + data + b"\xee" * 5)[shift:] for data in (indices, books, scales)
        ]
        before = [bytes(view) for view in moved]
        for _ in range(2):
            assert same(decode(matrix.geometry, *moved, isa=decode_isa), expected)
        assert [bytes(view) for view in moved] == before


@pytest.mark.parametrize("subject", ["indices", "codebooks", "scales"])
def test_a_short_buffer_is_refused(decode_isa, refused, sample, subject):
    """One byte less than the shape needs is refused with both lengths; the whole is decoded."""
    matrix = sample(70, 3)
    buffers = dict(zip(("indices", "codebooks", "scales"), matrix.buffers, strict=True))
    assert decode(matrix.geometry, **buffers, isa=decode_isa).shape == (70, 24)
    whole = len(buffers[subject])
    buffers[subject] = buffers[subject][:-1]
    kind, names = refused(decode, matrix.geometry, **buffers, isa=decode_isa)
    assert (kind, names) == ("length-mismatch", {"subject": subject, "expected": whole, "found": whole - 1})


@pytest.mark.parametrize("entries", [1, 2, 17, 127, 128, 129, 255])
@pytest.mark.parametrize("block", [0, 64])
def test_an_index_that_names_no_entry_is_refused(decode_isa, refused, sample, entries, block):
    """The first of several is named, wherever it stands; what fills a block is not judged."""
    matrix = sample(70, 9, Quant(3, 2, entries, 8, block))
    indices = matrix.indices.copy()
    for place in [(0, 0, 0), (69, 8, 2), (33, 4, 1)]:
        legal = indices.copy()
        legal[place] = entries - 1
        decode(matrix.geometry, region(legal, matrix.quant, 0xFF), *matrix.buffers[1:], isa=decode_isa)
        for index in {entries, 255}:
            wrong = legal.copy()
            wrong[place] = wrong[69, 8, 2] = index
            stored = region(wrong, matrix.quant, 0xFF)
            kind, names = refused(decode, matrix.geometry, stored, *matrix.buffers[1:], isa=decode_isa)
            row, position, stage = place
            expected = {"row": row, "position": position, "stage": stage, "index": index, "entries": entries}
            assert (kind, names) == ("index-out-of-codebook", expected)


def test_numpy_finds_the_same_index(sample):
    """Where there is no C, the first index that names no entry is found as well."""
    matrix = sample(70, 9, Quant(3, 2, 17, 8, 64))
    indices = matrix.indices.copy()
    stored = np.frombuffer(region(indices, matrix.quant, 0xFF), np.uint8)
    assert first_beyond(matrix.geometry, stored) is None
    assert NumpyMatrix(matrix.geometry, stored, stored, stored).first_beyond() is None
    indices[40, 3, 1] = 17
    stored = np.frombuffer(region(indices, matrix.quant, 0xFF), np.uint8)
    assert NumpyMatrix(matrix.geometry, stored, stored, stored).first_beyond() == (40, 3, 1, 17)


def test_out_is_the_shape_that_is_filled(sample):
    """A result that has another shape, type or order than the matrix is an error, and is not written."""
    matrix = sample(3, 2)
    for wrong in (np.zeros((3, 15), np.float32), np.zeros((3, 16)), np.zeros((16, 3), np.float32).T):
        with pytest.raises(ValueError, match="needs a writable float32 array"):
            decode(matrix.geometry, *matrix.buffers, out=wrong)
        assert not wrong.any()
