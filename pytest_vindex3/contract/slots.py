"""Slot types that JSON has no word for: bytes and arrays of numbers.

To a type checker `Blob` is `bytes` and `FloatArray` is a numpy array; at run time both are marker
classes through which `typed.py` finds the slots that travel in another form on a wire.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Blob = bytes
    FloatArray = npt.NDArray[np.floating]
else:

    class Blob(bytes):
        """Bytes: any buffer in Python; `{"base64": ...}` or `{"file": ...}` on the pipe."""

    class FloatArray:
        """An array of floats: numpy in Python; `{"dtype", "shape", "data"}` on the pipe."""
