"""Files that change between two requests: what is answered is what the file holds now."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.lyrw import LyrwFile
from vindex3_suites.lyrw.asking import region
from vindex3_suites.lyrw.expected import delivers, parses
from vindex3_suites.lyrw.samples import DENSE, SPLIT, TWO_BANKS, with_flags

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


@dataclass(frozen=True, slots=True)
class Change:
    """A file and what replaces it, of the same length.

    Attributes:
        in_place: whether the bytes of the old file are overwritten; else a new file takes its name.
        same_time: whether the new content carries the modification time of the old.
    """

    before: LyrwFile
    after: LyrwFile
    in_place: bool = True
    same_time: bool = True

    def write(self, ask: Ask) -> str:
        """Write the first content."""
        return ask.file("layer.lyrw", self.before)

    def change(self, path: str) -> None:
        """Put the second content in its place."""
        status = Path(path).stat()
        target = Path(path) if self.in_place else Path(path).with_name("changed.lyrw")
        if self.in_place:
            with target.open("r+b") as file:
                file.write(self.after.data())
        else:
            self.after.write_to(target)
        if self.same_time:
            os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
        if not self.in_place:
            target.replace(path)


def _other_payload(file: LyrwFile) -> LyrwFile:
    return replace(file, seed="other bytes")


@clause("REGION-READ-01")
@cases(
    in_place=Change(DENSE, _other_payload(DENSE), same_time=False),
    at_the_same_time=Change(DENSE, _other_payload(DENSE)),
    another_file_of_the_name=Change(DENSE, _other_payload(DENSE), in_place=False),
    second_file_of_a_layer=Change(SPLIT, _other_payload(SPLIT)),
    regions_that_changed_places=Change(TWO_BANKS, replace(TWO_BANKS, order=TWO_BANKS.places[::-1])),
)
def test_a_region_is_read_when_it_is_asked(ask: Ask, case: Change) -> None:
    """Where the payload was rewritten under the same name and length, the new bytes are delivered."""
    path = case.write(ask)
    _check_regions(ask, path, case.before)
    case.change(path)
    _check_regions(ask, path, case.after)


def _check_regions(ask: Ask, path: str, file: LyrwFile) -> None:
    for place in file.places:
        numbers = (file.all_segments[place.segment].bank_id, place.entry, place.schema)
        check("REGION-READ-01", region(ask, path, *numbers), delivers(file, *numbers))


OTHER_LAYER = replace(DENSE, logical_layer=DENSE.logical_layer + 1)
OTHER_BANK = with_flags(DENSE, 0)


@clause("LYRW-SELF-01")
@cases(
    in_place=Change(DENSE, OTHER_LAYER, same_time=False),
    at_the_same_time=Change(DENSE, OTHER_LAYER),
    another_file_of_the_name=Change(DENSE, OTHER_LAYER, in_place=False),
    another_bank_descriptor=Change(DENSE, OTHER_BANK),
)
def test_a_file_is_described_when_it_is_asked(ask: Ask, case: Change) -> None:
    """Where the tables were rewritten under the same name, length and time, the new ones are described."""
    path = case.write(ask)
    check("LYRW-SELF-01", ask("lyrw.parse", path=path), parses(case.before))
    case.change(path)
    check("LYRW-SELF-01", ask("lyrw.parse", path=path), parses(case.after))
