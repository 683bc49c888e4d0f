"""Both files of a split layer side by side: each answers for its own entries alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from vindex3_fixtures.lyrw import Bank, LyrwFile, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_suites.lyrw.asking import partner, region
from vindex3_suites.lyrw.expected import ABSENT, delivers, partners
from vindex3_suites.lyrw.samples import DOWN, GATE, scales, values

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

WHOLE = LyrwFile(
    banks=(
        Bank((values(1, v.GATE), DOWN, scales(1)), bank_id=7, kind=v.ROUTED, num_entries=4),
        Bank((GATE,), bank_id=2, kind=v.SHARED, num_entries=2),
    ),
    logical_layer=12,
    flags=1,
)
FIRST = replace(WHOLE, segments=(Segment(7, 0, 0, 2), Segment(2, 0, 0, 2)))
SECOND = replace(WHOLE, segments=(Segment(7, 1, 2, 2),), seed="second")


@dataclass(frozen=True, slots=True)
class Side:
    """One file of the pair, its name and its sibling's, and an entry of each that the other lacks."""

    file: LyrwFile
    name: str
    sibling: LyrwFile
    sibling_name: str
    own: int
    foreign: int

    def write(self, ask: Ask) -> str:
        """Write both files, and an index that lists them; the path of the one that is asked."""
        index = f'{{"version": 4, "layers": {{"12": ["{self.name}", "{self.sibling_name}"]}}}}'
        ask.file("index.json", index.encode())
        ask.file(self.sibling_name, self.sibling)
        return ask.file(self.name, self.file)


SIDES = {
    "second_file": Side(SECOND, "layer_012_001.lyrw", FIRST, "layer_012_000.lyrw", 3, 1),
    "first_file": Side(FIRST, "layer_012_000.lyrw", SECOND, "layer_012_001.lyrw", 0, 2),
    "numbered_by_segment": Side(SECOND, "layer_012.1.lyrw", FIRST, "layer_012.lyrw", 2, 0),
    "without_suffix": Side(FIRST, "layer_012.seg0", SECOND, "layer_012.seg1", 1, 3),
}


@clause("REGION-ABSENT-02")
@cases(SIDES)
def test_a_sibling_lends_no_entry(ask: Ask, case: Side) -> None:
    """An entry that only the file beside it holds is absent, and so it stays once that file was asked."""
    path = case.write(ask)
    sibling = str(ask.folder / case.sibling_name)
    for _ in range(2):
        check("REGION-ABSENT-02", region(ask, path, 7, case.own, 1), delivers(case.file, 7, case.own, 1))
        check("REGION-ABSENT-02", region(ask, path, 7, case.foreign, 1), ABSENT)
        lent = region(ask, sibling, 7, case.foreign, 1)
        check("REGION-ABSENT-02", lent, delivers(case.sibling, 7, case.foreign, 1))


@clause("REGION-ABSENT-02")
def test_a_sibling_lends_no_bank(ask: Ask) -> None:
    """A bank of which only the file beside it has a segment has no entry here."""
    path = SIDES["second_file"].write(ask)
    check("REGION-ABSENT-02", region(ask, path, 7, 2), delivers(SECOND, 7, 2))
    check("REGION-ABSENT-02", region(ask, path, 2, 0), ABSENT)


@clause("REGION-ROLE-01")
@cases(SIDES)
def test_a_sibling_lends_no_role(ask: Ask, case: Side) -> None:
    """Asked by role, an entry that only the file beside it holds is absent."""
    path = case.write(ask)
    own = ask("lyrw.region", path=path, bank_id=7, entry=case.own, role="down")
    check("REGION-ROLE-01", own, delivers(case.file, 7, case.own, 1))
    foreign = ask("lyrw.region", path=path, bank_id=7, entry=case.foreign, role="down")
    check("REGION-ROLE-01", foreign, ABSENT)


@clause("PAIR-FIND-06")
@cases(SIDES)
def test_a_sibling_lends_no_partner(ask: Ask, case: Side) -> None:
    """The partner for an entry that only the file beside it holds is absent."""
    path = case.write(ask)
    check("PAIR-FIND-06", partner(ask, path, 7, case.own), partners(case.file, 7, case.own, 2))
    check("PAIR-FIND-06", partner(ask, path, 7, case.foreign), ABSENT)
