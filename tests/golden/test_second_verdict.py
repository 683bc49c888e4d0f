"""The defects and layouts that stand beside goldens, found once more by counting bytes and entries.

It shares no line with the reference or the suites: every byte of a small file is looked at, one by one.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from construct import ConstructError

from pytest_vindex3.contract.difference import first_difference
from vindex3_fixtures.goldens import goldens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Found = Iterator[dict[str, Any]]

BYTES = {
    ("f32", "row_major"): (1, 4, 0),
    ("f16", "row_major"): (1, 2, 0),
    ("bf16", "row_major"): (1, 2, 0),
    ("q4_0", "row_major"): (32, 18, 0),
    ("q4_0", "blocks_with_scales_inline"): (32, 18, 0),
    ("q4_k", "row_major"): (256, 144, 0),
    ("q4_k", "blocks_with_scales_inline"): (256, 144, 0),
    ("q6_k", "row_major"): (256, 210, 0),
    ("q6_k", "blocks_with_scales_inline"): (256, 210, 0),
    ("q8_0", "row_major"): (32, 34, 0),
    ("q8_0", "blocks_with_scales_inline"): (32, 34, 0),
    ("mxfp4", "blocks_with_scales_inline"): (32, 17, 0),
    ("mxfp4", "blocks_values"): (32, 16, 0),
    ("mxfp4", "blocks_scales"): (32, 1, 0),
    ("nvfp4", "blocks_with_scales_inline"): (16, 9, 4),
}
"""Values of a block, bytes of a block, further bytes of a region."""

JUDGED = [
    name
    for name, golden in goldens().items()
    if not golden.made and any(request.verb == "lyrw.verify" for request in golden.requests)
]
LAID = [
    name
    for name, golden in goldens().items()
    if any(request.verb == "lyrw.layout" for request in golden.requests)
]


def defect(kind: str, **names: Any) -> dict[str, Any]:
    return {"kind": kind, "names": names}


class Judge:
    """A small file and what the declarative description reads of it."""

    def __init__(self, reading: Any) -> None:
        self.data = reading.path.read_bytes()
        self.layer = reading.layer
        self.shown = reading.parse()
        self.banks = {bank["bank_id"]: bank for bank in reversed(self.shown["banks"])}
        self.regions: list[tuple[dict[str, Any], int, int]] = []
        for segment, rows in zip(self.layer.segments, self.layer.rows, strict=True):
            schemas = self.banks[segment.bank_id]["schemas"]
            for place, row in enumerate(rows):
                entry, index = segment.first_entry + place // len(schemas), place % len(schemas)
                names = {"bank_id": segment.bank_id, "entry": entry, "schema_index": index}
                self.regions.append((names, row.offset, row.length))

    def schema(self, names: dict[str, Any]) -> dict[str, Any]:
        schema: dict[str, Any] = self.banks[names["bank_id"]]["schemas"][names["schema_index"]]
        return schema

    def told(self, names: dict[str, Any], offset: int) -> dict[str, Any]:
        return {**names, "role": self.schema(names)["role"], "offset": offset}

    def defects(self) -> Found:
        yield from self.of_schemas()
        yield from self.of_segments()
        yield from self.of_rows()
        yield from self.of_bytes()

    def of_schemas(self) -> Found:
        for bank_id, bank in self.banks.items():
            for schema in bank["schemas"]:
                names = {"bank_id": bank_id, "schema_index": schema["schema_index"]}
                block = BYTES.get((schema["format"], schema["packing"]), (1, 0, 0))[0]
                if 0 in (schema["rows"], schema["cols"]):
                    yield defect("zero-dimension", **names)
                if schema["cols"] % block:
                    yield defect("partial-block", **names, cols=schema["cols"], block=block)
                pair_id = schema["pair_id"]
                scales = [one for one in bank["schemas"] if one["role"] == "scales" and one is not schema]
                if schema["packing"] == "blocks_values" and pair_id not in [one["pair_id"] for one in scales]:
                    yield defect("missing-partner", **names, pair_id=pair_id)

    def of_segments(self) -> Found:
        for bank_id, bank in self.banks.items():
            own = [one for one in self.layer.segments if one.bank_id == bank_id]
            held = [set(range(one.first_entry, one.first_entry + one.entry_count)) for one in own]
            for one, other in combinations(range(len(own)), 2):
                if own[one].segment_index == own[other].segment_index:
                    yield defect(
                        "duplicate-segment-index", bank_id=bank_id, segment_index=own[one].segment_index
                    )
                if shared := held[one] & held[other]:
                    yield defect(
                        "segment-overlap",
                        bank_id=bank_id,
                        segment_index=own[one].segment_index,
                        other_segment_index=own[other].segment_index,
                        first_entry=min(shared),
                        end_entry=max(shared) + 1,
                    )
            missing = set(range(bank["num_entries"])).difference(*held)
            if missing and not self.shown["header"]["flags"] % 2:
                assert max(missing) - min(missing) == len(missing) - 1
                yield defect(
                    "segment-gap", bank_id=bank_id, first_entry=min(missing), end_entry=max(missing) + 1
                )

    def of_rows(self) -> Found:
        for names, offset, length in self.regions:
            schema, told = self.schema(names), self.told(names, offset)
            if offset + length > len(self.data):
                yield defect("region-out-of-bounds", **told, length=length)
            if offset % 64:
                yield defect("misaligned", **told)
            if offset < self.shown["table_bytes"]:
                yield defect("region-in-tables", **told)
            block, size, more = BYTES.get((schema["format"], schema["packing"]), (0, 0, 0))
            if block and not schema["cols"] % block:
                expected = schema["rows"] * schema["cols"] // block * size + more
                if expected != length:
                    facts = {**names, "role": schema["role"], "format": schema["format"]}
                    yield defect("region-length-mismatch", **facts, length=length, expected=expected)

    def of_bytes(self) -> Found:
        held = [set(range(offset, offset + length)) for _, offset, length in self.regions]
        for one, other in combinations(range(len(held)), 2):
            if held[one] & held[other]:
                first, second = (self.told(*self.regions[place][:2]) for place in (one, other))
                yield defect("overlap", **first, other=second)
        end = max(offset + length for _, offset, length in self.regions)
        if end < len(self.data):
            yield defect("trailing-bytes", offset=end, length=len(self.data) - end)
        for at in range(self.shown["table_bytes"], min(end, len(self.data))):
            if self.data[at] and not any(at in one for one in held):
                yield defect("non-zero-padding", offset=at)


@pytest.mark.parametrize("name", [name for name in JUDGED if name != "lyrw/entry_tables_cut"])
def test_a_second_judge_finds_the_same(name: str, described: Callable[[Path], Any]) -> None:
    """Looking at every byte and every entry finds the defects that stand beside the golden, and no others."""
    golden = goldens()[name]
    found = list(Judge(described(golden.path)).defects())
    for request in golden.requests:
        if request.verb == "lyrw.verify":
            assert first_difference(request.answer, {"defects": found}) is None


def test_a_cut_table_breaks_the_description(described: Callable[[Path], Any]) -> None:
    """The golden whose rows are cut off cannot be read whole, and its twin can, with the same rows."""
    golden = goldens()["lyrw/entry_tables_cut"]
    with pytest.raises(ConstructError):
        described(golden.path)
    twin = Judge(described(goldens()[golden.twin or ""].path))
    size = golden.path.stat().st_size
    (request,) = golden.requests
    rows = 120 + 16 * ((size - 120) // 16)
    expected = [defect("truncated", what="entry table", at=rows, need=16, have=size - rows)]
    for names, offset, length in twin.regions[: (rows - 120) // 16]:
        expected.append(defect("region-out-of-bounds", **twin.told(names, offset), length=length))
    assert first_difference(request.answer, {"defects": expected}) is None


@pytest.mark.parametrize("name", LAID)
def test_a_layout_is_that_of_the_file(name: str, described: Callable[[Path], Any]) -> None:
    """The layout beside a golden names the offsets that its rows state, and its plan what its tables say."""
    golden = goldens()[name]
    judge = Judge(described(golden.path))
    for request in golden.requests:
        if request.verb == "lyrw.layout":
            answer: Any = request.answer
            plan: Any = request.arguments["plan"]
            regions = [
                {**names, "offset": offset, "length": length} for names, offset, length in judge.regions
            ]
            assert answer["regions"] == regions
            assert answer["file_length"] == len(judge.data)
            told = {key: answer["tables"][key] for key in ("table_bytes", "payload_start")}
            assert told == {key: judge.shown[key] for key in told}
            assert first_difference(_kept(plan), judge.shown) is None


def _kept(plan: Any) -> dict[str, Any]:
    """The keys of a plan that a description has as well."""
    header = {key: value for key, value in plan["header"].items() if not key.startswith("num_")}
    banks = [
        {key: value for key, value in bank.items() if key != "region_schema_count"} for bank in plan["banks"]
    ]
    return {"header": header, "banks": banks, "segments": plan["segments"]}
