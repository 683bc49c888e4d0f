"""Edits of binary records: field by field, with the values at the ends of a field's range."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final

from pytest_vindex3.fuzz.documents import without_parts

Field = tuple[int, int]
"""Offset and size of an unsigned little-endian integer."""
_FORMS: Final = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}


class RecordEdits:
    """Edits of files that are made of fields.

    Args:
        fields: the fields of a file, as far as its bytes have them.
        words: runs of bytes that mean something.
        most: bytes that an edited file has at most.
        repair: makes a file sound again that an edit has made unsound, in a checksum for one.
    """

    def __init__(
        self,
        fields: Callable[[bytes], Sequence[Field]],
        words: Sequence[bytes],
        *,
        most: int,
        repair: Callable[[bytes], bytes] | None = None,
    ) -> None:
        self._fields = fields
        self._words = words
        self._most = most
        self._repair = repair

    def __call__(self, data: bytes, numbers: Random) -> bytes:
        """The file after one edit."""
        chance = numbers.random()
        if chance < 0.8:
            data = self._with_field(data, numbers)
        elif chance < 0.9:
            data = self._with_bytes(data, numbers)
        else:
            data = _of_other_length(data, numbers)
        if self._repair and numbers.random() < 0.5:
            data = self._repair(data)
        return data[: self._most]

    def _with_field(self, data: bytes, numbers: Random) -> bytes:
        fields = [one for one in self._fields(data) if sum(one) <= len(data)]
        if not fields:
            return _of_other_length(data, numbers)
        offset, size = numbers.choice(fields)
        top = 1 << 8 * size
        (value,) = struct.unpack_from(_FORMS[size], data, offset)
        other_offset, other_size = numbers.choice(fields)
        (other,) = struct.unpack_from(_FORMS[other_size], data, other_offset)
        near = (value + 1, value - 1, value ^ 1 << numbers.randrange(8 * size), 2 * value, other)
        ends = (0, 1, top - 1, top // 2, numbers.randrange(16), numbers.randrange(top))
        put = bytearray(data)
        struct.pack_into(_FORMS[size], put, offset, numbers.choice(near + ends) % top)
        return bytes(put)

    def _with_bytes(self, data: bytes, numbers: Random) -> bytes:
        word = numbers.choice(self._words) if numbers.random() < 0.5 else bytes([numbers.randrange(256)])
        start = numbers.randrange(len(data) + 1)
        return data[:start] + word + data[start + len(word) :]


def _of_other_length(data: bytes, numbers: Random) -> bytes:
    place = numbers.randrange(len(data) + 1)
    size = numbers.choice((1, 4, 12, 16, 20, 24, 64))
    match numbers.randrange(4):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + data[place + size :]
        case 2:
            return data[:place] + data[max(0, place - size) :]
        case _:
            return data + bytes([numbers.randrange(256)]) * size


def smaller(data: bytes) -> Iterator[bytes]:
    """Files that are shorter, or have fewer bytes that are not zero."""
    yield from without_parts(data)
    size = len(data) // 2
    while size:
        for start in range(0, len(data), size):
            end = min(len(data), start + size)
            if any(data[start:end]):
                yield data[:start] + bytes(end - start) + data[end:]
        size //= 2
