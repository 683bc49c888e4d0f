"""Verification of whole containers: what is read, what is listed, and what is no container."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_vindex3 import answers, cases, check, clause, either, refuses
from pytest_vindex3.contract.difference import Difference
from pytest_vindex3.contract.patterns import one_of
from pytest_vindex3.plugin.expect import Answers
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import CODEBOOKS, MANIFEST, TRUNK, Quant, Waste, made, plain, quantised
from vindex3_fixtures.waste.trunk import Q8G
from vindex3_suites.waste.models import (
    BLOCKED,
    DENSE,
    EMBEDDING,
    FULL,
    HEAD,
    PACKED,
    PAIRS,
    SHAPES,
    SINGLE,
    TINY,
)
from vindex3_suites.waste.records import FAULTS, with_header
from vindex3_suites.waste.verifying import check_listed, defect, lists, records, sound, verify

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_suites.waste.records import Fault


@clause("WASTE-VERIFY-01")
@cases({**SHAPES, "full": FULL})
def test_a_sound_container_has_no_defect(ask: Ask, case: Waste) -> None:
    """Every record is summed and counted, and nothing is listed; without experts none is."""
    check("WASTE-VERIFY-01", verify(ask, case), sound(case))


@clause("WASTE-VERIFY-01")
def test_every_record_is_counted(ask: Ask) -> None:
    """Of 40 layers of 5 experts, 200 records are read."""
    model = made(quant=Quant(1, 8, 4), inner=8, width=8, experts=5, layers=41, seed="many")
    check("WASTE-VERIFY-01", verify(ask, model), answers(records_checked=200, defects=[]))


@clause("WASTE-VERIFY-01")
@cases(FAULTS)
def test_headers_are_checked(ask: Ask, case: Fault) -> None:
    """A header's fault is listed with its record; one whose extent nobody knows is not counted."""
    wrong = case.wrong(TINY, 2, 1)
    found = defect(case.kind, layer=2, expert=1)
    gap = ("region-gap",) if case.kind == "record-offsets" else ()
    also, total = ("checksum-mismatch", *gap), records(TINY)
    checked = total - 1 if case is FAULTS["scales"] else one_of(total - 1, total)
    check_listed(ask, "WASTE-VERIFY-01", TINY, wrong, found, also=also, checked=checked)


def _with_payload(model: Waste, layer: int, expert: int, offset: int) -> tuple[Waste, dict[str, Any]]:
    """The container with one payload byte of a record changed, and the defect's facts."""
    stored, name = model.record(layer, expert), model.bank_file(layer)
    bank = model.files[name]
    data = bank if isinstance(bank, bytes) else b""
    start = expert * stored.length
    wrong = model.patched(name, start + offset, bytes([data[start + offset] ^ 0x08]))
    changed = wrong.files[name]
    payload = changed[start + 48 : start + stored.payload_end] if isinstance(changed, bytes) else b""
    facts = {"stored": stored.true_header["crc32"], "computed": zlib.crc32(payload)}
    return wrong, {"layer": layer, "expert": expert, **facts}


FOUR = made(layers=4, seed="damage")
"""Three layers of three experts."""


@clause("WASTE-VERIFY-02")
@cases(
    first_middle_last=((1, 0), (2, 1), (3, 2)),
    only_the_first=((1, 0),),
    only_the_last=((3, 2),),
    all_of_a_layer=((2, 0), (2, 1), (2, 2)),
    every_one=tuple((layer, expert) for layer in (1, 2, 3) for expert in range(3)),
)
def test_every_damage_is_listed(ask: Ask, case: tuple[tuple[int, int], ...]) -> None:
    """Each damaged payload gives a defect with both checksums, and every record is still summed."""
    wrong, found = FOUR, []
    for layer, expert in case:
        wrong, facts = _with_payload(wrong, layer, expert, 48 + 100 * layer + 11 * expert)
        found.append(defect("checksum-mismatch", **facts))
    also = ("index-out-of-codebook",)  # what is damaged may be looked into, and be no index any more
    check_listed(ask, "WASTE-VERIFY-02", FOUR, wrong, *found, also=also, checked=9)


@clause("WASTE-VERIFY-02")
def test_damages_of_several_kinds_are_listed(ask: Ask) -> None:
    """A header, a payload and a stored checksum, each in a layer of its own, are listed in one answer."""
    wrong, facts = _with_payload(FOUR, 2, 1, 60)
    wrong = with_header(wrong, 1, 0, magic=0)
    true = FOUR.record(3, 2).true_header["crc32"]
    wrong = with_header(wrong, 3, 2, crc32=true ^ 1)
    found = (
        defect("bad-magic", layer=1, expert=0),
        defect("checksum-mismatch", **facts),
        defect("checksum-mismatch", layer=3, expert=2, stored=true ^ 1, computed=true),
    )
    check_listed(ask, "WASTE-VERIFY-02", FOUR, wrong, *found, also=("index-out-of-codebook",))


MANY = made(quant=Quant(1, 8, 4), inner=8, width=8, experts=150, layers=1, dense=0, seed="verified")


@clause("WASTE-VERIFY-02")
def test_damages_among_many_records_are_listed(ask: Ask) -> None:
    """Of 150 records each is summed, the hundredth and the last as well."""
    wrong, found = MANY, []
    for expert in (0, 1, 63, 64, 99, 128, 149):
        wrong, facts = _with_payload(wrong, 0, expert, 49)
        found.append(defect("checksum-mismatch", **facts))
    also = ("index-out-of-codebook",)
    check_listed(ask, "WASTE-VERIFY-02", MANY, wrong, *found, also=also, checked=150)


@clause("WASTE-VERIFY-02")
def test_a_damage_behind_a_gap_is_listed(ask: Ask) -> None:
    """A record that is odd and may be read is summed like all others."""
    odd = replace(TINY.record(1, 1), gaps={"gate": 3, "up": 40})
    true = odd.true_header["crc32"]
    wrong = TINY.with_record(1, 1, odd.with_stored(crc32=true ^ 1))
    found = defect("checksum-mismatch", layer=1, expert=1, stored=true ^ 1, computed=true)
    check_listed(ask, "WASTE-VERIFY-02", TINY, wrong, found, also=("region-gap",), checked=6)
    gaps = TINY.with_record(1, 1, odd)
    check("WASTE-VERIFY-02", verify(ask, gaps), lists(also=("region-gap",), checked=6))


PACKINGS = {
    "three_stages": BLOCKED,
    "two_stages": made(
        quant=Quant(2, 8, 256, index_block=64), inner=72, width=80, experts=1, layers=1, dense=0
    ),
    "four_stages": made(quant=Quant(4, 8, 16), inner=72, width=80, experts=1, layers=1, dense=0),
    "packed": PACKED,
    "few_entries": PAIRS,
    "one_of_everything": SINGLE,
    "whole_blocks": made(
        quant=Quant(3, 8, 64, index_block=64), inner=64, width=128, experts=1, layers=1, dense=0
    ),
    "eight_stages_of_format_5": made(quant=Quant(8, 2, 9), inner=10, width=6, experts=2, layers=1, dense=0),
}


@clause("WASTE-VERIFY-03")
@cases(PACKINGS)
def test_every_packing_is_sound(ask: Ask, case: Waste) -> None:
    """Containers of any packing and block, and of rows that fill none, have no defect, nor under fmt 5."""
    check("WASTE-VERIFY-03", verify(ask, case), sound(case))
    if case is PACKED:
        return
    layer = next(iter(case.banks))
    marked = case.with_record(layer, 0, replace(case.record(layer, 0), fmt=5))
    check("WASTE-VERIFY-03", verify(ask, marked), sound(marked))


@dataclass(frozen=True, slots=True)
class Some:
    """A list that has at least a defect of one of these kinds."""

    kinds: tuple[str, ...]

    def difference(self, found: object, path: str) -> Difference | None:
        """A difference where none is listed."""
        listed = found if isinstance(found, list) else []
        fits = any(item["kind"] in self.kinds for item in listed)
        return None if fits else Difference(path, f"{' or '.join(self.kinds)} among them", found)


UNOPENED: dict[str, tuple[Waste | Folder, tuple[str, ...]]] = {
    "no_manifest": (TINY.folder.without(MANIFEST), ("missing-file",)),
    "no_json": (TINY.folder.with_file(MANIFEST, b"{"), ("malformed-json",)),
    "version": (TINY.with_manifest(("format_version",), 1), ("unknown-version",)),
    "no_config": (TINY.without_manifest(("config",)), ("missing-field",)),
    "no_expert_quant": (TINY.without_manifest(("expert_quant",)), ("missing-field",)),
    "config": (TINY.with_config("num_hidden_layers", 129), ("out-of-range", "missing-layer")),
    "quant": (TINY.with_quant("stages", 9), ("out-of-range",)),
    "packing": (PACKED.with_quant("stages", 3), ("unsupported-packing",)),
    "no_layer": (TINY.without_manifest(("layers", "2")), ("missing-layer",)),
    "dense_layer": (TINY.with_manifest(("layers", "0"), TINY.manifest["layers"]["1"]), ("unexpected-layer",)),
    "count": (TINY.with_layer(1, "experts", 2), ("count-mismatch",)),
    "no_trunk": (TINY.folder.without(TRUNK), ("missing-file",)),
    "no_codebooks": (TINY.folder.without(CODEBOOKS), ("missing-file",)),
    "no_bank": (TINY.folder.without("experts-L1.bin"), ("missing-file",)),
    "books": (TINY.with_layer(2, "codebook_base", 10), ("out-of-range",)),
    "extent": (TINY.with_entry(HEAD, "off", 1 << 40), ("extent-out-of-file",)),
    "format": (TINY.with_entry(HEAD, "fmt", 4), ("unknown-format",)),
}


@clause("WASTE-VERIFY-04")
@cases(UNOPENED)
def test_what_does_not_open_is_not_sound(ask: Ask, case: tuple[Waste | Folder, tuple[str, ...]]) -> None:
    """What open refuses, verification refuses too, or lists as a defect of the same kind."""
    wrong, kinds = case
    check("WASTE-VERIFY-04", verify(ask, TINY), sound(TINY))
    listed = Answers({"defects": Some(kinds)}, frozenset({"wrong"}))
    check("WASTE-VERIFY-04", verify(ask, wrong), either(listed, refuses(*kinds)))


@clause("WASTE-VERIFY-04")
def test_what_is_no_directory_is_not_sound(ask: Ask) -> None:
    """Where there is nothing, and where there is a file, nothing is verified."""
    check("WASTE-VERIFY-04", verify(ask, TINY), sound(TINY))
    listed = Answers({"defects": Some(("missing-file",))}, frozenset({"wrong"}))
    for path in (str(ask.folder / "absent"), ask.file("file", b"x")):
        reply = ask("waste.verify", path=path)
        check("WASTE-VERIFY-04", reply, either(listed, refuses("missing-file")))


def _table(name: str, *shape: int) -> Waste:
    """A dense model of vocabulary 10 and width 24 with a tensor of this shape."""
    return DENSE.with_trunk(quantised(name, Q8G, shape, 8, Numbers(name, shape)))


ODD_TABLES: dict[str, tuple[str, tuple[int, ...]]] = {
    "embedding_too_long": (EMBEDDING, (11, 24)),
    "embedding_too_short": (EMBEDDING, (9, 24)),
    "embedding_too_narrow": (EMBEDDING, (10, 16)),
    "embedding_turned": (EMBEDDING, (24, 10)),
    "head_too_long": (HEAD, (16, 24)),
    "head_of_three_dimensions": (HEAD, (1, 10, 24)),
    "head_of_one": (HEAD, (240,)),
}


@clause("WASTE-VERIFY-06")
@cases(ODD_TABLES)
def test_a_table_of_another_shape_is_listed(ask: Ask, case: tuple[str, tuple[int, ...]]) -> None:
    """An embedding or head that is not [vocab_size, hidden_size] is listed, with and without a prefix."""
    name, shape = case
    for prefix in ("", "language_model."):
        legal = _table(prefix + name, 10, 24).with_manifest(("tensor_prefix",), prefix)
        wrong = _table(prefix + name, *shape).with_manifest(("tensor_prefix",), prefix)
        found = defect("config-mismatch", tensor=prefix + name, found=list(shape), expected=[10, 24])
        check_listed(ask, "WASTE-VERIFY-06", legal, wrong, found)


@clause("WASTE-VERIFY-06")
def test_other_tensors_have_any_shape(ask: Ask) -> None:
    """Tensors of other names, the same ones outside the prefix among them, have the shapes they have."""
    prefixed = ("language_model.model.embed_tokens.weight", "language_model.lm_head.weight")
    others = [EMBEDDING, HEAD, "vision.embed_tokens.weight", "lm_head.bias"]
    tensors = [quantised(name, Q8G, (10, 24), 8, Numbers(name)) for name in prefixed]
    tensors += [plain(name, np.ones((2, 3), np.float32)) for name in others]
    model = DENSE.with_trunk(*tensors).with_manifest(("tensor_prefix",), "language_model.")
    check("WASTE-VERIFY-06", verify(ask, model), sound(model))
    wrong = model.with_config("vocab_size", 11)
    found = [defect("config-mismatch", tensor=name, found=[10, 24], expected=[11, 24]) for name in prefixed]
    check("WASTE-VERIFY-06", verify(ask, wrong), lists(*found, checked=records(model)))
