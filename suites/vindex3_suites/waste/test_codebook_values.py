"""Which book serves which matrix and stage, and what its halves are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pytest_vindex3 import cases, check, clause, needs
from pytest_vindex3.contract.patterns import one_of
from vindex3_fixtures.waste import CODEBOOKS, KINDS, Book, Matrix, Quant, Waste, made
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.infinite import INFINITE, Half
from vindex3_suites.waste.kernels import DECODE, Given, decode, decodes
from vindex3_suites.waste.models import BLOCKED, PACKED, PAIRS, SINGLE, TINY, open_, opens
from vindex3_suites.waste.records import check_decoded, matrix, with_header
from vindex3_suites.waste.verifying import check_listed, defect

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

SPREAD = made(bases=[20, 3], seed="spread")
"""Bases that do not ascend, with books between that no layer names."""
SHAPES = {"tiny": TINY, "packed": PACKED, "blocked": BLOCKED, "pairs": PAIRS, "spread": SPREAD}


@clause("CODEBOOK-NUMBER-01")
@cases({**SHAPES, "single": SINGLE})
def test_each_matrix_has_books_of_its_own(ask: Ask, case: Waste) -> None:
    """Every matrix of every layer decodes with its own books, stage by stage."""
    for layer, bank in case.banks.items():
        for expert in {0, len(bank) - 1}:
            check_decoded(ask, "CODEBOOK-NUMBER-01", case, layer, expert)


@clause("CODEBOOK-NUMBER-01")
@cases({str(stages): stages for stages in (1, 2, 5, 8)})
def test_books_of_any_number_of_stages(ask: Ask, case: int) -> None:
    """With so many stages a layer has three times as many books."""
    quant = Quant(case, 2, 5)
    model = made(quant=quant, inner=6, width=10, experts=2, layers=3, bases=[3 * case + 1, 0], seed="stages")
    for layer in (1, 2):
        check_decoded(ask, "CODEBOOK-NUMBER-01", model, layer, 1)


def _every_pattern(scale: int) -> Waste:
    """Two layers whose gate, up and down show the 256 x 64 values of a book each: all patterns of a half."""
    model = made(quant=Quant(1, 64, 256), inner=256, width=64, experts=1, layers=2, dense=0, seed="halves")
    patterns = np.arange(6 * 256 * 64, dtype=np.uint32).astype(np.uint16).reshape(6, 256, 64)
    model = model.with_books([Book(number, values) for number, values in enumerate(patterns)])
    entries = np.arange(256, dtype=np.uint8)
    gate = Matrix(entries.reshape(256, 1, 1), np.full(256, scale, np.uint16))
    down = Matrix(entries.reshape(64, 4, 1), np.full(64, scale, np.uint16))
    for layer in (0, 1):
        shown = replace(model.record(layer, 0), gate=gate, up=gate, down=down)
        model = model.with_record(layer, 0, shown)
    return model


@clause("CODEBOOK-VALUE-01")
@cases(one=0x3C00, minus_one=0xBC00)
def test_every_half_is_widened(ask: Ask, case: int) -> None:
    """Each of the 65 536 patterns is the number that IEEE gives it, with the sign that the scale makes."""
    model = _every_pattern(case)
    for layer in (0, 1):
        check_decoded(ask, "CODEBOOK-VALUE-01", model, layer)


TYPED = {0x0001: 2.0**-24, 0x83FF: -1023 * 2.0**-24, 0x0400: 2.0**-14, 0x7BFF: 65504.0, 0xC000: -2.0}


@clause("CODEBOOK-VALUE-01")
@cases({f"{pattern:04x}": pattern for pattern in TYPED})
def test_typed_halves(ask: Ask, case: int) -> None:
    """A half that is typed here is the number beside it."""
    model = SINGLE
    for book in SINGLE.books:
        model = model.with_book(book.with_value(0, 0, case))
    stored = model.record(0, 0)
    for kind in KINDS:
        stored = stored.with_matrix(kind, stored.matrix(kind).with_scale(0, 0x3C00))
    model = model.with_record(0, 0, stored)
    for kind in KINDS:
        expected = gives(np.array([[TYPED[case]]], np.float32))
        check("CODEBOOK-VALUE-01", matrix(ask, model, 0, 0, kind), expected)


def _with_value(model: Waste, pattern: int, *books: int) -> Waste:
    """The container with this half in the first element of entry 1 of these books."""
    for number in books:
        model = model.with_book(model.books[number].with_value(1, 0, pattern))
    return model


def _using(model: Waste) -> Waste:
    """The container of which every third row takes entry 1 in each stage, and no other row does."""
    stored = model.record(1, 0)
    for kind in KINDS:
        whole = stored.matrix(kind)
        indices = np.where(whole.indices == 1, 0, whole.indices).astype(np.uint8)
        indices[::3] = 1
        stored = stored.with_matrix(kind, replace(whole, indices=indices))
    return model.with_record(1, 0, stored)


@clause("CODEBOOK-VALUE-03")
@cases(INFINITE)
def test_infinite_values_follow_ieee(ask: Ask, case: int) -> None:
    """Weights that use an infinity or a NaN become one, of the right sign; the others are as they were."""
    for model in (TINY, PACKED, PAIRS):
        stages = model.record(1, 0).quant.stages
        for books in ((0, stages, 2 * stages), (stages - 1, 2 * stages - 1, 3 * stages - 1)):
            check_decoded(ask, "CODEBOOK-VALUE-03", _with_value(_using(model), case, *books))


@clause("CODEBOOK-VALUE-03")
def test_opposite_infinities_are_no_number(ask: Ask) -> None:
    """An infinity at one stage and its opposite at another give NaN, and 0 times an infinity too."""
    model = _with_value(_with_value(_using(TINY), 0x7C00, 0, 3, 6), 0xFC00, 2, 5, 8)
    check_decoded(ask, "CODEBOOK-VALUE-03", model)
    stored = model.record(1, 0)
    for kind in KINDS:
        stored = stored.with_matrix(kind, stored.matrix(kind).with_scale(0, 0x0000))
    check_decoded(ask, "CODEBOOK-VALUE-03", model.with_record(1, 0, stored))


@clause("CODEBOOK-VALUE-02")
@cases(INFINITE)
def test_infinite_values_of_a_book_are_listed(ask: Ask, case: int) -> None:
    """Verification lists them with book, entry and element, in the first book, a middle one and the last."""
    last = len(TINY.books) - 1
    for number, entry, element in ((0, 0, 0), (4, 7, 5), (last, 15, 7)):
        wrong = TINY.with_book(TINY.books[number].with_value(entry, element, case))
        names = {"book": number, "entry": entry, "element": element}
        found = defect("non-finite", **names, found=Half(case))
        check_listed(ask, "CODEBOOK-VALUE-02", TINY, wrong, found)


@clause("CODEBOOK-VALUE-02")
def test_books_of_nobody_are_not_looked_into(ask: Ask) -> None:
    """A book that no layer names may hold infinities; one that a layer names may not."""
    holes = [number for number in range(len(SPREAD.books)) if not (3 <= number < 12 or number >= 20)]
    unnamed = SPREAD
    for number in holes:
        unnamed = unnamed.with_book(unnamed.books[number].with_value(0, 0, 0x7C00))
    wrong = unnamed.with_book(unnamed.books[3].with_value(2, 1, 0xFC00))
    found = defect("non-finite", book=3, entry=2, element=1, found=Half(0xFC00))
    check_listed(ask, "CODEBOOK-VALUE-02", unnamed, wrong, found)


ODD_HEADERS: dict[str, tuple[int, dict[str, int], str, int, int]] = {
    "id_of_the_first": (0, {"id": 1}, "id", 1, 0),
    "id_of_the_last": (17, {"id": 0}, "id", 0, 17),
    "id_in_the_high_byte": (9, {"id": 0x0109}, "id", 0x0109, 9),
    "zero_word": (4, {"zero": 1}, "zero", 1, 0),
    "high_byte_of_the_zero_word": (17, {"zero": 1 << 31}, "zero", 1 << 31, 0),
}


@clause("CODEBOOK-HEADER-03")
@needs("waste.open")
@cases(ODD_HEADERS)
def test_odd_headers_are_listed(ask: Ask, case: tuple[int, dict[str, int], str, int, int]) -> None:
    """A book's id and its zero word are judged by verification, and do not stop open."""
    number, fields, name, found, expected = case
    wrong = TINY.with_book(TINY.books[number].with_stored(**fields))
    field = one_of("zero", "reserved", "reserved0") if name == "zero" else name
    listed = defect("codebook-header", book=number, field=field, found=found, expected=expected)
    check_listed(ask, "CODEBOOK-HEADER-03", TINY, wrong, listed)
    check("CODEBOOK-HEADER-03", open_(ask, wrong), opens(TINY))


@clause("CODEBOOK-HEADER-03")
def test_an_id_has_16_bits(ask: Ask) -> None:
    """Book 65536 has the id 0 again, and any other is listed."""
    base = (1 << 16) - 1
    small = made(quant=Quant(1, 1, 1), inner=1, width=1, experts=1, layers=1, dense=0)
    stored = np.tile(np.frombuffer(small.books[0].data, np.uint8), (base + 4, 1))
    stored[:, 4] = np.arange(base + 4) & 0xFF
    stored[:, 5] = np.arange(base + 4) >> 8 & 0xFF
    record = replace(small.record(0, 0), codebook_id=base)
    model = small.with_layer(0, "codebook_base", base).with_record(0, 0, record)
    model = model.with_file(CODEBOOKS, stored.tobytes())
    wrong = model.patched(CODEBOOKS, (1 << 16) * stored.shape[1] + 4, b"\x01")
    listed = defect("codebook-header", book=1 << 16, field="id", found=1, expected=0)
    check_listed(ask, "CODEBOOK-HEADER-03", model, wrong, listed)


@clause("VQ-DECODE-08")
@cases(INFINITE)
def test_infinite_scales_are_listed(ask: Ask, case: int) -> None:
    """Verification lists a scale that is no finite number with its record, matrix and row."""
    for model, layer, expert in ((TINY, 2, 1), (BLOCKED, 1, 0)):
        stored, found = model.record(layer, expert), []
        for kind in KINDS:
            row = 0 if kind == "up" else stored.matrix(kind).rows - 1
            stored = stored.with_matrix(kind, stored.matrix(kind).with_scale(row, case))
            names = {"layer": layer, "expert": expert, "matrix": kind, "row": row}
            found.append(defect("non-finite", **names, found=Half(case)))
        wrong = model.with_record(layer, expert, stored)
        check_listed(ask, "VQ-DECODE-08", model, wrong, *found)


@clause("VQ-DECODE-10")
@needs(DECODE)
@cases(SHAPES)
def test_a_matrix_is_what_the_kernel_decodes(ask: Ask, case: Waste) -> None:
    """A matrix of a record has the bits that the kernel makes of its region, books and scales."""
    for layer in case.banks:
        stored = case.record(layer, 1)
        for kind in KINDS:
            weights = gives(case.weights(layer, 1, kind))
            check("VQ-DECODE-10", matrix(ask, case, layer, 1, kind), weights)
            books = tuple(case.books_of(stored, kind))
            given = Given(quant=stored.quant, matrix=stored.matrix(kind), books=books)
            check("VQ-DECODE-10", decode(ask, given), decodes(given))


@clause("VQ-DECODE-10")
@cases(SHAPES)
def test_a_matrix_is_decoded_unverified(ask: Ask, case: Waste) -> None:
    """No checksum is compared: a wrong one changes no weight, and behind a flipped scale its row alone."""
    check_decoded(ask, "VQ-DECODE-10", case)
    stored = case.record(1, 0)
    wrong = with_header(case, crc32=stored.true_header["crc32"] ^ 1)
    check_decoded(ask, "VQ-DECODE-10", wrong)
    down = stored.matrix("down")
    flipped = stored.with_matrix("down", down.with_scale(down.rows - 1, int(down.scales[-1]) ^ 1))
    damaged = case.with_record(1, 0, flipped.with_stored(crc32=stored.true_header["crc32"]))
    check_decoded(ask, "VQ-DECODE-10", damaged)
