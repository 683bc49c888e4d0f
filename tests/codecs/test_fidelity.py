"""Fidelity that is derived: exact, equivalent or approximate, whatever a name or a label promises."""

from __future__ import annotations

import numpy as np
import pytest

from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.codecs import ENCODERS, encode
from vindex3_reference.representation.codecs.fidelity import Stored, fidelity, fidelity_of

SHAPE = (2, 32)
LUCKY = np.resize(np.array([6.0, -6.0, 0.5, 0.0, -1.5, 4.0], np.float32), SHAPE)
"""Values that four bits hold."""
BYTES = np.resize(np.array([127.0, -127.0, 3.0, 0.0, 64.0], np.float32), SHAPE)
"""Values that Q8_0 holds with a scale of 1."""
HELD = {"MXFP4": LUCKY, "BF16": LUCKY, "NVFP4": LUCKY * np.float32(448), "Q8_0": BYTES}
"""What each dtype holds; the scales of NVFP4 come out as 448 and 1 where its largest value is 2688."""
UNLUCKY = np.resize(np.array([6.0, 0.1, -0.3, 2.7], np.float32), SHAPE)


def stored(values: np.ndarray, dtype: str = "F32") -> Stored:
    """Values as a tensor of this dtype."""
    if dtype in ENCODERS:
        return Stored(dtype, values.shape, encode(dtype, values))
    words = values.astype(np.float32).view(np.uint32)
    data = (words >> 16).astype("<u2").tobytes() if dtype == "BF16" else words.astype("<u4").tobytes()
    return Stored(dtype, values.shape, data)


def test_the_same_bytes_are_exact():
    """A tensor that is carried verbatim is exact, also one that nobody can decode."""
    assert fidelity_of(stored(UNLUCKY), stored(UNLUCKY)) == "source-exact"
    odd = Stored("ODD", (2,), b"odd")
    assert fidelity_of(odd, odd) == "source-exact"


@pytest.mark.parametrize("dtype", HELD)
def test_lucky_values_are_equivalent(dtype):
    """Values that an encoding happens to hold are the same values, and not the same bytes."""
    values = HELD[dtype]
    assert fidelity_of(stored(values), stored(values, dtype)) == "source-equivalent"
    assert fidelity_of(stored(values, dtype), stored(values)) == "source-equivalent"
    assert fidelity_of(stored(UNLUCKY), stored(UNLUCKY, dtype)) == "numerically-approximate"


@pytest.mark.parametrize("dtype", HELD)
def test_one_value_makes_it_approximate(dtype):
    """One value that is rounded makes the tensor approximate, whatever all others are."""
    values = HELD[dtype].copy()
    values[1, 7] = 0.1
    assert fidelity_of(stored(values), stored(values, dtype)) == "numerically-approximate"


def test_luck_is_of_an_encoding():
    """Small integers are held by bytes and not by four bits."""
    assert fidelity_of(stored(BYTES), stored(BYTES, "MXFP4")) == "numerically-approximate"


def test_zeros_have_signs_and_nans_are_one():
    """A zero that loses its sign is another value; a NaN of another pattern is the same."""
    zeros = stored(np.zeros(SHAPE, np.float32))
    assert fidelity_of(zeros, stored(np.full(SHAPE, -0.0, np.float32))) == "numerically-approximate"
    quiet, other = (Stored("F32", (1,), bytes.fromhex(text)) for text in ("0000C07F", "0100C0FF"))
    assert fidelity_of(quiet, other) == "source-equivalent"


def test_a_pack_is_worth_its_weakest_tensor():
    """Levels fold to the weakest; a tensor beside those of the source counts for nothing."""
    source = {"a": stored(LUCKY), "b": stored(BYTES), "norm": stored(UNLUCKY)}
    pack = {"a": stored(LUCKY, "MXFP4"), "b": stored(BYTES, "Q8_0"), "norm": stored(UNLUCKY)}
    assert fidelity(source, source) == "source-exact"
    assert fidelity(source, pack) == "source-equivalent"
    assert fidelity(source, {**pack, "more": stored(UNLUCKY, "Q8_0")}) == "source-equivalent"
    assert fidelity(source, {**pack, "norm": stored(UNLUCKY, "Q8_0")}) == "numerically-approximate"
    assert fidelity({}, {}) == "source-exact"


def test_what_cannot_be_compared():
    """A tensor that is missing, has another shape or a label without a codec is refused, not guessed."""
    source = {"a": stored(LUCKY)}
    for pack, kind in (
        ({}, "missing-operand"),
        ({"a": stored(LUCKY.reshape(1, 64))}, "shape-mismatch"),
        ({"a": Stored("Q4_0", SHAPE, b"")}, "unknown-encoding"),
        ({"a": Stored("F32", SHAPE, b"")}, "shape-mismatch"),
    ):
        with pytest.raises(Refusal) as caught:
            fidelity(source, pack)
        assert caught.value.kind == kind
