"""The codecs by their labels: bytes of a tensor to float32, and values to the nearest bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vindex3_reference.refusal import Refusal
from vindex3_reference.representation.codecs.floats import decode_bf16, decode_f16, decode_f32
from vindex3_reference.representation.codecs.k_blocks import decode_q4_k, decode_q6_k
from vindex3_reference.representation.codecs.mxfp4 import decode_mxfp4, encode_mxfp4
from vindex3_reference.representation.codecs.nvfp4 import decode_nvfp4, encode_nvfp4
from vindex3_reference.representation.codecs.q8_0 import decode_q8_0, encode_q8_0
from vindex3_reference.representation.encodings import ENCODINGS, Encoding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from vindex3_reference.representation.codecs.elements import Floats

    Known = TypeVar("Known")


class Codec(NamedTuple):
    """An encoding that can be read.

    Attributes:
        encoding: the shapes that it holds, and in how many bytes.
        decode: bytes of such a length to values in row-major order.
    """

    encoding: Encoding
    decode: Callable[[memoryview], Floats]


CODECS = {
    "F32": Codec(Encoding(1, 4), decode_f32),
    "F16": Codec(Encoding(1, 2), decode_f16),
    "BF16": Codec(Encoding(1, 2), decode_bf16),
    "Q8_0": Codec(ENCODINGS["Q8_0"], decode_q8_0),
    "Q4_K": Codec(ENCODINGS["Q4_K"], decode_q4_k),
    "Q6_K": Codec(ENCODINGS["Q6_K"], decode_q6_k),
    "MXFP4": Codec(Encoding(32, 17), decode_mxfp4),
    "NVFP4": Codec(ENCODINGS["NVFP4"], decode_nvfp4),
}
"""By label, in exact case."""

ENCODERS: dict[str, Callable[[Floats], bytes]] = {
    "Q8_0": encode_q8_0,
    "MXFP4": encode_mxfp4,
    "NVFP4": encode_nvfp4,
}
"""What makes bytes of finite values, whose shape fits, by label."""


def decode(label: str, data: bytes | memoryview, shape: Sequence[int]) -> Floats:
    """The float32 values of a stored tensor, as one row in row-major order.

    Args:
        label: its dtype.
        data: its bytes; memory follows from their number, never from the shape.
        shape: extent of each axis, the slowest first.

    Raises:
        Refusal: `unknown-encoding` for a label that is none of `CODECS`; `shape-mismatch` for a shape that
            the encoding does not hold, or holds in another number of bytes.
    """
    codec = _known(label, CODECS)
    view = memoryview(data).cast("B")
    _check(label, shape, view.nbytes)
    with np.errstate(over="ignore", invalid="ignore"):  # infinite and undefined products are answers
        return codec.decode(view)


def encode(label: str, values: Floats) -> bytes:
    """The bytes of a tensor in an encoding, nearest to its values.

    Args:
        label: an encoding of `ENCODERS`.
        values: float32, all of them finite.

    Raises:
        Refusal: `unknown-encoding`; `shape-mismatch` for a shape that the encoding does not hold;
            `out-of-range` for a value that is infinite or no number.
    """
    encoder = _known(label, ENCODERS)
    _check(label, values.shape)
    if not np.isfinite(values).all():
        raise Refusal("out-of-range", f"{label} holds finite values alone", field="values", value=None)
    return encoder(values)


def _known(label: str, known: Mapping[str, Known]) -> Known:
    if label not in known:
        message = f"{label!r} is none of {', '.join(sorted(known))}"
        raise Refusal("unknown-encoding", message, encoding=label, known=sorted(known))
    return known[label]


def _check(label: str, shape: Sequence[int], found: int | None = None) -> None:
    """Refuse a shape that an encoding does not hold, or holds in another number of bytes."""
    encoding = CODECS[label].encoding
    is_scalar = encoding.block == 1 and not shape
    if not (is_scalar or encoding.fits(shape)):
        message = f"{label} holds no tensor of shape {list(shape)}"
        raise Refusal("shape-mismatch", message, tensor=label, expected=None, found=found)
    expected = encoding.size(shape)
    if found is not None and found != expected:
        message = f"{label} of {list(shape)} takes {expected} bytes, and not {found}"
        raise Refusal("shape-mismatch", message, tensor=label, expected=expected, found=found)
