"""lyrw.verify over all files of a layer, and on the files that the format's own tools have written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import vindex3_fixtures
from vindex3_fixtures.goldens import goldens
from vindex3_reference.lyrw.verbs import lyrw_verify
from vindex3_reference.refusal import Refusal

REAL = Path(vindex3_fixtures.__path__[0]) / "real" / "lyrw"


def _defects(paths: str | list[str]) -> list[tuple[str, dict[str, Any]]]:
    answer: Any = lyrw_verify(path=paths)
    return [(defect["kind"], defect["names"]) for defect in answer["defects"]]


@pytest.fixture
def first(split, put) -> bytes:
    """The file of entries 0 and 1 that belongs to the second worked file."""
    data: bytes = put(split, {50: "00", 52: "00"})
    return data


@pytest.fixture
def pair(layer, first, split) -> list[str]:
    """Both files of the split layer."""
    return [layer(first).path, layer(split).path]


def test_all_files_of_a_layer_have_no_defect(pair):
    """Two files that cover the bank together are right, in either order; one alone has no gap to report."""
    assert _defects(pair) == []
    assert _defects(pair[::-1]) == []
    assert _defects(pair[0]) == []
    assert _defects(pair[:1]) == []


def test_only_listed_files_count(pair, layer, split):
    """A file beside the listed ones changes nothing."""
    layer(split)
    assert _defects(pair) == []


def test_a_listed_file_that_is_not_there(pair, refusal):
    """A missing file is refused by its path, also with a similar one beside it."""
    absent = pair[1].replace(".lyrw", ".LYRW")
    assert refusal(lyrw_verify, path=[pair[0], absent]) == ("missing-file", {"path": absent})
    assert refusal(lyrw_verify, path=absent) == ("missing-file", {"path": absent})


def test_a_listed_file_that_does_not_open(pair, layer, refusal):
    """What opening refuses is refused with the same kind, with the file's path where there are several."""
    bad = layer(b"LYRW").path
    facts = {"what": "header", "at": 0, "need": 24, "have": 4}
    assert refusal(lyrw_verify, path=bad) == ("truncated", facts)
    assert refusal(lyrw_verify, path=[*pair, bad]) == ("truncated", {**facts, "path": bad})
    assert refusal(lyrw_verify, path=[bad]) == ("truncated", {**facts, "path": bad})


def test_an_empty_list(refusal):
    """A layer of no file is refused."""
    assert refusal(lyrw_verify, path=[]) == ("missing-field", {"field": "path"})


def test_entries_in_no_file_and_in_two(layer, first, split, put):
    """Gaps and overlaps are those of all files together."""
    wide = {32 + 0: "05"}
    paths = [layer(put(data, wide)).path for data in (first, split)]
    assert _defects(paths) == [("segment-gap", {"bank_id": 7, "first_entry": 4, "end_entry": 5})]
    shifted = [layer(first).path, layer(put(split, {52: "01"})).path]
    assert _defects(shifted) == [
        (
            "segment-overlap",
            {"bank_id": 7, "segment_index": 0, "other_segment_index": 1, "first_entry": 1, "end_entry": 2,
             "paths": shifted},
        ),
        ("segment-gap", {"bank_id": 7, "first_entry": 3, "end_entry": 4}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pieces", "kind", "facts"),
    [
        ({8: "0D"}, "layer-mismatch", {"logical_layer": 13, "other": 12}),
        ({16: "00"}, "multi-segment-flag-missing", {}),
        ({26: "02"}, "bank-mismatch", {"bank_id": 7, "field": "kind"}),
        ({30: "01"}, "bank-mismatch", {"bank_id": 7, "field": "flags"}),
        ({36: "03"}, "bank-mismatch", {"bank_id": 7, "field": "input_dim"}),
        ({40: "03"}, "bank-mismatch", {"bank_id": 7, "field": "intermediate_dim"}),
        ({44: "03"}, "bank-mismatch", {"bank_id": 7, "field": "output_dim"}),
        ({70: "01"}, "bank-mismatch", {"bank_id": 7, "field": "schemas"}),
        ({191: "01"}, "non-zero-padding", {"offset": 191}),
    ],
)
def test_one_fault_in_one_of_two_files(pair, layer, split, put, pieces, kind, facts):
    """What is wrong with one of several files, or between them, names the file."""
    wrong = layer(put(split, pieces)).path
    assert _defects([pair[0], wrong]) == [(kind, {**facts, "path": wrong})]


def test_one_fault_in_a_list_of_one(layer, split, put):
    """A list of one file names it; the file by itself does not."""
    wrong = layer(put(split, {191: "01"})).path
    assert _defects([wrong]) == [("non-zero-padding", {"offset": 191, "path": wrong})]
    assert _defects(wrong) == [("non-zero-padding", {"offset": 191})]


def test_another_population(pair, layer, split, put):
    """A file that counts more entries than the first is a mismatch, not a gap."""
    wrong = layer(put(split, {32: "05"})).path
    facts = {"bank_id": 7, "field": "num_entries", "path": wrong}
    assert _defects([pair[0], wrong]) == [("bank-mismatch", facts)]


def test_one_segment_index_in_two_files(pair, layer, split, put):
    """Two segments of a bank are two, whichever files they are in; their index tells them apart."""
    paths = [pair[0], layer(put(split, {50: "00"})).path]
    facts = {"bank_id": 7, "segment_index": 0, "paths": paths}
    assert _defects(paths) == [("duplicate-segment-index", facts)]


def test_one_file_listed_twice(pair):
    """A file that is listed twice overlaps itself, and one of its own name is named."""
    kinds = dict(_defects([pair[0], pair[0]]))
    assert set(kinds) == {"duplicate-segment-index", "segment-overlap", "segment-gap"}
    assert kinds["segment-overlap"]["path"] == pair[0]


@pytest.mark.parametrize("path", sorted(REAL.glob("*.lyrw")), ids=lambda path: path.stem)
def test_right_files_of_the_formats_own_writer(path):
    """Files of the format's own writer have no defect, unknown tags and permuted order included."""
    assert _defects(str(path)) == []


def test_a_split_layer_of_the_formats_own_writer():
    """Its two files are a whole layer."""
    assert _defects([str(REAL / "split_seg0.lyrw"), str(REAL / "split_seg1.lyrw")]) == []


UP8 = {"bank_id": 7, "schema_index": 1, "role": "down"}
FUSED = {"bank_id": 7, "entry": 0, "schema_index": 0, "role": "gate_up_fused"}
WRONG = {
    "bank_browse_3": None,
    "bank_kind_unknown": None,
    "format_unknown": None,
    "header_reserved_nonzero": None,
    "layout_unknown_on_down": None,
    "schema_unknown_packing_unpaired": None,
    "bank_duplicate_id": ("duplicate-bank-id", {"bank_id": 0}),
    "bank_schema_count_1": (
        "region-out-of-bounds",
        {**FUSED, "offset": 4295163905, "length": 38654967808 - 4295163905, "file_length": 1344},
    ),
    "length_one_past_end": (
        "region-out-of-bounds",
        {**UP8, "entry": 1, "offset": 1152, "length": 193, "file_length": 1344},
    ),
    "length_u64_max": (
        "region-out-of-bounds",
        {**FUSED, "offset": 192, "length": 2**64 - 1, "file_length": 1344},
    ),
    "num_segments_0_clean": ("no-segments", {"num_segments": 0}),
    "offset_in_tables": ("region-in-tables", {**FUSED, "offset": 64}),
    "offset_misaligned_32": ("misaligned", {**UP8, "entry": 0, "offset": 544}),
    "offset_zero": ("region-in-tables", {**FUSED, "offset": 0}),
    "pair_partner_is_values": (
        "pair-shape-mismatch",
        {"bank_id": 0, "schema_index": 2, "other_schema_index": 1},
    ),
    "role_duplicated": ("undeclared-fused-layout", {"bank_id": 7, "schema_index": 1}),
    "rows_too_large": (
        "region-length-mismatch",
        {**UP8, "entry": 1, "format": "f16", "length": 192, "expected": 25165824},
    ),
    "segments_gap": ("segment-gap", {"bank_id": 0, "first_entry": 4, "end_entry": 5}),
    "slot_all_zero": ("region-in-tables", {**FUSED, "offset": 0}),
}
REFUSED = {
    "layout_on_down": "layout-on-non-fused",
    "magic_wryl": "bad-magic",
    "order_schema_before_segment": "layout-on-non-fused",
    "schema_inline_paired": "inconsistent-pairing",
    "segment_count_3": "segment-out-of-bounds",
    "segment_u32_overflow": "segment-out-of-bounds",
    "trunc_bank": "truncated",
    "trunc_header_23": "truncated",
    "trunc_schema_second": "truncated",
    "version_0": "wrong-generation",
    "version_3": "wrong-generation",
}


@pytest.mark.parametrize("path", sorted((REAL / "malformed").glob("*.lyrw")), ids=lambda path: path.stem)
def test_changed_files_of_the_formats_own_writer(path):
    """Of each file that was changed on purpose, the change is reported, refused or known to be legal."""
    if path.stem in REFUSED:
        with pytest.raises(Refusal) as caught:
            lyrw_verify(path=str(path))
        assert caught.value.kind == REFUSED[path.stem]
    elif WRONG[path.stem] is None:
        assert _defects(str(path)) == []
    else:
        assert WRONG[path.stem] in _defects(str(path))


GOLDENS = {
    "ambiguous_partner": {"ambiguous-partner", "missing-partner"},
    "cut_payload": {"region-out-of-bounds"},
    "empty_banks": {"empty-bank"},
    "extreme_numbers": {"missing-partner"},
    "misaligned_region": {"misaligned"},
    "non_zero_padding": {"non-zero-padding"},
    "row_beyond_file": {"region-out-of-bounds", "region-length-mismatch"},
    "row_sum_wraps": {"region-out-of-bounds", "region-length-mismatch"},
    "segment_gap": {"segment-gap"},
    "segments_reordered": {"duplicate-segment-index"},
    "trailing_bytes": {"trailing-bytes"},
    "zero_length_region": {"zero-dimension", "region-length-mismatch"},
}


def test_goldens(tmp_path):
    """Each golden that may be opened has the defects it was made with, and no other kind.

    Goldens that write their defects down themselves are compared with those by the suite.
    """
    seen = set()
    for name, golden in goldens().items():
        family, _, name = name.partition("/")
        expected = GOLDENS.get(name, set())
        if family != "lyrw" or any(request.verb == "lyrw.verify" for request in golden.requests):
            continue
        try:
            defects = _defects(str(golden.hand_out(tmp_path)))
        except Refusal:
            assert golden.verdict == "refuse", name
            continue
        assert {kind for kind, _ in defects} == expected, name
        seen.add(name)
    assert seen > {"dense_f32_worked", "split_first", "permuted_order", "unknown_tags", "shared_and_routed"}
