"""A small library that reads layer files in words of its own: what an adapter in docs/adapter.md wraps."""

from __future__ import annotations

import os
import stat
import struct
from dataclasses import dataclass, field
from itertools import islice

ROLES = ("gate", "up", "gate_up_fused", "down", "bias", "scales", "latent_in", "latent_out")
FORMATS = ("f32", "f16", "bf16", "q4_0", "q4_k", "q6_k", "q8_0", "fp4_larql", "mxfp4", "nvfp4", "mxfp8")
PACKINGS = ("row_major", "blocks_with_scales_inline", "blocks_values", "blocks_scales")
LAYOUTS = ("unspecified", "contiguous_halves", "interleaved")
KINDS = ("dense", "routed", "shared")


class Problem(Exception):  # noqa: N818 -- the library's own word
    """A file that cannot be used; `facts` says why."""

    def __init__(self, **facts: object) -> None:
        super().__init__(f"{type(self).__name__}: {facts}")
        self.facts = facts


class NoFile(Problem):
    """There is no regular file."""


class NotLyrw(Problem):
    """The file begins with other bytes."""


class OtherVersion(Problem):
    """The file is of another version."""


class CutShort(Problem):
    """The file ends inside a table."""


class BadPair(Problem):
    """Packing and pair number contradict each other."""


class BadLayout(Problem):
    """A layout on a role that has none."""


class BadOrder(Problem):
    """A schema does not stand where its index says."""


class NoBank(Problem):
    """A segment of no bank."""


class TooFar(Problem):
    """A segment reaches past its bank."""


@dataclass
class Layer:
    """A layer: what its tables say, and (place, field, value) for each number that no word is known for."""

    number: int
    flags: int
    banks: list[Bank] = field(default_factory=list)
    segments: list[tuple[int, ...]] = field(default_factory=list)
    table_bytes: int = 0
    unknown: list[tuple[str, str, int]] = field(default_factory=list)


@dataclass
class Bank:
    """A bank; what has a word is shown by it."""

    id: int
    kind: str | int
    tables: int
    flags: int
    entries: int
    sizes: tuple[int, int, int]
    schemas: list[Schema] = field(default_factory=list)


@dataclass
class Schema:
    """A region schema; what has a word is shown by it, and an unpaired one has no pair."""

    role: str | int
    format: str | int
    packing: str | int
    layout: str | int
    pair: int | None
    shape: tuple[int, int]


def open_layer(path: str) -> Layer:
    """Read a layer's tables."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        raise NoFile(path=path) from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NoFile(path=path)
        return _read(_Tables(descriptor, status.st_size))
    finally:
        os.close(descriptor)


class _Tables:
    """The tables in reading order, each compared with the file's size before it is read."""

    def __init__(self, descriptor: int, size: int) -> None:
        self.descriptor, self.size, self.at = descriptor, size, 0

    def take(self, what: str, record: str, count: int) -> list[tuple[int, ...]]:
        layout = struct.Struct(record)
        left = self.size - self.at
        if layout.size * count > left:
            whole = left // layout.size * layout.size
            raise CutShort(what=what, at=self.at + whole, need=layout.size, have=left - whole)
        data = os.pread(self.descriptor, layout.size * count, self.at)
        self.at += len(data)
        return list(layout.iter_unpack(data))


def _read(tables: _Tables) -> Layer:
    [(magic, version, number, banks, segments, flags, _)] = tables.take("header", "<4s2I2H2I", 1)
    if magic != b"LYRW":
        raise NotLyrw(found=magic.hex(), expected=b"LYRW".hex())
    if version != 2:
        owner = {"generation": "VINDEX2"} if version == 1 else {}
        raise OtherVersion(found=version, required=2, **owner)
    layer = Layer(number, flags)
    _note(layer, "header", flags=flags & ~1)
    for place, row in enumerate(tables.take("bank descriptor table", "<4H4I", banks)):
        layer.banks.append(_bank(layer, f"banks[{place}]", *row))
    layer.segments = tables.take("segment descriptor table", "<2H2I", segments)
    rows = iter(tables.take("region schema table", "<6H2I", sum(bank.tables for bank in layer.banks)))
    for place, bank in enumerate(layer.banks):
        for index, row in enumerate(islice(rows, bank.tables)):
            _check_schema(bank.id, index, row)
            bank.schemas.append(_schema(layer, f"banks[{place}].schemas[{index}]", *row))
    layer.table_bytes = tables.at + sum(_rows(layer, *segment) * 16 for segment in layer.segments)
    return layer


def _note(layer: Layer, where: str, **values: int) -> None:
    layer.unknown += [(where, name, value) for name, value in values.items() if value]


def _word(words: tuple[str, ...], tag: int) -> str | int:
    return words[tag] if tag < len(words) else tag


def _bank(layer: Layer, where: str, number: int, kind: int, tables: int, flags: int, *rest: int) -> Bank:
    entries, *sizes = rest
    _note(layer, where, kind=kind if kind >= len(KINDS) else 0, browse=3 * (flags & 3 == 3), flags=flags & ~3)
    return Bank(number, _word(KINDS, kind), tables, flags, entries, tuple(sizes))


def _schema(layer: Layer, where: str, index: int, *row: int) -> Schema:
    role, kind, packing, pair, layout, *shape = row
    tags = {"role": (ROLES, role), "format": (FORMATS, kind)}
    tags |= {"packing": (PACKINGS, packing), "layout": (LAYOUTS, layout)}
    _note(layer, where, **{name: tag for name, (words, tag) in tags.items() if tag >= len(words)})
    shown = {name: _word(words, tag) for name, (words, tag) in tags.items()}
    return Schema(**shown, pair=None if pair == 0xFFFF else pair, shape=tuple(shape))


def _check_schema(bank_id: int, place: int, row: tuple[int, ...]) -> None:
    index, role, _, packing, pair, layout, _, _ = row
    where = {"bank_id": bank_id, "schema_index": place}
    if packing < len(PACKINGS) and (packing >= 2) == (pair == 0xFFFF):
        raise BadPair(**where, packing=PACKINGS[packing], pair_id=pair)
    if role < len(ROLES) and ROLES[role] != "gate_up_fused" and 0 < layout < len(LAYOUTS):
        raise BadLayout(**where, role=ROLES[role], layout=LAYOUTS[layout])
    if index != place:
        raise BadOrder(bank_id=bank_id, expected=place, found=index)


def _rows(layer: Layer, bank_id: int, index: int, first: int, count: int) -> int:
    bank = next((bank for bank in layer.banks if bank.id == bank_id), None)
    if bank is None:
        raise NoBank(segment_index=index, bank_id=bank_id)
    if first + count > bank.entries:
        facts = {"first_entry": first, "end_entry": first + count, "num_entries": bank.entries}
        raise TooFar(bank_id=bank_id, segment_index=index, **facts)
    return count * bank.tables
