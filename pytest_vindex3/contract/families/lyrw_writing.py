"""Verbs that judge and make LYRW v2 layer files (spec: lyrw.md, section 10)."""

from __future__ import annotations

from typing import Protocol, TypedDict

from pytest_vindex3.contract.defect import Defect
from pytest_vindex3.contract.slots import Blob, Document
from pytest_vindex3.contract.verb import Offer, verb


class Verified(TypedDict):
    """Everything that is wrong with a file or with the files of a layer, in any order."""

    defects: list[Defect]


class EntryTable(TypedDict):
    """Where the rows of one segment lie, in bytes from the start of the file."""

    bank_id: int
    segment_index: int
    offset: int
    length: int


class Tables(TypedDict):
    """Where each table begins, in bytes from the start of the file; `entry_tables` in declared order.

    `table_bytes` is where they end, `payload_start` the first multiple of 64 from there.
    """

    bank_table: int
    segment_table: int
    schema_table: int
    entry_table: int
    entry_tables: list[EntryTable]
    table_bytes: int
    payload_start: int


class PlacedRegion(TypedDict):
    """A region of the file to come; `entry` counts over the whole bank."""

    bank_id: int
    entry: int
    schema_index: int
    offset: int
    length: int


class Layout(TypedDict):
    """What lies where in the file that a plan gives, in bytes; regions in file order."""

    tables: Tables
    regions: list[PlacedRegion]
    file_length: int


class Piece(TypedDict):
    """The bytes of one region; `entry` counts over the whole bank."""

    bank_id: int
    entry: int
    schema_index: int
    data: Blob


class Written(TypedDict):
    """What a writer says of the file it made, in bytes."""

    file_length: int
    table_bytes: int
    payload_start: int


@verb("lyrw.verify")
class LyrwVerify(Protocol):
    """List all defects of a layer file, or of a list of all files of one layer."""

    def __call__(self, *, path: str | list[str]) -> Verified: ...


@verb("lyrw.layout")
class LyrwLayout(Protocol):
    """Say what lies where in the file that a plan gives, without writing it."""

    def __call__(self, *, plan: Document) -> Layout: ...


@verb(
    "lyrw.write",
    offers={"payload": Offer(("bank_id", "entry", "schema_index"), "data")},
    writes=("path",),
)
class LyrwWrite(Protocol):
    """Write a layer file from a plan and the bytes of its regions.

    In Python `payload` is a function of (bank_id, entry, schema_index) that gives None for a region that
    it does not have; its `keys()` are the coordinates of those that it has.
    """

    def __call__(self, *, plan: Document, payload: list[Piece], path: str) -> Written: ...
