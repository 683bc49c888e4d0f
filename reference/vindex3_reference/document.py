"""A JSON document in a file, or in a part of one, whatever the file is."""

from __future__ import annotations

from vindex3_reference import strict_json
from vindex3_reference.slot import Slot
from vindex3_reference.source import Source

AT_ONCE = 1 << 20


def root_of(path: str, name: str | None = None) -> Slot:
    """The root object of the document in this file; refusals name the file as it was given, or by `name`.

    Raises:
        Refusal: `missing-file` or `io`, what `strict_json.parse` refuses, `bad-type` for another root.
    """
    with Source(path, name) as source:
        return part_of(source, 0, source.length)


def part_of(source: Source, begin: int, end: int) -> Slot:
    """The root object of the document that lies between two offsets of an open file.

    Raises:
        Refusal: what `strict_json.parse` refuses, `bad-type` for another root, `io`.
    """
    return Slot.root(strict_json.parse(bytes_of(source, begin, end), source.name), source.name)


def bytes_of(source: Source, begin: int, end: int) -> bytes:
    """The bytes of a document: all of them, or as many as show that it is none.

    A NUL is legal nowhere in a document. Reading stops at the first, so that a hole, which claims any
    length and reads as NULs, is never taken into memory.
    """
    pieces = []
    for at in range(begin, end, AT_ONCE):
        pieces.append(source.read(at, min(AT_ONCE, end - at)))
        if b"\0" in pieces[-1]:
            break
    return b"".join(pieces)
