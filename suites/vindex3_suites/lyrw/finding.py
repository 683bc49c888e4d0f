"""What a right verifier reports: defects as expectations, and the two halves of most tests.

One fault may have further true consequences, which a verifier may report or not; and it may report a
defect more than once. So an expectation names what has to be there and the kinds that may be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3 import answers, check
from pytest_vindex3.contract.difference import MISSING, Difference, first_difference
from pytest_vindex3.plugin.expect import Answers
from vindex3_fixtures.lyrw import LyrwFile, Place
from vindex3_fixtures.lyrw import vocabulary as words

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask

Defect = Any
"""A defect as it is expected: a mapping, or a pattern for one that can be said in several ways."""

CLEAN: Final = answers(defects=[])


@dataclass(frozen=True, slots=True)
class Findings:
    """A list of defects that has these, and beside them none but of the kinds `also`."""

    required: tuple[Defect, ...]
    also: frozenset[str]

    def difference(self, found: object, path: str) -> Difference | None:
        """The first defect that is missing, else the first that is not true."""
        if not isinstance(found, list):
            return Difference(path, list(self.required), found)
        for defect in self.required:
            if all(first_difference(defect, item) for item in found):
                return _missing(defect, found, path)
        for place, item in enumerate(found):
            known = any(first_difference(defect, item) is None for defect in self.required)
            if not known and item["kind"] not in self.also:
                return Difference(f"{path}[{place}]", MISSING, item)
        return None


def _missing(defect: Defect, found: list[Any], path: str) -> Difference:
    """Where the only defect of the same kind parts from the one expected, else that there is none."""
    one = defect.ways[0] if isinstance(defect, OneOf) else defect
    same = [place for place, item in enumerate(found) if item["kind"] == one["kind"]]
    nearer = first_difference(defect, found[same[0]], f"{path}[{same[0]}]") if len(same) == 1 else None
    return nearer or Difference(path, one, found)


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value that can be said in several ways."""

    ways: tuple[Any, ...]

    def difference(self, found: object, path: str) -> Difference | None:
        """None where one of the ways fits, else the difference from the first."""
        differences = [first_difference(way, found, path) for way in self.ways]
        return None if None in differences else differences[0]


@dataclass(frozen=True, slots=True)
class FieldOf:
    """The name of a key: its own name, or a dotted path through one of these, with or without positions."""

    names: tuple[str, ...]

    def difference(self, found: object, path: str) -> Difference | None:
        """A difference unless one of the names is a part of the path."""
        parts = re.split(r"[.\[\]]+", found) if isinstance(found, str) else []
        return None if set(self.names) & set(parts) else Difference(path, " or ".join(self.names), found)


def defect(kind: str, **names: object) -> Mapping[str, Any]:
    """A defect of this kind that has at least these facts."""
    return {"kind": kind, "names": names}


def reports(*required: Defect, also: tuple[str, ...] = ()) -> Answers:
    """Expect these defects, and none else but of the kinds `also`."""
    return Answers({"defects": Findings(required, frozenset(also))}, frozenset({"wrong"}))


def verify(ask: Ask, name: str, content: bytes | LyrwFile) -> Reply:
    """Ask for the defects of one file."""
    return ask("lyrw.verify", path=ask.file(name, content))


def check_found(
    ask: Ask, clause_id: str, legal: LyrwFile, wrong: LyrwFile, *required: Defect, also: tuple[str, ...] = ()
) -> None:
    """The legal file has no defect, and the wrong one has those required."""
    check(clause_id, verify(ask, "legal.lyrw", legal), CLEAN)
    check(clause_id, verify(ask, "wrong.lyrw", wrong), reports(*required, also=also))


def coordinates(file: LyrwFile, place: Place) -> dict[str, Any]:
    """The facts that name a region: bank, entry, schema, role."""
    segment = file.all_segments[place.segment]
    bank = file.bank(segment.bank_id)
    if bank is None:
        raise ValueError(f"bank {segment.bank_id} is not declared")
    role = words.shown(words.ROLES, bank.schemas[place.schema].role)
    return {"bank_id": segment.bank_id, "entry": place.entry, "schema_index": place.schema, "role": role}


def of_row(kind: str, file: LyrwFile, place: Place, *facts: str) -> Mapping[str, Any]:
    """A defect of a row, with its coordinates and those of its stored numbers that are named."""
    numbers = file.row(place)._asdict()
    return defect(kind, **coordinates(file, place), **{fact: numbers[fact] for fact in facts})


def overlap(file: LyrwFile, one: Place, other: Place) -> OneOf:
    """Two regions share bytes; either may be named first."""
    first, second = ({**coordinates(file, place), "offset": file.row(place).offset} for place in (one, other))
    return OneOf((defect("overlap", **first, other=second), defect("overlap", **second, other=first)))


def segment_overlap(bank_id: int, one: int, other: int, first_entry: int, end_entry: int) -> OneOf:
    """Two segments, by segment_index, share these entries; either may be named first."""
    shared = {"bank_id": bank_id, "first_entry": first_entry, "end_entry": end_entry}
    ways = (
        defect("segment-overlap", segment_index=first, other_segment_index=second, **shared)
        for first, second in ((one, other), (other, one))
    )
    return OneOf(tuple(ways))


def either_way(found: Mapping[str, Any]) -> Defect:
    """A defect that is written down with one of two things first: the other may come first as well."""
    names = found["names"]
    if found["kind"] == "overlap":
        other = {**names["other"], "other": {key: names[key] for key in names["other"]}}
        return OneOf((found, defect("overlap", **other)))
    if found["kind"] == "segment-overlap":
        indices = names["segment_index"], names["other_segment_index"]
        return segment_overlap(names["bank_id"], *indices, names["first_entry"], names["end_entry"])
    return found


def segment_gap(bank_id: int, first_entry: int, end_entry: int) -> Mapping[str, Any]:
    """Entries of a bank are in no segment."""
    return defect("segment-gap", bank_id=bank_id, first_entry=first_entry, end_entry=end_entry)
