"""Records told apart in full: by expert, layer, container and generation, and from any substitute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, either, needs, refuses
from pytest_vindex3.contract.patterns import Present
from pytest_vindex3.law.registry import kinds
from vindex3_fixtures.waste import Sparse, Waste, made
from vindex3_fixtures.waste.make import drawn_record
from vindex3_suites.lyrw.limits import sparse_files
from vindex3_suites.waste.models import PACKED, TINY
from vindex3_suites.waste.reading import hindered, slot
from vindex3_suites.waste.records import RECORD, record, served
from vindex3_suites.waste.test_cache import CAPACITIES, SOURCES

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers
    from vindex3_fixtures.waste import Record

CACHED = ("waste.record:before", "waste.record:cache_records")


def _holds(stored: Record) -> Answers:
    """The record, wherever its bytes came from."""
    return served(stored, mode=Present())


WIDE_EXPERTS = 65536
NUMBERS = (
    0,
    1,
    2,
    255,
    256,
    257,
    *(1 << bit for bit in range(9, 15)),
    1000,
    10000,
    32767,
    32768,
    65534,
    65535,
)
"""Experts whose numbers are alike in some of their bits, and what layers may be multiplied with in a key."""
AROUND = made(experts=1, layers=2, dense=0)
WIDE_RECORDS = {
    (layer, expert): drawn_record(AROUND.record(0, 0).quant, 16, 24, layer, expert, base, "wide")
    for layer, base in ((0, 0), (1, 9))
    for expert in NUMBERS
}


def _wide() -> Waste:
    """Two layers of 65 536 experts, of whom some are there."""
    model = AROUND.with_config("num_experts", WIDE_EXPERTS)
    stride = AROUND.record(0, 0).length
    for layer in (0, 1):
        pieces = {expert * stride: WIDE_RECORDS[layer, expert].data for expert in NUMBERS}
        bank = Sparse(WIDE_EXPERTS * stride, pieces)
        model = model.with_layer(layer, "experts", WIDE_EXPERTS).with_layer(layer, "bytes", bank.length)
        model = model.with_file(model.bank_file(layer), bank)
    return model


WIDE = _wide()
DEEP = made(inner=8, width=8, experts=2, layers=128, dense=0, tensors=(), seed="deep")
DEEP_RECORDS = {(one.layer, one.expert): one for bank in DEEP.banks.values() for one in bank}
PAIRS: dict[str, tuple[Waste, Record, Record]] = {
    **{
        f"wide_{'_and_'.join(f'{layer}.{expert}' for layer, expert in places)}": (
            WIDE,
            WIDE_RECORDS[places[0]],
            WIDE_RECORDS[places[1]],
        )
        for places in (
            ((0, 65535), (0, 0)),
            ((0, 256), (0, 0)),
            ((1, 257), (1, 1)),
            ((0, 32768), (0, 0)),
            ((1, 65534), (1, 32767)),
            ((0, 65535), (1, 0)),
            ((0, 256), (1, 0)),
            ((0, 32768), (1, 0)),
            ((1, 65535), (0, 65535)),
        )
    },
    **{
        f"deep_{'_and_'.join(f'{layer}.{expert}' for layer, expert in places)}": (
            DEEP,
            DEEP_RECORDS[places[0]],
            DEEP_RECORDS[places[1]],
        )
        for places in (((127, 0), (0, 0)), ((127, 1), (63, 1)), ((1, 0), (0, 1)))
    },
}


@needs(*CACHED)
@clause("CACHE-KEY-01")
@cases(PAIRS)
def test_numbers_are_told_apart_in_full(ask: Ask, case: tuple[Waste, Record, Record]) -> None:
    """Of two records whose numbers are partly alike each is served as itself, behind the other."""
    model, *pair = case
    if model is WIDE:
        sparse_files(ask.folder, WIDE_EXPERTS * 4096)
    path = ask.file("model", model.folder)
    for first, then in (pair, pair[::-1]):
        before = [[first.layer, first.expert]]
        for source in SOURCES:
            options: dict[str, Any] = {"before": before, "cache_records": 4, "source": source}
            reply = ask(RECORD, path=path, layer=then.layer, expert=then.expert, **options)
            check("CACHE-KEY-01", reply, _holds(then))


CROWDS: dict[str, tuple[Waste, dict[tuple[int, int], Record], tuple[int, int]]] = {
    **{
        f"wide_{layer}.{expert}": (WIDE, WIDE_RECORDS, (layer, expert))
        for layer in (0, 1)
        for expert in (0, 1)
    },
    **{f"deep_{layer}.1": (DEEP, DEEP_RECORDS, (layer, 1)) for layer in (0, 1, 63, 127)},
}


@needs(*CACHED)
@clause("CACHE-KEY-01")
@cases(CROWDS)
def test_a_record_is_told_from_all_others(
    ask: Ask, case: tuple[Waste, dict[tuple[int, int], Record], tuple[int, int]]
) -> None:
    """Behind all other records, each kept, one that was not read yet is served as itself."""
    model, records, (layer, expert) = case
    if model is WIDE:
        sparse_files(ask.folder, WIDE_EXPERTS * 4096)
    path = ask.file("model", model.folder)
    before = [[*place] for place in records if place != (layer, expert)]
    options: dict[str, Any] = {"before": before, "cache_records": len(records)}
    reply = ask(RECORD, path=path, layer=layer, expert=expert, **options)
    check("CACHE-KEY-01", reply, _holds(records[layer, expert]))


TWIN = made(seed="twin")
"""Like the tiny container in all numbers, with other bytes."""


@clause("CACHE-KEY-01")
@cases(
    {f"{source}{'_verified' * verify}": (source, verify) for source in SOURCES for verify in (False, True)}
)
def test_containers_are_told_apart(ask: Ask, case: tuple[str, bool]) -> None:
    """Two containers with equal numbers, asked in turns, serve each its own bytes; so does a changed one."""
    source, verify = case
    for model, folder in ((TINY, "one"), (TWIN, "other"), (TINY, "one"), (TWIN, "one"), (TWIN, "other")):
        for layer, expert in ((1, 0), (2, 2)):
            reply = record(ask, model, layer, expert, folder, source=source, verify=verify)
            check("CACHE-KEY-01", reply, _holds(model.record(layer, expert)))


@needs(*CACHED)
@clause("CACHE-KEY-01")
@cases({"any" if one is None else str(one): one for one in CAPACITIES})
def test_containers_are_told_apart_at_once(ask: Ask, case: int | None) -> None:
    """Eight threads that read equal numbers of two containers are served each its own."""
    paths = {name: ask.file(name, model.folder) for name, model in (("one", TINY), ("other", TWIN))}
    models = {paths["one"]: TINY, paths["other"]: TWIN}
    options: dict[str, Any] = {} if case is None else {"cache_records": case}
    requests = [
        {"path": path, "layer": layer, "expert": 1, "before": [[1, 1], [2, 1], [1, 0]] * 3, **options}
        for layer in (1, 2, 1, 2)
        for path in paths.values()
    ]
    for request, reply in zip(requests, ask.together(RECORD, requests), strict=True):
        check("CACHE-KEY-01", reply, _holds(models[request["path"]].record(request["layer"], 1)))


GENERATIONS = {
    "same_numbers": (TINY, TWIN),
    "other_books": (TINY, made(bases=(9, 0), seed="twin")),
    "other_experts": (TINY, made(experts=5, seed="twin")),
    "another_width": (TINY, PACKED),
}


@needs("waste.record:before")
@clause("CACHE-REPLACE-01")
@cases({f"{name}_{source}": (name, source) for name in GENERATIONS for source in SOURCES})
def test_a_handle_keeps_its_generation(ask: Ask, case: tuple[str, str]) -> None:
    """After the directory was replaced, a handle that has read goes on with what it opened, or refuses."""
    name, source = case
    old, new = GENERATIONS[name]
    for before, (layer, expert) in (([[1, 0]], (1, 1)), ([[1, 0]], (2, 0)), ([[2, 0], [1, 0]], (2, 1))):
        ask.file("new", new.folder)
        place = ask.folder.resolve()
        how = {**slot(old, 1, 0), "swapped": (str(place / "model"), str(place / "new"))}
        reply = hindered(ask, old, layer, expert, how, bank=1, before=before, source=source)
        kept = _holds(old.record(layer, expert))
        check("CACHE-REPLACE-01", reply, either(kept, refuses(*kinds())))


def _shadowed(model: Waste) -> Waste:
    """The container with what a reader could take in the place of a record: subs files, and their flag."""
    for layer, bank in model.banks.items():
        for expert, stored in enumerate(bank):
            model = model.with_record(layer, expert, stored.with_stored(flags=2))
        others = b"".join(stored.data for stored in bank[::-1])
        model = model.with_file(f"subs-L{layer}.bin", others)
    return model.with_file("lowrank.bin", bytes(4096))


def _own(ask: Ask, model: Waste, how: dict[str, Any], **options: Any) -> Reply:
    """Ask for a record, perhaps on a slow disk."""
    return hindered(ask, model, 1, 1, how, **options) if how else record(ask, model, 1, 1, **options)


@clause("CACHE-SUBST-01")
@cases(
    plain={},
    verified={"verify": True},
    buffered={"source": "buffered"},
    slow={"most": 100},
)
def test_no_substitute_is_served(ask: Ask, case: dict[str, Any]) -> None:
    """A record is itself or refused, whatever lies beside it, on a slow disk, and where it is damaged."""
    how = {"most": case["most"]} if "most" in case else {}
    options = {key: value for key, value in case.items() if key != "most"}
    model = _shadowed(TINY)
    whole = _holds(model.record(1, 1))
    refused = refuses("truncated", "io", layer=1, expert=1)
    own = either(whole, refused) if how else whole
    check("CACHE-SUBST-01", _own(ask, model, how, **options), own)
    for fields, kind in (
        ({"magic": 0x42555357}, "bad-magic"),
        ({"fmt": 6}, "record-format"),
        ({"expert_id": 2}, "record-identity"),
    ):
        wrong = model.with_record(1, 1, model.record(1, 1).with_stored(**fields))
        more = ("truncated", "io") if how else ()
        check("CACHE-SUBST-01", _own(ask, wrong, how, **options), refuses(kind, *more))


@needs(*CACHED, "waste.record:hold")
@clause("CACHE-SUBST-01")
@cases({source: source for source in SOURCES})
def test_no_neighbour_is_served_under_pressure(ask: Ask, case: str) -> None:
    """With a cache that is full of a held record, what is served is the record asked for."""
    model = _shadowed(TINY)
    for layer, expert in ((1, 1), (1, 2), (2, 0)):
        options: dict[str, Any] = {"before": [[1, 0]], "hold": 0, "cache_records": 1, "source": case}
        reply = record(ask, model, layer, expert, **options)
        stored = model.record(layer, expert)
        told = {"data": stored.data, "header": {"layer": layer, "expert_id": expert}}
        check("CACHE-SUBST-01", reply, either(answers(told), refuses("cache-exhausted")))


LONGEST = "b" * 70
NAMES = {
    "short": ("a.bin", "b.bin"),
    "long": (LONGEST + "-1", LONGEST + "-2"),
    "at_255": ("x" * 255, "y" * 255),
}


def _named(first: str, other: str) -> Waste:
    """The tiny container with its banks under these names."""
    model = TINY
    for layer, name in ((1, first), (2, other)):
        data = model.files[model.bank_file(layer)]
        model = model.without_file(model.bank_file(layer)).with_layer(layer, "file", name)
        model = model.with_file(name, data)
    return model


@clause("WASTE-PATH-03")
@cases(NAMES)
def test_bank_names_are_told_apart_in_full(ask: Ask, case: tuple[str, str]) -> None:
    """Each layer is read from the file of its own name, however alike the two names begin."""
    for names in (case, case[::-1]):
        model = _named(*names)
        for layer in (1, 2):
            for verify in (False, True):
                reply = record(ask, model, layer, 1, verify=verify)
                check("WASTE-PATH-03", reply, served(model.record(layer, 1)))


@clause("WASTE-PATH-03")
@cases({f"{length}_letters": length for length in (256, 300, 5000)})
def test_a_name_that_no_file_can_have_is_missing(ask: Ask, case: int) -> None:
    """A name too long for the system is refused as missing, and no file is read whose name it begins with."""
    model = _named(*NAMES["at_255"])
    check("WASTE-PATH-03", record(ask, model, 1, 1), served(model.record(1, 1)))
    name = "x" * case
    wrong = model.with_layer(1, "file", name)
    check("WASTE-PATH-03", record(ask, wrong, 1, 1), refuses("missing-file", path=name))
