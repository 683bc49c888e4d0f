"""Expert records: a bank of one record in a small container."""

from __future__ import annotations

import struct
import zlib
from typing import Final

from pytest_vindex3.fuzz.demand import Demand, always
from pytest_vindex3.fuzz.records import Field, RecordEdits, smaller
from pytest_vindex3.fuzz.target import Asked, Target
from vindex3_fixtures import fuzz
from vindex3_fixtures.waste.record import FIELDS, HEADER_BYTES

NAME: Final = "waste-record"
MOST: Final = 8192
_CRC: Final = FIELDS["crc32"][0]
_SCALES: Final = FIELDS["correction_off"][0]
_ROWS: Final = sum(
    fuzz.one_record().record(fuzz.RECORD_LAYER, 0).matrix(kind).rows for kind in ("gate", "up", "down")
)
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
    """The fields of the header, three times, and the bytes and halves behind it."""
    end = min(len(data), HEADER_BYTES + 400)
    return [*_HEADER * 3, *((offset, 1 + offset % 2) for offset in range(HEADER_BYTES, end - 1, 7))]


def repaired(data: bytes) -> bytes:
    """The record with the checksum of what its header says is there."""
    if len(data) < HEADER_BYTES:
        return data
    end = struct.unpack_from("<I", data, _SCALES)[0] + 2 * _ROWS
    return data[:_CRC] + struct.pack("<I", zlib.crc32(data[HEADER_BYTES:end])) + data[_CRC + 4 :]


_BINDING: Final = dict.fromkeys((*_KINDS, "truncated"), always)
_READ: Final = Demand(
    refuses=_BINDING, never=(*_KINDS, "truncated"), same=("header", "payload_sha256", "data")
)
_PLACE: Final = {"layer": fuzz.RECORD_LAYER, "expert": 0}

target = Target(
    name=NAME,
    family="waste",
    about="the bank of a container with one expert: what is served, checked or not, and verified",
    file=fuzz.one_record().bank_file(fuzz.RECORD_LAYER),
    asked=(
        Asked("waste.record", _READ, {**_PLACE, "verify": False}),
        Asked("waste.record", _READ, {**_PLACE, "verify": True}),
        Asked("waste.verify", Demand(never=_KINDS, reports=_KINDS)),
    ),
    seeds=fuzz.records,
    mutate=RecordEdits(fields, fuzz.words(NAME), most=MOST, repair=repaired),
    smaller=smaller,
    around=fuzz.around_record,
)
