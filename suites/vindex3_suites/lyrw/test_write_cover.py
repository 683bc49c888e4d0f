"""Plans whose segments leave entries out, share them or hold none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.lyrw import Bank, LyrwFile, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.lyrw.plan import plan
from vindex3_suites.lyrw.planning import (
    BOUNDED,
    check_twin,
    write_faulty,
)
from vindex3_suites.lyrw.samples import (
    GATE,
    SPLIT,
    TWO_BANKS,
    UP,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

MOST = 0xFFFFFFFF


def _covered(num_entries: int, *segments: tuple[int, int], flags: int = 0, schemas: int = 1) -> LyrwFile:
    """One bank with these segments, each as first_entry and entry_count."""
    bank = Bank((GATE,) * schemas, bank_id=4, kind=v.ROUTED, num_entries=num_entries)
    spans = tuple(Segment(4, place, *span) for place, span in enumerate(segments))
    return LyrwFile(banks=(bank,), segments=spans, flags=flags)


@clause("LAYOUT-PLAN-07")
@cases(
    repeated_id=(
        LyrwFile(banks=(Bank((GATE,), 4), Bank((GATE,), 4)), segments=(Segment(4),)),
        "duplicate-bank-id",
    ),
    repeated_id_of_the_last=(
        LyrwFile(
            banks=(Bank((GATE,), 4), Bank((GATE,), 5), Bank((UP,), 4)), segments=(Segment(4), Segment(5))
        ),
        "duplicate-bank-id",
    ),
    overlap=(_covered(3, (0, 2), (1, 2)), "segment-overlap"),
    overlap_in_a_split_layer=(_covered(9, (0, 2), (1, 2), flags=1), "segment-overlap"),
    covered_twice=(_covered(2, (0, 2), (0, 2)), "segment-overlap"),
    last_entry_missing=(_covered(3, (0, 2)), "segment-gap"),
    first_entry_missing=(_covered(3, (1, 2)), "segment-gap"),
    gap=(_covered(9, (0, 2), (5, 4)), "segment-gap"),
    a_bank_without_segment=(
        LyrwFile(banks=(Bank((GATE,), 4), Bank((GATE,), 5)), segments=(Segment(5),)),
        "segment-gap",
    ),
)
def test_segments_cover_their_bank_once(ask: Ask, case: tuple[LyrwFile, str]) -> None:
    """Banks that repeat an id and segments that leave entries out or share them are refused."""
    wrong, kind = case
    check_twin(ask, "LAYOUT-PLAN-07", _covered(9, (0, 4), (4, 5)))
    check("LAYOUT-PLAN-07", write_faulty(ask, plan(wrong)), refuses(kind, bank_id=4))


@clause("LAYOUT-PLAN-07")
@cases(
    last_entries=_covered(9, (6, 3), flags=1),
    first_entries=_covered(9, (0, 3), flags=1),
    two_parts=_covered(9, (1, 2), (5, 2), flags=1),
    one_of_many=_covered(100_000, (99_999, 1), flags=1),
    with_other_flags=_covered(9, (6, 3), flags=0xFFFFFFFF),
)
def test_a_file_of_several_may_cover_a_part(ask: Ask, case: LyrwFile) -> None:
    """With flag bit 0 set entries may be missing; with the bit clear they may not."""
    check_twin(ask, "LAYOUT-PLAN-07", case)
    wrong = replace(case, flags=case.flags & ~1)
    refused = refuses("segment-gap", bank_id=4)
    check("LAYOUT-PLAN-07", write_faulty(ask, plan(wrong), case), refused)


class Vast(NamedTuple):
    """A bank of the largest population, so many schemas, and these spans of entries, repeated."""

    kind: str
    spans: tuple[tuple[int, int], ...]
    times: int = 1
    schemas: int = 1


@clause("LAYOUT-PLAN-07")
@cases(
    nearly_all_of_the_largest_bank=Vast("segment-gap", ((0, MOST - 1),)),
    the_largest_bank_and_its_last_entry=Vast("segment-overlap", ((0, MOST), (MOST - 1, 1))),
    tables_beyond_64_bits=Vast("segment-overlap", ((0, MOST),), times=65535, schemas=4200),
)
def test_a_refused_plan_is_not_spread_out(ask: Ask, case: Vast) -> None:
    """Segments are judged as ranges: thousands of millions of entries take no longer than one."""
    check_twin(ask, "LAYOUT-PLAN-07", _covered(9, (0, 4), (4, 5)))
    wrong = plan(_covered(MOST, *(case.spans * case.times), schemas=case.schemas))
    refused = refuses(case.kind, bank_id=4)
    check("LAYOUT-PLAN-07", write_faulty(ask, wrong, limits=BOUNDED), refused)


@clause("LAYOUT-PLAN-08")
@cases(
    no_segments=replace(SPLIT, segments=()),
    no_segments_of_any_bank=replace(TWO_BANKS, segments=(), flags=1),
)
def test_a_plan_has_segments(ask: Ask, case: LyrwFile) -> None:
    """A plan without segments is refused."""
    check_twin(ask, "LAYOUT-PLAN-08", SPLIT)
    check("LAYOUT-PLAN-08", write_faulty(ask, plan(case)), refuses("no-segments"))


@clause("LAYOUT-PLAN-08")
@cases(
    no_entries=(
        LyrwFile(banks=(Bank((GATE,)), Bank((GATE,), 5, num_entries=0)), segments=(Segment(),)),
        "entries",
    ),
    no_schemas=(LyrwFile(banks=(Bank((GATE,)), Bank((), 5, num_entries=2))), "schemas"),
    a_segment_at_the_end=(_covered(2, (0, 2), (2, 0)), "segment"),
    a_segment_between=(_covered(2, (0, 1), (1, 0), (1, 1)), "segment"),
)
def test_nothing_in_a_plan_is_empty(ask: Ask, case: tuple[LyrwFile, str]) -> None:
    """A bank without entries or schemas and a segment without entries are refused by what is empty."""
    wrong, what = case
    check_twin(ask, "LAYOUT-PLAN-08", TWO_BANKS)
    check("LAYOUT-PLAN-08", write_faulty(ask, plan(wrong)), refuses("empty-bank", what=what))
