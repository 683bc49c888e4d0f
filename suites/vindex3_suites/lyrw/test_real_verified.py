"""Real files under verification: what another program of the format wrote, and damaged copies of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.real.layer_files import good, malformed
from vindex3_suites.lyrw.finding import CLEAN, defect, reports, segment_gap, verify

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

UNUSUAL = ("permuted_entries", "unknown_tags")
CUT = reports({"kind": "region-out-of-bounds"})


@clause("LYRW-VERIFY-01")
@cases({name: file.data for name, file in good().items() if name not in UNUSUAL})
def test_a_real_file_has_no_defect(ask: Ask, case: bytes) -> None:
    """A file as its program wrote it has an empty list; cut by a byte it has not."""
    check("LYRW-VERIFY-01", verify(ask, "layer.lyrw", case), CLEAN)
    check("LYRW-VERIFY-01", verify(ask, "cut.lyrw", case[:-1]), CUT)


UNKNOWN = ("bank_kind_unknown", "bank_browse_3", "format_unknown", "schema_unknown_packing_unpaired")


@clause("LYRW-VERIFY-04")
@cases(
    {
        **{name: good()[name].data for name in UNUSUAL},
        **{name: malformed()[name] for name in UNKNOWN},
    }
)
def test_an_unusual_real_file_has_no_defect(ask: Ask, case: bytes) -> None:
    """Real files with unknown tags or another order have an empty list; cut by a byte they have not."""
    check("LYRW-VERIFY-04", verify(ask, "layer.lyrw", case), CLEAN)
    check("LYRW-VERIFY-04", verify(ask, "cut.lyrw", case[:-1]), CUT)


@clause("SEGMENTS-SET-01")
def test_two_real_files_make_a_layer(ask: Ask) -> None:
    """The two files of a real split layer leave no gap together; one of them, listed twice, leaves one."""
    first, second = (ask.file(f"{name}.lyrw", good()[name].data) for name in ("split_seg0", "split_seg1"))
    check("SEGMENTS-SET-01", ask("lyrw.verify", path=[first, second]), CLEAN)
    again = ask.file("again.lyrw", good()["split_seg0"].data)
    found = reports(segment_gap(0, 4, 8), also=("segment-overlap", "duplicate-segment-index"))
    check("SEGMENTS-SET-01", ask("lyrw.verify", path=[first, again]), found)


REFUSED = {
    "trunc_header_23": "truncated",
    "trunc_bank": "truncated",
    "trunc_schema_second": "truncated",
    "magic_wryl": "bad-magic",
    "version_0": "wrong-generation",
    "version_3": "wrong-generation",
    "schema_inline_paired": "inconsistent-pairing",
    "layout_on_down": "layout-on-non-fused",
    "segment_count_3": "segment-out-of-bounds",
    "segment_u32_overflow": "segment-out-of-bounds",
}


@clause("LYRW-VERIFY-02")
@cases({name: (malformed()[name], kind) for name, kind in REFUSED.items()})
def test_a_real_file_that_cannot_be_read_is_refused(ask: Ask, case: tuple[bytes, str]) -> None:
    """A damaged real file that parse must refuse is refused by verification for the same reason."""
    data, kind = case
    check("LYRW-VERIFY-02", verify(ask, "legal.lyrw", good()["dense_f32"].data), CLEAN)
    check("LYRW-VERIFY-02", verify(ask, "damaged.lyrw", data), refuses(kind))


def _row(kind: str, entry: int, schema_index: int, offset: int, **facts: int) -> Any:
    """A defect of a row of the bank of two experts, fused and down in f16, of which most are copies."""
    role = ("gate_up_fused", "down")[schema_index]
    names = {"bank_id": 7, "entry": entry, "schema_index": schema_index, "role": role}
    return defect(kind, **names, offset=offset, **facts)


def _lengths(entry: int) -> Any:
    facts = {"bank_id": 7, "entry": entry, "schema_index": 1, "length": 192, "expected": 25_165_824}
    return defect("region-length-mismatch", **facts)


BESIDES = (
    "misaligned",
    "non-zero-padding",
    "overlap",
    "region-in-tables",
    "region-length-mismatch",
    "region-out-of-bounds",
    "segment-gap",
    "segment-overlap",
    "duplicate-segment-index",
    "trailing-bytes",
)
"""What one change to a real file may bring about besides."""
LISTED: dict[str, tuple[str, list[Any]]] = {
    "length_one_past_end": (
        "REGION-BOUNDS-05",
        [_row("region-out-of-bounds", 1, 1, 1152, length=193)],
    ),
    "length_u64_max": (
        "REGION-BOUNDS-05",
        [_row("region-out-of-bounds", 0, 0, 192, length=(1 << 64) - 1)],
    ),
    "offset_misaligned_32": ("REGION-ALIGN-03", [_row("misaligned", 0, 1, 544)]),
    "offset_zero": ("REGION-OVERLAP-03", [_row("region-in-tables", 0, 0, 0)]),
    "offset_in_tables": ("REGION-OVERLAP-03", [_row("region-in-tables", 0, 0, 64)]),
    "slot_all_zero": ("REGION-OVERLAP-03", [_row("region-in-tables", 0, 0, 0)]),
    "rows_too_large": ("REGION-LENGTH-01", [_lengths(0), _lengths(1)]),
    "segments_gap": ("SEGMENTS-MULTI-03", [segment_gap(0, 4, 5)]),
    "bank_duplicate_id": ("LYRW-BANK-05", [defect("duplicate-bank-id", bank_id=0)]),
    "num_segments_0_clean": ("SEGMENTS-READ-06", [defect("no-segments", num_segments=0)]),
}


@pytest.mark.parametrize(
    ("name", "clause_id", "found"),
    [
        pytest.param(name, *row, id=name, marks=pytest.mark.vindex3_clause(row[0]))
        for name, row in LISTED.items()
    ],
)
def test_the_damage_of_a_real_file_is_listed(ask: Ask, name: str, clause_id: str, found: list[Any]) -> None:
    """A damaged real file that can be read has its damage listed."""
    check(clause_id, verify(ask, "legal.lyrw", good()["dense_f32"].data), CLEAN)
    check(clause_id, verify(ask, "damaged.lyrw", malformed()[name]), reports(*found, also=BESIDES))
