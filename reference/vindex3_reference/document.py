"""A JSON document in a file, whatever the file is."""

from __future__ import annotations

from vindex3_reference import strict_json
from vindex3_reference.slot import Slot
from vindex3_reference.source import Source

AT_ONCE = 1 << 20


def root_of(path: str) -> Slot:
    """The root object of the document in this file; refusals name the file as it was given.

    Raises:
        Refusal: `missing-file` or `io`, what `strict_json.parse` refuses, `bad-type` for another root.
    """
    return Slot.root(strict_json.parse(_bytes(path), path), path)


def _bytes(path: str) -> bytes:
    """The bytes of a document: all of them, or as many as show that it is none.

    A NUL is legal nowhere in a document. Reading stops at the first, so that a hole, which claims any
    length and reads as NULs, is never taken into memory.
    """
    pieces = []
    with Source(path) as source:
        for at in range(0, source.length, AT_ONCE):
            pieces.append(source.read(at, min(AT_ONCE, source.length - at)))
            if b"\0" in pieces[-1]:
                break
    return b"".join(pieces)
