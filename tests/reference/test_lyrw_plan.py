"""Why a plan is refused: each kind by one change to a legal plan, by lyrw.layout and lyrw.write alike."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from vindex3_reference.lyrw.verbs import lyrw_layout, lyrw_write

ABSENT = object()
BANK, SCHEMA, SEGMENT = ("banks", 0), ("banks", 0, "schemas", 0), ("segments", 0)
DOWN = ("banks", 0, "schemas", 2)


def _changed(plan: Any, *changes: tuple[tuple[Any, ...], Any]) -> Any:
    """The plan with other values at some places, or without them."""
    plan = copy.deepcopy(plan)
    for place, value in changes:
        *way, last = place
        home = plan
        for step in way:
            home = home[step]
        if value is ABSENT:
            del home[last]
        else:
            home[last] = value
    return plan


@pytest.fixture
def refused(plans, refusal, tmp_path):
    """Kind and facts of the refusal of the dense plan with changes, the same by both verbs."""

    def ask(*changes: tuple[tuple[Any, ...], Any], base: Any = None) -> tuple[str, dict[str, Any]]:
        plan = _changed(base or plans.dense(), *changes)
        found: tuple[str, dict[str, Any]] = refusal(lyrw_layout, plan=plan)
        target = tmp_path / "target.lyrw"
        written = refusal(lyrw_write, plan=plan, payload=lambda *_: pytest.fail("asked"), path=str(target))
        assert written == found
        assert list(tmp_path.iterdir()) == []
        return found

    return ask


@pytest.fixture
def legal(plans):
    """The answer of lyrw.layout for the dense plan with changes."""

    def ask(*changes: tuple[tuple[Any, ...], Any], base: Any = None) -> Any:
        return lyrw_layout(plan=_changed(base or plans.dense(), *changes))

    return ask


REQUIRED = [
    ("header",), ("banks",), ("segments",), ("header", "logical_layer"), ("header", "flags"),
    *((*BANK, key) for key in ("bank_id", "kind", "flags", "num_entries", "input_dim", "intermediate_dim",
                               "output_dim", "schemas")),
    *((*SCHEMA, key) for key in ("role", "format", "packing", "pair_id", "layout", "rows", "cols")),
    *((*SEGMENT, key) for key in ("bank_id", "segment_index", "first_entry", "entry_count")),
]  # fmt: skip
U16 = [(*BANK, "bank_id"), (*BANK, "flags"), (*SCHEMA, "pair_id"), (*SEGMENT, "bank_id"),
       (*SEGMENT, "segment_index"), (*BANK, "kind"), (*SCHEMA, "role"), (*SCHEMA, "format"),
       (*SCHEMA, "packing"), (*SCHEMA, "layout")]  # fmt: skip
U32 = [("header", "logical_layer"), ("header", "flags"), (*SEGMENT, "first_entry"), (*SEGMENT, "entry_count"),
       *((*BANK, key) for key in ("num_entries", "input_dim", "intermediate_dim", "output_dim")),
       *((*SCHEMA, key) for key in ("rows", "cols"))]  # fmt: skip
OPTIONAL = [
    (*SCHEMA, "length"),
    (*SCHEMA, "schema_index"),
    ("header", "num_banks"),
    ("header", "num_segments"),
    (*BANK, "region_schema_count"),
    ("group_extent",),
]


@pytest.mark.parametrize("place", REQUIRED, ids=str)
def test_a_required_key_is_absent(refused, place):
    """Each key without which there is no file is named when it is absent."""
    kind, names = refused((place, ABSENT))
    assert (kind, names["path"], names["field"].split(".")[-1]) == ("missing-field", "plan", place[-1])


@pytest.mark.parametrize("place", [*U16, *U32, *OPTIONAL], ids=str)
@pytest.mark.parametrize("value", [True, 1.0, [], {}], ids=repr)
def test_no_integer(refused, place, value):
    """A boolean, a fraction, a list or an object in an integer's place is named as of a bad type."""
    kind, names = refused((place, value))
    assert (kind, names["path"], names["field"].split(".")[-1]) == ("bad-type", "plan", place[-1])


@pytest.mark.parametrize("place", [*U32, *OPTIONAL], ids=str)
def test_no_word_where_a_number_stands(refused, place):
    """A digit in quotes is no number."""
    assert refused((place, "1"))[0] == "bad-type"


@pytest.mark.parametrize(
    ("place", "largest"),
    [*((place, 2**16 - 1) for place in U16), *((place, 2**32 - 1) for place in U32)],
    ids=str,
)
def test_a_number_that_does_not_fit(refused, place, largest):
    """One above the largest and one below 0 are out of range, named with field and value."""
    for value in (largest + 1, -1, 2**70):
        kind, names = refused((place, value))
        assert (kind, names["value"], names["field"].split(".")[-1]) == ("out-of-range", value, place[-1])


@pytest.mark.parametrize(
    "change",
    [
        ((*BANK, "bank_id"), 2**16 - 1),
        (("header", "logical_layer"), 2**32 - 1),
        (("header", "flags"), 2**32 - 1),
        ((*BANK, "input_dim"), 2**32 - 1),
        ((*BANK, "input_dim"), 0),
        ((*BANK, "kind"), 2**16 - 1),
    ],
    ids=str,
)
def test_the_largest_number_fits(legal, change):
    """What just fits its field is legal, and bank dimensions are not judged."""
    changes = [change, ((*SEGMENT, "bank_id"), change[1])] if change[0][-1] == "bank_id" else [change]
    assert legal(*changes)["file_length"] == 328


@pytest.mark.parametrize("place", [("header",), (*BANK,), (*SCHEMA,), (*SEGMENT,)], ids=str)
def test_no_object(refused, place):
    """What must be an object and is none is of a bad type."""
    assert refused((place, 5))[0] == "bad-type"


@pytest.mark.parametrize("plan", [None, [], "plan", 5], ids=repr)
def test_the_plan_is_no_object(refusal, plan):
    """A plan that is no object is of a bad type at its root."""
    assert refusal(lyrw_layout, plan=plan) == ("bad-type", {"path": "plan", "field": ""})


@pytest.mark.parametrize("place", [("banks",), ("segments",), (*BANK, "schemas"), ("lengths",)], ids=str)
def test_no_list(refused, place):
    """What must be a list and is none is of a bad type."""
    assert refused((place, {}))[0] == "bad-type"


@pytest.mark.parametrize(
    ("place", "word"),
    [
        ((*BANK, "kind"), "Routed"),
        ((*SCHEMA, "role"), "gates"),
        ((*SCHEMA, "format"), "q5_k"),
        ((*SCHEMA, "packing"), "blocks"),
        ((*SCHEMA, "layout"), ""),
        ((*BANK, "browse"), "strided "),
    ],
    ids=str,
)
def test_an_unknown_word(refused, place, word):
    """A word outside its vocabulary is named with its field."""
    kind, names = refused((place, word))
    assert (kind, names["value"], names["field"].split(".")[-1]) == ("unknown-value", word, place[-1])


def test_tags_by_number(legal, plans):
    """Every tag may be given by its number, and the layout is the same."""
    by_number = [
        ((*BANK, "kind"), 0),
        ((*SCHEMA, "role"), 0),
        ((*SCHEMA, "format"), 0),
        ((*SCHEMA, "packing"), 0),
        ((*SCHEMA, "layout"), 0),
        ((*SCHEMA, "pair_id"), 0xFFFF),
    ]
    assert legal(*by_number) == lyrw_layout(plan=plans.dense())


@pytest.mark.parametrize(
    ("place", "wrong", "right"),
    [
        (("header", "num_banks"), 2, 1),
        (("header", "num_segments"), 0, 1),
        ((*BANK, "region_schema_count"), 4, 3),
    ],
    ids=str,
)
def test_a_count_that_differs_from_its_list(refused, legal, place, wrong, right):
    """A count must be that of its list; null counts as absent."""
    kind, names = refused((place, wrong))
    assert (kind, names["expected"], names["found"]) == ("plan-mismatch", right, wrong)
    assert names["field"].split(".")[-1] == place[-1]
    assert legal((place, right)) == legal((place, None)) == legal()


def test_more_banks_than_can_be_counted(refused, plans):
    """A list that its count cannot hold is out of range."""
    many = [plans.dense()["banks"][0]] * 2**16
    kind, names = refused((("banks",), many))
    assert (kind, names["field"], names["value"]) == ("out-of-range", "header.num_banks", 2**16)


def test_a_schema_index_that_is_not_the_position(refused, legal):
    """A schema_index must be the position within the bank."""
    facts = {"bank_id": 0, "expected": 2, "found": 1}
    assert refused(((*DOWN, "schema_index"), 1)) == ("schema-index-mismatch", facts)
    assert legal(((*DOWN, "schema_index"), 2)) == legal()


@pytest.mark.parametrize(
    ("flags", "browse", "expected"),
    [
        (1, "none", "direct"),
        (2, "direct", "strided"),
        (0x8000, "strided", "none"),
        (3, "strided", "none"),
        (1, 2, 1),
    ],
)
def test_flags_and_browse_disagree(refused, flags, browse, expected):
    """Flags and browse given together must say the same."""
    kind, names = refused(((*BANK, "flags"), flags), ((*BANK, "browse"), browse))
    assert (kind, names["expected"], names["found"]) == ("plan-mismatch", expected, browse)
    assert names["field"] == "banks[0].browse"


@pytest.mark.parametrize(
    ("flags", "browse"),
    [(1, "direct"), (0x8002, "strided"), (3, "none"), (3, 3), (1, 1), (ABSENT, "direct"), (None, 2)],
)
def test_flags_and_browse_agree(legal, flags, browse):
    """Either is enough, and bits without a meaning are shown as none."""
    assert legal(((*BANK, "flags"), flags), ((*BANK, "browse"), browse)) == legal()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            [((*SCHEMA, "pair_id"), 3)],
            ("inconsistent-pairing", {"bank_id": 0, "schema_index": 0, "packing": "row_major", "pair_id": 3}),
        ),
        (
            [((*SCHEMA, "packing"), "blocks_scales")],
            (
                "inconsistent-pairing",
                {"bank_id": 0, "schema_index": 0, "packing": "blocks_scales", "pair_id": 65535},
            ),
        ),
        (
            [((*DOWN, "layout"), "interleaved")],
            (
                "layout-on-non-fused",
                {"bank_id": 0, "schema_index": 2, "role": "down", "layout": "interleaved"},
            ),
        ),
        ([((*SEGMENT, "bank_id"), 4)], ("unknown-bank", {"segment_index": 0, "bank_id": 4})),
        (
            [((*SEGMENT, "entry_count"), 2)],
            (
                "segment-out-of-bounds",
                {"bank_id": 0, "segment_index": 0, "first_entry": 0, "end_entry": 2, "num_entries": 1},
            ),
        ),
        (
            [((*SEGMENT, "first_entry"), 2**32 - 1), ((*SEGMENT, "entry_count"), 2**32 - 1)],
            (
                "segment-out-of-bounds",
                {
                    "bank_id": 0,
                    "segment_index": 0,
                    "first_entry": 2**32 - 1,
                    "end_entry": 2**33 - 2,
                    "num_entries": 1,
                },
            ),
        ),
        (
            [((*SCHEMA, "role"), "gate_up_fused")],
            ("undeclared-fused-layout", {"bank_id": 0, "schema_index": 0}),
        ),
        ([(("segments",), [])], ("no-segments", {"num_segments": 0})),
        (
            [((*BANK, "num_entries"), 0), ((*SEGMENT, "entry_count"), 0)],
            ("empty-bank", {"bank_id": 0, "what": "entries"}),
        ),
        ([((*BANK, "schemas"), [])], ("empty-bank", {"bank_id": 0, "what": "schemas"})),
        ([((*SEGMENT, "entry_count"), 0)], ("empty-bank", {"bank_id": 0, "what": "segment"})),
        ([((*BANK, "num_entries"), 2)], ("segment-gap", {"bank_id": 0, "first_entry": 1, "end_entry": 2})),
        ([((*SCHEMA, "rows"), 0)], ("zero-dimension", {"bank_id": 0, "schema_index": 0})),
        ([((*DOWN, "cols"), 0)], ("zero-dimension", {"bank_id": 0, "schema_index": 2})),
        (
            [((*DOWN, "format"), "q6_k"), ((*DOWN, "cols"), 384)],
            ("partial-block", {"bank_id": 0, "schema_index": 2, "cols": 384, "block": 256}),
        ),
        (
            [((*DOWN, "length"), 9)],
            ("region-length-mismatch", {"bank_id": 0, "schema_index": 2, "length": 9, "expected": 8}),
        ),
        (
            [(("lengths",), [{"bank_id": 0, "entry": 0, "schema_index": 1, "length": 23}])],
            (
                "region-length-mismatch",
                {"bank_id": 0, "schema_index": 1, "length": 23, "expected": 24, "entry": 0},
            ),
        ),
        (
            [((*DOWN, "format"), "fp4_larql")],
            (
                "unknown-length",
                {"bank_id": 0, "schema_index": 2, "format": "fp4_larql", "packing": "row_major"},
            ),
        ),
        (
            [((*DOWN, "packing"), 77)],
            ("unknown-length", {"bank_id": 0, "schema_index": 2, "format": "f32", "packing": 77}),
        ),
        (
            [(("lengths",), [{"bank_id": 0, "entry": 1, "schema_index": 1, "length": 24}])],
            ("plan-mismatch", {"bank_id": 0, "entry": 1, "schema_index": 1}),
        ),
        (
            [(("lengths",), [{"bank_id": 0, "entry": 0, "schema_index": 3, "length": 24}])],
            ("plan-mismatch", {"bank_id": 0, "entry": 0, "schema_index": 3}),
        ),
        (
            [(("lengths",), [{"bank_id": 0, "entry": 0, "schema_index": 1, "length": 24}] * 2)],
            ("plan-mismatch", {"bank_id": 0, "entry": 0, "schema_index": 1}),
        ),
        (
            [(("group_extent",), 8)],
            ("segment-off-extent", {"bank_id": 0, "segment_index": 0, "group_extent": 8}),
        ),
    ],
)
def test_a_plan_that_contradicts_itself(refused, changes, expected):
    """Each rule that a file must keep is kept by its plan, and named by the kind and facts of reading."""
    assert refused(*changes) == expected


@pytest.mark.parametrize(
    "changes",
    [
        [((*SCHEMA, "role"), "gate_up_fused"), ((*SCHEMA, "layout"), "contiguous_halves")],
        [((*SCHEMA, "role"), "gate_up_fused"), ((*SCHEMA, "layout"), "interleaved")],
        [((*SCHEMA, "role"), "gate_up_fused"), ((*SCHEMA, "layout"), 3)],
        [((*DOWN, "layout"), 3)],
        [((*DOWN, "role"), 300), ((*DOWN, "layout"), "interleaved")],
        [(("header", "flags"), 1), ((*BANK, "num_entries"), 2)],
        [((*DOWN, "packing"), 77), ((*DOWN, "pair_id"), 5), ((*DOWN, "length"), 8)],
        [
            ((*DOWN, "format"), 77),
            (("lengths",), [{"bank_id": 0, "entry": 0, "schema_index": 2, "length": 8}]),
        ],
        [((*DOWN, "length"), 8)],
        [(("lengths",), None), (("group_extent",), None), ((*DOWN, "length"), None)],
        [(("remark",), {}), ((*BANK, "remark"), 1), ((*SCHEMA, "remark"), None)],
    ],
)
def test_a_plan_that_is_legal(legal, changes):
    """What differs from a refused plan by the fault alone, and what a plan leaves open, is laid out."""
    assert legal(*changes)["file_length"] == 328


@pytest.mark.parametrize("extent", [0, 1, 4, 12, 64, -8, 2**64])
def test_a_group_extent_of_another_width(refused, extent):
    """Groups are of 8, 16 or 32 entries."""
    kind, names = refused((("group_extent",), extent))
    assert (kind, names["field"], names["value"]) == ("out-of-range", "group_extent", extent)


@pytest.mark.parametrize(
    ("segments", "extent", "at"),
    [([(0, 32), (32, 32)], 32, None), ([(0, 24), (24, 40)], 8, None), ([(0, 24), (24, 40)], 16, 0),
     ([(0, 16), (16, 48)], 32, 0), ([(0, 8), (8, 56)], 16, 0), ([(32, 32), (0, 16), (16, 16)], 32, 1)],
)  # fmt: skip
def test_segments_and_groups(plans, refusal, segments, extent, at):
    """Every segment begins and ends between groups; the extent leaves no trace in the layout."""
    rows = [
        {"bank_id": 0, "segment_index": index, "first_entry": first, "entry_count": count}
        for index, (first, count) in enumerate(segments)
    ]
    plan = plans.routed(64, (1, 1, 1), [plans.schema("down", "f32", 1, 1)], segments=rows)
    if at is None:
        assert lyrw_layout(plan={**plan, "group_extent": extent}) == lyrw_layout(plan=plan)
    else:
        facts = {"bank_id": 0, "segment_index": at, "group_extent": extent}
        assert refusal(lyrw_layout, plan={**plan, "group_extent": extent}) == ("segment-off-extent", facts)


def test_banks_and_segments_that_collide(plans, refused):
    """A bank_id twice and entries in two segments are refused, whatever the flag says."""
    plan = plans.routed(4, (1, 1, 1), [plans.schema("down", "f32", 1, 1)])
    twice = [plan["banks"][0], plan["banks"][0]]
    assert refused((("banks",), twice), base=plan) == ("duplicate-bank-id", {"bank_id": 0})
    shared = [
        {"bank_id": 0, "segment_index": index, "first_entry": index, "entry_count": 3} for index in (0, 1)
    ]
    facts = {"bank_id": 0, "segment_index": 0, "other_segment_index": 1, "first_entry": 1, "end_entry": 3}
    for flags in (0, 1):
        changes = [(("segments",), shared), (("header", "flags"), flags)]
        assert refused(*changes, base=plan) == ("segment-overlap", facts)


def test_partners(plans, refused):
    """Values need exactly one scales schema of their number in their bank."""
    values = plans.schema("down", "mxfp4", 2, 32, packing="blocks_values", pair_id=4)
    scales = plans.schema("scales", "mxfp4", 2, 32, packing="blocks_scales", pair_id=4)
    pair = plans.routed(1, (1, 1, 1), [values, scales])
    assert [region["length"] for region in lyrw_layout(plan=pair)["regions"]] == [32, 2]  # type: ignore[index]
    facts = {"bank_id": 0, "schema_index": 0, "pair_id": 4, "partner_role": "scales"}
    other = [values, {**scales, "pair_id": 5}]
    assert refused(((*BANK, "schemas"), other), base=pair) == ("missing-partner", facts)
    three = [values, scales, scales]
    assert refused(((*BANK, "schemas"), three), base=pair) == ("ambiguous-partner", {**facts, "count": 2})
