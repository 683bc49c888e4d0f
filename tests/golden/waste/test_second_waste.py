"""Every pinned WASTE container read by its second description: what it says is what stands beside it."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import prod
from struct import pack, unpack
from typing import Any

import numpy as np
import pytest

from pytest_vindex3.contract.difference import HexDigits, first_difference
from vindex3_fixtures.goldens import Golden, Request, goldens

Struct = dict[str, Any]
Agrees = Callable[[Request, Any], None]
Second = Callable[..., Any]

CONTAINERS = [golden for name, golden in goldens().items() if name.startswith("waste/")]
KINDS = ("gate", "up", "down")
OFFSETS = ("gate_off", "up_off", "down_off", "correction_off")
PACKED, BYTES = (8,), (4, 5)


def asked(verb: str, *, refused: bool = False) -> list[Any]:
    """The questions of this verb with an answer, or those with a refusal alone, by golden and position."""
    return [
        pytest.param(golden, request, id=f"{golden.name.removeprefix('waste/')}-{position}")
        for golden in CONTAINERS
        for position, request in enumerate(golden.requests)
        if request.verb == verb and (request.answer is None) == refused
    ]


def given(request: Request) -> Struct:
    """The arguments of a question but for the path."""
    return {key: value for key, value in request.arguments.items() if key not in ("path", "verify")}


def encoded(entry: Struct) -> int:
    """Bytes of payload and scales."""
    *outer, width = entry["shape"]
    if entry["fmt"] < 2:
        return prod(outer) * width * (4 if entry["fmt"] == 0 else 2)
    groups = -(-width // entry["group"])
    bits = {2: 8, 3: 4, 7: 3}[entry["fmt"]] * groups * entry["group"]
    return prod(outer) * (-(-bits // 8) + (entry["fmt"] == 7) + 2 * groups)


@pytest.mark.parametrize(("golden", "request_"), asked("waste.open"))
def test_a_manifest_is_observed_as_it_is_written(
    golden: Golden, request_: Request, second: Second, agrees: Agrees
) -> None:
    """Of every manifest that opens the answer is its keys, with the defaults of the tables."""
    it = second(golden.path)
    quant = it.manifest.get("expert_quant")
    names = ("stages", "vec_dim", "entries", "index_bits", "index_block", "bits_per_weight")
    entries = [{"group": None, "scale_off": None, **entry} for entry in it.manifest["trunk"]]
    plain: Struct = {"group": None, "scale_off": None}
    size = it.book_bytes if quant else None
    told = {
        "format_version": it.manifest["format_version"],
        "arch": it.manifest.get("arch"),
        "tensor_prefix": it.manifest.get("tensor_prefix", ""),
        "expert_quant": quant and {name: it.quant.get(name) for name in names},
        "layers": {
            str(layer): {**it.bank(layer)[0], "record_bytes": it.bank(layer)[1]} for layer in it.layers()
        },
        "trunk": [{"bytes": encoded(one), **one, **(plain if one["fmt"] < 2 else {})} for one in entries],
        "codebooks": {"count": it.books() if quant else 0, "book_bytes": size},
    }
    assert all(entry.get("bytes", encoded(entry)) == encoded(entry) for entry in entries)
    agrees(Request(request_.verb, {}, request_.answer), told)


@pytest.mark.parametrize(("golden", "request_"), asked("waste.record"))
def test_a_header_is_its_48_bytes(golden: Golden, request_: Request, second: Second, agrees: Agrees) -> None:
    """Fields, whole record and digest are as written down, and the slot is the one asked for."""
    header, data, payload = second(golden.path).record(**given(request_))
    fields = {name: value for name, value in header.items() if not name.startswith("_")}
    told = {
        "header": {**fields, "magic": header.magic.hex(), "reserved1": list(header.reserved1)},
        "payload_sha256": hashlib.sha256(payload).hexdigest(),
        "data": data,
    }
    agrees(request_, told)
    assert [header.layer, header.expert_id] == [request_.arguments["layer"], request_.arguments["expert"]]
    assert len(data) == 4096 * header.record_4k_blocks
    if request_.arguments.get("verify"):
        assert zlib.crc32(payload) == header.crc32


def told_of(it: Any, layer: int, expert: int, *, verify: bool) -> tuple[str, Struct]:
    """The first check of section 9.2 that a record does not pass."""
    slot = {"layer": layer, "expert": expert}
    if layer not in it.layers() or expert >= it.config["num_experts"]:
        return "no-such-record", slot
    (entry, stride), (header, data, payload) = it.bank(layer), it.record(layer, expert)
    found = [header[name] for name in OFFSETS]
    lengths = [end - begin for begin, end in pairwise(found)]
    end = header.correction_off + 2 * sum(it.rows.values())
    last = header.codebook_id + 3 * it.quant["stages"]
    base, formats = entry["codebook_base"], PACKED if it.quant["index_bits"] == 6 else BYTES
    magic = {"found": HexDigits(header.magic.hex()), "expected": HexDigits("57455850")}
    identity = {"found_layer": header.layer, "found_expert": header.expert_id}
    sums = {"stored": header.crc32, "computed": zlib.crc32(payload)}
    checks: list[tuple[bool, str, Struct]] = [
        (len(data) < stride, "truncated", {"need": stride, "have": len(data)}),
        (header.magic != b"WEXP", "bad-magic", magic),
        ([header.layer, header.expert_id] != [layer, expert], "record-identity", identity),
        (header.record_4k_blocks * 4096 != stride, "record-length", {}),
        (header.fmt not in formats, "record-format", {"found": header.fmt}),
        (header.lowrank_id != 0, "unsupported-feature", {"found": header.lowrank_id}),
        (last > it.books(), "codebook-mismatch", {"found": header.codebook_id, "books": it.books()}),
        (header.codebook_id != base, "codebook-mismatch", {"found": header.codebook_id, "expected": base}),
        (header.gate_off != 48, "record-offsets", {"field": "gate_off", "found": header.gate_off}),
        (min(lengths) <= 0, "record-offsets", {"found": found[lengths.index(min(lengths))]}),
        (any(map(int.__lt__, lengths, map(it.region_bytes, KINDS))), "record-offsets", {}),
        (end > stride, "record-offsets", {"field": "correction_off"}),
        (verify and sums["stored"] != sums["computed"], "checksum-mismatch", sums),
    ]
    kind, facts = next((kind, facts) for wrong, kind, facts in checks if wrong)
    return kind, {**slot, **facts}


@pytest.mark.parametrize(("golden", "request_"), asked("waste.record", refused=True))
def test_a_record_fails_the_check_that_is_named(golden: Golden, request_: Request, second: Second) -> None:
    """The first check of the table that a refused record fails is the one written down, with its facts."""
    verify = bool(request_.arguments.get("verify"))
    kind, names = told_of(second(golden.path), **given(request_), verify=verify)
    assert request_.kind == kind
    for name, fact in request_.names.items():
        found = names[name].digits if isinstance(names[name], HexDigits) else names[name]
        assert first_difference(fact, found, name) is None


@pytest.mark.parametrize(("golden", "request_"), asked("waste.matrix") + asked("waste.tensor"))
def test_numbers_are_those_of_exact_arithmetic(golden: Golden, request_: Request, second: Second) -> None:
    """Every weight and every value of the trunk is written down bit for bit."""
    it = second(golden.path)
    told = it.matrix if request_.verb == "waste.matrix" else it.tensor
    found = told(**given(request_))
    assert isinstance(request_.answer, np.ndarray)
    assert first_difference(request_.answer, found.astype(np.float32)) is None


@pytest.mark.parametrize(("golden", "request_"), asked("waste.matrix", refused=True))
def test_an_index_is_beyond_the_entries_where_it_is_said(
    golden: Golden, request_: Request, second: Second
) -> None:
    """The one index at or beyond entries stands where the refusal says."""
    it = second(golden.path)
    slot = {key: request_.arguments[key] for key in ("layer", "expert", "matrix")}
    assert request_.kind == "index-out-of-codebook"
    assert [{**slot, **one} for one in beyond(it, **slot)] == [request_.names]


def beyond(it: Any, layer: int, expert: int, matrix: str) -> Iterator[Struct]:
    """The places of indices at or beyond entries."""
    entries = it.quant["entries"]
    for row, positions in enumerate(it.indices(layer, expert, matrix)):
        for position, indices in enumerate(positions):
            for stage, index in enumerate(indices):
                if index >= entries:
                    place = {"row": row, "position": position, "stage": stage}
                    yield {**place, "index": index, "entries": entries}


def infinite(word: int) -> bool:
    """Whether sixteen bits are an infinity or NaN."""
    return not np.isfinite(unpack("<e", pack("<H", word))[0])


def found_in(it: Any) -> Iterator[tuple[str, Struct]]:
    """What verification lists."""
    for layer in it.layers():
        base = it.bank(layer)[0]["codebook_base"]
        for number in range(base, base + 3 * it.quant["stages"]):
            book = it.book(number)
            if book.id != number:
                yield "codebook-header", {"book": number, "field": "id", "found": book.id, "expected": number}
            for at in np.flatnonzero([infinite(word) for word in book.halves]).tolist():
                entry, element = divmod(at, it.quant["vec_dim"])
                yield "non-finite", {"book": number, "entry": entry, "element": element}
        for expert in range(it.config["num_experts"]):
            yield from found_in_record(it, {"layer": layer, "expert": expert})
    for entry in it.manifest["trunk"]:
        yield from found_in_tensor(it, entry)


def found_in_record(it: Any, slot: Struct) -> Iterator[tuple[str, Struct]]:
    header, _, payload = it.record(**slot)
    if zlib.crc32(payload) != header.crc32:
        yield "checksum-mismatch", {**slot, "stored": header.crc32, "computed": zlib.crc32(payload)}
    for kind, begin, end in zip(KINDS, OFFSETS, OFFSETS[1:], strict=False):
        if header[end] - header[begin] > it.region_bytes(kind):
            yield "region-gap", slot
        for row in np.flatnonzero([infinite(word) for word in it.scales(**slot, kind=kind)]).tolist():
            yield "non-finite", {**slot, "matrix": kind, "row": row}
        for place in beyond(it, **slot, matrix=kind):
            yield "index-out-of-codebook", {**slot, "matrix": kind, **place}


def found_in_tensor(it: Any, entry: Struct) -> Iterator[tuple[str, Struct]]:
    tables = [
        it.manifest.get("tensor_prefix", "") + name
        for name in ("model.embed_tokens.weight", "lm_head.weight")
    ]
    expected = [it.config["vocab_size"], it.config["hidden_size"]]
    if entry["name"] in tables and entry["shape"] != expected:
        facts = {"tensor": entry["name"], "found": entry["shape"], "expected": expected}
        yield "config-mismatch", facts
    for row in range(prod(entry["shape"][:-1]) if entry["fmt"] else 0):
        words = it.group_scales(entry, row)
        for group in np.flatnonzero([infinite(word) for word in words]).tolist():
            yield "non-finite", {"tensor": entry["name"], "row": row, "group": group}


@pytest.mark.parametrize(("golden", "request_"), asked("waste.verify"))
def test_defects_are_those_that_are_there(golden: Golden, request_: Request, second: Second) -> None:
    """All defects that the tables find are written down, and no other."""
    it = second(golden.path)
    listed = [{"kind": kind, "names": names} for kind, names in found_in(it)]
    records = len(it.layers()) * it.config.get("num_experts", 0)
    assert first_difference(request_.answer, {"records_checked": records, "defects": listed}) is None


@pytest.mark.parametrize(("golden", "request_"), asked("usage.read"))
def test_statistics_are_their_entries(
    golden: Golden, request_: Request, second: Second, agrees: Agrees
) -> None:
    """Entries in file order, those of the container known, and the warm ones by their last entry."""
    it = second(golden.path)
    stored = it.usage()
    entries = (
        [{key: one[key] for key in one if not key.startswith("_")} for one in stored.entries]
        if stored
        else []
    )
    for one in entries:
        one["known"] = one["layer"] in it.layers() and one["expert"] < it.config["num_experts"]
    last = {(one["layer"], one["expert"]): one["hits"] for one in entries if one["known"]}
    told = {
        "present": stored is not None,
        "version": stored and stored.version,
        "clock": stored and stored.clock,
        "dropped_bytes": len(stored.rest) if stored else 0,
        "entries": entries,
        "warm_order": [list(pair) for pair in sorted(last, key=lambda pair: (-last[pair], pair))],
    }
    agrees(request_, told)
