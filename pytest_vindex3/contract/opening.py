"""From a spec to a door."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_vindex3.contract.door import NO_LIMITS, Description, Door, DoorKind
from pytest_vindex3.contract.find import split
from pytest_vindex3.contract.outcome import Limits, Reply

_MARKS = ("pyproject.toml", "setup.cfg", "setup.py", "pytest.ini", "tox.ini", ".git")


def search_roots(folder: Path | None = None) -> tuple[Path, ...]:
    """Where specs are looked up: the working directory and the root of the project around it."""
    start = (folder or Path.cwd()).resolve()
    around = [above for above in (start, *start.parents) if any((above / mark).exists() for mark in _MARKS)]
    return tuple(dict.fromkeys([start, *around[:1]]))


def open_door(spec: str, *, in_process: bool = False, roots: Sequence[Path] = ()) -> Door:
    """The door to an implementation: its own program, a child process, or this process.

    A program is always reached through its pipe. A Python implementation is loaded by the child, not
    here, unless `in_process` asks for it; `roots` are searched before the import path.

    Raises:
        NotLoaded: the spec is empty or cannot be taken apart or, in process, nothing could be loaded;
            the other doors find out when they are asked to describe.
    """
    parts = split(spec)
    if in_process and parts.command is None:
        from pytest_vindex3.contract.find import find
        from pytest_vindex3.contract.in_process import InProcess

        return InProcess(find(spec, roots))
    from pytest_vindex3.contract.pipe import Pipe

    if parts.command is None:
        return Pipe.to_python(spec, roots)
    door = Pipe.to_program(parts.command)
    return door if parts.name is None else _Renamed(door, parts.name)


class _Renamed:
    """A door to a program under the name that the spec gives it."""

    def __init__(self, door: Door, name: str) -> None:
        self.kind: DoorKind = door.kind
        self.origin = door.origin
        self._door = door
        self._name = name

    def describe(self) -> Description:
        return dataclasses.replace(self._door.describe(), name=self._name)

    def ask(self, verb: str, arguments: Mapping[str, object], limits: Limits = NO_LIMITS) -> Reply:
        return self._door.ask(verb, arguments, limits)

    def close(self) -> None:
        self._door.close()
