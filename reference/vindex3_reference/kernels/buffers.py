"""What kernels work on: any buffer of contiguous bytes, at any address."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    import mmap

    Buffer: TypeAlias = bytes | bytearray | memoryview | mmap.mmap | npt.NDArray[np.generic]

Floats: TypeAlias = npt.NDArray[np.float32]
Bytes: TypeAlias = npt.NDArray[np.uint8]


def bytes_of(data: Buffer, field: str) -> Bytes:
    """The bytes of a buffer, without a copy.

    Raises:
        Refusal: `bad-type` for what is no buffer, or none of contiguous bytes.
    """
    try:
        return np.frombuffer(data, np.uint8)
    except (TypeError, ValueError, BufferError):
        message = f"{field} is no buffer of contiguous bytes"
        raise Refusal("bad-type", message, path="request", field=field) from None


def floats_of(data: Buffer, field: str) -> Floats:
    """The values of a float32 buffer, aligned; copied where they are not.

    Raises:
        Refusal: `bad-type` for what is no such buffer.
    """
    values = np.asarray(data)
    if values.dtype != np.float32:
        raise Refusal("bad-type", f"{field} is no array of float32", path="request", field=field)
    return np.require(values, np.dtype("=f4"), ["C_CONTIGUOUS", "ALIGNED"])
