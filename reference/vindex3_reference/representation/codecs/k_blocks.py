"""Q4_K and Q6_K: 256 values with a scale of their own, and smaller scales for their groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vindex3_reference.representation.codecs.elements import halves

if TYPE_CHECKING:
    from vindex3_reference.representation.codecs.elements import Bytes, Floats

_Q4_K = np.dtype([("scale", "<f2"), ("offset", "<f2"), ("groups", "u1", 12), ("codes", "u1", 128)])
_Q6_K = np.dtype([("lower", "u1", 128), ("upper", "u1", 64), ("groups", "i1", 16), ("scale", "<f2")])


def decode_q4_k(data: memoryview) -> Floats:
    """Scale times group scale times code, less offset times group offset; the difference alone rounds."""
    blocks = np.frombuffer(data, _Q4_K)
    group_scales, group_offsets = _six_bits(blocks["groups"])
    scales = blocks["scale"].astype(np.float32)[:, None] * group_scales.astype(np.float32)
    offsets = blocks["offset"].astype(np.float32)[:, None] * group_offsets.astype(np.float32)
    codes = np.stack(halves(blocks["codes"].reshape(-1, 4, 32)), axis=2).reshape(-1, 8, 32)
    return (scales[..., None] * codes.astype(np.float32) - offsets[..., None]).ravel()


def _six_bits(groups: Bytes) -> tuple[Bytes, Bytes]:
    """Eight scales and eight offsets of six bits each, out of twelve bytes a block."""
    scales, offsets, last = groups[:, :4], groups[:, 4:8], groups[:, 8:]
    lower, upper = halves(last)
    six, top = np.uint8(0x3F), np.uint8(0x30)
    return (
        np.concatenate([scales & six, lower | scales >> np.uint8(2) & top], axis=1),
        np.concatenate([offsets & six, upper | offsets >> np.uint8(2) & top], axis=1),
    )


def decode_q6_k(data: memoryview) -> Floats:
    """Scale times group scale times code less 32, which is exact."""
    blocks = np.frombuffer(data, _Q6_K)
    scales = blocks["scale"].astype(np.float32)[:, None] * blocks["groups"].astype(np.float32)
    # Of each half: two groups in the lower halves of 64 bytes, then two in the upper ones.
    lower = np.stack(halves(blocks["lower"].reshape(-1, 2, 64)), axis=2).reshape(-1, 2, 4, 32)
    pairs = np.arange(0, 8, 2, dtype=np.uint8)[:, None]
    upper = blocks["upper"].reshape(-1, 2, 1, 32) >> pairs & np.uint8(3)
    codes = (lower | upper << np.uint8(4)).astype(np.float32) - np.float32(32)
    return (scales[..., None] * codes.reshape(-1, 16, 16)).ravel()
