"""The small library that is preloaded into a program to count its changes of files (`shim/changes.c`).

It is built with the kit on Linux, where there is a C compiler.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Mapping
from pathlib import Path

from pytest_vindex3.contract.outcome import Stop

_WORDS = struct.Struct("=3Q")
_SHIM = Path(__file__).parent / "shim"
_SEPARATORS = frozenset(" :")
"""What ends a path in LD_PRELOAD."""


def library() -> Path | None:
    """The library, or None where it was not built, or where its path cannot be given to a program."""
    built = next(iter(sorted(_SHIM.glob("changes.*so"))), None)
    return None if built is None or _SEPARATORS & set(str(built)) else built


class Counts:
    """What the library saw of one program.

    Args:
        path: a file of `SIZE` zero bytes that the program can reach; it may vanish once the program runs.
    """

    SIZE = _WORDS.size

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), self.SIZE)

    def variables(self, shim: Path, stop: Stop) -> Mapping[str, str]:
        """What the program's environment gets besides, so that the library does what is asked."""
        others = os.environ.get("LD_PRELOAD")
        return {
            "LD_PRELOAD": f"{shim} {others}" if others else str(shim),
            "VINDEX3_CHANGES": str(self._path),
            "VINDEX3_CHANGES_FOLDER": stop.folder,
            "VINDEX3_CHANGES_BEFORE": str(stop.before or 0),
            "VINDEX3_CHANGES_ERROR": str(stop.error or 0),
        }

    @property
    def changes(self) -> int:
        """The changes so far, the one that did not happen included."""
        return int(_WORDS.unpack(self._shared)[0])

    @property
    def stopped(self) -> bool:
        """Whether there was one that did not happen."""
        return bool(_WORDS.unpack(self._shared)[1])

    @property
    def loaded(self) -> bool:
        """Whether the program loaded the library: one that is linked statically does not."""
        return bool(_WORDS.unpack(self._shared)[2])
