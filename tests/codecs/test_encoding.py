"""Encoders: scales as written down, codes that no other code is nearer than, and public witnesses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import gguf
import ml_dtypes
import numpy as np
import pytest

from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.codecs import CODECS, ENCODERS, decode, encode

LARGEST = float(np.finfo(np.float32).max)


def matrices(label: str, count: int) -> Iterator[np.ndarray]:
    """Finite matrices of every size of value: any patterns, and patterns of neighbouring exponents."""
    columns = CODECS[label].encoding.block
    for number in range(count):
        data = hashlib.shake_128(f"{label}/{number}".encode()).digest(16 * columns * 4)
        words = np.frombuffer(data, "<u4").reshape(16, columns)
        if number % 2:
            exponents = number * 7 % 250 + words % 5
            words = words & 0x807FFFFF | exponents.astype(np.uint32) << 23
        values = words.view(np.float32)
        yield np.where(np.isfinite(values), values, np.float32(1.0))


def tensors(label: str) -> Iterator[np.ndarray]:
    """What the codes are judged on: matrices, zeros of both signs, the smallest and the largest values."""
    columns = CODECS[label].encoding.block
    yield from matrices(label, 60)
    yield np.zeros((2, columns), np.float32)
    for value in (0.0, 2.0**-149, 2.0**-126, 1.0, 65504.0, LARGEST):
        row = np.linspace(-1, 1, columns) * value
        row[0] = -0.0
        yield np.stack([row, -row, np.full(columns, value)]).astype(np.float32)


def _steps(label: str, data: bytes, rows: int) -> np.ndarray:
    """What the codes of each row are multiplied by."""
    packed = np.frombuffer(data, np.uint8)
    if label == "Q8_0":
        return packed.reshape(rows, 34)[:, :2].copy().view(np.float16).astype(np.float64)
    if label == "MXFP4":
        return 2.0 ** (packed.reshape(rows, 17)[:, :1].astype(np.float64) - 127)
    scales = packed[rows * 8 : rows * 9].view(ml_dtypes.float8_e4m3fn).astype(np.float64)
    return scales[:, None] * packed[rows * 9 :].view(np.float32).astype(np.float64)


def _codes(label: str, data: bytes, rows: int) -> np.ndarray:
    """The codes of each row, as numbers that are multiplied."""
    packed = np.frombuffer(data, np.uint8)
    if label == "Q8_0":
        return packed.reshape(rows, 34)[:, 2:].view(np.int8).astype(np.float64)
    if label == "MXFP4":
        halves = packed.reshape(rows, 17)[:, 1:]
        codes = np.concatenate([halves & 15, halves >> 4], axis=1)
    else:
        codes = np.stack([packed[: rows * 8] & 15, packed[: rows * 8] >> 4], axis=1).reshape(rows, 16)
    return codes.view(ml_dtypes.float4_e2m1fn).astype(np.float64)


@pytest.mark.parametrize("label", ENCODERS)
def test_no_other_code_is_nearer(label):
    """Given the stored scale, every code is the nearest; of two that are as near it is the even one."""
    if label == "Q8_0":
        table, even = np.arange(-128.0, 128.0), np.arange(-128, 128) % 2 == 0
    else:
        table = np.arange(16, dtype=np.uint8).view(ml_dtypes.float4_e2m1fn).astype(np.float64)
        even = np.arange(16) % 2 == 0
    for values in tensors(label):
        data = encode(label, values)
        steps, codes = _steps(label, data, len(values)), _codes(label, data, len(values))
        found = np.abs(values - codes * steps)
        others = np.abs(values[..., None] - table * steps[..., None])
        assert (found == others.min(axis=-1)).all()
        alone = (others == others.min(axis=-1, keepdims=True)).sum(axis=-1)
        positions = np.abs(codes[..., None] - table).argmin(axis=-1)
        tied = (alone > 1) & (found <= np.abs(steps)) & (codes != 0)
        assert even[positions[tied]].all()
        beyond = np.abs(values) > table.max() * np.abs(steps)
        beyond &= steps != 0
        assert (np.abs(codes[beyond]) >= table.max()).all()
        assert (np.signbit(codes[beyond]) == np.signbit(values[beyond])).all()


def test_ties():
    """Halfway between two codes, the even one is taken: by hand for every encoder."""
    halfway = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, -0.25, -0.75, -2.5, -5.0]
    expected = [0.0, 1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 0.0, -1.0, -2.0, -4.0]
    values = np.zeros((1, 32), np.float32)
    values[0, :12] = [6.0, *halfway]
    assert decode("MXFP4", encode("MXFP4", values), (1, 32))[:12].tolist() == [6.0, *expected]
    values *= 448
    assert decode("NVFP4", encode("NVFP4", values), (1, 32))[:12].tolist() == [
        448 * value for value in (6.0, *expected)
    ]
    values = np.zeros((1, 32), np.float32)
    values[0, :7] = [127.0, 0.5, 1.5, 2.5, -0.5, -1.5, -126.5]
    assert decode("Q8_0", encode("Q8_0", values), (1, 32))[:7].tolist() == [127, 0, 2, 2, 0, -2, -126]


def test_signs_of_zeros():
    """What becomes a zero keeps its sign in NVFP4, and has none in MXFP4."""
    for values in tensors("NVFP4"):
        found = decode("NVFP4", encode("NVFP4", values), values.shape).reshape(values.shape)
        assert (np.signbit(found) == np.signbit(values)).all()
    for values in tensors("MXFP4"):
        found = decode("MXFP4", encode("MXFP4", values), values.shape).reshape(values.shape)
        assert (np.signbit(found) == (np.signbit(values) & (found != 0))).all()


def test_scales_of_q8_0():
    """The largest value of a block by 127, rounded once to a binary16 and no larger than its largest."""
    for largest, expected in (
        (127.0, 1.0),
        (1.0, 2**-7 * (1 + 8 / 1024)),
        (2.0**-24, 0.0),
        (2.0**-17, 2.0**-24),
        (127 * 65504.0, 65504.0),
        (LARGEST, 65504.0),
    ):
        values = np.zeros((1, 32), np.float32)
        values[0, 7] = -largest
        data = encode("Q8_0", values)
        assert np.frombuffer(data[:2], "<f2")[0] == expected
        code = np.frombuffer(data[2:], np.int8)[7]
        assert code == (0 if expected == 0 else max(-128, round(-largest / expected)))


def test_scales_of_mxfp4():
    """The exponent of the largest value less two, and none below the smallest."""
    for largest, expected in (
        (1.0, 125),
        (1.99, 125),
        (2.0, 126),
        (7.99, 127),
        (0.0, 0),
        (2.0**-149, 0),
        (2.0**-125, 0),
        (2.0**-124, 1),
        (LARGEST, 252),
    ):
        assert encode("MXFP4", np.full((1, 32), largest, np.float32))[0] == expected


def test_scales_of_nvfp4():
    """The largest value of a matrix has the largest code of the largest scale; groups follow it."""
    values = np.zeros((2, 32), np.float32)
    values[0, 3], values[0, 20], values[1, 31] = -2688.0, 6.0, 12.5
    data = encode("NVFP4", values)
    assert np.frombuffer(data[-4:], "<f4")[0] == 1.0
    assert data[32:36].hex() == "7e380040"  # 448, 1, 0 and 2.0833 to 2
    found = decode("NVFP4", data, (2, 32)).reshape(2, 32)
    assert (found[0, 3], found[0, 20], found[1, 31]) == (-2688.0, 6.0, 12.0)
    assert np.count_nonzero(found) == 3
    assert encode("NVFP4", np.zeros((1, 16), np.float32)) == bytes(13)
    smallest = encode("NVFP4", np.full((1, 16), 2.0**-149, np.float32))
    assert smallest[-4:].hex() == "01000000"
    assert decode("NVFP4", smallest, (1, 16)).tolist() == [2.0**-149] * 16


@pytest.mark.parametrize("label", ENCODERS)
def test_what_is_representable_comes_back(label):
    """Values that an encoding holds are stored without loss, where the largest of them shows the scale."""
    columns = CODECS[label].encoding.block
    table = [127, -127, 5, 0, -1, 64] if label == "Q8_0" else [6, -6, 0.5, 0, -1.5, 4]
    step = 448 if label == "NVFP4" else 0.25
    values = np.resize(np.array(table), (3, columns)).astype(np.float32) * np.float32(step)
    found = decode(label, encode(label, values), values.shape)
    assert found.tolist() == values.ravel().tolist()


def test_conversions_to_public_elements():
    """Codes and group scales are what the public element types round to."""
    for values in matrices("NVFP4", 40):
        data = encode("NVFP4", values)
        rows = len(values)
        matrix = np.float32(np.abs(values).max() / 2688.0)
        with np.errstate(under="ignore"):
            wanted = np.abs(values).max(axis=1).astype(np.float64) / (6.0 * float(matrix))
        scales = np.frombuffer(data, np.uint8)[rows * 8 : rows * 9]
        public = np.minimum(wanted, 448).astype(ml_dtypes.float8_e4m3fn)
        assert scales.tobytes() == public.tobytes()


def test_q8_0_by_gguf():
    """Blocks whose largest value is 127 times a power of two are what the gguf package makes of them."""
    for number in range(20):
        data = hashlib.shake_128(f"gguf/{number}".encode()).digest(64 * 32)
        codes = np.frombuffer(data, np.int8).reshape(64, 32).astype(np.float32)
        codes = np.clip(codes, -127, 127)
        codes[:, 0] = 127
        values = codes * np.float32(2.0 ** (number - 10))
        public = gguf.quantize(values, gguf.GGMLQuantizationType.Q8_0)
        assert encode("Q8_0", values) == public.tobytes()


def test_mxfp4_by_gguf():
    """Blocks of representable values are what the gguf package makes of them."""
    elements = np.arange(16, dtype=np.uint8).view(ml_dtypes.float4_e2m1fn).astype(np.float32)
    for number in range(20):
        data = hashlib.shake_128(f"gguf/{number}".encode()).digest(64 * 32)
        codes = np.frombuffer(data, np.uint8).reshape(64, 32) % 16
        values = elements[codes] * np.float32(2.0 ** (number * 12 - 110))
        values[:, 0] = elements[7] * np.float32(2.0 ** (number * 12 - 110))
        public = gguf.quantize(values, gguf.GGMLQuantizationType.MXFP4)
        assert encode("MXFP4", values) == public.tobytes()


@pytest.mark.parametrize("label", ENCODERS)
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_is_refused(label, value):
    """There is no nearest code for it."""
    values = np.zeros((2, CODECS[label].encoding.block), np.float32)
    assert len(encode(label, values)) == CODECS[label].encoding.size(values.shape)
    values[1, 3] = value
    with pytest.raises(Refusal) as caught:
        encode(label, values)
    assert (caught.value.kind, caught.value.names["field"]) == ("out-of-range", "values")


@pytest.mark.parametrize("label", ENCODERS)
def test_shapes_that_are_not_held(label):
    """A block lies along the last axis, and lies there whole; without values there are no blocks."""
    block = CODECS[label].encoding.block
    assert len(encode(label, np.zeros((0, block), np.float32))) == CODECS[label].encoding.extra_bytes
    for shape in ((block, block - 1), (), (block + 1,)):
        with pytest.raises(Refusal) as caught:
            encode(label, np.zeros(shape, np.float32))
        assert caught.value.kind == "shape-mismatch"


@pytest.mark.parametrize("label", ["Q4_K", "Q6_K", "F16", "q8_0", "Q4_0"])
def test_labels_without_an_encoder(label):
    """What is not made here is refused, with what is."""
    with pytest.raises(Refusal) as caught:
        encode(label, np.zeros((1, 256), np.float32))
    assert caught.value.names == {"encoding": label, "known": ["MXFP4", "NVFP4", "Q8_0"]}
