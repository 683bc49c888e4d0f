"""What writers put on disk: the bytes of the layout, zeros between, the same bytes again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause
from pytest_vindex3.plugin.ask import needs
from pytest_vindex3.plugin.generated import generated
from pytest_vindex3.strategies.lyrw_plans import planned_layer_files
from vindex3_fixtures.goldens import goldens
from vindex3_fixtures.lyrw import Bank, LyrwFile, Schema
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.lyrw.plan import payload, plan
from vindex3_fixtures.lyrw.sampled_plan import PlanKnobs, sampled_plan
from vindex3_suites.lyrw.asking import region
from vindex3_suites.lyrw.expected import delivers, parses
from vindex3_suites.lyrw.finding import CLEAN
from vindex3_suites.lyrw.planning import laid, lay, on_disk, write, write_file, written
from vindex3_suites.lyrw.samples import (
    DENSE,
    DOWN,
    GATE,
    SMALLEST,
    SPLIT,
    TWO_BANKS,
    UP,
    bank_of,
    scales,
    values,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

UNKNOWN = LyrwFile(
    banks=(
        Bank(
            (
                Schema(300, 77, 9, v.UNPAIRED, v.UNSPECIFIED, 5, 7),
                Schema(v.GATE_UP_FUSED, v.F32, v.ROW_MAJOR, v.UNPAIRED, 903, 2, 3),
                Schema(65535, 65535, 65535, v.UNPAIRED, v.UNSPECIFIED, 1, 1),
            ),
            bank_id=65535,
            kind=65535,
            flags=0xFFFF,
            num_entries=2,
            input_dim=0xFFFFFFFF,
            intermediate_dim=0,
            output_dim=0xFFFFFFFE,
        ),
    ),
    logical_layer=0xFFFFFFFF,
    flags=0xFFFFFFFE,
)
"""Every tag, flag and number that a plan can hold beyond what the vocabularies name."""
FILES = {
    "smallest": SMALLEST,
    "dense": DENSE,
    "one_file_of_several": SPLIT,
    "two_banks_in_three_segments": TWO_BANKS,
    "segments_in_reverse": replace(TWO_BANKS, segments=TWO_BANKS.all_segments[::-1]),
    "values_and_scales": bank_of(values(0), scales(0), values(0), num_entries=3),
    "tables_that_end_on_64": bank_of(GATE, num_entries=3),
    "an_empty_region_at_the_end": bank_of(GATE, replace(UP, format=77, length=0)),
    "regions_of_64_and_65_bytes": bank_of(*(replace(GATE, format=77, length=n) for n in (64, 65, 63))),
    "a_region_of_a_page_and_more": bank_of(replace(GATE, format=77, length=70_001), DOWN),
    "many_entries": bank_of(GATE, DOWN, num_entries=200),
    "unknown_tags_and_flags": UNKNOWN,
    "everything": sampled_plan(PlanKnobs(8, 2, 4, 5, 3, pairs=True, unruled=True, unknown=True)),
}


@needs("lyrw.layout")
@clause("LAYOUT-WRITE-01")
@cases(FILES)
def test_the_bytes_are_those_of_the_layout(ask: Ask, case: LyrwFile) -> None:
    """A file is written as it is laid out, to the byte, over whatever longer file was there."""
    check("LAYOUT-WRITE-01", lay(ask, plan(case)), laid(case))
    for name, former in (("new.lyrw", None), ("old.lyrw", b"\xff" * (case.file_length + 4097))):
        if former is not None:
            ask.file(name, former)
        reply = write_file(ask, name, case)
        check("LAYOUT-WRITE-01", reply, written(case))
        check("LAYOUT-WRITE-01", reply, on_disk(ask, name, case.data()))


@clause("LAYOUT-WRITE-01")
@cases(dense=DENSE, split=SPLIT, unknown=UNKNOWN, values_and_scales=FILES["values_and_scales"])
def test_tags_may_be_given_by_number(ask: Ask, case: LyrwFile) -> None:
    """A plan with numbers for tags gives the same bytes as one with words."""
    reply = write_file(ask, "layer.lyrw", case, plan(case, numbers=True))
    check("LAYOUT-WRITE-01", reply, on_disk(ask, "layer.lyrw", case.data()))


@clause("LAYOUT-WRITE-01")
@cases(none=("none", 0), direct=("direct", 1), strided=("strided", 2))
def test_browse_stands_for_the_flags(ask: Ask, case: tuple[str, int]) -> None:
    """A bank that says its browse mode instead of its flags gets the flags of that mode."""
    word, flags = case
    document = plan(DENSE)
    del document["banks"][0]["flags"]
    document["banks"][0]["browse"] = word
    file = replace(DENSE, banks=(replace(DENSE.banks[0], flags=flags),))
    reply = write_file(ask, "layer.lyrw", file, document)
    check("LAYOUT-WRITE-01", reply, on_disk(ask, "layer.lyrw", file.data()))


@clause("LAYOUT-WRITE-01")
def test_the_order_of_a_payload_says_nothing(ask: Ask) -> None:
    """Regions that are given in another order lie where the plan puts them."""
    reply = write(ask, "layer.lyrw", plan(TWO_BANKS), payload(TWO_BANKS)[::-1])
    check("LAYOUT-WRITE-01", reply, on_disk(ask, "layer.lyrw", TWO_BANKS.data()))


def _filled(file: LyrwFile) -> LyrwFile:
    """The file with regions of nothing but ones, which a gap must not show."""
    return replace(file, contents={place: b"\xff" * row.length for place, row in file.stored.items()})


@clause("LAYOUT-WRITE-02")
@cases(FILES)
def test_gaps_are_zero_and_bytes_repeat(ask: Ask, case: LyrwFile) -> None:
    """Between tables and regions all bytes are zero, and a second writing gives the same file."""
    file = _filled(case)
    for name in ("one.lyrw", "other.lyrw", "one.lyrw"):
        reply = write(ask, name, plan(case), payload(file))
        check("LAYOUT-WRITE-02", reply, written(case))
        check("LAYOUT-WRITE-02", reply, on_disk(ask, name, file.data()))


DENSE_PLAN = {
    "header": {"logical_layer": 3, "flags": 0},
    "banks": [
        {
            "bank_id": 0,
            "kind": "dense",
            "flags": 1,
            "num_entries": 1,
            "input_dim": 3,
            "intermediate_dim": 2,
            "output_dim": 1,
            "schemas": [
                {
                    "role": role,
                    "format": "f32",
                    "packing": "row_major",
                    "pair_id": None,
                    "layout": "unspecified",
                    "rows": rows,
                    "cols": cols,
                }
                for role, rows, cols in (("gate", 2, 3), ("up", 2, 3), ("down", 1, 2))
            ],
        }
    ],
    "segments": [{"bank_id": 0, "segment_index": 0, "first_entry": 0, "entry_count": 1}],
}
SPLIT_PLAN = {
    "header": {"logical_layer": 12, "flags": 1},
    "banks": [
        {
            "bank_id": 7,
            "kind": "routed",
            "flags": 2,
            "num_entries": 4,
            "input_dim": 2,
            "intermediate_dim": 2,
            "output_dim": 2,
            "schemas": [
                {
                    "role": role,
                    "format": "f16",
                    "packing": "row_major",
                    "pair_id": None,
                    "layout": layout,
                    "rows": rows,
                    "cols": 2,
                }
                for role, layout, rows in (("gate_up_fused", "interleaved", 4), ("down", "unspecified", 2))
            ],
        }
    ],
    "segments": [{"bank_id": 7, "segment_index": 1, "first_entry": 2, "entry_count": 2}],
}
DENSE_REGIONS = {
    (0, 0, 0): "0000803F 00000040 00004040 00008040 0000A040 0000C040",
    (0, 0, 1): "0000003F 000080BF 0000803E 00000000 0000C03F 000000C0",
    (0, 0, 2): "0000E040 00000041",
}
SPLIT_REGIONS = {
    (7, 2, 0): "003C 0040 0042 0044 0045 0046 0047 0048",
    (7, 2, 1): "0038 00BC 0000 0034",
    (7, 3, 0): "8048 0049 8049 004A 804A 004B 804B 004C",
    (7, 3, 1): "00B8 003C 0040 00C0",
}


@clause("LAYOUT-WRITE-03")
@cases(
    dense=("lyrw/dense_f32_worked", DENSE_PLAN, DENSE_REGIONS),
    second_file_of_a_split_layer=("lyrw/split_second_worked", SPLIT_PLAN, SPLIT_REGIONS),
)
def test_the_worked_examples_are_written(
    ask: Ask, case: tuple[str, dict[str, Any], dict[tuple[int, int, int], str]]
) -> None:
    """The plans of the specification give the bytes that it prints."""
    name, document, regions = case
    keys = ("bank_id", "entry", "schema_index")
    pieces = [
        {**dict(zip(keys, numbers, strict=True)), "data": bytes.fromhex(data)}
        for numbers, data in regions.items()
    ]
    golden = goldens()[name].path.read_bytes()
    reply = write(ask, "layer.lyrw", document, pieces)
    check("LAYOUT-WRITE-03", reply, answers(file_length=len(golden), payload_start=192))
    check("LAYOUT-WRITE-03", reply, on_disk(ask, "layer.lyrw", golden))


def _check_read_back(ask: Ask, file: LyrwFile) -> None:
    reply = write_file(ask, "layer.lyrw", file)
    check("LAYOUT-WRITE-06", reply, written(file))
    path = str(ask.folder / "layer.lyrw")
    check("LAYOUT-WRITE-06", ask("lyrw.parse", path=path), parses(file))
    check("LAYOUT-WRITE-06", ask("lyrw.verify", path=path), CLEAN)
    for place in file.places[:60]:
        numbers = (file.all_segments[place.segment].bank_id, place.entry, place.schema)
        check("LAYOUT-WRITE-06", region(ask, path, *numbers), delivers(file, *numbers))


@needs("lyrw.parse", "lyrw.region", "lyrw.verify")
@clause("LAYOUT-WRITE-06")
@cases(FILES)
def test_what_was_written_reads_back(ask: Ask, case: LyrwFile) -> None:
    """Parse gives the plan, every region its payload, and verification finds nothing."""
    _check_read_back(ask, case)


@needs("lyrw.parse", "lyrw.region", "lyrw.verify")
@clause("LAYOUT-WRITE-06")
@generated(planned_layer_files())
def test_what_was_drawn_reads_back(ask: Ask, drawn: LyrwFile) -> None:
    """Any plan that was written parses as it was, verifies clean, and delivers its payload."""
    _check_read_back(ask, drawn)


@needs("lyrw.layout")
@clause("LAYOUT-WRITE-01", "LAYOUT-WRITE-02")
@generated(planned_layer_files())
def test_a_drawn_plan_is_written_as_laid_out(ask: Ask, drawn: LyrwFile) -> None:
    """Any plan is written to the byte as it is laid out, over the file of the plan before."""
    check("LAYOUT-WRITE-01", lay(ask, plan(drawn)), laid(drawn))
    reply = write_file(ask, "layer.lyrw", drawn)
    for clause_id in ("LAYOUT-WRITE-01", "LAYOUT-WRITE-02"):
        check(clause_id, reply, on_disk(ask, "layer.lyrw", drawn.data()))
