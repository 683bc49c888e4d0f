"""The small libraries that are preloaded into a program: one counts its changes of files, one its reads.

They are built with the kit on Linux, where there is a C compiler (`shim/changes.c`, `shim/reads.c`).
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_vindex3.contract.outcome import Reading, Stop
from pytest_vindex3.contract.tally import Tally

CHANGES, READS = "changes", "reads"

_WORDS = struct.Struct("=3Q")
_SHIM = Path(__file__).parent / "shim"
_SEPARATORS = frozenset(" :")
"""What ends a path in LD_PRELOAD."""


def library(name: str) -> Path | None:
    """A library, or None where it was not built, or where its path cannot be given to a program."""
    built = next(iter(sorted(_SHIM.glob(f"{name}.*so"))), None)
    return None if built is None or _SEPARATORS & set(str(built)) else built


def loading(shims: Sequence[Path]) -> Mapping[str, str]:
    """What the environment of a program gets so that it loads these libraries before its own."""
    others = os.environ.get("LD_PRELOAD")
    return {"LD_PRELOAD": " ".join([*map(str, shims), *([others] if others else [])])}


class Counts:
    """What the library of changes saw of one program.

    Args:
        path: a file of `SIZE` zero bytes that the program can reach; it may vanish once the program runs.
    """

    SIZE = _WORDS.size

    def __init__(self, path: Path) -> None:
        self._path = path
        self._shared = _shared(path, self.SIZE)

    def variables(self, stop: Stop) -> Mapping[str, str]:
        """What the program's environment gets besides, so that the library does what is asked."""
        return {
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


class ReadCounts(Tally):
    """What the library of reads saw of one program.

    Args:
        path: a file of `SIZE` zero bytes that the program can reach; it may vanish once the program runs.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(_shared(path, self.SIZE))
        self._path = path

    def variables(self, reading: Reading) -> Mapping[str, str]:
        """What the program's environment gets besides, so that the library does what is asked."""
        bounds = {
            "END": reading.end,
            "MOST": reading.most,
            "LENGTH": reading.length,
            "TIMES": reading.times,
        }
        numbers = {
            "START": reading.start,
            "ERROR": reading.error or 0,
            "DIRECT": int(reading.direct),
            "OPENING": int(reading.opening),
            "INTERRUPTED": int(reading.interrupted),
            **{name: bound + 1 for name, bound in bounds.items() if bound is not None},
        }
        texts = dict(zip(("ONE", "OTHER"), reading.swapped, strict=True)) if reading.swapped else {}
        named = {name: str(number) for name, number in numbers.items()} | {"FILE": reading.file, **texts}
        return {
            "VINDEX3_READS": str(self._path),
            **{f"VINDEX3_READS_{name}": value for name, value in named.items()},
        }


def _shared(path: Path, size: int) -> mmap.mmap:
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), size)
