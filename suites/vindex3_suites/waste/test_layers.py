"""The entries of layers: which layers have one, how many experts it has, and how long their records are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, needs, on_disk, refuses
from pytest_vindex3.contract.patterns import element, field, one_of
from vindex3_fixtures.waste import Quant, Sparse, Waste, made
from vindex3_suites.lyrw.limits import GIB, sparse_files
from vindex3_suites.waste.judging import check_opened, check_refused
from vindex3_suites.waste.models import BLOCKED, DENSE, PACKED, SHAPES, TINY, open_, opens

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

PAGE = 4096


@clause("WASTE-LAYER-01")
@cases(SHAPES)
def test_a_layer_is_observed(ask: Ask, case: Waste) -> None:
    """Bank, experts, length and first book of every layer are reported, and the length of a record."""
    check_opened(ask, "WASTE-LAYER-01", case)


@clause("WASTE-LAYER-01")
@cases({f"{experts}_experts": experts for experts in (1, 2, 5, 16, 100)})
def test_a_stride_is_the_length_by_the_experts(ask: Ask, case: int) -> None:
    """A record has a length of its own, however many there are and however much longer than its payload."""
    for blocks in (1, 2, 7):
        model = _of(case, blocks)
        check_opened(ask, "WASTE-LAYER-01", model)


def _of(experts: int, blocks: int = 1) -> Waste:
    """One layer of so many experts in records of so many pages."""
    model = made(inner=8, width=8, experts=experts, layers=1, dense=0, tensors=())
    return model.with_bank(0, [replace(record, blocks=blocks) for record in model.banks[0]])


@clause("WASTE-LAYER-01")
@needs("waste.record")
def test_a_record_is_at_its_place(ask: Ask) -> None:
    """Record e of a bank begins at e times the stride, also where strides of layers differ."""
    longer = [replace(record, blocks=3) for record in TINY.banks[2]]
    model = TINY.with_bank(2, longer)
    path = ask.file("model", model.folder)
    for layer in (1, 2):
        for expert in (2, 0, 1):
            reply = ask("waste.record", path=path, layer=layer, expert=expert)
            check("WASTE-LAYER-01", reply, answers(data=model.record(layer, expert).data))


@clause("WASTE-LAYER-02")
@cases({"tiny_1": (TINY, 1), "tiny_2": (TINY, 2), "packed": (PACKED, 1), "blocked": (BLOCKED, 1)})
def test_a_layer_is_missed(ask: Ask, case: tuple[Waste, int]) -> None:
    """A layer with experts that has no entry is missing-layer, and named."""
    model, layer = case
    check_opened(ask, "WASTE-LAYER-02", model)
    wrong = model.without_manifest(("layers", str(layer)))
    check_refused(ask, "WASTE-LAYER-02", wrong, "missing-layer", layer=layer)


@clause("WASTE-LAYER-02")
def test_every_layer_is_missed(ask: Ask) -> None:
    """Without any entry one of them is named; null, and a key of another spelling, is no entry."""
    check_opened(ask, "WASTE-LAYER-02", TINY)
    wrong = TINY.with_manifest(("layers",), {})
    check_refused(ask, "WASTE-LAYER-02", wrong, "missing-layer", layer=one_of(1, 2))
    many = made(inner=8, width=8, experts=1, layers=5, dense=2, tensors=())
    check_opened(ask, "WASTE-LAYER-02", many)
    for layer in (2, 3, 4):
        wrong = many.without_manifest(("layers", str(layer)))
        check_refused(ask, "WASTE-LAYER-02", wrong, "missing-layer", layer=layer)


@clause("WASTE-LAYER-02")
def test_without_dense_layers_the_first_is_needed(ask: Ask) -> None:
    """first_k_dense_replace is 0 when it is absent: layer 0 has experts like every other."""
    model = made(inner=8, width=8, experts=2, layers=2, dense=0, tensors=())
    absent = model.without_manifest(("config", "first_k_dense_replace"))
    for whole in (model, absent):
        check_opened(ask, "WASTE-LAYER-02", whole)
        wrong = whole.without_manifest(("layers", "0"))
        check_refused(ask, "WASTE-LAYER-02", wrong, "missing-layer", layer=0)


def _with_entry(model: Waste, key: str, entry: Any, file: str | None = None) -> Waste:
    """With one more entry of layers; `file` is a copy of the bank of layer 1, else zeros."""
    listed = model.with_manifest(("layers", key), entry)
    if file is None:
        return listed
    data: Any = model.files[model.bank_file(1)] if model.banks else bytes(PAGE)
    return listed.with_file(file, data)


@clause("WASTE-LAYER-03")
def test_a_dense_layer_has_no_entry(ask: Ask) -> None:
    """An entry of a layer without experts is unexpected-layer, however sound it is."""
    for model in (TINY, PACKED, BLOCKED):
        check_opened(ask, "WASTE-LAYER-03", model)
        entry = {**model.manifest["layers"]["1"], "file": "experts-L0.bin"}
        wrong = _with_entry(model, "0", entry, "experts-L0.bin")
        check_refused(ask, "WASTE-LAYER-03", wrong, "unexpected-layer", layer=0)


@clause("WASTE-LAYER-03")
@cases({"0": 0, "1": 1})
def test_a_model_without_experts_has_no_entry(ask: Ask, case: int) -> None:
    """Where there are no experts, or 0 of them, every entry within the model is unexpected-layer."""
    entry = {"file": "bank.bin", "experts": 1, "bytes": PAGE, "codebook_base": 0}
    for model in (DENSE, DENSE.with_config("num_experts", 0)):
        check_opened(ask, "WASTE-LAYER-03", model)
        wrong = _with_entry(model, str(case), entry, "bank.bin")
        check_refused(ask, "WASTE-LAYER-03", wrong, "unexpected-layer", layer=case)


BEYOND: dict[str, dict[str, Any]] = {
    "nothing": {},
    "absent_file": {"file": "absent.bin", "experts": 3, "bytes": 12288, "codebook_base": 0},
    "outside": {"file": "../absent.bin", "experts": 3, "bytes": 12288, "codebook_base": 0},
    "other_types": {"file": 7, "experts": "3", "bytes": None, "codebook_base": []},
    "other_numbers": {"file": "", "experts": -3, "bytes": 1, "codebook_base": 1 << 40},
    "the_file_of_another": {"file": "experts-L1.bin", "experts": 3, "bytes": 12288, "codebook_base": 0},
}


@clause("WASTE-LAYER-04")
@cases(BEYOND)
def test_a_layer_beyond_the_model_is_ignored(ask: Ask, case: dict[str, Any]) -> None:
    """An entry at or beyond num_hidden_layers is neither checked nor listed, and its file is not missed."""
    for model in (TINY, DENSE):
        layers = model.config["num_hidden_layers"]
        all_of_them = model
        for key in (layers, layers + 1, 127, 128, 65536 + 1, 1 << 32, (1 << 64) + 1):
            all_of_them = all_of_them.with_manifest(("layers", str(key)), case)
            check("WASTE-LAYER-04", open_(ask, model.with_manifest(("layers", str(key)), case)), opens(model))
        check("WASTE-LAYER-04", open_(ask, all_of_them), opens(model))


def _counted(experts: int, listed: int) -> Waste:
    """A model that has so many experts by its config, beside a bank and an entry of so many others."""
    model = made(inner=8, width=8, experts=listed, layers=1, dense=0, tensors=())
    counted = model.with_config("num_experts", experts)
    return counted.with_config("num_experts_per_token", 1)


@clause("WASTE-LAYER-05")
@cases({f"{listed}_of_{experts}": (experts, listed) for experts, listed in ((3, 2), (3, 4), (1, 2), (8, 1))})
def test_a_bank_holds_every_expert(ask: Ask, case: tuple[int, int]) -> None:
    """Another count than the model's is count-mismatch, with layer and both counts."""
    experts, listed = case
    check_opened(ask, "WASTE-LAYER-05", _counted(experts, experts))
    wrong = _counted(experts, listed)
    check_refused(ask, "WASTE-LAYER-05", wrong, "count-mismatch", layer=0, expected=experts, found=listed)


@clause("WASTE-LAYER-05")
def test_each_layer_is_counted(ask: Ask) -> None:
    """Not only the first layer or the last is counted."""
    check_opened(ask, "WASTE-LAYER-05", TINY)
    for layer in (1, 2):
        wrong = TINY.with_bank(layer, TINY.banks[layer][:2])
        names = {"layer": layer, "expected": 3, "found": 2}
        check_refused(ask, "WASTE-LAYER-05", wrong, "count-mismatch", **names)


@clause("WASTE-LAYER-05")
def test_a_layer_has_an_expert(ask: Ask) -> None:
    """A count of 0, and one below, is refused, and nothing is divided by it."""
    check_opened(ask, "WASTE-LAYER-05", TINY)
    for value in (0, -1, -3, 3 - (1 << 32)):
        wrong = TINY.with_layer(1, "experts", value)
        check("WASTE-LAYER-05", open_(ask, wrong), refuses("out-of-range", "count-mismatch"))


@on_disk
@clause("WASTE-LAYER-05")
def test_16_bits_number_an_expert(ask: Ask) -> None:
    """65536 experts have a number each; one more has none and is refused."""
    sparse_files(ask.folder, GIB)
    for experts in (65536, 65537, 1 << 17):
        listed = _counted(experts, 1).with_layer(0, "experts", experts)
        bank = Sparse(experts * PAGE)
        model = listed.with_layer(0, "bytes", bank.length).with_file("experts-L0.bin", bank)
        if experts == 65536:
            check_opened(ask, "WASTE-LAYER-05", model)
        else:
            check("WASTE-LAYER-05", open_(ask, model), refuses("out-of-range", "count-mismatch"))


def _long(length: int) -> Waste:
    """The tiny container whose first bank is so long, in its entry and in its file."""
    return TINY.with_layer(1, "bytes", length).with_file("experts-L1.bin", bytes(max(length, 0)))


@clause("WASTE-LAYER-06")
@cases({str(length): length for length in (0, -1, -12288, 1, 2, 12287, 12289, 12290, 4 * PAGE)})
def test_a_bank_is_whole_records(ask: Ask, case: int) -> None:
    """A length that is 0, negative or no multiple of the count is out-of-range, with layer and both."""
    check_opened(ask, "WASTE-LAYER-06", TINY)
    names = {"layer": 1, "bytes": case, "experts": 3}
    check_refused(ask, "WASTE-LAYER-06", _long(case), "out-of-range", **names)


@clause("WASTE-LAYER-13")
@cases(
    leading_zero="01",
    two_zeros="00",
    plus="+1",
    minus="-1",
    minus_zero="-0",
    word="one",
    empty="",
    blank_before=" 1",
    blank_behind="1 ",
    line_behind="1\n",
    point="1.0",
    exponent="1e0",
    hexadecimal="0x1",
    underscore="1_0",
    digits_of_another_script="\u0661",
    wide_digit="\uff11",
    superscript="\u00b9",
)
def test_a_layer_is_numbered_in_one_way(ask: Ask, case: str) -> None:
    """A key that is no canonical decimal number is unknown-value, and named, beside sound entries."""
    check_opened(ask, "WASTE-LAYER-13", TINY)
    entry = {**TINY.manifest["layers"]["1"], "file": "another.bin"}
    wrong = _with_entry(TINY, case, entry, "another.bin")
    where = one_of(element("layers", case), field(case))
    check_refused(ask, "WASTE-LAYER-13", wrong, "unknown-value", field=where, value=case)


def _based(*bases: int, extra: int = 0) -> Waste:
    """Two layers of one expert whose books begin at these numbers; `extra` books lie behind them."""
    quant = Quant(stages=2, vec_dim=4, entries=3)
    model = made(quant=quant, inner=8, width=8, experts=1, layers=2, dense=0, bases=bases, tensors=())
    behind = range(len(model.books), len(model.books) + extra)
    return model.with_books([*model.books, *(replace(model.books[0], number=number) for number in behind)])


@clause("WASTE-LAYER-11")
@cases(
    usual=_based(0, 6),
    later=_based(1, 7),
    turned=_based(6, 0),
    apart=_based(0, 40),
    overlapping=_based(0, 3),
    unnamed_behind=_based(0, 6, extra=5),
    odd=_based(11, 2, extra=1),
    beyond_8_bits=_based(0, 6, extra=0x0102),
)
def test_books_may_begin_anywhere(ask: Ask, case: Waste) -> None:
    """Bases need no order, no beginning at 0 and no neighbours, up to the highest that has all its books."""
    check_opened(ask, "WASTE-LAYER-11", case)
    highest = len(case.books) - 6
    check_opened(ask, "WASTE-LAYER-11", case.with_layer(1, "codebook_base", highest))
    names = {"layer": 1, "value": highest + 1, "books": len(case.books)}
    wrong = case.with_layer(1, "codebook_base", highest + 1)
    check_refused(ask, "WASTE-LAYER-11", wrong, "out-of-range", **names)


@clause("WASTE-LAYER-11")
@cases({"minus_1": -1, "minus_9": -9, "all": 18, "one_short": 11, "wide": (1 << 32) + 9, "large": 1 << 62})
def test_a_base_has_its_books(ask: Ask, case: int) -> None:
    """A base from which 3 x stages books do not all exist is out-of-range, with layer, base and books."""
    check_opened(ask, "WASTE-LAYER-11", TINY)
    for layer in (1, 2):
        wrong = TINY.with_layer(layer, "codebook_base", case)
        names = {"layer": layer, "value": case, "books": 18}
        check_refused(ask, "WASTE-LAYER-11", wrong, "out-of-range", **names)


@clause("WASTE-LAYER-11")
def test_a_book_is_missed(ask: Ask) -> None:
    """With one book less in the file the highest base is one too high."""
    check_opened(ask, "WASTE-LAYER-11", TINY)
    wrong = TINY.with_books(TINY.books[:-1])
    names = {"layer": 2, "value": 9, "books": 17}
    check_refused(ask, "WASTE-LAYER-11", wrong, "out-of-range", **names)
