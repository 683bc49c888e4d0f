"""Values of plans that do not fit, are of another type, are unknown words, or are not there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.lyrw.plan import payload, plan
from vindex3_suites.lyrw.finding import FieldOf
from vindex3_suites.lyrw.planning import REMOVED, edited, on_disk, write, written
from vindex3_suites.lyrw.samples import DENSE, GATE, only

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

Way = tuple[str | int, ...]

HEADER: Way = ("header",)
BANK: Way = ("banks", 0)
SCHEMA: Way = ("banks", 0, "schemas", 2)
SEGMENT: Way = ("segments", 0)
SHORT: list[Way] = [
    (*BANK, "bank_id"),
    (*BANK, "kind"),
    (*BANK, "flags"),
    (*SCHEMA, "role"),
    (*SCHEMA, "format"),
    (*SCHEMA, "packing"),
    (*SCHEMA, "pair_id"),
    (*SCHEMA, "layout"),
    (*SEGMENT, "bank_id"),
    (*SEGMENT, "segment_index"),
]
"""Places of values that have 16 bits."""
LONG: list[Way] = [
    (*HEADER, "logical_layer"),
    (*HEADER, "flags"),
    (*BANK, "num_entries"),
    (*BANK, "input_dim"),
    (*BANK, "intermediate_dim"),
    (*BANK, "output_dim"),
    (*SCHEMA, "rows"),
    (*SCHEMA, "cols"),
    (*SEGMENT, "first_entry"),
    (*SEGMENT, "entry_count"),
]
"""Places of values that have 32 bits."""
WORDS: list[Way] = [
    (*BANK, "kind"),
    (*SCHEMA, "role"),
    (*SCHEMA, "format"),
    (*SCHEMA, "packing"),
    (*SCHEMA, "layout"),
]
LISTS: list[Way] = [("banks",), ("segments",), (*BANK, "schemas")]
REQUIRED: list[Way] = [HEADER, *LISTS, *LONG, *(way for way in SHORT if way != (*BANK, "flags"))]


def _named(ways: list[Way]) -> dict[str, Way]:
    """The ways by what they lead to; a bank_id is one of the bank or one of the segment."""
    homes = {"header": "header", "segments": "segment", "banks": "bank"}
    return {f"{way[-1]}_of_{homes[str(way[0])]}" if len(way) > 1 else str(way[0]): way for way in ways}


def _check(ask: Ask, way: Way, values: list[Any], kind: str) -> None:
    """Each of these values at this place is refused by its field; the plan without it is written."""
    legal = write(ask, "legal.lyrw", plan(DENSE), payload(DENSE))
    check("LAYOUT-PLAN-09", legal, written(DENSE))
    check("LAYOUT-PLAN-09", legal, on_disk(ask, "legal.lyrw", DENSE.data()))
    for value in values:
        document = edited(plan(DENSE), *way, to=value)
        wrong = write(ask, "wrong.lyrw", document, payload(DENSE))
        check("LAYOUT-PLAN-09", wrong, refuses(kind, field=FieldOf((str(way[-1]),))))


@clause("LAYOUT-PLAN-09")
@cases(_named(SHORT))
def test_a_short_value_has_16_bits(ask: Ask, case: Way) -> None:
    """A value beyond 16 bits, or below 0, is out of range."""
    _check(ask, case, [65536, 1 << 32, 1 << 64, -1, -65536], "out-of-range")


@clause("LAYOUT-PLAN-09")
@cases(_named(LONG))
def test_a_long_value_has_32_bits(ask: Ask, case: Way) -> None:
    """A value beyond 32 bits, or below 0, is out of range."""
    _check(ask, case, [1 << 32, 1 << 63, 1 << 64, -1, -(1 << 32)], "out-of-range")


@clause("LAYOUT-PLAN-09")
@cases(_named([way for way in [*SHORT, *LONG] if way not in WORDS]))
def test_a_number_is_an_integer(ask: Ask, case: Way) -> None:
    """A fraction, a boolean, a text, a list or an object in place of an integer is of another type."""
    _check(ask, case, [1.5, True, False, "1", "", [], [1], {}], "bad-type")


@clause("LAYOUT-PLAN-09")
@cases(_named(WORDS))
def test_a_tag_is_a_word_or_an_integer(ask: Ask, case: Way) -> None:
    """A fraction, a boolean, a list or an object in place of a tag is of another type."""
    _check(ask, case, [0.5, True, [], {}], "bad-type")


@clause("LAYOUT-PLAN-09")
@cases(_named(LISTS))
def test_a_list_is_a_list(ask: Ask, case: Way) -> None:
    """An object, a number or a text in place of a list is of another type."""
    _check(ask, case, [{}, 1, "banks"], "bad-type")


@clause("LAYOUT-PLAN-09")
@cases(
    header=(HEADER, [[], 1, "header"]),
    bank=(BANK, [[], 1, "bank"]),
    schema=(SCHEMA, [[], 1, "gate"]),
    segment=(SEGMENT, [[], 1, "segment"]),
)
def test_an_object_is_an_object(ask: Ask, case: tuple[Way, list[Any]]) -> None:
    """A list, a number or a text in place of an object is of another type."""
    way, values = case
    names = tuple(str(step) for step in way if isinstance(step, str))
    for value in values:
        check("LAYOUT-PLAN-09", write(ask, "legal.lyrw", plan(DENSE), payload(DENSE)), written(DENSE))
        wrong = write(ask, "wrong.lyrw", edited(plan(DENSE), *way, to=value), payload(DENSE))
        check("LAYOUT-PLAN-09", wrong, refuses("bad-type", field=FieldOf(names[-1:])))


@clause("LAYOUT-PLAN-09")
@cases({"a_list": [], "a_text": "plan", "a_number": 7, "a_truth": True})
def test_a_plan_is_an_object(ask: Ask, case: Any) -> None:
    """A plan that is no object is of another type, its field being the root."""
    check("LAYOUT-PLAN-09", write(ask, "legal.lyrw", plan(DENSE), payload(DENSE)), written(DENSE))
    wrong = write(ask, "wrong.lyrw", case, payload(DENSE))
    check("LAYOUT-PLAN-09", wrong, refuses("bad-type", field=""))


@clause("LAYOUT-PLAN-09")
@cases(
    role=((*SCHEMA, "role"), ["gates", "GATE", "", "unknown", "0"]),
    format=((*SCHEMA, "format"), ["F32", "q4", "fp8", "float32"]),
    packing=((*SCHEMA, "packing"), ["inline", "row major", "blocks"]),
    layout=((*SCHEMA, "layout"), ["halves", "none", "interleave"]),
    kind=((*BANK, "kind"), ["expert", "Dense", "layer"]),
    browse=((*BANK, "browse"), ["always", "Direct", ""]),
)
def test_a_word_is_of_its_vocabulary(ask: Ask, case: tuple[Way, list[Any]]) -> None:
    """A word that the vocabulary does not have is an unknown value."""
    _check(ask, *case, "unknown-value")


@clause("LAYOUT-PLAN-09")
@cases(_named(REQUIRED))
def test_a_required_key_is_there(ask: Ask, case: Way) -> None:
    """A plan without a required key is refused by the missing field."""
    _check(ask, case, [REMOVED], "missing-field")


@clause("LAYOUT-PLAN-09")
def test_flags_or_browse_is_there(ask: Ask) -> None:
    """A bank says its flags or its browse mode; without either a field is missing."""
    browsed = edited(edited(plan(DENSE), *BANK, "browse", to="direct"), *BANK, "flags", to=REMOVED)
    legal = write(ask, "legal.lyrw", browsed, payload(DENSE))
    check("LAYOUT-PLAN-09", legal, on_disk(ask, "legal.lyrw", DENSE.data()))
    wrong = write(ask, "wrong.lyrw", edited(plan(DENSE), *BANK, "flags", to=REMOVED), payload(DENSE))
    check("LAYOUT-PLAN-09", wrong, refuses("missing-field", field=FieldOf(("flags", "browse"))))


UNRULED = only(replace(GATE, format=77, length=24))


@clause("LAYOUT-PLAN-09")
@cases(
    schema_index=((*BANK, "schemas", 0, "schema_index"), "0", "bad-type"),
    negative_schema_index=((*BANK, "schemas", 0, "schema_index"), -1, "out-of-range"),
    length=((*BANK, "schemas", 0, "length"), 24.5, "bad-type"),
    length_as_text=((*BANK, "schemas", 0, "length"), "24", "bad-type"),
    negative_length=((*BANK, "schemas", 0, "length"), -24, "out-of-range"),
    lengths=(("lengths",), {}, "bad-type"),
    num_banks=((*HEADER, "num_banks"), "1", "bad-type"),
    num_segments=((*HEADER, "num_segments"), True, "bad-type"),
    region_schema_count=((*BANK, "region_schema_count"), 1.5, "bad-type"),
    browse=((*BANK, "browse"), [], "bad-type"),
    group_extent=(("group_extent",), "8", "bad-type"),
)
def test_optional_values_are_judged_too(ask: Ask, case: tuple[Way, Any, str]) -> None:
    """A key that a plan need not have is judged where it is there; keys that no plan defines are not."""
    way, value, kind = case
    more = {**plan(UNRULED), "comment": "a layer", "table_bytes": -1}
    legal = write(ask, "legal.lyrw", more, payload(UNRULED))
    check("LAYOUT-PLAN-09", legal, on_disk(ask, "legal.lyrw", UNRULED.data()))
    wrong = write(ask, "wrong.lyrw", edited(more, *way, to=value), payload(UNRULED))
    check("LAYOUT-PLAN-09", wrong, refuses(kind, field=FieldOf((str(way[-1]),))))
