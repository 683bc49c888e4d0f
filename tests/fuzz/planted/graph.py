"""The reader of system graphs, right and with a bug that no seed of fuzzing shows."""

from __future__ import annotations

import struct
from typing import Any

from vindex3_reference.graph import verbs
from vindex3_reference.refusal import Refusal


class Right:
    """The reference."""

    graph_load = staticmethod(verbs.graph_load)


class Wrong:
    """Puts a number into a word before it knows that it fits."""

    @staticmethod
    def graph_load(*, path: str) -> Any:
        try:
            return verbs.graph_load(path=path)
        except Refusal as refusal:
            if refusal.kind == "out-of-range" and isinstance(refusal.names["value"], int):
                struct.pack("<Q", refusal.names["value"])
            raise
