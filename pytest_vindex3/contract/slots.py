"""Slot types that JSON has no word for: bytes, arrays of numbers, stored documents.

To a type checker `Blob` is `bytes`, `FloatArray` a numpy array and `Document` anything; at run time
they are marker classes through which `typed.py` and the wire find the slots that need care.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Blob = bytes
    FloatArray = npt.NDArray[np.floating]
    Document = object
else:

    class _Marker(type):
        """Says what stands in a marked slot once it has been judged, so that no value is wrapped."""

        def __instancecheck__(cls, value: object) -> bool:
            return cls._holds(value)

    class Blob(metaclass=_Marker):
        """Bytes: any buffer in Python; `{"base64": ...}` or `{"file": ...}` on the pipe."""

        @staticmethod
        def _holds(value: object) -> bool:
            return type(value) is bytes

    class FloatArray(metaclass=_Marker):
        """An array of floats: numpy in Python; `{"dtype", "shape", "data"}` on the pipe."""

        @staticmethod
        def _holds(value: object) -> bool:
            return type(value).__name__ == "ndarray"

    class Document(metaclass=_Marker):
        """A stored JSON document, of any shape."""

        @staticmethod
        def _holds(value: object) -> bool:
            del value
            return True
