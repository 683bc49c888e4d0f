"""expert_quant: the width of a container, from the manifest and from nowhere else."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, either, needs, refuses
from pytest_vindex3.contract.patterns import Present, field
from vindex3_fixtures.json_text import Raw
from vindex3_fixtures.waste import KINDS, Quant, Waste, made
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.judging import check_opened, check_refused
from vindex3_suites.waste.models import FULL, PACKED, PAIRS, SINGLE, TINY, open_, opens

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


@cache
def _of(stages: int = 1, vec_dim: int = 1, entries: int = 1, index_block: int = 0) -> Waste:
    """A sound container of this width, two and three positions wide, also of widths that are none."""
    quant = Quant(stages=stages, vec_dim=vec_dim, entries=entries, index_block=index_block)
    inner, width = 2 * vec_dim, 3 * vec_dim
    return made(quant=quant, inner=inner, width=width, experts=1, layers=1, dense=0, tensors=(), seed="of")


RANGES = {"stages": (1, 8), "vec_dim": (1, 64), "entries": (1, 256)}
BEYOND = {"stages": (9, 16, 255), "vec_dim": (65, 128, 255), "entries": (257, 300)}


@clause("WASTE-QUANT-01")
@cases({key: key for key in RANGES})
def test_each_number_is_required(ask: Ask, case: str) -> None:
    """Without one of the three a container with experts is refused: none has a usual value."""
    for model in (TINY, PACKED, PAIRS):
        check_opened(ask, "WASTE-QUANT-01", model)
        wrong = model.without_manifest(("expert_quant", case))
        check_refused(ask, "WASTE-QUANT-01", wrong, "missing-field", field=field(case))


@clause("WASTE-QUANT-01")
@cases({f"{key}_{value}": (key, value) for key, values in BEYOND.items() for value in values})
def test_a_number_beyond_its_range(ask: Ask, case: tuple[str, int]) -> None:
    """Both ends are legal; a container that is sound but for one beyond is out-of-range, with the value."""
    key, value = case
    for legal in RANGES[key]:
        check_opened(ask, "WASTE-QUANT-01", _of(**{key: legal}))
    check_refused(ask, "WASTE-QUANT-01", _of(**{key: value}), "out-of-range", field=field(key), value=value)


@clause("WASTE-QUANT-01")
@cases({key: key for key in RANGES})
def test_a_number_below_its_range(ask: Ask, case: str) -> None:
    """0 and negative numbers are out-of-range, and nothing is divided by them."""
    for model in (TINY, SINGLE):
        check_opened(ask, "WASTE-QUANT-01", model)
        for value in (0, -1, -8, -(1 << 32) + 1):
            wrong = model.with_quant(case, value)
            check_refused(ask, "WASTE-QUANT-01", wrong, "out-of-range", field=field(case), value=value)


CONSEQUENCES = ("out-of-range", "bad-stride", "partial-block", "partial-codebook", "codebook-header")


@clause("WASTE-QUANT-01")
@cases({key: key for key in RANGES})
def test_a_number_is_not_cut(ask: Ask, case: str) -> None:
    """A number whose low 8, 16 or 32 bits are what the files have is refused, whatever is said of it."""
    for model in (TINY, SINGLE):
        check_opened(ask, "WASTE-QUANT-01", model)
        value = model.manifest["expert_quant"][case]
        for bits in (8, 16, 32, 62):
            wrong = model.with_quant(case, value + (1 << bits))
            check("WASTE-QUANT-01", open_(ask, wrong), refuses(*CONSEQUENCES))


@clause("WASTE-QUANT-01")
def test_every_width_opens(ask: Ask) -> None:
    """Vectors of every sort of length are taken as the manifest says; a format's name says nothing of it."""
    for vec_dim in (1, 2, 3, 5, 8, 12, 16, 31, 32, 63, 64):
        check_opened(ask, "WASTE-QUANT-01", _of(vec_dim=vec_dim))
    check_refused(ask, "WASTE-QUANT-01", _of(vec_dim=65), "out-of-range", field=field("vec_dim"), value=65)


@clause("WASTE-QUANT-02")
@cases({f"{stages}_stages": stages for stages in range(1, 9)})
def test_whole_bytes_take_any_stages_and_entries(ask: Ask, case: int) -> None:
    """From 1 stage to 8 and from 1 entry to 256, with index_bits written or left out, which is 8."""
    for entries in (1, 2, 63, 64, 65, 128, 255, 256):
        model = _of(stages=case, vec_dim=2, entries=entries)
        check_opened(ask, "WASTE-QUANT-02", model)
        absent = model.without_manifest(("expert_quant", "index_bits"))
        check("WASTE-QUANT-02", open_(ask, absent), opens(model))


@clause("WASTE-QUANT-02")
def test_what_is_left_out_is_whole_bytes_by_rows(ask: Ask) -> None:
    """With nothing but the three numbers the defaults are reported."""
    for model in (TINY, PAIRS, SINGLE, FULL):
        quant = model.manifest["expert_quant"]
        bare = model.with_manifest(("expert_quant",), {key: quant[key] for key in RANGES})
        check_opened(ask, "WASTE-QUANT-02", bare)


WRONG_BITS = (0, 1, 2, 3, 4, 5, 7, 9, 10, 12, 14, 16, 32, 64, -6, -8, 262, 264, (1 << 32) + 6, (1 << 32) + 8)


@clause("WASTE-QUANT-03")
def test_an_index_has_6_or_8_bits(ask: Ask) -> None:
    """Any other width of an index is out-of-range, in a container of either packing."""
    for model in (TINY, PACKED):
        check_opened(ask, "WASTE-QUANT-03", model)
        for value in WRONG_BITS:
            wrong = model.with_quant("index_bits", value)
            check_refused(
                ask, "WASTE-QUANT-03", wrong, "out-of-range", field=field("index_bits"), value=value
            )


@clause("WASTE-QUANT-03")
def test_a_block_is_not_negative(ask: Ask) -> None:
    """A negative index_block is out-of-range, in a container of either layout."""
    for model in (TINY, PACKED):
        check_opened(ask, "WASTE-QUANT-03", model)
        for value in (-1, -64, -(1 << 31), 64 - (1 << 32), -(1 << 63)):
            wrong = model.with_quant("index_block", value)
            check_refused(
                ask, "WASTE-QUANT-03", wrong, "out-of-range", field=field("index_block"), value=value
            )


@clause("WASTE-QUANT-03")
@cases(index_bits="index_bits", index_block="index_block")
def test_null_is_no_default(ask: Ask, case: str) -> None:
    """Null in either is bad-type: only absence has a meaning."""
    for model in (TINY, PACKED):
        check_opened(ask, "WASTE-QUANT-03", model)
        check_refused(ask, "WASTE-QUANT-03", model.with_quant(case, None), "bad-type", field=field(case))


def _unpackable(**width: int) -> Waste:
    """Whole bytes of this width, which the manifest calls packed; at open nothing else of it is wrong."""
    quant = Quant(**{"stages": 4, "vec_dim": 8, "entries": 64, **width})
    return made(quant=quant, inner=48, width=96, experts=2, layers=1, dense=0).with_quant("index_bits", 6)


UNPACKABLE = {
    "stages": (1, 2, 3, 5, 8),
    "entries": (1, 32, 63, 65, 128, 256),
    "vec_dim": (1, 2, 4, 6, 12, 16, 24),
}


@clause("WASTE-QUANT-04")
@cases({f"{key}_{value}": (key, value) for key, values in UNPACKABLE.items() for value in values})
def test_6_bits_belong_to_one_packing(ask: Ask, case: tuple[str, int]) -> None:
    """Beside 6 bits another number of stages, entries or values is unsupported-packing, naming its key."""
    key, value = case
    check_opened(ask, "WASTE-QUANT-04", _unpackable())
    check_opened(ask, "WASTE-QUANT-04", PACKED)
    wrong = _unpackable(**{key: value})
    check_refused(ask, "WASTE-QUANT-04", wrong, "unsupported-packing", field=field(key), value=value)


@clause("WASTE-QUANT-07")
@cases({f"block_{block}": block for block in (1, 2, 3, 8, 16, 32, 63, 65, 96, 128, 256, 1000)})
def test_another_block_is_honoured_or_refused(ask: Ask, case: int) -> None:
    """A container in blocks of another size opens as it is described, or is unsupported-index-block."""
    refusal = refuses("unsupported-index-block", value=case, supported=Present())
    for packing in ({"stages": 3, "entries": 16}, {"stages": 4, "entries": 64, "index_bits": 6}):
        quant = Quant(vec_dim=8, index_block=case, **packing)
        model = made(quant=quant, inner=72, width=80, experts=1, layers=1, dense=0)
        check("WASTE-QUANT-07", open_(ask, model), either(opens(model), refusal))


@clause("WASTE-QUANT-07")
@needs("waste.matrix")
@cases({f"block_{block}": block for block in (1, 3, 32, 65, 128)})
def test_another_block_is_never_read_as_a_usual_one(ask: Ask, case: int) -> None:
    """Where it opens, its matrices are those that were stored."""
    refusal = refuses("unsupported-index-block", value=case, supported=Present())
    quant = Quant(stages=3, vec_dim=8, entries=16, index_block=case)
    model = made(quant=quant, inner=72, width=80, experts=1, layers=1, dense=0)
    path = ask.file("model", model.folder)
    for kind in KINDS:
        reply = ask("waste.matrix", path=path, layer=0, expert=0, matrix=kind)
        check("WASTE-QUANT-07", reply, either(gives(model.weights(0, 0, kind)), refusal))


DESCRIPTIONS: dict[str, dict[str, Any]] = {
    "no_fmt": {"fmt": None},
    "fmt_of_two_stages": {"fmt": "VQ2R"},
    "fmt_of_packed": {"fmt": "VQ4P"},
    "fmt_of_nothing": {"fmt": "anything"},
    "fmt_empty": {"fmt": ""},
    "integer": {"bits_per_weight": 3},
    "real": {"bits_per_weight": 3.0},
    "of_two_stages": {"bits_per_weight": 2.0},
    "of_none": {"bits_per_weight": 0},
    "odd": {"bits_per_weight": 3.125},
    "both": {"fmt": "VQ2R", "bits_per_weight": 2},
}


def _described(model: Waste, case: dict[str, Any]) -> Waste:
    for key, value in case.items():
        absent = value is None
        model = model.without_manifest(("expert_quant", key)) if absent else model.with_quant(key, value)
    return model


@clause("WASTE-QUANT-09")
@cases({**DESCRIPTIONS, "neither": {"fmt": None, "bits_per_weight": None}})
def test_a_description_is_only_reported(ask: Ask, case: dict[str, Any]) -> None:
    """Format name and bits per weight may be absent or of another width; the bits are reported as stored."""
    for model in (TINY, PACKED):
        check_opened(ask, "WASTE-QUANT-09", _described(model, case))


@clause("WASTE-QUANT-09")
def test_bits_per_weight_are_a_real_number(ask: Ask) -> None:
    """3, 3.0 and 30e-1 are one number."""
    for spelt in ("3", "3.0", "30e-1", "3E0"):
        check_opened(ask, "WASTE-QUANT-09", TINY, spelt=TINY.with_quant("bits_per_weight", Raw(spelt)))


@clause("WASTE-QUANT-09")
@needs("waste.matrix")
@cases(DESCRIPTIONS)
def test_a_description_decodes_nothing(ask: Ask, case: dict[str, Any]) -> None:
    """The stages that are decoded are those of the manifest's number, whatever the name says."""
    path = ask.file("model", _described(TINY, case).folder)
    for kind in KINDS:
        reply = ask("waste.matrix", path=path, layer=2, expert=1, matrix=kind)
        check("WASTE-QUANT-09", reply, gives(TINY.weights(2, 1, kind)))
