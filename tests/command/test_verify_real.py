"""`vindex3 verify` on every file that other programs of the format wrote, against a table made by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest

from vindex3_fixtures.real.layer_files import good, malformed

Facts = Mapping[str, Any]

ROUTED = {"bank_id": 7, "role": "gate_up_fused"}
FIRST = {**ROUTED, "entry": 0, "schema_index": 0}
DOWN = {"bank_id": 7, "schema_index": 1, "role": "down"}

REFUSED: Mapping[str, tuple[str, Facts]] = {
    "trunc_header_23": ("truncated", {"what": "header", "at": 0, "need": 24, "have": 23}),
    "trunc_bank": ("truncated", {"what": "bank descriptor table", "at": 24, "need": 24, "have": 6}),
    "trunc_schema_second": ("truncated", {"what": "region schema table", "at": 80, "need": 20, "have": 5}),
    "magic_wryl": ("bad-magic", {"found": "5752594C", "expected": "4C595257"}),
    "version_0": ("wrong-generation", {"found": 0, "required": 2}),
    "version_3": ("wrong-generation", {"found": 3, "required": 2}),
    "segment_count_3": (
        "segment-out-of-bounds",
        {"bank_id": 7, "segment_index": 0, "first_entry": 0, "end_entry": 3, "num_entries": 2},
    ),
    "segment_u32_overflow": (
        "segment-out-of-bounds",
        {
            "bank_id": 7,
            "segment_index": 0,
            "first_entry": 4294967295,
            "end_entry": 8589934590,
            "num_entries": 2,
        },
    ),
    "schema_inline_paired": (
        "inconsistent-pairing",
        {"bank_id": 7, "schema_index": 1, "packing": "row_major", "pair_id": 3},
    ),
    "layout_on_down": ("layout-on-non-fused", {**DOWN, "layout": "contiguous_halves"}),
    "order_schema_before_segment": ("layout-on-non-fused", {**DOWN, "layout": "contiguous_halves"}),
}
"""Kind and facts, all of them, of the files that do not open."""

CLEAN = {
    "header_reserved_nonzero",
    "bank_kind_unknown",
    "bank_browse_3",
    "schema_unknown_packing_unpaired",
    "format_unknown",
    "layout_unknown_on_down",
}
"""What is kept and no defect, or is not judged: reserved word, unknown tags, browse bits without meaning."""

DEFECTS: Mapping[str, tuple[list[tuple[str, Facts]], set[str]]] = {
    "num_segments_0_clean": (
        [
            ("no-segments", {"num_segments": 0}),
            ("segment-gap", {"bank_id": 7, "first_entry": 0, "end_entry": 2}),
            ("trailing-bytes", {"offset": 88, "length": 1244}),
        ],
        set(),
    ),
    "bank_schema_count_1": (
        [
            ("region-out-of-bounds", {**FIRST, "file_length": 1344}),
            ("region-out-of-bounds", {**FIRST, "entry": 1, "file_length": 1344}),
        ],
        {"misaligned", "region-length-mismatch"},
    ),
    "bank_duplicate_id": (
        [
            ("duplicate-bank-id", {"bank_id": 0}),
            ("duplicate-segment-index", {"bank_id": 0, "segment_index": 0}),
            ("segment-overlap", {"bank_id": 0, "first_entry": 0, "end_entry": 2}),
        ],
        {"region-length-mismatch", "trailing-bytes"},
    ),
    "segments_gap": (
        [
            ("segment-gap", {"bank_id": 0, "first_entry": 4, "end_entry": 5}),
            ("trailing-bytes", {"offset": 4608, "length": 576}),
        ],
        set(),
    ),
    "pair_partner_is_values": (
        [("pair-shape-mismatch", {"bank_id": 0, "schema_index": 2, "other_schema_index": 1})],
        set(),
    ),
    "role_duplicated": ([("undeclared-fused-layout", {"bank_id": 7, "schema_index": 1})], set()),
    "rows_too_large": (
        [
            ("region-length-mismatch", {**DOWN, "entry": 0, "length": 192, "expected": 25165824}),
            ("region-length-mismatch", {**DOWN, "entry": 1, "length": 192, "expected": 25165824}),
        ],
        set(),
    ),
    "offset_misaligned_32": (
        [
            ("misaligned", {**DOWN, "entry": 0, "offset": 544}),
            ("overlap", {"bank_id": 7}),
        ],
        set(),
    ),
    "offset_zero": (
        [("region-in-tables", {**FIRST, "offset": 0})],
        set(),
    ),
    "offset_in_tables": (
        [("region-in-tables", {**FIRST, "offset": 64})],
        set(),
    ),
    "slot_all_zero": (
        [
            ("region-in-tables", {**FIRST, "offset": 0}),
            ("region-length-mismatch", {**FIRST, "length": 0, "expected": 384}),
        ],
        set(),
    ),
    "length_one_past_end": (
        [
            (
                "region-out-of-bounds",
                {**DOWN, "entry": 1, "offset": 1152, "length": 193, "file_length": 1344},
            ),
            ("region-length-mismatch", {**DOWN, "entry": 1, "length": 193, "expected": 192}),
        ],
        set(),
    ),
    "length_u64_max": (
        [
            ("region-out-of-bounds", {**FIRST, "offset": 192, "length": 18446744073709551615}),
            ("region-length-mismatch", {**FIRST, "length": 18446744073709551615, "expected": 384}),
        ],
        {"overlap"},
    ),
}
"""Defects that must be among those reported, with these facts, and kinds of true consequences besides.

No other kind may be reported.
"""


BARE: Mapping[str, tuple[int, int]] = {
    "bank_schema_count_1": (112, 1344),
    "bank_duplicate_id": (388, 448),
    "segments_gap": (468, 512),
    "offset_misaligned_32": (736, 768),
    "offset_zero": (384, 576),
    "offset_in_tables": (448, 576),
    "slot_all_zero": (192, 576),
}
"""Bytes that a damage leaves without a region: all that are not zero there are reported, and no others."""


@pytest.fixture(scope="session")
def folder() -> Path:
    """Where the real files are."""
    with as_file(files("vindex3_fixtures").joinpath("real/lyrw")) as place:
        return place


def test_the_table_has_every_file() -> None:
    """Each damaged file is in exactly one part of the table."""
    assert sorted([*REFUSED, *CLEAN, *DEFECTS]) == sorted(malformed())


@pytest.mark.parametrize("name", sorted([*good(), *CLEAN]))
def test_sound_files_are_clean(name: str, folder: Path, run: Callable[..., Any]) -> None:
    """Good files, and files with values that are kept, have no defect."""
    path = folder / ("malformed" if name in CLEAN else "") / f"{name}.lyrw"
    assert run("verify", path) == (0, f"{path}: clean\n", "")


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_files_that_do_not_open_are_refused(name: str, folder: Path, run: Callable[..., Any]) -> None:
    """What opening refuses, verification refuses: with the kind, every fact, and exit code 3."""
    path = folder / "malformed" / f"{name}.lyrw"
    kind, facts = REFUSED[name]
    done = run("verify", path)
    assert done.code == 3
    assert done.out.startswith(f"{path}: refused as {kind}\n")
    refused = json.loads(run("verify", "--json", path).out)["refused"]
    assert (refused["kind"], refused["names"]) == (kind, facts)


@pytest.mark.parametrize("name", sorted(DEFECTS))
def test_damage_is_reported(name: str, folder: Path, run: Callable[..., Any]) -> None:
    """Each damage is reported by kind and facts, nothing but its consequences besides; exit code 1."""
    path = folder / "malformed" / f"{name}.lyrw"
    wanted, consequences = DEFECTS[name]
    done = run("verify", "--json", path)
    assert done.code == 1
    defects = json.loads(done.out)["defects"]
    for kind, facts in wanted:
        assert any(
            defect["kind"] == kind and facts.items() <= defect["names"].items() for defect in defects
        ), f"no {kind} with {facts}"
    others = {defect["kind"] for defect in defects} - {"non-zero-padding"}
    assert others <= {kind for kind, _ in wanted} | consequences
    padding = [defect["names"]["offset"] for defect in defects if defect["kind"] == "non-zero-padding"]
    data = malformed()[name]
    assert sorted(padding) == [offset for offset in range(*BARE.get(name, (0, 0))) if data[offset]]
    assert run("verify", path).code == 1


def test_the_two_files_of_a_split_layer_are_one_layer(folder: Path, run: Callable[..., Any]) -> None:
    """Both files are clean in either order; one given twice covers its entries twice, and not the rest."""
    first, second = folder / "split_seg0.lyrw", folder / "split_seg1.lyrw"
    assert run("verify", first, second) == (0, f"{first} and 1 more: clean\n", "")
    assert run("verify", second, first).code == 0
    done = run("verify", "--json", first, first)
    found = {
        (defect["kind"], defect["names"].get("first_entry")) for defect in json.loads(done.out)["defects"]
    }
    assert {("segment-overlap", 0), ("segment-gap", 4)} <= found
    assert done.code == 1
