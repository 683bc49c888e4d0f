"""The reader of indices, right and with a bug that no seed of fuzzing shows."""

from __future__ import annotations

import struct
from typing import Any

from vindex3_reference.container import verbs
from vindex3_reference.refusal import Refusal


class Right:
    """The reference."""

    container_open = staticmethod(verbs.container_open)


class Wrong:
    """Puts a number into a word before it knows that it fits."""

    @staticmethod
    def container_open(*, path: str) -> Any:
        try:
            return verbs.container_open(path=path)
        except Refusal as refusal:
            if refusal.kind == "out-of-range" and isinstance(refusal.names["value"], int):
                struct.pack("<Q", refusal.names["value"])
            raise
