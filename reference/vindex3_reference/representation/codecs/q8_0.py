"""Q8_0: 32 signed bytes with one scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from vindex3_reference.representation.codecs.elements import Floats

_BLOCK = np.dtype([("scale", "<f2"), ("codes", "i1", 32)])
_LARGEST = float(np.finfo(np.float16).max)


def decode_q8_0(data: memoryview) -> Floats:
    """Code times scale, which is exact."""
    blocks = np.frombuffer(data, _BLOCK)
    scales = blocks["scale"].astype(np.float32)[:, None]
    return (blocks["codes"].astype(np.float32) * scales).ravel()


def encode_q8_0(values: Floats) -> bytes:
    """The scale by which the largest value of a block has the code 127, and the codes that are nearest."""
    rows = values.astype(np.float64).reshape(-1, 32)
    blocks = np.zeros(len(rows), _BLOCK)
    blocks["scale"] = np.minimum(np.abs(rows).max(axis=1) / 127, _LARGEST)
    scales = blocks["scale"].astype(np.float64)[:, None]
    quotients = np.divide(rows, scales, out=np.zeros_like(rows), where=scales != 0)
    blocks["codes"] = np.clip(np.rint(quotients), -128, 127)
    return blocks.tobytes()
