"""What a writer left on disk, read by the suite itself: files, documents, segments.

Whatever is there, reading gives a value: MISSING stands for what is not there or cannot be read.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vindex3.contract.difference import MISSING, Difference, first_difference
from pytest_vindex3.plugin.expect import Side

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Outcome

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Shows:
    """Something that was read after a request, whatever was answered."""

    place: str
    expected: object
    found: object
    sides: frozenset[Side] = frozenset({"legal"})

    def difference(self, outcome: Outcome) -> Difference | None:
        """The first place where what was read is not what must stand there."""
        del outcome
        return first_difference(self.expected, self.found, self.place)


def shows(place: str, expected: object, found: object) -> Shows:
    """Expect what a right writer leaves behind."""
    return Shows(place, expected, found)


def spares(place: str, expected: object, found: object) -> Shows:
    """Expect what must be as it was after a request that had to be refused or was stopped."""
    return Shows(place, expected, found, frozenset({"wrong"}))


@dataclass(frozen=True)
class StoredSegment:
    """A segment file in its parts; what cannot be read is MISSING.

    Attributes:
        data: the whole file.
    """

    data: bytes

    @property
    def header_length(self) -> Any:
        """H as the file states it."""
        return _LENGTH.unpack_from(self.data)[0] if len(self.data) >= _LENGTH.size else MISSING

    @property
    def _start(self) -> int:
        length = self.header_length
        return len(self.data) if length is MISSING else min(len(self.data), _LENGTH.size + length)

    @property
    def header_text(self) -> bytes:
        """The H bytes before the payload."""
        return self.data[_LENGTH.size : self._start]

    @cached_property
    def header(self) -> Any:
        """The header as a document."""
        return document(self.header_text)

    @property
    def rows(self) -> Any:
        """The table."""
        return member(self.header, "tensors")

    @property
    def names(self) -> Any:
        """The names of the table's rows, in its order."""
        return [member(row, "name") for row in self.rows] if isinstance(self.rows, list) else MISSING

    @property
    def payload(self) -> bytes:
        """Everything from 8 + H on."""
        return self.data[self._start :]


@dataclass(frozen=True)
class StoredContainer:
    """A container's folder as it is when this is made.

    Attributes:
        folder: where it is.
        files: every file below it by its path, read at once; a link is read, and a folder is none.
    """

    folder: Path
    files: Mapping[str, bytes] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", contents(self.folder))

    @cached_property
    def index(self) -> Any:
        """The index as a document."""
        return document(self.files.get("index.json"))

    @property
    def graph(self) -> Any:
        """The graph as a document."""
        return document(self.files.get("system_graph.json"))

    @property
    def entries(self) -> Mapping[str, Any]:
        """The directory of representations; nothing where there is none."""
        found = member(self.index, "representations")
        return found if isinstance(found, dict) else {}

    def entry(self, representation: str) -> Any:
        """A directory entry."""
        return self.entries.get(representation, MISSING)

    def segment(self, representation: str) -> StoredSegment:
        """The segment that the directory names for a representation; an empty one where it names none."""
        name = member(self.entry(representation), "segment")
        return StoredSegment(self.files.get(name, b"") if isinstance(name, str) else b"")

    @property
    def segments(self) -> Mapping[str, bytes]:
        """Every file that the directory names."""
        names = [member(one, "segment") for one in self.entries.values()]
        return {name: self.files[name] for name in names if isinstance(name, str) and name in self.files}

    @property
    def complete(self) -> bool:
        """Whether there is an index, and whether everything that it names is there and has its digests."""
        named = [(member(one, "segment"), member(one, "segment_sha256")) for one in self.entries.values()]
        digests = {name: sha256(data) for name, data in self.segments.items()}
        return isinstance(self.index, dict) and all(digests.get(name) == digest for name, digest in named)


def member(value: object, key: str) -> Any:
    """A member of an object."""
    return value.get(key, MISSING) if isinstance(value, dict) else MISSING


def document(data: bytes | None) -> Any:
    """A JSON document."""
    try:
        return MISSING if data is None else json.loads(data.decode())
    except (ValueError, RecursionError):
        return MISSING


def sha256(data: bytes) -> str:
    """The digest in lowercase hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def paths(folder: Path) -> list[str]:
    """Every file and link below a folder by its path, with `/`, sorted; none where it is no folder."""
    found = (
        (Path(at) / name).relative_to(folder).as_posix() for at, _, names in os.walk(folder) for name in names
    )
    return sorted(found)


def contents(folder: Path) -> dict[str, bytes]:
    """Every regular file below a folder, links followed, by its path; one that cannot be read is left out."""
    found = {}
    for name in paths(folder):
        try:
            if (folder / name).is_file():
                found[name] = (folder / name).read_bytes()
        except OSError:
            continue
    return found
