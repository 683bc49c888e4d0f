"""Plans and payloads that writers refuse, by their facts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_vindex3 import cases, check, clause, either, refuses
from pytest_vindex3.contract.outcome import Limits
from vindex3_fixtures.lyrw import Bank, LyrwFile, Schema, Segment
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.lyrw.plan import payload, plan
from vindex3_suites.lyrw.finding import FieldOf
from vindex3_suites.lyrw.planning import edited, on_disk, untouched, write, write_file, written
from vindex3_suites.lyrw.samples import (
    DENSE,
    DOWN,
    FUSED,
    GATE,
    SPLIT,
    TWO_BANKS,
    UP,
    bank_of,
    scales,
    values,
)

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation

MOST = 0xFFFFFFFF
PAIR = bank_of(scales(1), values(1), bank_id=6, num_entries=2)


BOUNDED = Limits(seconds=10, memory=1 << 30)
"""For plans of millions of entries: who spreads them out is stopped before the machine is."""


def _refused(ask: Ask, document: Any, legal: LyrwFile | None = None, limits: Limits | None = None) -> Reply:
    """Ask for the file of a faulty plan, with the regions of a legal one or with none."""
    return write(ask, "wrong.lyrw", document, payload(legal) if legal else [], limits)


def _check_twin(ask: Ask, clause_id: str, legal: LyrwFile) -> None:
    reply = write_file(ask, "legal.lyrw", legal)
    check(clause_id, reply, written(legal))
    check(clause_id, reply, on_disk(ask, "legal.lyrw", legal.data()))


@clause("LAYOUT-PLAN-03")
@cases(
    contiguous_halves=(v.CONTIGUOUS_HALVES, "unspecified"),
    interleaved=(v.INTERLEAVED, "unspecified"),
    the_first_unknown=(3, "unspecified"),
    the_largest=(65535, "unspecified"),
    by_number=(v.INTERLEAVED, 0),
)
def test_a_fused_schema_must_say_its_layout(ask: Ask, case: tuple[int, str | int]) -> None:
    """An unspecified layout of gate_up_fused is refused with bank and schema; any other is written."""
    layout, unspecified = case
    legal = bank_of(DOWN, replace(FUSED, layout=layout), bank_id=6, num_entries=2)
    _check_twin(ask, "LAYOUT-PLAN-03", legal)
    wrong = edited(plan(legal), "banks", 0, "schemas", 1, "layout", to=unspecified)
    refused = refuses("undeclared-fused-layout", bank_id=6, schema_index=1)
    check("LAYOUT-PLAN-03", _refused(ask, wrong, legal), refused)


@clause("LAYOUT-PLAN-04")
@cases(
    row_major_with_a_number=(bank_of(DOWN, GATE, bank_id=6), {"pair_id": 0}, "inconsistent-pairing"),
    inline_with_a_number=(
        bank_of(DOWN, Schema(v.UP, v.Q8_0, v.BLOCKS_WITH_SCALES_INLINE, cols=32), bank_id=6),
        {"pair_id": 7},
        "inconsistent-pairing",
    ),
    values_without_a_number=(PAIR, {"pair_id": None}, "inconsistent-pairing"),
    values_with_the_number_of_none=(PAIR, {"pair_id": 65535}, "inconsistent-pairing"),
    halves_on_down=(bank_of(GATE, DOWN, bank_id=6), {"layout": "contiguous_halves"}, "layout-on-non-fused"),
    interleaved_on_up=(bank_of(GATE, UP, bank_id=6), {"layout": "interleaved"}, "layout-on-non-fused"),
    interleaved_on_bias_by_number=(
        bank_of(GATE, replace(UP, role=v.BIAS), bank_id=6),
        {"layout": 2},
        "layout-on-non-fused",
    ),
)
def test_schemas_are_judged_as_in_reading(ask: Ask, case: tuple[LyrwFile, dict[str, Any], str]) -> None:
    """What opening a file refuses of a schema is refused of a plan by the same kind."""
    legal, fields, kind = case
    _check_twin(ask, "LAYOUT-PLAN-04", legal)
    schema = {**plan(legal)["banks"][0]["schemas"][1], **fields}
    wrong = edited(plan(legal), "banks", 0, "schemas", 1, to=schema)
    check("LAYOUT-PLAN-04", _refused(ask, wrong, legal), refuses(kind, bank_id=6))


@clause("LAYOUT-PLAN-04")
@cases(
    undeclared_bank=({"bank_id": 9}, "unknown-bank", 9),
    the_position_of_a_bank=({"bank_id": 0}, "unknown-bank", 0),
    one_entry_too_many=({"entry_count": 3}, "segment-out-of-bounds", 7),
    behind_the_last_entry=({"first_entry": 4, "entry_count": 1}, "segment-out-of-bounds", 7),
    a_sum_that_wraps=({"first_entry": 1, "entry_count": MOST}, "segment-out-of-bounds", 7),
)
def test_segments_are_judged_as_in_reading(ask: Ask, case: tuple[dict[str, int], str, int]) -> None:
    """A segment of an undeclared bank, or one beyond its bank, is refused with the bank."""
    fields, kind, bank_id = case
    _check_twin(ask, "LAYOUT-PLAN-04", SPLIT)
    wrong = edited(plan(SPLIT), "segments", 0, to={**plan(SPLIT)["segments"][0], **fields})
    limits = BOUNDED if MOST in fields.values() else None
    check("LAYOUT-PLAN-04", _refused(ask, wrong, SPLIT, limits), refuses(kind, bank_id=bank_id))


@clause("LAYOUT-PLAN-05")
@cases(
    no_scales=(bank_of(GATE, values(1), bank_id=6), 1),
    scales_of_another_number=(bank_of(scales(2), values(1), bank_id=6), 1),
    number_0=(bank_of(GATE, values(0), bank_id=6), 0),
    another_role=(bank_of(scales(1, v.BIAS), values(1), bank_id=6), 1),
    in_another_bank=(
        LyrwFile(banks=(Bank((scales(1),)), Bank((GATE, values(1)), bank_id=6))),
        1,
    ),
)
def test_values_need_their_scales(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """A values schema without scales of its number in its bank is refused with the number."""
    wrong, pair_id = case
    _check_twin(ask, "LAYOUT-PLAN-05", PAIR)
    refused = refuses("missing-partner", bank_id=6, schema_index=1, pair_id=pair_id)
    check("LAYOUT-PLAN-05", _refused(ask, plan(wrong), wrong), refused)


@clause("LAYOUT-PLAN-05")
@cases(
    two=(bank_of(values(4), scales(4), scales(4), bank_id=6), 4),
    three=(bank_of(scales(0), scales(0), values(0), scales(0), bank_id=6), 0),
    of_one_of_two_pairs=(bank_of(values(1), scales(1), values(2), scales(2), scales(2), bank_id=6), 2),
)
def test_values_need_one_schema_of_scales(ask: Ask, case: tuple[LyrwFile, int]) -> None:
    """A values schema with several scales is refused with the number; one may serve several values."""
    wrong, pair_id = case
    _check_twin(ask, "LAYOUT-PLAN-05", bank_of(values(4), scales(4), values(4), bank_id=6))
    refused = refuses("ambiguous-partner", bank_id=6, pair_id=pair_id)
    check("LAYOUT-PLAN-05", _refused(ask, plan(wrong), wrong), refused)


def _contradicts(field: str, one: int, other: int) -> Expectation:
    """A count and the length of its list are named, either of them as the one expected."""
    ways = ((one, other), (other, one))
    first, second = (
        refuses("plan-mismatch", field=FieldOf((field,)), expected=expected, found=found)
        for expected, found in ways
    )
    return either(first, second)


@clause("LAYOUT-PLAN-06")
@cases(
    one_bank_more=(("header", "num_banks"), 2, 3),
    no_bank=(("header", "num_banks"), 2, 0),
    one_segment_less=(("header", "num_segments"), 3, 2),
    most_segments=(("header", "num_segments"), 3, 65535),
    one_schema_less=(("banks", 0, "region_schema_count"), 2, 1),
    one_schema_more_in_the_second_bank=(("banks", 1, "region_schema_count"), 3, 4),
)
def test_a_count_is_that_of_its_list(ask: Ask, case: tuple[tuple[str | int, ...], int, int]) -> None:
    """A count may be given; where its list has another length it is refused with both numbers."""
    way, true, stated = case
    legal = edited(plan(TWO_BANKS), *way, to=true)
    reply = write(ask, "legal.lyrw", legal, payload(TWO_BANKS))
    check("LAYOUT-PLAN-06", reply, written(TWO_BANKS))
    check("LAYOUT-PLAN-06", reply, on_disk(ask, "legal.lyrw", TWO_BANKS.data()))
    wrong = _refused(ask, edited(legal, *way, to=stated), TWO_BANKS)
    check("LAYOUT-PLAN-06", wrong, _contradicts(str(way[-1]), true, stated))


@clause("LAYOUT-PLAN-06")
@cases(first=(0, 1), second=(1, 0), third_as_second=(2, 1), the_largest=(2, 65535))
def test_a_schema_index_is_its_position(ask: Ask, case: tuple[int, int]) -> None:
    """A schema_index may be given; where it is not the position it is refused with both."""
    position, index = case
    legal = edited(plan(DENSE), "banks", 0, "schemas", position, "schema_index", to=position)
    reply = write(ask, "legal.lyrw", legal, payload(DENSE))
    check("LAYOUT-PLAN-06", reply, on_disk(ask, "legal.lyrw", DENSE.data()))
    wrong = edited(legal, "banks", 0, "schemas", position, "schema_index", to=index)
    refused = refuses("schema-index-mismatch", expected=position, found=index)
    check("LAYOUT-PLAN-06", _refused(ask, wrong, DENSE), refused)


@clause("LAYOUT-PLAN-06")
@cases(
    by_word=("direct", "strided"),
    as_none=("direct", "none"),
)
def test_browse_agrees_with_the_flags(ask: Ask, case: tuple[str, str]) -> None:
    """A browse mode may be given; where it is not that of the flags the plan contradicts itself."""
    true, stated = case
    reply = write(ask, "legal.lyrw", edited(plan(DENSE), "banks", 0, "browse", to=true), payload(DENSE))
    check("LAYOUT-PLAN-06", reply, on_disk(ask, "legal.lyrw", DENSE.data()))
    wrong = edited(plan(DENSE), "banks", 0, "browse", to=stated)
    check("LAYOUT-PLAN-06", _refused(ask, wrong, DENSE), refuses("plan-mismatch"))


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
    _check_twin(ask, "LAYOUT-PLAN-07", _covered(9, (0, 4), (4, 5)))
    check("LAYOUT-PLAN-07", _refused(ask, plan(wrong)), refuses(kind, bank_id=4))


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
    _check_twin(ask, "LAYOUT-PLAN-07", case)
    wrong = replace(case, flags=case.flags & ~1)
    refused = refuses("segment-gap", bank_id=4)
    check("LAYOUT-PLAN-07", _refused(ask, plan(wrong), case), refused)


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
    _check_twin(ask, "LAYOUT-PLAN-07", _covered(9, (0, 4), (4, 5)))
    wrong = plan(_covered(MOST, *(case.spans * case.times), schemas=case.schemas))
    refused = refuses(case.kind, bank_id=4)
    check("LAYOUT-PLAN-07", _refused(ask, wrong, limits=BOUNDED), refused)


@clause("LAYOUT-PLAN-08")
@cases(
    no_segments=replace(SPLIT, segments=()),
    no_segments_of_any_bank=replace(TWO_BANKS, segments=(), flags=1),
)
def test_a_plan_has_segments(ask: Ask, case: LyrwFile) -> None:
    """A plan without segments is refused."""
    _check_twin(ask, "LAYOUT-PLAN-08", SPLIT)
    check("LAYOUT-PLAN-08", _refused(ask, plan(case)), refuses("no-segments"))


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
    _check_twin(ask, "LAYOUT-PLAN-08", TWO_BANKS)
    check("LAYOUT-PLAN-08", _refused(ask, plan(wrong)), refuses("empty-bank", what=what))


class Piece(NamedTuple):
    """A region of a payload by its coordinates."""

    bank_id: int
    entry: int
    schema_index: int

    def place(self, pieces: list[dict[str, Any]]) -> int:
        """Where it stands in a payload."""
        return next(
            at
            for at, one in enumerate(pieces)
            if all(one[key] == value for key, value in self._asdict().items())
        )


FIRST, MIDDLE, LAST = Piece(7, 0, 0), Piece(2, 1, 2), Piece(7, 2, 1)


def _lacks(piece: Piece) -> list[dict[str, Any]]:
    pieces = payload(TWO_BANKS)
    del pieces[piece.place(pieces)]
    return pieces


def _resized(piece: Piece, change: int) -> list[dict[str, Any]]:
    pieces = payload(TWO_BANKS)
    one = pieces[piece.place(pieces)]
    one["data"] = (one["data"] + b"\0")[: len(one["data"]) + change]
    return pieces


def _surplus(piece: Piece) -> list[dict[str, Any]]:
    return [*payload(TWO_BANKS), {**piece._asdict(), "data": bytes(8)}]


MISMATCHES = {
    "first_missing": (_lacks(FIRST), FIRST),
    "middle_missing": (_lacks(MIDDLE), MIDDLE),
    "last_missing": (_lacks(LAST), LAST),
    "first_too_long": (_resized(FIRST, 1), FIRST),
    "middle_too_short": (_resized(MIDDLE, -1), MIDDLE),
    "last_too_long": (_resized(LAST, 1), LAST),
    "last_too_short": (_resized(LAST, -1), LAST),
    "last_empty": (_resized(LAST, -8), LAST),
    "entry_beyond_the_bank": (_surplus(Piece(7, 3, 0)), Piece(7, 3, 0)),
    "schema_beyond_the_bank": (_surplus(Piece(7, 1, 2)), Piece(7, 1, 2)),
    "undeclared_bank": (_surplus(Piece(9, 0, 0)), Piece(9, 0, 0)),
}


@clause("LAYOUT-WRITE-04")
@cases(MISMATCHES)
def test_a_payload_has_what_the_plan_has(ask: Ask, case: tuple[list[dict[str, Any]], Piece]) -> None:
    """A region that is missing, surplus or of another length is refused with its coordinates."""
    pieces, piece = case
    _check_twin(ask, "LAYOUT-WRITE-04", TWO_BANKS)
    refused = refuses("plan-mismatch", **piece._asdict())
    check("LAYOUT-WRITE-04", write(ask, "wrong.lyrw", plan(TWO_BANKS), pieces), refused)


@clause("LAYOUT-WRITE-04")
@cases(before=1, behind=4)
def test_a_region_of_a_sibling_file_is_surplus(ask: Ask, case: int) -> None:
    """An entry that the plan leaves to another file has no region here, nor has one beyond the bank."""
    _check_twin(ask, "LAYOUT-WRITE-04", SPLIT)
    extra = {"bank_id": 7, "entry": case, "schema_index": 1}
    pieces = [*payload(SPLIT), {**extra, "data": bytes(8)}]
    check("LAYOUT-WRITE-04", write(ask, "wrong.lyrw", plan(SPLIT), pieces), refuses("plan-mismatch", **extra))


@clause("LAYOUT-WRITE-05")
@cases(MISMATCHES)
def test_a_failed_write_leaves_the_target_alone(ask: Ask, case: tuple[list[dict[str, Any]], Piece]) -> None:
    """After a payload was refused no file is there that was not, and a former file has its bytes."""
    pieces, _ = case
    _check_twin(ask, "LAYOUT-WRITE-05", TWO_BANKS)
    absent = write(ask, "absent.lyrw", plan(TWO_BANKS), pieces)
    check("LAYOUT-WRITE-05", absent, refuses("plan-mismatch"))
    check("LAYOUT-WRITE-05", absent, untouched(ask, "absent.lyrw", None))
    for former in (b"", b"former", DENSE.data(), bytes(4096)):
        ask.file("there.lyrw", former)
        there = write(ask, "there.lyrw", plan(TWO_BANKS), pieces)
        check("LAYOUT-WRITE-05", there, refuses("plan-mismatch"))
        check("LAYOUT-WRITE-05", there, untouched(ask, "there.lyrw", former))
