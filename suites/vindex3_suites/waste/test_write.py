"""What a fresh container is: the same bytes every time, readable, under a manifest that is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, either, needs, refuses
from pytest_vindex3.contract.difference import MISSING, Stored
from pytest_vindex3.contract.outcome import Answer, Limits
from pytest_vindex3.law.registry import kinds
from vindex3_fixtures.waste import CODEBOOKS, MANIFEST, TRUNK, Quant, Waste, description, made
from vindex3_suites.container.on_disk import member, shows
from vindex3_suites.waste.models import FULL, PACKED, PAIRS, SHAPES, TINY
from vindex3_suites.waste.stored import StoredWaste
from vindex3_suites.waste.verifying import sound
from vindex3_suites.waste.writing import OUT, check_written, look, write

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

ROW_MAJOR_PACKED = made(quant=Quant(4, 8, 64, 6), inner=72, width=80, experts=2, layers=2, seed="packed")
MODELS: dict[str, Waste] = {
    **SHAPES,
    "packed_row_major": ROW_MAJOR_PACKED,
    "eight_stages": made(quant=Quant(8, 4, 3), inner=8, width=12, experts=2, layers=2, dense=1),
    "two_stages_of_256": made(quant=Quant(2, 8, 256), experts=2, layers=2, dense=1),
    "three_halves_of_a_bit": made(quant=Quant(3, 16, 4), inner=16, width=32, experts=2, layers=2, dense=1),
    "many_layers": made(inner=8, width=8, experts=1, layers=9, dense=2),
    "many_experts": made(inner=8, width=8, experts=33, layers=2, dense=1),
}
WORKERS = (1, 8)


def _same_content(first: StoredWaste, other: StoredWaste) -> list[Any]:
    """Expectations: every file of the first is the same in the other, the manifest by its values."""
    return [
        shows("files", sorted(first.files), sorted(other.files)),
        shows(MANIFEST, Stored(first.manifest), other.manifest),
        *(
            shows(name, data, other.files.get(name, MISSING))
            for name, data in first.files.items()
            if name != MANIFEST
        ),
    ]


@clause("WASTE-WRITE-01")
@cases(MODELS)
def test_equal_descriptions_give_equal_bytes(ask: Ask, case: Waste) -> None:
    """Written by one worker or by several, into one folder or another, all files are the same."""
    check("WASTE-WRITE-01", write(ask, case), answers())
    first = look(ask)
    for workers in WORKERS:
        name = f"by_{workers}"
        reply = write(ask, case, name, workers=workers)
        check("WASTE-WRITE-01", reply, answers())
        for expected in _same_content(first, look(ask, name)):
            check("WASTE-WRITE-01", reply, expected)


@clause("WASTE-WRITE-01")
@cases(tiny=TINY, packed=PACKED)
def test_another_process_gives_equal_bytes(ask: Ask, case: Waste) -> None:
    """A process of its own, with another seed of hashes, makes the same files."""
    check("WASTE-WRITE-01", write(ask, case), answers())
    reply = write(ask, case, "other", limits=Limits(file_size=1 << 40))
    check("WASTE-WRITE-01", reply, answers())
    for expected in _same_content(look(ask), look(ask, "other")):
        check("WASTE-WRITE-01", reply, expected)


@needs("waste.open", "waste.verify")
@clause("WASTE-WRITE-02")
@cases(MODELS)
def test_what_was_written_opens_and_verifies(ask: Ask, case: Waste) -> None:
    """The writer's own reader opens what it wrote as described, and finds nothing wrong with it."""
    reply = write(ask, case)
    check("WASTE-WRITE-02", reply, answers())
    path = str(ask.folder / OUT)
    layers = {str(layer): {"experts": len(bank)} for layer, bank in case.banks.items()}
    check("WASTE-WRITE-02", ask("waste.open", path=path), answers(format_version=0, layers=layers))
    check("WASTE-WRITE-02", ask("waste.verify", path=path), sound(case))


def _longer(model: Waste, name: str, tail: bytes) -> bytes:
    """The bytes of a file of plain bytes, and some behind them."""
    stored = model.files[name]
    return stored + tail if isinstance(stored, bytes) else tail


def _with_experts(count: int) -> dict[str, Any]:
    """A description of one layer that has another number of experts than its config says."""
    described = description(ONE)
    (layer,) = described["layers"].values()
    layer["experts"] = (layer["experts"] * 3)[:count]
    return described


ONE = made(experts=2, layers=1, dense=0, seed="one")
SIDECARS = {
    "manifest": MANIFEST,
    "trunk": TRUNK,
    "codebooks": CODEBOOKS,
    "bank": ONE.bank_file(0),
    "above": "../out.bin",
    "trunk_by_a_detour": "a/../trunk.bin",
    "trunk_here": "./trunk.bin",
}
STRANGE: dict[str, dict[str, Any]] = {
    **{f"experts_{count}": _with_experts(count) for count in (0, 1, 3)},
    **{f"sidecar_{name}": description(ONE, sidecars={place: b"{}"}) for name, place in SIDECARS.items()},
}


@needs("waste.open", "waste.verify")
@clause("WASTE-WRITE-02")
@cases(STRANGE)
def test_what_no_reader_opens_is_not_accepted(ask: Ask, case: dict[str, Any]) -> None:
    """Other experts than said, or a sidecar in place of a file: refused, or what stands there is sound."""
    check("WASTE-WRITE-02", write(ask, ONE, "legal"), answers())
    reply = write(ask, case)
    check("WASTE-WRITE-02", reply, either(answers(), refuses(*kinds())))
    if isinstance(reply.outcome, Answer):
        path = str(ask.folder / OUT)
        check("WASTE-WRITE-02", ask("waste.open", path=path), answers(format_version=0))
        check("WASTE-WRITE-02", ask("waste.verify", path=path), answers(defects=[]))


TORN: dict[str, Waste] = {
    "codebooks_by_a_byte": TINY.with_file(CODEBOOKS, _longer(TINY, CODEBOOKS, b"x")),
    "codebooks_by_half_a_book": TINY.with_file(CODEBOOKS, _longer(TINY, CODEBOOKS, bytes(100))),
    "bank": TINY.with_file(TINY.bank_file(2), _longer(TINY, TINY.bank_file(2), b"x")),
    "trunk": TINY.with_file(TRUNK, _longer(TINY, TRUNK, b"x")),
}


@needs("waste.open", "waste.verify")
@clause("WASTE-WRITE-02")
@cases(TORN)
def test_what_is_resumed_opens(ask: Ask, case: Waste) -> None:
    """A container of which a file goes on after its end is refused by a resume, or opens behind it."""
    for model in (TINY, case):
        name = "legal" if model is TINY else "torn"
        path = ask.file(name, model.folder)
        reply = write(ask, TINY, name, layers=(), resume=True)
        refused = refuses(*kinds())
        check("WASTE-WRITE-02", reply, answers() if model is TINY else either(answers(), refused))
        if isinstance(reply.outcome, Answer):
            check("WASTE-WRITE-02", ask("waste.open", path=path), answers(format_version=0))


OUTER: dict[str, Any] = {
    "_outer": {"architectures": ["A"], "text_config": None, "n": [1, 1.5, -2e-7, 18446744073709551615]},
    "x-note": 'é一😀"\\\n\t',
    "": {"": []},
    "num_shared_experts": None,
    "rms_norm_eps": 1e-05,
}


def _configured() -> Waste:
    model = TINY
    for key, value in OUTER.items():
        model = model.with_config(key, value)
    return model


def _nested() -> Waste:
    """The sizes in text_config, and other ones around it that nobody is to take."""
    inner = dict(TINY.config)
    return TINY.with_manifest(("config",), {"text_config": inner, "num_hidden_layers": 7, "x": [None]})


@clause("WASTE-WRITE-03")
@cases(
    {
        **MODELS,
        "full_config": FULL,
        "unknown_keys": _configured(),
        "text_config": _nested(),
        "prefix": TINY.with_manifest(("tensor_prefix",), "language_model."),
        "strange_arch": TINY.with_manifest(("arch",), 'A "b" \\ é'),
    }
)
def test_the_manifest_is_true(ask: Ask, case: Waste) -> None:
    """The manifest has what was described, config verbatim, all true of the files; no other is made."""
    reply = write(ask, case)
    check("WASTE-WRITE-03", reply, answers())
    found = look(ask)
    for expected in (*found.described(case), *found.listed(case), *found.trunk(case)):
        check("WASTE-WRITE-03", reply, expected)
    for layer in case.banks:
        entry, bank = found.layer(layer), found.bank(layer)
        length = len(bank) if isinstance(bank, bytes) else MISSING
        check("WASTE-WRITE-03", reply, shows(f"bytes of layer {layer}", length, member(entry, "bytes")))
    strays = sorted(name for name in found.files if name.startswith(("subs-", "lowrank")))
    check("WASTE-WRITE-03", reply, shows("files that nobody writes", [], strays))


@clause("WASTE-WRITE-03")
def test_the_packing_may_be_left_out_where_it_has_a_default(ask: Ask) -> None:
    """Without index_bits and index_block the manifest says 8 and 0, and the bits of a weight."""
    for name, model in (("tiny", TINY), ("pairs", PAIRS)):
        lean = model.without_manifest(("expert_quant", "index_bits"))
        lean = lean.without_manifest(("expert_quant", "index_block"))
        reply = write(ask, lean, name)
        check("WASTE-WRITE-03", reply, answers())
        for expected in look(ask, name).described(model):
            check("WASTE-WRITE-03", reply, expected)


@clause("WASTE-WRITE-01")
@cases(MODELS)
def test_every_byte_follows_from_the_description(ask: Ask, case: Waste) -> None:
    """Banks, books and trunk are what the text makes of the description, by any number of workers."""
    for workers in WORKERS[1:]:
        name = f"by_{workers}"
        check_written(ask, "WASTE-WRITE-01", write(ask, case, name, workers=workers), case, name)
