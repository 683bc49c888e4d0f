"""What a right reader answers for a described file, as expectations."""

from __future__ import annotations

from pytest_vindex3.contract.difference import free_order
from pytest_vindex3.plugin.expect import Answers, Refuses, answers, refuses
from vindex3_fixtures.lyrw import LyrwFile, Place, observation

ABSENT = answers(absent=True)


def parses(file: LyrwFile) -> Answers:
    """The whole observation of lyrw.parse; the order of `unknown` is free, a reserved word may be in it."""
    told = observation(file)
    reserved = {"where": "header", "field": "reserved", "value": file.reserved}
    unknown = free_order(told["unknown"], reserved) if file.reserved else free_order(told["unknown"])
    return answers({**told, "unknown": unknown})


def delivers(file: LyrwFile, bank_id: int = 0, entry: int = 0, schema_index: int = 0) -> Answers:
    """Offset, length and bytes of one region, or absent where the file does not have it."""
    region = file.region(bank_id, entry, schema_index)
    return answers(region._asdict()) if region else ABSENT


def partners(file: LyrwFile, bank_id: int, entry: int, schema_index: int) -> Answers:
    """The answer that names this schema as the partner, with its region's place for the entry."""
    bank, place = file.bank(bank_id), file.place(bank_id, entry, schema_index)
    if bank is None or place is None:
        return ABSENT
    pair_id = bank.schemas[schema_index].pair_id
    return answers(schema_index=schema_index, pair_id=pair_id, **file.row(place)._asdict())


def truncated(what: str, at: int, need: int, have: int) -> Refuses:
    """The refusal of a table that the file's end cuts."""
    return refuses("truncated", what=what, at=at, need=need, have=have)


def out_of_bounds(file: LyrwFile, place: Place, role: str | int, facts: tuple[str, ...]) -> Refuses:
    """The refusal of a row that leaves the file, with those of its facts that a clause names."""
    row = file.row(place)
    every = {
        "bank_id": file.all_segments[place.segment].bank_id,
        "entry": place.entry,
        "schema_index": place.schema,
        "role": role,
        "offset": row.offset,
        "length": row.length,
        "file_length": file.file_length,
    }
    return refuses("region-out-of-bounds", **{fact: every[fact] for fact in facts})
