"""The implementations of a run and the folders it writes to; knows nothing of pytest's hooks."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pytest_vindex3.contract.door import Description, Door
from pytest_vindex3.contract.opening import open_door
from pytest_vindex3.plugin.memory import memory
from pytest_vindex3.plugin.settings import Settings

_CHOSEN = ("TMPDIR", "TEMP", "TMP")
"""Variables by which a user says where temporary files belong."""
_ROOM = 1 << 30
_NAMED = re.compile(r"([A-Za-z0-9_.-]+)=(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Implementation:
    """One implementation behind its door.

    Attributes:
        spec: as it was given, for replay lines.
        label: its name in ids where there are several, and in the report.
        door: how it is asked.
        description: what it says of itself.
    """

    spec: str
    label: str
    door: Door
    description: Description


def _made(place: Path | None = None) -> Path:
    return Path(tempfile.mkdtemp(prefix="vindex3-", dir=place))


def _in_memory() -> Path | None:
    place = None if any(map(os.environ.get, _CHOSEN)) else memory(_ROOM)
    return place and _made(place)


@dataclass(slots=True)
class Session:
    """All that the tests of one process share.

    Attributes:
        settings: the settings of the run.
        implementations: whom it judges.
        scratch: where tests write.
        memory: where they write what need not be on a disk; None where the user says where files belong.
    """

    settings: Settings
    implementations: tuple[Implementation, ...]
    scratch: Path = field(default_factory=_made)
    memory: Path | None = field(default_factory=_in_memory)

    @classmethod
    def open(cls, settings: Settings, roots: Sequence[Path]) -> Session:
        """Load every implementation.

        Raises:
            NotLoaded: one could not be found or started.
        """
        opened: list[Implementation] = []
        try:
            for spec in settings.implementations:
                door = open_door(spec, in_process=settings.in_process, roots=roots)
                opened.append(Implementation(spec, _label(spec, opened), door, door.describe()))
        except BaseException:
            for implementation in opened:
                implementation.door.close()
            raise
        return cls(settings, tuple(opened))

    def implementation(self, label: str) -> Implementation:
        """The implementation of this label; the only one where the label is empty."""
        return next((one for one in self.implementations if one.label == label), self.implementations[0])

    def in_memory(self, implementation: Implementation) -> Path | None:
        """Where a test of this implementation writes what need not be on a disk, if there is such a place.

        A program may be shut off from all but the usual folder for temporary files.
        """
        return None if implementation.door.kind == "cmd" else self.memory

    def rest(self) -> None:
        """End the processes of implementations that nobody here will ask; the next request starts one."""
        for implementation in self.implementations:
            implementation.door.close()

    def close(self) -> None:
        """End every implementation and remove what the tests wrote."""
        for implementation in self.implementations:
            with suppress(OSError):
                implementation.door.close()
        for folder in filter(None, (self.scratch, self.memory)):
            shutil.rmtree(folder, ignore_errors=True)


def _label(spec: str, taken: Sequence[Implementation]) -> str:
    named = _NAMED.fullmatch(spec)
    label = named[1] if named else Path(spec).stem if spec.endswith(".py") else spec
    label = re.sub(r"[^A-Za-z0-9_.:/-]+", "_", label)
    same = sum(one.label.partition("#")[0] == label for one in taken)
    return f"{label}#{same + 1}" if same else label
