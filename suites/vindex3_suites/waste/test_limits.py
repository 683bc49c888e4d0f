"""What opening costs: time and memory by the manifest, bytes read by its files, nothing kept of a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, either, on_disk, refuses
from pytest_vindex3.contract.outcome import Limits
from pytest_vindex3.plugin.check import NotRun
from pytest_vindex3.plugin.expect import AtMost
from vindex3_fixtures.json_text import Raw
from vindex3_fixtures.waste import CODEBOOKS, MANIFEST, TRUNK, Sparse, Waste, made
from vindex3_fixtures.waste.trunk import Q3G, Q8G
from vindex3_suites.lyrw.limits import GIB, MIB, reads, sparse_files
from vindex3_suites.waste.limits import measured, promptly
from vindex3_suites.waste.models import DENSE, EMBEDDING, IDLE, NORM, TINY, open_, opens

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation


def _long_string(model: Waste) -> Waste:
    return model.with_manifest(("unknown",), Raw('"' + "x" * MIB + '"'))


def _many_tensors(count: int) -> Waste:
    """A dense container with so many tensors of one number each."""
    entries = [
        {"name": f"model.layers.{place}.weight", "fmt": 0, "shape": [1], "off": 4 * place, "bytes": 4}
        for place in range(count)
    ]
    return DENSE.with_manifest(("trunk",), entries).with_file(TRUNK, bytes(4 * count))


@on_disk
@clause("WASTE-JSON-03")
@cases(tiny=TINY, dense=DENSE)
def test_a_long_string_is_read(ask: Ask, case: Waste) -> None:
    """An unknown key that holds a string of 1 MiB, at the root or in config, opens promptly."""
    for model in (_long_string(case), case.with_config("unknown", Raw('"' + "é" * (MIB // 2) + '"'))):
        reply, cost = measured(ask, model)
        check("WASTE-JSON-03", reply, opens(case))
        check("WASTE-JSON-03", reply, promptly(ask, model, cost))


@on_disk
@clause("WASTE-JSON-03")
@cases(some=1000, many=20_000)
def test_many_tensors_are_read(ask: Ask, case: int) -> None:
    """A trunk of 20 000 tensors opens promptly, and all of them are listed."""
    model = _many_tensors(case)
    reply, cost = measured(ask, model)
    check("WASTE-JSON-03", reply, opens(model))
    check("WASTE-JSON-03", reply, promptly(ask, model, cost))


BROAD = made(inner=8, width=8, experts=1, layers=1, dense=0, tensors=())


def _declared(**values: object) -> Waste:
    model = BROAD
    for key, value in values.items():
        model = model.with_config(key, value)
    return model


def _tensor(fmt: int, shape: list[int], **changes: object) -> Waste:
    entry = {"name": "w", "fmt": fmt, "shape": shape, "off": 0, "group": 1, "scale_off": 0}
    return TINY.with_manifest(("trunk",), [{**entry, **changes}])


def _advised(*kinds: str) -> Expectation:
    """A refusal that is only advised: what is judged here is what either outcome costs."""
    kind, *more = kinds
    return either(answers(format_version=0), refuses(kind, *more))


REFUSED: dict[str, tuple[Waste, Expectation]] = {
    "largest_shape": (_tensor(Q8G, [1 << 26] * 4), refuses("extent-out-of-file", "overlap")),
    "largest_group": (_tensor(Q3G, [1], group=(1 << 63) - 1), refuses("extent-out-of-file", "overlap")),
    "long_shape": (
        TINY.with_entry(NORM, "shape", Raw("[" + ",".join(["1"] * 200_000) + "]")),
        refuses("out-of-range"),
    ),
    "largest_offset": (TINY.with_entry(NORM, "off", (1 << 63) - 1), refuses("extent-out-of-file")),
    "long_bank": (TINY.with_layer(1, "bytes", 3 << 60), _advised("truncated")),
    "many_experts": (
        _declared(num_experts=65536).with_layer(0, "experts", 65536).with_layer(0, "bytes", 65536 << 12),
        _advised("truncated"),
    ),
    "widest_experts": (_declared(hidden_size=MIB, moe_intermediate_size=MIB), _advised("bad-stride")),
    "largest_books": (
        BROAD.with_quant("entries", 256),
        refuses("out-of-range", "partial-codebook", "codebook-header", "bad-stride"),
    ),
    "highest_base": (BROAD.with_layer(0, "codebook_base", (1 << 63) - 1), refuses("out-of-range")),
    "many_missing_layers": (
        TINY.with_config("num_hidden_layers", 128),
        refuses("missing-layer"),
    ),
    "a_long_version": (
        TINY.with_manifest(("format_version",), Raw("[" + ",".join(["0"] * 100_000) + "]")),
        refuses("unknown-version"),
    ),
    "a_long_number": (
        TINY.with_entry(NORM, "off", Raw("1" * 100_000)),
        refuses("out-of-range", "malformed-json"),
    ),
    "a_long_name": (TINY.with_layer(1, "file", "n" * MIB), refuses("missing-file", "path-escape", "io")),
    "many_equal_names": (
        _many_tensors(10_000).with_manifest(("trunk", 9_999, "name"), "model.layers.0.weight"),
        _advised("duplicate-id"),
    ),
    "many_overlaps": (
        DENSE.with_manifest(
            ("trunk",),
            [{"name": f"{place}", "fmt": 0, "shape": [9], "off": 4 * place} for place in range(5_000)],
        ).with_file(TRUNK, bytes(20_040)),
        _advised("overlap"),
    ),
}


@on_disk
@clause("WASTE-LIMIT-01")
@cases(REFUSED)
def test_a_claim_costs_nothing(ask: Ask, case: tuple[Waste, Expectation]) -> None:
    """Whatever counts, shapes and offsets are declared, refusing takes the memory and time of the text."""
    wrong, expected = case
    reply, cost = measured(ask, TINY)
    check("WASTE-LIMIT-01", reply, opens(TINY))
    reply, cost = measured(ask, wrong)
    check("WASTE-LIMIT-01", reply, expected)
    check("WASTE-LIMIT-01", reply, promptly(ask, wrong, cost))


OPENED: dict[str, Waste] = {
    "largest_numbers": IDLE.with_config("hidden_size", MIB)
    .with_config("num_experts", MIB)
    .with_config("moe_intermediate_size", MIB)
    .with_config("vocab_size", 1 << 24),
    "a_long_list": TINY.with_manifest(("unknown",), Raw("[" + ",".join(["0"] * MIB) + "]")),
    "a_long_object": TINY.with_manifest(("unknown",), {f"key{place}": None for place in range(100_000)}),
    "many_layers_beyond": DENSE.with_manifest(
        ("layers",), {str(place): {} for place in range(1000, 101_000)}
    ),
    "many_blanks": DENSE.with_manifest(("unknown",), Raw(" " * (4 * MIB) + "0")),
    "many_escapes": DENSE.with_manifest(("unknown",), Raw('"' + "\\u0041" * (MIB // 2) + '"')),
}


@on_disk
@clause("WASTE-LIMIT-01")
@cases(OPENED)
def test_a_long_manifest_costs_its_length(ask: Ask, case: Waste) -> None:
    """A manifest of several MiB opens in memory and time in proportion to its text."""
    reply, cost = measured(ask, case)
    check("WASTE-LIMIT-01", reply, answers(format_version=0, arch=case.manifest["arch"]))
    check("WASTE-LIMIT-01", reply, promptly(ask, case, cost))


def _sparse() -> dict[str, Waste]:
    """Containers of 64 GiB whose payload is a hole, with what they hold beside it."""
    data: Any = TINY.files[TRUNK]
    experts, stride = 16384, 4 * MIB
    bank = _declared(num_experts=experts).with_layer(0, "experts", experts)
    wide = bank.with_layer(0, "bytes", experts * stride).with_file("experts-L0.bin", Sparse(experts * stride))
    return {
        "trunk": TINY.with_file(TRUNK, Sparse(64 * GIB, {0: data})),
        "trunk_of_far_tensors": TINY.with_file(TRUNK, Sparse(64 * GIB)).with_entry(
            EMBEDDING, "off", 63 * GIB
        ),
        "bank": wide,
    }


@on_disk
@clause("WASTE-LIMIT-02")
@cases(_sparse())
def test_no_payload_is_read(ask: Ask, case: Waste) -> None:
    """A trunk or a bank of 64 GiB opens for the bytes of manifest and codebooks, and 8 KiB of each file."""
    sparse_files(ask.folder)
    beside = len(case.text) + case.length(CODEBOOKS) + 8192 * len(case.files)
    reply, cost = measured(ask, case, beside + MIB)
    check("WASTE-LIMIT-02", reply, opens(case))
    check("WASTE-LIMIT-02", reply, reads(beside, cost))
    check("WASTE-LIMIT-02", reply, promptly(ask, case, cost))


WRONG: dict[str, tuple[Waste, Expectation]] = {
    "malformed": (TINY.with_manifest(("unknown",), Raw("tru")), refuses("malformed-json")),
    "extent": (TINY.with_entry(NORM, "off", 1 << 40), refuses("extent-out-of-file")),
    "missing_bank": (TINY.with_layer(2, "file", "absent.bin"), refuses("missing-file")),
    "base": (TINY.with_layer(2, "codebook_base", 10), refuses("out-of-range")),
}
FIRST = 10
MAPPED = MIB
"""Bytes of mapped files that a library loaded late may add."""


@on_disk
@clause("WASTE-LIMIT-03")
@cases(some=200, many=2000)
def test_a_refused_open_leaves_nothing_behind(ask: Ask, case: int) -> None:
    """After 2 000 refused opens there are as many descriptors, threads and maps as after the first ten."""
    check("WASTE-LIMIT-03", open_(ask, TINY), opens(TINY))
    paths = [(ask.file(name, wrong.folder), kind) for name, (wrong, kind) in WRONG.items()]
    for place in range(FIRST):
        path, expected = paths[place % len(paths)]
        check("WASTE-LIMIT-03", ask("waste.open", path=path), expected)
    before = ask("waste.open", limits=Limits(measure=True), path=paths[0][0])
    ask.often("waste.open", case - FIRST - 2, [{"path": path} for path, _ in paths])
    after = ask("waste.open", limits=Limits(measure=True), path=paths[0][0])
    check("WASTE-LIMIT-03", after, refuses("malformed-json", path=MANIFEST))
    first, last = (reply.cost and reply.cost.held for reply in (before, after))
    if not first or not last:
        raise NotRun("this door does not measure what a process holds")
    check("WASTE-LIMIT-03", after, AtMost("descriptors", first.descriptors, last.descriptors))
    check("WASTE-LIMIT-03", after, AtMost("threads", first.threads, last.threads))
    check("WASTE-LIMIT-03", after, AtMost("mapped_bytes", first.mapped_bytes + MAPPED, last.mapped_bytes))
