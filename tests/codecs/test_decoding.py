"""Decoders against vectors typed by hand, a formula in plain Python, and public decoders."""

from __future__ import annotations

import gguf
import ml_dtypes
import numpy as np
import pytest

from vindex3_fixtures.codecs import EXPRESSIONS, VECTORS, decoded, sampled
from vindex3_fixtures.codecs.scalar import bits
from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.codecs import CODECS, decode

NAN = 0x7FC00000
IDS = [f"{vector.label} {vector.name}" for vector in VECTORS]
GGUF = {
    "F16": gguf.GGMLQuantizationType.F16,
    "BF16": gguf.GGMLQuantizationType.BF16,
    "Q8_0": gguf.GGMLQuantizationType.Q8_0,
    "Q4_K": gguf.GGMLQuantizationType.Q4_K,
    "Q6_K": gguf.GGMLQuantizationType.Q6_K,
    "MXFP4": gguf.GGMLQuantizationType.MXFP4,
}


def patterns(values: np.ndarray) -> np.ndarray:
    """Float32 values as 32-bit patterns, every NaN as one."""
    assert values.dtype == np.float32
    flat = np.ascontiguousarray(values).reshape(-1)
    return np.where(np.isnan(flat), np.uint32(NAN), flat.view(np.uint32))


def test_every_encoding_has_its_expression_and_its_vectors():
    """What is decoded is written down, with the same sizes, and held to vectors."""
    sizes = {label: (codec.encoding.block, codec.encoding.block_bytes) for label, codec in CODECS.items()}
    assert {label: (each.block, each.block_bytes) for label, each in EXPRESSIONS.items()} == sizes
    assert {vector.label for vector in VECTORS} == set(CODECS)


@pytest.mark.parametrize("vector", VECTORS, ids=IDS)
def test_vectors(vector):
    """A tensor typed by hand decodes to the values typed beside it, also by the formula."""
    expected = [bits(value) for value in vector.values]
    assert patterns(decode(vector.label, vector.data, vector.shape)).tolist() == expected
    assert decoded(vector.label, vector.data, vector.shape) == expected


@pytest.mark.parametrize("label", EXPRESSIONS)
def test_random_blocks_by_the_formula(label):
    """Random blocks are what exact arithmetic with one rounding makes of them."""
    piece = next(sampled(label, 64))
    found = patterns(decode(label, piece.data, piece.shape))
    assert found.tolist() == decoded(label, piece.data, piece.shape)


@pytest.mark.parametrize("label", GGUF)
def test_random_blocks_by_gguf(label, blocks):
    """Bit for bit what the gguf package decodes, every NaN being one.

    Blocks of MXFP4 with the scale 255 are left out: NaN here, 2^128 there.
    """
    for piece in blocks(label):
        packed = np.frombuffer(piece.data, np.uint8).reshape(piece.shape[0], -1)
        with np.errstate(over="ignore", invalid="ignore"):
            public = gguf.dequantize(packed, GGUF[label]).astype(np.float32, copy=False)
        kept = packed[:, 0] != 255 if label == "MXFP4" else slice(None)
        found = decode(label, piece.data, piece.shape).reshape(piece.shape)
        assert np.array_equal(patterns(found[kept]), patterns(public.reshape(piece.shape)[kept]))


def test_random_blocks_by_element_types(blocks):
    """Bit for bit NVFP4 made of the public element types, every NaN being one."""
    for piece in blocks("NVFP4"):
        rows = piece.shape[0]
        packed = np.frombuffer(piece.data, np.uint8)
        codes = np.stack([packed[: rows * 8] & 15, packed[: rows * 8] >> 4], axis=1).reshape(rows, 16)
        elements = codes.view(ml_dtypes.float4_e2m1fn).astype(np.float32)
        scales = packed[rows * 8 : rows * 9].view(ml_dtypes.float8_e4m3fn).astype(np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            public = elements * scales[:, None] * packed[rows * 9 :].view(np.float32)
        assert np.array_equal(patterns(decode("NVFP4", piece.data, piece.shape)), patterns(public))


def test_every_scale_of_mxfp4_by_element_types():
    """The scales of MXFP4, 255 among them, are those of the public element type."""
    data = b"".join(bytes([scale]) + bytes(range(16)) for scale in range(256))
    scales = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e8m0fnu).astype(np.float32)
    codes = np.array([*range(16), *[0] * 16], np.uint8)
    elements = codes.view(ml_dtypes.float4_e2m1fn).astype(np.float32) + np.float32(0)  # no negative zero
    with np.errstate(over="ignore", invalid="ignore"):
        public = scales[:, None] * elements
    assert np.array_equal(patterns(decode("MXFP4", data, (256, 32))), patterns(public))


def test_samples_hold_what_is_hard():
    """Random blocks have scales that are subnormal, infinite and no number: none of them is left out."""
    for label, place in (("Q8_0", 0), ("Q4_K", 0), ("Q4_K", 2), ("Q6_K", 208)):
        piece = next(sampled(label, 4096))
        packed = np.frombuffer(piece.data, np.uint8).reshape(4096, -1)
        scales = packed[:, place : place + 2].copy().view(np.float16)
        assert np.isnan(scales).any()
        assert (np.abs(scales[scales != 0]) < 2.0**-14).any()
    packed = np.frombuffer(next(sampled("MXFP4", 4096)).data, np.uint8).reshape(4096, -1)
    assert set(packed[:, 0]) == set(range(256))


@pytest.mark.parametrize("label", CODECS)
def test_shapes_that_do_not_fit(label):
    """A shape that the encoding does not hold, or holds in another number of bytes, is refused."""
    encoding = CODECS[label].encoding
    shape = (2, encoding.block)
    data = bytes(encoding.size(shape))
    assert len(decode(label, data, shape)) == 2 * encoding.block
    assert len(decode(label, bytes(encoding.size((0, encoding.block))), (0, encoding.block))) == 0
    assert len(decode(label, memoryview(data), shape)) == 2 * encoding.block
    wrong = [
        (data[:-1], shape),
        (data + b"\0", shape),
        (data, (2, encoding.block + 1)),
        (data, (3, *shape[1:])),
    ]
    wrong.append((data, (1, *shape)) if encoding.matrix_only else (data, (2, 2, *shape)))
    wrong.append((data, (2**63, encoding.block)))
    for given, other in wrong:
        with pytest.raises(Refusal) as caught:
            decode(label, given, other)
        assert caught.value.kind == "shape-mismatch"


def test_scalars():
    """A float has a value without axes; a block has none."""
    assert decode("F32", bytes.fromhex("0000803F"), ()).tolist() == [1.0]
    with pytest.raises(Refusal):
        decode("Q8_0", bytes(34), ())


@pytest.mark.parametrize("label", ["f32", "Q8_0 ", "Q4_0", ""])
def test_unknown_labels(label):
    """Labels are known in exact case alone, and those that are known are named."""
    with pytest.raises(Refusal) as caught:
        decode(label, b"", (0,))
    assert caught.value.kind == "unknown-encoding"
    assert caught.value.names == {"encoding": label, "known": sorted(CODECS)}
