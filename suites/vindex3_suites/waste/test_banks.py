"""The files of banks: their lengths against what is declared, and the stride of their records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, either, needs, refuses
from pytest_vindex3.contract.outcome import Answer
from pytest_vindex3.contract.patterns import Present
from vindex3_fixtures.waste import Waste
from vindex3_suites.waste.judging import check_opened, check_refused, refused
from vindex3_suites.waste.models import BLOCKED, PACKED, PAIRS, TINY, open_, opens
from vindex3_suites.waste.verifying import Listed, defect

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

PAGE = 4096
BANK = "experts-L1.bin"
MODELS = {"tiny": TINY, "packed": PACKED, "blocked": BLOCKED, "pairs": PAIRS}


def _resized(model: Waste, change: int) -> Waste:
    """The container whose first bank is longer, or shorter, than declared."""
    data: Any = model.files[BANK]
    return model.with_file(BANK, data[:change] if change < 0 else data + bytes(change))


@clause("WASTE-LAYER-07")
@cases(MODELS)
def test_a_bank_is_not_shorter_than_declared(ask: Ask, case: Waste) -> None:
    """A file that lacks one byte of padding, a page or everything is truncated, with both lengths."""
    check_opened(ask, "WASTE-LAYER-07", case)
    length = case.length(BANK)
    for missing in (1, 2, PAGE - 1, PAGE, PAGE + 1, length - 1, length):
        wrong = _resized(case, -missing) if missing < length else case.with_file(BANK, b"")
        names = {"path": BANK, "need": length, "have": length - missing}
        check_refused(ask, "WASTE-LAYER-07", wrong, "truncated", **names)


@clause("WASTE-LAYER-07")
def test_every_bank_is_measured(ask: Ask) -> None:
    """Not only the first bank is compared with its length, nor by the low 32 bits of it."""
    check_opened(ask, "WASTE-LAYER-07", TINY)
    for layer in (1, 2):
        name = TINY.bank_file(layer)
        data: Any = TINY.files[name]
        wrong = TINY.with_file(name, data[:-1])
        names = {"path": name, "need": len(data), "have": len(data) - 1}
        check_refused(ask, "WASTE-LAYER-07", wrong, "truncated", **names)
        longer = len(data) + 3 * (1 << 32)
        names = {"path": name, "need": longer, "have": len(data)}
        check_refused(ask, "WASTE-LAYER-07", TINY.with_layer(layer, "bytes", longer), "truncated", **names)


@clause("WASTE-LAYER-08")
@needs("waste.verify")
@cases({f"{name}_{more}": (model, more) for name, model in MODELS.items() for more in (1, 100, PAGE)})
def test_a_bank_is_not_longer_than_declared(ask: Ask, case: tuple[Waste, int]) -> None:
    """Bytes behind the last record are trailing-bytes, at open or in verification; never nowhere."""
    model, more = case
    check_opened(ask, "WASTE-LAYER-08", model)
    sound = ask("waste.verify", path=ask.file("model", model.folder))
    check("WASTE-LAYER-08", sound, answers(defects=[]))
    wrong = _resized(model, more)
    names = {"path": BANK, "offset": model.length(BANK), "length": more}
    opened = open_(ask, wrong)
    refusal = refused("WASTE-LAYER-08", "trailing-bytes", **names)
    check("WASTE-LAYER-08", opened, either(opens(model), refusal))
    if isinstance(opened.outcome, Answer):
        found = Listed((defect("trailing-bytes", **names),))
        verified = ask("waste.verify", path=ask.file("model", wrong.folder))
        check("WASTE-LAYER-08", verified, either(answers(defects=found), refusal))


def _strided(model: Waste, stride: int) -> Waste:
    """The container whose first bank is declared, and is, so many bytes a record."""
    experts = model.manifest["layers"]["1"]["experts"]
    data: Any = model.files[BANK]
    sized = (data + bytes(stride * experts))[: stride * experts]
    return model.with_layer(1, "bytes", stride * experts).with_file(BANK, sized)


STRIDES: dict[str, tuple[Waste, int]] = {
    **{f"odd_{stride}": (TINY, stride) for stride in (4097, 4608, 6144, 8191, 8193, 10000)},
    **{f"small_{stride}": (TINY, stride) for stride in (1, 512, 4095)},
    "a_page_short": (BLOCKED, 2 * PAGE),
    "a_page_short_of_packed": (PACKED, 2 * PAGE),
    "one_page": (BLOCKED, PAGE),
}
"""Strides that are no whole pages, or too small for the payload."""


@clause("WASTE-LAYER-10")
@cases(STRIDES)
def test_a_stride_is_pages_and_holds_the_payload(ask: Ask, case: tuple[Waste, int]) -> None:
    """Another stride is bad-stride, with layer and stride."""
    model, stride = case
    check_opened(ask, "WASTE-LAYER-10", model)
    wrong = _strided(model, stride)
    check_refused(ask, "WASTE-LAYER-10", wrong, "bad-stride", layer=1, stride=stride)


SERVED_NEVER = (
    "bad-stride",
    "bad-magic",
    "record-identity",
    "record-length",
    "record-offsets",
    "record-format",
    "codebook-mismatch",
    "unsupported-feature",
    "truncated",
)


@clause("WASTE-LAYER-10")
@needs("waste.record")
@cases(STRIDES)
def test_no_record_of_a_wrong_stride_is_served(ask: Ask, case: tuple[Waste, int]) -> None:
    """Whether or not such a container opens, every record of the layer is refused."""
    model, stride = case
    path = ask.file("sound", model.folder)
    check("WASTE-LAYER-10", ask("waste.record", path=path, layer=1, expert=0), answers(mode=Present()))
    path = ask.file("wrong", _strided(model, stride).folder)
    for expert in range(model.manifest["layers"]["1"]["experts"]):
        reply = ask("waste.record", path=path, layer=1, expert=expert)
        check("WASTE-LAYER-10", reply, refuses(*SERVED_NEVER))


@clause("WASTE-LAYER-10")
def test_a_stride_may_be_longer(ask: Ask) -> None:
    """More pages than the payload takes are legal, and so is just as many."""
    for model in (TINY, BLOCKED, PACKED):
        for more in (0, 1, 5):
            records = [replace(record, blocks=record.length // PAGE + more) for record in model.banks[1]]
            check_opened(ask, "WASTE-LAYER-10", model.with_bank(1, records))
    wrong = _strided(TINY, PAGE + 1)
    check_refused(ask, "WASTE-LAYER-10", wrong, "bad-stride", layer=1, stride=PAGE + 1)
