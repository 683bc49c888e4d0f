"""usage.waste: what runs have counted, which never decides over a container (waste.md, section 12)."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

from vindex3_reference.refusal import Refusal
from vindex3_reference.waste import folder
from vindex3_reference.waste.config import MOST_LAYERS
from vindex3_reference.waste.layers import MOST_RECORDS

if TYPE_CHECKING:
    from vindex3_reference.waste.container import Container

    Answer = dict[str, object]
    Entry = dict[str, int]

NAME = "usage.waste"
MAGIC = b"WUSG"
VERSION = 1
_HEADER = struct.Struct("<4sIQ")
_ENTRY = struct.Struct("<HHIII")
MOST_BYTES = _HEADER.size + _ENTRY.size * MOST_LAYERS * MOST_RECORDS
"""Bytes that are taken into memory, whatever length a file claims."""
_KEYS = ("layer", "expert", "hits", "last_seen", "next_layer_top")


def usage_of(container: Container) -> Answer:
    """The statistics of a container: entries in file order, and what is worth reading first.

    Raises:
        Refusal: `truncated`, `bad-magic`, `unknown-version`, `path-escape`; `io`, also for a file that is
            longer than one entry of every expert that there can be.
    """
    if not Path(container.file(NAME)).is_file():
        return {**_answer(None, None, 0, []), "present": False}
    with folder.opened(container.path, NAME) as source:
        if source.length > MOST_BYTES:
            reason = f"more than {MOST_BYTES} bytes of statistics"
            raise Refusal("io", f"{NAME} cannot be read: {reason}", path=NAME, reason=reason)
        data = source.read(0, source.length)
    version, clock = _header(data)
    whole = len(data) - (len(data) - _HEADER.size) % _ENTRY.size
    values = _ENTRY.iter_unpack(data[_HEADER.size : whole])
    entries = [dict(zip(_KEYS, entry, strict=True)) for entry in values]
    known = [{**entry, "known": _knows(container, entry)} for entry in entries]
    return _answer(version, clock, len(data) - whole, known)


def _header(data: bytes) -> tuple[int, int]:
    """Version and clock."""
    if len(data) < _HEADER.size:
        message = f"{NAME} has {len(data)} of {_HEADER.size} bytes"
        raise Refusal("truncated", message, path=NAME, need=_HEADER.size, have=len(data))
    magic, version, clock = _HEADER.unpack_from(data)
    if magic != MAGIC:
        message = f"{NAME} does not begin with {MAGIC!r}"
        raise Refusal("bad-magic", message, path=NAME, found=magic.hex(), expected=MAGIC.hex())
    if version != VERSION:
        message = f"{NAME} has version {version}; known is {VERSION}"
        raise Refusal("unknown-version", message, path=NAME, found=version, supported=[VERSION])
    return version, clock


def _answer(version: int | None, clock: int | None, dropped: int, entries: list[Entry]) -> Answer:
    return {
        "present": True,
        "version": version,
        "clock": clock,
        "dropped_bytes": dropped,
        "entries": entries,
        "warm_order": _warm_order(entries),
    }


def _warm_order(entries: list[Entry]) -> list[list[int]]:
    """Known pairs by hits descending, layer and expert; a pair's last entry counts (USAGE-ORDER-01)."""
    last = {(entry["layer"], entry["expert"]): entry["hits"] for entry in entries if entry["known"]}
    return [list(pair) for pair in sorted(last, key=lambda pair: (-last[pair], pair))]


def _knows(container: Container, entry: Entry) -> bool:
    bank = container.manifest.banks.get(entry["layer"])
    return bank is not None and entry["expert"] < bank.experts
