"""Expert records: a bank of two in a small container."""

from __future__ import annotations

import struct
import zlib
from typing import Final

from pytest_vindex3.fuzz.demand import Demand, always
from pytest_vindex3.fuzz.records import Field, RecordEdits, smaller
from pytest_vindex3.fuzz.target import Asked, Target
from vindex3_fixtures import fuzz
from vindex3_fixtures.waste.record import FIELDS, HEADER_BYTES, PAGE

NAME: Final = "waste-record"
MOST: Final = 3 * PAGE
_CRC: Final = FIELDS["crc32"][0]
_SCALES: Final = FIELDS["correction_off"][0]
_HEADER: Final = tuple((offset, struct.calcsize(form)) for offset, form in FIELDS.values())
_KINDS: Final = (
    "bad-magic",
    "checksum-mismatch",
    "codebook-mismatch",
    "record-format",
    "record-identity",
    "record-length",
    "record-offsets",
    "unsupported-feature",
)


def fields(data: bytes) -> list[Field]:
    """The fields of each header, three times, and the bytes and halves behind it."""
    found: list[Field] = []
    for page in range(0, len(data), PAGE):
        found += [(page + offset, size) for offset, size in _HEADER] * 3
        found += [(page + offset, 1 + offset % 2) for offset in range(HEADER_BYTES, HEADER_BYTES + 80)]
    return [one for one in found if sum(one) <= len(data)]


def repaired(data: bytes) -> bytes:
    """The bank in which every record has the checksum of what its header says is there."""
    pages = (data[start : start + PAGE] for start in range(0, len(data), PAGE))
    return b"".join(page if len(page) < PAGE else _checked(page) for page in pages)


def _checked(record: bytes) -> bytes:
    (scales,) = struct.unpack_from("<I", record, _SCALES)
    return _with_word(record, _CRC, zlib.crc32(record[HEADER_BYTES : scales + 2 * fuzz.ROWS]))


def _with_word(data: bytes, offset: int, word: int) -> bytes:
    return data[:offset] + struct.pack("<I", word) + data[offset + 4 :]


_BINDING: Final = dict.fromkeys((*_KINDS, "truncated"), always)
_READ: Final = Demand(
    refuses=_BINDING, never=(*_KINDS, "truncated"), same=("header", "payload_sha256", "data")
)
_FIRST: Final = {"layer": fuzz.LAYER, "expert": 0}
_LAST: Final = {"layer": fuzz.LAYER, "expert": 1}

target = Target(
    name=NAME,
    family="waste",
    about="the bank of a container with two experts: what is served, checked or not, and verified",
    file=fuzz.BANK,
    asked=(
        Asked("waste.record", _READ, {**_FIRST, "verify": False}),
        Asked("waste.record", _READ, {**_LAST, "verify": True}),
        Asked("waste.verify", Demand(never=_KINDS, reports=_KINDS)),
    ),
    seeds=fuzz.banks,
    mutate=RecordEdits(fields, fuzz.words(NAME), most=MOST, repair=repaired),
    smaller=smaller,
    around=fuzz.around_bank,
)
