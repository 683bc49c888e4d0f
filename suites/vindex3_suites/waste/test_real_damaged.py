"""Damaged copies of a real container: each has the verdict that the clauses demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_vindex3 import answers, cases, check, clause, either, needs, refuses
from pytest_vindex3.contract.patterns import Present, element, field, one_of
from pytest_vindex3.plugin.expect import Answers
from vindex3_fixtures.real.waste_containers import damaged, good
from vindex3_suites.waste.models import exact
from vindex3_suites.waste.records import RECORD
from vindex3_suites.waste.test_real_containers import header, opened_real
from vindex3_suites.waste.verifying import Listed, defect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation

BASE: Final = "vq3r-b64"
"""The container of which all damaged ones are copies."""
PLACE: Final[dict[str, Any]] = {"layer": 1, "expert": 2}
"""The record that damages of records are in."""

RECORDS: dict[str, tuple[str, Expectation]] = {
    "h01": ("RECORD-MAGIC-01", refuses("bad-magic", **PLACE)),
    "h04": ("RECORD-IDENTITY-01", refuses("record-identity", **PLACE, found_layer=1, found_expert=3)),
    "h07": ("RECORD-SIZE-01", refuses("record-length", **PLACE, found=0)),
    "h12": ("RECORD-LOWRANK-01", refuses("unsupported-feature", **PLACE, found=1)),
    "h14": ("RECORD-BOOK-02", refuses("codebook-mismatch", **PLACE, found=9, expected=0)),
    "h17": ("RECORD-OFFSET-01", refuses("record-offsets", **PLACE, field="gate_off", found=0)),
    "h20": (
        "RECORD-OFFSET-02",
        refuses("record-offsets", **PLACE, field=one_of("down_off", "correction_off")),
    ),
    "h24b": ("RECORD-OFFSET-03", refuses("record-offsets", **PLACE, field=one_of("up_off", "gate_off"))),
    "p04": ("RECORD-MAGIC-01", refuses("bad-magic", **PLACE)),
}
"""Records that are refused on every read, verified or not."""


def _judged(table: Mapping[str, tuple[str, Any]]) -> list[Any]:
    """The damages of a table as parameters, each with the mark of its clause."""
    return [
        pytest.param(name, *row, id=name, marks=pytest.mark.vindex3_clause(row[0]))
        for name, row in table.items()
    ]


def _check_legal(ask: Ask, clause_id: str) -> None:
    """The record of the undamaged container is served."""
    real = good(BASE)
    legal = answers(header=header(real.headers[1, 2], 1))
    check(clause_id, ask(RECORD, path=ask.file(BASE, real.folder), **PLACE, verify=True), legal)


@pytest.mark.parametrize(("name", "clause_id", "expected"), _judged(RECORDS))
def test_a_damaged_record_is_refused(ask: Ask, name: str, clause_id: str, expected: Expectation) -> None:
    """A real record with one damage is refused, verified or not, and its neighbour is served."""
    _check_legal(ask, clause_id)
    path = ask.file("wrong", damaged(name, "wrong"))
    for verify in (False, True):
        check(clause_id, ask(RECORD, path=path, **PLACE, verify=verify), expected)
    neighbour = answers(header=header(good(BASE).headers[1, 1], 1))
    check(clause_id, ask(RECORD, path=path, layer=1, expert=1, verify=True), neighbour)


@clause("CRC-RANGE-02", "CRC-RANGE-03")
@cases(bit_of_the_gate="p01", scales_moved="h23")
def test_damage_of_a_payload_shows_when_verified(ask: Ask, case: str) -> None:
    """A record whose checksum is another is served unverified, and refused verified."""
    _check_legal(ask, "CRC-RANGE-02")
    path = ask.file("wrong", damaged(case, "wrong"))
    stored = int(good(BASE).headers[1, 2]["crc32"], 16)
    refused = refuses("checksum-mismatch", **PLACE, stored=stored)
    check("CRC-RANGE-02", ask(RECORD, path=path, **PLACE, verify=True), refused)
    data = damaged(case, "wrong").files["experts-L1.bin"]
    whole = data[24576:36864] if isinstance(data, bytes) else b""
    check("CRC-RANGE-03", ask(RECORD, path=path, **PLACE), answers(data=whole))


@clause("RECORD-FMT-02", "RECORD-RESERVED-01")
@cases(format_5=("h09", {"fmt": 5}), reserved=("h26", {"reserved0": 7}))
def test_what_a_record_may_say_is_served(ask: Ask, case: tuple[str, dict[str, int]]) -> None:
    """Format 5 beside three stages, and a reserved field, are served, verified or not."""
    name, fields = case
    path = ask.file("wrong", damaged(name, "wrong"))
    expected = answers(header={**header(good(BASE).headers[1, 2], 1), **fields})
    for verify in (False, True):
        reply = ask(RECORD, path=path, **PLACE, verify=verify)
        for clause_id in ("RECORD-FMT-02", "RECORD-RESERVED-01"):
            check(clause_id, reply, expected)


@clause("RECORD-BOOK-02")
def test_another_base_refuses_every_record(ask: Ask) -> None:
    """Where the manifest's base is another, each record of the layer names other books than its own."""
    _check_legal(ask, "RECORD-BOOK-02")
    path = ask.file("wrong", damaged("l10", "wrong"))
    for expert in range(4):
        refused = refuses("codebook-mismatch", layer=1, expert=expert, found=0, expected=9)
        check("RECORD-BOOK-02", ask(RECORD, path=path, layer=1, expert=expert), refused)


HEAD, EMBEDDING, NORM = "lm_head.weight", "model.embed_tokens.weight", "model.norm.weight"
MANIFEST = {"path": "manifest.json"}
LENGTH = 924080
"""Bytes of the trunk; its last 512 are `NORM`."""
BANK = {"path": "experts-L1.bin"}


def _range(key: str, value: object) -> Expectation:
    return refuses("out-of-range", field=field(key), value=value)


def _version(found: object) -> Expectation:
    return refuses("unknown-version", **MANIFEST, found=found, supported=Present())


def _extent(name: str, need: int, have: int = LENGTH, *more: str) -> Expectation:
    return refuses("extent-out-of-file", *more, tensor=name, need=need, have=have)


def _opens(**changes: Any) -> Answers:
    """The undamaged container, but for these keys of the answer."""
    return answers(exact({**opened_real(good(BASE)), **changes}))


def _with_quant(**changes: object) -> Answers:
    quant: Mapping[str, object] = opened_real(good(BASE))["expert_quant"]
    return _opens(expert_quant={**quant, **changes})


def _renamed() -> Answers:
    """The container in which the last tensor has another name."""
    *others, last = opened_real(good(BASE))["trunk"]
    return _opens(trunk=[*others, {**last, "name": "model.norm.weightX"}])


MALFORMED = refuses("malformed-json", **MANIFEST)
EITHER_LAYER = one_of(1, 2)
SHAPED = ("shape-mismatch", "overlap", "extent-out-of-file")
"""How a tensor may be refused that takes more or fewer bytes than it is listed with."""

OPENED: dict[str, tuple[str, Expectation]] = {
    "t02": ("WASTE-LAYER-07", refuses("truncated", **BANK, need=49152, have=100)),
    "t07": ("CODEBOOK-FILE-02", refuses("partial-codebook", "out-of-range")),
    "t09b": ("WASTE-LAYER-11", refuses("out-of-range", layer=EITHER_LAYER, value=one_of(0, 9), books=0)),
    "t11": ("TRUNK-EXTENT-01", _extent(NORM, LENGTH, LENGTH - 1)),
    "t13": ("WASTE-DIR-02", refuses("missing-file", **MANIFEST)),
    "m02": ("WASTE-VERSION-02", _version(1)),
    "m05": ("WASTE-VERSION-03", _version(0.5)),
    "m07b": ("WASTE-VERSION-02", _version(1 << 32)),
    "q02": ("WASTE-QUANT-01", _range("stages", -3)),
    "q05": ("WASTE-QUANT-01", _range("entries", 0)),
    "q08": ("WASTE-QUANT-04", refuses("unsupported-packing", field=field("stages", "entries"))),
    "q20": ("WASTE-JSON-07", refuses("missing-field", **MANIFEST, field=field("expert_quant"))),
    "q25": ("WASTE-LAYER-11", refuses("out-of-range", "bad-stride", layer=EITHER_LAYER)),
    "q28": (
        "WASTE-QUANT-07",
        either(_with_quant(index_block=32), refuses("unsupported-index-block", value=32)),
    ),
    "q31": ("WASTE-QUANT-09", _with_quant(bits_per_weight=99)),
    "c01": ("WASTE-CONFIG-04", _range("num_hidden_layers", 0)),
    "c04": ("WASTE-CONFIG-04", refuses("out-of-range", "bad-type", field=field("num_hidden_layers"))),
    "c07": ("WASTE-CONFIG-04", _range("hidden_size", 1048577)),
    "c10": ("WASTE-CONFIG-04", _range("vocab_size", 0)),
    "c13": ("WASTE-CONFIG-08", _range("rms_norm_eps", one_of(0, 0.0))),
    "c16": ("WASTE-CONFIG-08", _range("num_experts_per_token", 65)),
    "c19": ("WASTE-CONFIG-04", _range("num_experts", 1048577)),
    "c22": ("WASTE-CONFIG-04", _range("num_experts", -4)),
    "c25": ("WASTE-LAYER-10", refuses("bad-stride", layer=EITHER_LAYER, stride=12288)),
    "c28": ("WASTE-CONFIG-08", _range("first_k_dense_replace", -1)),
    "c31": ("WASTE-CONFIG-08", _range("num_shared_experts", 65)),
    "c34": ("WASTE-CONFIG-08", _range("qk_nope_head_dim", -1)),
    "c37": ("WASTE-CONFIG-08", _range("attn_res_block_size", 4)),
    "c42": ("WASTE-JSON-07", refuses("missing-field", **MANIFEST, field=field("config"))),
    "c45": ("WASTE-JSON-02", _opens()),
    "l03": (
        "WASTE-LAYER-06",
        either(
            refuses("out-of-range", layer=1, bytes=49153, experts=4),
            refuses("truncated", **BANK, need=49153, have=49152),
        ),
    ),
    "l06": ("WASTE-LAYER-10", refuses("bad-stride", "trailing-bytes")),
    "l07b": ("WASTE-LAYER-07", refuses("truncated", **BANK, need=1 << 62, have=49152)),
    "l13": ("WASTE-PATH-01", refuses("path-escape", path="../wrong/experts-L1.bin")),
    "l15": ("WASTE-PATH-04", refuses("missing-field", field=field("file"))),
    "l18": ("WASTE-JSON-07", refuses("bad-type", **MANIFEST, field=field("layers"))),
    "r01": ("TRUNK-SHAPE-01", refuses("out-of-range", tensor=NORM, field=field("shape"))),
    "r04": (
        "TRUNK-SHAPE-03",
        either(_extent(NORM, LENGTH - 512 + (4 << 40)), refuses("shape-mismatch", tensor=NORM)),
    ),
    "r07": ("TRUNK-EXTENT-01", refuses(*SHAPED, tensor=NORM)),
    "r10": ("TRUNK-EXTENT-01", _extent(NORM, LENGTH - 4 + 512)),
    "r13": ("WASTE-JSON-06", refuses("out-of-range", "bad-type", field=field("off"))),
    "r16": ("TRUNK-EXTENT-01", _extent(HEAD, LENGTH + 1 + 1024)),
    "r19": ("TRUNK-GROUP-01", refuses("out-of-range", tensor=HEAD, value=-128)),
    "r22": ("TRUNK-BYTES-01", refuses(*SHAPED, tensor=one_of(HEAD, EMBEDDING))),
    "r25": ("TRUNK-FMT-02", either(answers(format_version=0), refuses("unknown-format", *SHAPED))),
    "r28": ("TRUNK-BYTES-01", refuses(*SHAPED, tensor=HEAD)),
    "r31": ("TRUNK-EXTENT-01", either(_extent(EMBEDDING, LENGTH - 2 + 1024), refuses("overlap"))),
    "r34": ("TRUNK-BYTES-01", refuses("shape-mismatch", tensor=HEAD, expected=66560, found=0)),
    "r40": ("TRUNK-ENTRY-01", _renamed()),
    "r43": ("TRUNK-ENTRY-01", _opens(trunk=[])),
    "r46": ("TRUNK-ENTRY-02", refuses("bad-type", field=element("trunk", 57))),
    "j02": ("WASTE-JSON-04", refuses("duplicate-key", **MANIFEST)),
    "j05": ("WASTE-JSON-01", MALFORMED),
    "j08": ("WASTE-JSON-01", MALFORMED),
    "j11": ("WASTE-JSON-01", MALFORMED),
    "j14": ("WASTE-JSON-02", _opens()),
    "j17": ("WASTE-JSON-04", refuses("nesting-too-deep", "malformed-json", **MANIFEST)),
    "j20": ("WASTE-JSON-04", MALFORMED),
    "j23": ("WASTE-JSON-01", MALFORMED),
    "j26": ("WASTE-JSON-01", MALFORMED),
    "j29": ("WASTE-JSON-01", MALFORMED),
    "j32": ("WASTE-JSON-01", MALFORMED),
    "j35": ("WASTE-JSON-01", MALFORMED),
    "u03": ("USAGE-OPEN-01", _opens()),
    "u06": ("USAGE-OPEN-01", _opens()),
}
"""What waste.open answers to each damage of the rest."""


@pytest.mark.parametrize(("name", "clause_id", "expected"), _judged(OPENED))
def test_a_damaged_container_has_its_verdict(
    ask: Ask, name: str, clause_id: str, expected: Expectation
) -> None:
    """A real container with one damage is refused, opened, or left to the reader, as the clauses say."""
    check(clause_id, ask("waste.open", path=ask.file("wrong", good(BASE).folder)), _opens())
    check(clause_id, ask("waste.open", path=ask.file("wrong", damaged(name, "wrong"))), expected)


@clause("WASTE-LAYER-08")
@needs("waste.verify")
def test_a_bank_that_is_too_long_is_found(ask: Ask) -> None:
    """A page behind the last record is found by open or by verification."""
    path = ask.file("wrong", damaged("t05", "wrong"))
    facts = {**BANK, "offset": 49152, "length": 4096}
    check(
        "WASTE-LAYER-08", ask("waste.open", path=path), either(_opens(), refuses("trailing-bytes", **facts))
    )
    listed = Answers({"defects": Listed((defect("trailing-bytes", **facts),))}, frozenset({"wrong"}))
    reply = ask("waste.verify", path=path)
    check("WASTE-LAYER-08", reply, either(listed, refuses("trailing-bytes", **facts)))
