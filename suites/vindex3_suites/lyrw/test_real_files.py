"""Real files: what another program of the format wrote, and damaged copies of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vindex3 import answers, cases, check, clause, either, free_order, refuses
from pytest_vindex3.contract.difference import HexDigits
from vindex3_fixtures.lyrw import Bank, LyrwFile, Schema
from vindex3_fixtures.lyrw import vocabulary as v
from vindex3_fixtures.real.layer_files import good, malformed
from vindex3_suites.lyrw.asking import partner, region
from vindex3_suites.lyrw.expected import ABSENT, parses, truncated
from vindex3_suites.lyrw.parts import part
from vindex3_suites.lyrw.samples import SMALLEST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers, Expectation
    from vindex3_fixtures.real.layer_files import RealFile

GOOD = dict(sorted(good().items(), key=lambda item: len(item[1].data)))


def _told(observation: Mapping[str, Any]) -> Answers:
    return answers({**observation, "unknown": free_order(observation["unknown"])})


@clause("LYRW-HEADER-02", "LYRW-BANK-01", "LYRW-SCHEMA-01")
@cases({name: file for name, file in GOOD.items() if not file.observation["unknown"]})
def test_a_real_file_is_described(ask: Ask, case: RealFile) -> None:
    """The tables of a real file are shown as its writer recorded them."""
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", case.data))
    for clause_id in ("LYRW-HEADER-02", "LYRW-BANK-01", "LYRW-SCHEMA-01"):
        check(clause_id, reply, part(clause_id, case.observation))


@clause("LYRW-TABLES-01", "LYRW-TABLES-06", "SEGMENTS-READ-01")
@cases(GOOD)
def test_a_real_file_has_its_tables(ask: Ask, case: RealFile) -> None:
    """Structure and sums of a real file are those that its writer recorded."""
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", case.data))
    for clause_id in ("LYRW-TABLES-01", "LYRW-TABLES-06", "SEGMENTS-READ-01"):
        check(clause_id, reply, part(clause_id, case.observation))


@clause("LYRW-TAGS-01", "LYRW-TAGS-02", "BROWSE-BITS-01")
@cases(GOOD)
def test_a_real_file_has_its_words(ask: Ask, case: RealFile) -> None:
    """The known tags of a real file are shown by the recorded words."""
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", case.data))
    for clause_id in ("LYRW-TAGS-01", "LYRW-TAGS-02", "BROWSE-BITS-01"):
        check(clause_id, reply, part(clause_id, case.observation))


@clause("LYRW-TAGS-03", "LYRW-TAGS-04", "LYRW-TAGS-05")
@cases({name: file for name, file in GOOD.items() if file.observation["unknown"]})
def test_unknown_tags_of_a_real_file_are_kept(ask: Ask, case: RealFile) -> None:
    """A real file with tags that no vocabulary names is shown with all of them."""
    reply = ask("lyrw.parse", path=ask.file("layer.lyrw", case.data))
    for clause_id in ("LYRW-TAGS-03", "LYRW-TAGS-04", "LYRW-TAGS-05"):
        check(clause_id, reply, part(clause_id, case.observation))


@clause("REGION-READ-01")
@cases(GOOD)
def test_regions_of_a_real_file_are_delivered(ask: Ask, case: RealFile) -> None:
    """Every region of a real file has the recorded place and bytes, or is absent as recorded."""
    path = ask.file("layer.lyrw", case.data)
    for row in case.regions:
        reply = region(ask, path, row.bank_id, row.entry, row.schema_index)
        if row.offset is None or row.length is None:
            check("REGION-READ-01", reply, ABSENT)
            continue
        data = case.data[row.offset : row.offset + row.length]
        check("REGION-READ-01", reply, answers(offset=row.offset, length=row.length, data=data))


@clause("PAIR-FIND-01")
@cases({name: file for name, file in GOOD.items() if file.pairs})
def test_partners_of_a_real_file_are_found(ask: Ask, case: RealFile) -> None:
    """Every values schema of a real file has the recorded scales."""
    path = ask.file("layer.lyrw", case.data)
    for pair in case.pairs:
        reply = partner(ask, path, pair.bank_id, pair.entry, pair.schema_index)
        check("PAIR-FIND-01", reply, answers(pair.partner))


FUSED = Schema(v.GATE_UP_FUSED, v.F16, v.ROW_MAJOR, v.UNPAIRED, v.CONTIGUOUS_HALVES, 24, 8)
DOWN = Schema(v.DOWN, v.F16, rows=8, cols=12)
WHOLE = LyrwFile(
    banks=(
        Bank(
            (FUSED, DOWN),
            bank_id=7,
            kind=v.ROUTED,
            flags=v.STRIDED,
            num_entries=2,
            input_dim=8,
            intermediate_dim=12,
            output_dim=8,
        ),
    ),
    logical_layer=1,
)
"""The file, as described, of which most damaged ones are copies with one change."""


def _with_bank(**fields: Any) -> LyrwFile:
    return replace(WHOLE, banks=(replace(WHOLE.banks[0], **fields),))


def _with_down(**fields: Any) -> LyrwFile:
    return _with_bank(schemas=(FUSED, replace(DOWN, **fields)))


VALUES = Schema(v.GATE_UP_FUSED, v.MXFP4, v.BLOCKS_VALUES, 1, v.CONTIGUOUS_HALVES, 128, 64)
SCALES = Schema(v.SCALES, v.MXFP4, v.BLOCKS_SCALES, 1, v.UNSPECIFIED, 128, 64)
PAIRS = LyrwFile(
    banks=(
        Bank(
            (
                VALUES,
                replace(VALUES, role=v.DOWN, layout=v.UNSPECIFIED, rows=64),
                SCALES,
                replace(SCALES, pair_id=2, rows=64),
            ),
            kind=v.ROUTED,
            num_entries=2,
            input_dim=64,
            intermediate_dim=64,
            output_dim=64,
        ),
    ),
    logical_layer=12,
)


def _observed(name: str, segments: list[dict[str, int]] | None = None, **changes: Any) -> Answers:
    """The recorded observation of a good file with other segments and sums."""
    observation = dict(good()[name].observation)
    return _told({**observation, "segments": segments or observation["segments"], **changes})


def _segment(segment_index: int, first_entry: int, entry_count: int, bank_id: int = 0) -> dict[str, int]:
    return {
        "bank_id": bank_id,
        "segment_index": segment_index,
        "first_entry": first_entry,
        "entry_count": entry_count,
    }


def _twice() -> Answers:
    """Both banks and both segments of the file of two banks carry id 0."""
    banks = [{**bank, "bank_id": 0} for bank in good()["two_banks_routed_shared"].observation["banks"]]
    segments = [_segment(0, 0, 4), _segment(0, 0, 2)]
    return _observed("two_banks_routed_shared", segments, banks=banks, table_bytes=388, payload_start=448)


def _gapped() -> Answers:
    header = {"logical_layer": 37, "flags": 0}
    segments = [_segment(0, 0, 4), _segment(1, 5, 3)]
    return _observed("split_seg0", segments, header=header, table_bytes=468, payload_start=512)


MISPLACED = refuses("layout-on-non-fused", bank_id=7, schema_index=1, role="down", layout="contiguous_halves")
WRYL = refuses("bad-magic", found=HexDigits("5752594C"), expected=HexDigits("4C595257"))
MISPAIRED = refuses("inconsistent-pairing", bank_id=7, schema_index=1, packing="row_major", pair_id=3)


def _past(first_entry: int, end_entry: int) -> Expectation:
    facts = {"first_entry": first_entry, "end_entry": end_entry, "num_entries": 2}
    return refuses("segment-out-of-bounds", bank_id=7, segment_index=0, **facts)


DAMAGED: dict[str, tuple[str, Expectation]] = {
    "trunc_header_23": ("LYRW-HEADER-01", truncated("header", 0, 24, 23)),
    "trunc_bank": ("LYRW-TABLES-02", truncated("bank descriptor table", 24, 24, 6)),
    "trunc_schema_second": ("LYRW-TABLES-02", truncated("region schema table", 80, 20, 5)),
    "magic_wryl": ("LYRW-MAGIC-02", WRYL),
    "version_0": ("LYRW-VERSION-01", refuses("wrong-generation", found=0, required=2)),
    "version_3": ("LYRW-VERSION-01", refuses("wrong-generation", found=3, required=2)),
    "header_reserved_nonzero": ("LYRW-HEADER-04", parses(replace(WHOLE, reserved=0xDEADBEEF))),
    "num_segments_0_clean": (
        "SEGMENTS-READ-05",
        either(
            parses(replace(WHOLE, segments=())), refuses("no-segments", "non-zero-padding", "trailing-bytes")
        ),
    ),
    "bank_kind_unknown": ("LYRW-BANK-02", parses(_with_bank(kind=9))),
    "bank_browse_3": ("BROWSE-BITS-02", parses(_with_bank(flags=3))),
    "bank_schema_count_1": (
        "REGION-ALIGN-01",
        either(
            parses(_with_bank(schemas=(FUSED,))),
            refuses("misaligned", "overlap", "non-zero-padding", "trailing-bytes"),
        ),
    ),
    "bank_duplicate_id": (
        "LYRW-BANK-04",
        either(
            _twice(), refuses("duplicate-bank-id", "segment-overlap", "non-zero-padding", "trailing-bytes")
        ),
    ),
    "segment_count_3": ("SEGMENTS-READ-03", either(_past(0, 3), refuses("non-zero-padding"))),
    "segment_u32_overflow": (
        "SEGMENTS-READ-03",
        either(_past(0xFFFFFFFF, 0x1FFFFFFFE), refuses("truncated", "segment-gap")),
    ),
    "segments_gap": (
        "SEGMENTS-MULTI-02",
        either(_gapped(), refuses("segment-gap", "non-zero-padding", "trailing-bytes")),
    ),
    "schema_inline_paired": ("PAIR-PARSE-02", MISPAIRED),
    "schema_unknown_packing_unpaired": ("LYRW-TAGS-04", parses(_with_down(packing=77))),
    "pair_partner_is_values": ("PAIR-PARSE-06", parses(PAIRS)),
    "layout_on_down": ("LYRW-FUSED-01", MISPLACED),
    "layout_unknown_on_down": (
        "LYRW-FUSED-02",
        either(
            parses(_with_down(layout=903)),
            refuses("layout-on-non-fused", bank_id=7, schema_index=1, role="down", layout=903),
        ),
    ),
    "role_duplicated": ("LYRW-FUSED-03", parses(_with_down(role=v.GATE_UP_FUSED))),
    "format_unknown": ("LYRW-TAGS-03", parses(_with_down(format=11))),
    "rows_too_large": ("LYRW-SCHEMA-03", parses(_with_down(rows=0x100000))),
    "offset_misaligned_32": ("REGION-ALIGN-01", either(parses(WHOLE), refuses("misaligned", "overlap"))),
    "offset_zero": ("REGION-OVERLAP-01", either(parses(WHOLE), refuses("overlap", "region-in-tables"))),
    "offset_in_tables": ("REGION-OVERLAP-01", either(parses(WHOLE), refuses("overlap", "region-in-tables"))),
    "slot_all_zero": ("REGION-OVERLAP-01", either(parses(WHOLE), refuses("overlap", "region-in-tables"))),
    "length_one_past_end": ("LYRW-TABLES-04", parses(WHOLE)),
    "length_u64_max": ("REGION-OVERLAP-01", either(parses(WHOLE), refuses("overlap"))),
    "order_schema_before_segment": ("LYRW-ORDER-01", MISPLACED),
}


@pytest.mark.parametrize(
    ("name", "clause_id", "expected"),
    [
        pytest.param(name, *row, id=name, marks=pytest.mark.vindex3_clause(row[0]))
        for name, row in DAMAGED.items()
    ],
)
def test_a_damaged_file_has_its_verdict(ask: Ask, name: str, clause_id: str, expected: Expectation) -> None:
    """A real file with one change is refused, accepted or left to the reader, as the clauses say."""
    legal = ask("lyrw.parse", path=ask.file("legal.lyrw", SMALLEST))
    check(clause_id, legal, parses(SMALLEST))
    check(clause_id, ask("lyrw.parse", path=ask.file("damaged.lyrw", malformed()[name])), expected)


@clause("REGION-BOUNDS-03")
def test_a_real_region_one_byte_too_long_is_refused(ask: Ask) -> None:
    """The last region, one byte longer than the file, is refused; the one before is delivered."""
    data = malformed()["length_one_past_end"]
    path = ask.file("layer.lyrw", data)
    check(
        "REGION-BOUNDS-03", region(ask, path, 7, 1, 0), answers(offset=768, length=384, data=data[768:1152])
    )
    refused = refuses("region-out-of-bounds", bank_id=7, entry=1, file_length=1344)
    check("REGION-BOUNDS-03", region(ask, path, 7, 1, 1), refused)


@clause("REGION-ROLE-02")
def test_a_real_role_of_two_schemas_is_ambiguous(ask: Ask) -> None:
    """Two fused schemas of one bank are told apart by index, not by role."""
    data = malformed()["role_duplicated"]
    path = ask.file("layer.lyrw", data)
    check("REGION-ROLE-02", region(ask, path, 7, 0, 1), answers(offset=576, length=192, data=data[576:768]))
    wrong = ask("lyrw.region", path=path, bank_id=7, entry=0, role="gate_up_fused")
    check("REGION-ROLE-02", wrong, refuses("ambiguous-role", bank_id=7, role="gate_up_fused", count=2))


@clause("REGION-ALIGN-02")
@cases(
    misaligned=("offset_misaligned_32", 1, 544, 192),
    in_the_tables=("offset_in_tables", 0, 64, 384),
    at_0=("offset_zero", 0, 0, 384),
    empty=("slot_all_zero", 0, 0, 0),
)
def test_a_real_strange_region_is_exact_or_refused(ask: Ask, case: tuple[str, int, int, int]) -> None:
    """The strange row of a damaged file gives exactly its bytes, or is refused."""
    name, schema_index, offset, length = case
    legal, data = good()["dense_f32"].data, malformed()[name]
    right = answers(offset=192, length=1536, data=legal[192:1728])
    check("REGION-ALIGN-02", region(ask, ask.file("legal.lyrw", legal)), right)
    reply = region(ask, ask.file("layer.lyrw", data), 7, 0, schema_index)
    told = answers(offset=offset, length=length, data=data[offset : offset + length])
    refused = refuses("misaligned", "overlap", "region-in-tables", bank_id=7, entry=0)
    check("REGION-ALIGN-02", reply, either(told, refused))
