"""Writes that are resumed: bases and books that stay, banks that are done, settings that do not change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, needs, refuses
from pytest_vindex3.contract.outcome import Refused
from pytest_vindex3.contract.patterns import Exactly, field
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.waste import CODEBOOKS, KINDS, MANIFEST, TRUNK, Quant, Waste, description, made
from vindex3_suites.container.on_disk import contents, shows, spares
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.models import TINY
from vindex3_suites.waste.stopping import check_one_or_none
from vindex3_suites.waste.writing import OUT, WRITE, check_written, look, said, write

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

SWAPPED = made(bases=(9, 0))
"""The tiny container whose second layer has the first books."""
APART = made(bases=(18, 3))
"""The tiny container with books before, between and behind its own that no layer names."""
GROWN: dict[str, tuple[Waste, Waste]] = {
    "in_order": (TINY, made(layers=4)),
    "swapped": (SWAPPED, made(layers=4, bases=(9, 0, 18))),
    "apart": (APART, made(layers=4, bases=(18, 3, 27))),
    "two_more": (TINY, made(layers=5)),
    "packed": (
        made(quant=Quant(4, 8, 64, 6, 64), experts=2, layers=2),
        made(quant=Quant(4, 8, 64, 6, 64), experts=2, layers=3),
    ),
}
"""A container, and the same with late layers."""


def _late(old: Waste, new: Waste) -> tuple[int, ...]:
    return tuple(layer for layer in new.banks if layer not in old.banks)


@needs("waste.matrix")
@clause("RESUME-BASE-01")
@cases(
    {
        f"{name}_{given}": (old, new, given)
        for name, (old, new) in GROWN.items()
        for given in ("late", "all", "all_backwards")
    }
)
def test_bases_never_change(ask: Ask, case: tuple[Waste, Waste, str]) -> None:
    """Whatever layers a resume is given, those written before keep base, books and records."""
    old, new, given = case
    path = ask.file(OUT, old.folder)
    layers = _late(old, new) if given == "late" else tuple(new.banks)[:: -1 if "backwards" in given else 1]
    reply = write(ask, description(new, layers=layers, resume=True))
    found = check_written(ask, "RESUME-BASE-01", reply, new)
    for layer in old.banks:
        base = old.record(layer, 0).codebook_id
        check("RESUME-BASE-01", reply, shows(f"base of layer {layer}", base, found.base(layer)))
        for kind in KINDS:
            decoded = ask("waste.matrix", path=path, layer=layer, expert=1, matrix=kind)
            check("RESUME-BASE-01", decoded, gives(old.weights(layer, 1, kind)))
    before: Any = old.files[CODEBOOKS]
    books = found.files.get(CODEBOOKS, b"")
    check("RESUME-BASE-01", reply, shows("the books in place", before, books[: len(before)]))
    size = (old.quant or Quant()).book_bytes
    behind = [layer for layer in _late(old, new) if (found.base(layer) or 0) * size < len(before)]
    check("RESUME-BASE-01", reply, shows("new layers with books among the old", [], behind))


@needs("waste.open", "waste.verify")
@clause("RESUME-BASE-02")
@cases(GROWN)
def test_a_late_layer_is_enough(ask: Ask, case: tuple[Waste, Waste]) -> None:
    """A resume that is given late layers alone takes the bases in place, and the whole opens and verifies."""
    old, new = case
    path = ask.file(OUT, old.folder)
    reply = write(ask, description(new, layers=_late(old, new), resume=True))
    check_written(ask, "RESUME-BASE-02", reply, new)
    check("RESUME-BASE-02", ask("waste.open", path=path), answers())
    check("RESUME-BASE-02", ask("waste.verify", path=path), answers(defects=[]))


@clause("RESUME-BASE-02")
@cases(tiny=TINY, swapped=SWAPPED, apart=APART)
def test_a_lost_late_bank_is_enough(ask: Ask, case: Waste) -> None:
    """A resume that is given the layer alone whose bank was lost leaves the others as they are."""
    ask.file(OUT, case.without_file(case.bank_file(2)).folder)
    reply = write(ask, description(case, layers=(2,), resume=True))
    found = check_written(ask, "RESUME-BASE-02", reply, case)
    base = case.record(1, 0).codebook_id
    check("RESUME-BASE-02", reply, shows("base of layer 1", base, found.base(1)))


def _grown(layers: int, **settings: int) -> Waste:
    quant = Quant(**{"stages": 4, "vec_dim": 8, "entries": 64, **settings})
    return made(quant=quant, inner=16, width=24, layers=layers)


SETTINGS = {
    "stages": 3,
    "vec_dim": 4,
    "entries": 16,
    "index_bits": 6,
    "index_block": 64,
}
"""Another value of each setting than 4 whole bytes, vec_dim 8, 64 entries, row-major."""


@clause("RESUME-BASE-03")
@cases({name: name for name in SETTINGS})
def test_one_container_has_one_width(ask: Ask, case: str) -> None:
    """A resume with another value of one setting is refused with both, and no file has changed."""
    old = _grown(3)
    path = ask.file(OUT, old.folder)
    before = contents(ask.folder / OUT)
    for layers in ((3,), (1, 2, 3)):
        wrong = _grown(4, **{case: SETTINGS[case]})
        reply = write(ask, description(wrong, layers=layers, resume=True))
        expected = getattr(old.quant, case)
        refused = refuses("settings-mismatch", field=field(case), expected=expected, found=SETTINGS[case])
        check("RESUME-BASE-03", reply, refused)
        check("RESUME-BASE-03", reply, spares("files", Exactly(before), contents(ask.folder / OUT)))
    reply = ask(WRITE, model=description(_grown(4), layers=(3,), resume=True), path=path)
    check_written(ask, "RESUME-BASE-03", reply, _grown(4))


def _written(ask: Ask, clause_id: str, model: Waste) -> Folder:
    """A container that the writer itself has made, and said so."""
    reply = write(ask, model, "made")
    files = check_written(ask, clause_id, reply, model, "made").files
    check(clause_id, reply, said(sorted(files), []))
    return Folder(files)


@clause("RESUME-DONE-01")
@cases(
    {
        f"{name}_{given}": (model, given)
        for name, model in {
            "tiny": TINY,
            "packed": GROWN["packed"][0],
            "larger": GROWN["two_more"][1],
        }.items()
        for given in ("all", "none", "one")
    }
)
def test_nothing_to_do_changes_nothing(ask: Ask, case: tuple[Waste, str]) -> None:
    """A resume of a container that is whole writes no file and says so, however often."""
    model, given = case
    ask.file(OUT, _written(ask, "RESUME-DONE-01", model))
    before = contents(ask.folder / OUT)
    layers = {"all": tuple(model.banks), "none": (), "one": (max(model.banks),)}[given]
    for workers in (1, 4):
        reply = write(ask, description(model, layers=layers, resume=True), workers=workers)
        check("RESUME-DONE-01", reply, said([], sorted(before)))
        check("RESUME-DONE-01", reply, shows("files", Exactly(before), contents(ask.folder / OUT)))


BANK = "experts-L2.bin"
STRIDE = 4096


def _field(data: bytes, place: int, value: int) -> bytes:
    return data[:place] + bytes([value]) + data[place + 1 :]


DAMAGE: dict[str, Any] = {
    "missing": lambda data: None,
    "empty": lambda data: b"",
    "a_byte_short": lambda data: data[:-1],
    "a_record_short": lambda data: data[:-STRIDE],
    "a_record_long": lambda data: data + data[-STRIDE:],
    "no_first_header": lambda data: bytes(STRIDE) + data[STRIDE:],
    "no_last_header": lambda data: data[:-STRIDE] + bytes(STRIDE),
    "of_another_layer": lambda data: _field(data, 4, 1),
    "last_of_another_expert": lambda data: _field(data, 2 * STRIDE + 6, 0),
    "of_another_packing": lambda data: _field(data, 8, 8),
    "of_other_books": lambda data: _field(data, 10, data[10] ^ 1),
}


@clause("RESUME-DONE-02")
@cases(DAMAGE)
def test_a_bank_that_does_not_fit_is_written_anew(ask: Ask, case: Any) -> None:
    """A bank that is missing, torn or of other numbers is written anew; the other one is left as it is."""
    folder = _written(ask, "RESUME-DONE-02", TINY)
    data = case(folder.files[BANK])
    ask.file(OUT, folder.without(BANK) if data is None else folder.with_file(BANK, data))
    reply = write(ask, description(TINY, resume=True))
    found = check_written(ask, "RESUME-DONE-02", reply, TINY)
    other = TINY.bank_file(1)
    check("RESUME-DONE-02", reply, shows(other, folder.files[other], found.files[other]))


@clause("RESUME-DONE-02")
@cases(
    none=0,
    no_whole_one=1,
    those_of_one_layer=9,
    one_too_few=17,
)
def test_a_bank_without_its_books_is_written_anew(ask: Ask, case: int) -> None:
    """Where books are lost, the banks that named them are written anew with books of their own."""
    folder = _written(ask, "RESUME-DONE-02", TINY)
    size = (TINY.quant or Quant()).book_bytes
    books: Any = folder.files[CODEBOOKS]
    cut = books[: size - 1] if case == 1 else books[: case * size]
    ask.file(OUT, folder.with_file(CODEBOOKS, cut) if case else folder.without(CODEBOOKS))
    reply = write(ask, description(TINY, resume=True))
    check_written(ask, "RESUME-DONE-02", reply, TINY)


@needs("waste.open")
@clause("RESUME-DONE-02")
@cases(torn_bank=("experts-L1.bin", 4096), lost_trunk=(TRUNK, 0), no_manifest=(MANIFEST, 0))
def test_what_was_interrupted_is_finished(ask: Ask, case: tuple[str, int]) -> None:
    """What is on the disk counts: a resume of a container that lacks a file makes it whole."""
    name, left = case
    folder = _written(ask, "RESUME-DONE-02", TINY)
    data: Any = folder.files[name]
    ask.file(OUT, folder.with_file(name, data[:left]) if left else folder.without(name))
    reply = write(ask, description(TINY, resume=True))
    check_written(ask, "RESUME-DONE-02", reply, TINY)
    check("RESUME-DONE-02", ask("waste.open", path=str(ask.folder / OUT)), answers())


@clause("RESUME-KEEP-03")
@cases({f"{name}_{given}": (*pair, given) for name, pair in GROWN.items() for given in ("late", "all")})
def test_in_place_and_elsewhere_are_the_same(ask: Ask, case: tuple[Waste, Waste, str]) -> None:
    """What a resume keeps of the path that it writes to is what a write elsewhere makes of all of it."""
    old, new, given = case
    ask.file(OUT, old.folder)
    layers = _late(old, new) if given == "late" else tuple(new.banks)
    check_written(ask, "RESUME-KEEP-03", write(ask, description(new, layers=layers, resume=True)), new)
    check_written(ask, "RESUME-KEEP-03", write(ask, new, "elsewhere"), new, "elsewhere")


DEEP, OTHER, FORMER = (
    made(inner=8, width=8, experts=1, layers=12, dense=0, seed=seed) for seed in ("one", "other", "former")
)
"""Three containers of many files that are alike in all numbers."""


@needs("waste.open")
@clause("RESUME-TEMP-01")
@cases(fresh=None, over_another=FORMER, over_itself=DEEP)
def test_two_writers_end_in_one_container(ask: Ask, case: Waste | None) -> None:
    """Four writers of two containers at one path leave one of them whole, or what is refused, and no more."""
    for name in ("first", "second"):
        path = ask.file(name, case.folder) if case else str(ask.folder / name)
        requests = [{"model": description(model), "path": path} for model in (DEEP, OTHER) * 2]
        replies = ask.together(WRITE, requests)
        for reply in replies:
            if not isinstance(reply.outcome, Refused):
                check("RESUME-TEMP-01", reply, answers())
        former = {"former": case} if case is not None else {}
        check_one_or_none(ask, "RESUME-TEMP-01", ask.folder / name, one=DEEP, other=OTHER, **former)
        if not any(isinstance(reply.outcome, Refused) for reply in replies):
            names = sorted(look(ask, name).files)
            check("RESUME-TEMP-01", replies[0], shows("files", sorted({*DEEP.files, MANIFEST}), names))
