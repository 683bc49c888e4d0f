"""codebooks.bin at open: whole books, the headers of those that a layer names, holes among the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, either, needs
from pytest_vindex3.contract.outcome import Answer
from pytest_vindex3.contract.patterns import Present, field
from vindex3_fixtures.waste import CODEBOOKS, KINDS, Quant, Waste, made
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.judging import check_opened, check_refused, refused
from vindex3_suites.waste.models import BLOCKED, PACKED, PAIRS, SHAPES, SINGLE, TINY, open_, opens
from vindex3_suites.waste.verifying import Listed, defect

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.waste import Book

SIZES: dict[str, tuple[Quant, int]] = {
    "256_of_8": (Quant(stages=3, vec_dim=8, entries=256), 4112),
    "64_of_8_packed": (Quant(stages=4, vec_dim=8, entries=64, index_bits=6), 1040),
    "1_of_1": (Quant(stages=1, vec_dim=1, entries=1), 18),
    "256_of_64": (Quant(stages=1, vec_dim=64, entries=256), 32784),
    "255_of_3": (Quant(stages=2, vec_dim=3, entries=255), 1546),
}


@clause("CODEBOOK-FILE-01")
@cases(SIZES)
def test_a_book_has_its_size(ask: Ask, case: tuple[Quant, int]) -> None:
    """16 bytes and a half for every value of every entry; the file is as many of them as it holds."""
    quant, size = case
    inner, width = 2 * quant.vec_dim, quant.vec_dim
    model = made(quant=quant, inner=inner, width=width, experts=1, layers=1, dense=0, tensors=())
    check_opened(ask, "CODEBOOK-FILE-01", model)
    for more in (0, 1, 7):
        books = [*model.books, *_unnamed(model, more)]
        counted = answers(codebooks={"count": 3 * quant.stages + more, "book_bytes": size})
        check("CODEBOOK-FILE-01", open_(ask, model.with_books(books)), counted)


def _unnamed(model: Waste, count: int) -> list[Book]:
    """More books behind those of a container."""
    first = len(model.books)
    return [replace(model.books[0], number=number) for number in range(first, first + count)]


@clause("CODEBOOK-FILE-01")
@cases({name: model for name, model in SHAPES.items() if model.books})
def test_the_books_are_counted(ask: Ask, case: Waste) -> None:
    """Every layer has 3 x stages books, and the number of all of them is observed."""
    size = case.quant.book_bytes if case.quant else None
    counted = answers(codebooks={"count": len(case.books), "book_bytes": size})
    check("CODEBOOK-FILE-01", open_(ask, case), counted)


@clause("CODEBOOK-FILE-02")
@cases({"tiny": TINY, "packed": PACKED, "pairs": PAIRS, "single": SINGLE})
def test_a_file_is_whole_books(ask: Ask, case: Waste) -> None:
    """Any bytes more or less than whole books are partial-codebook, with both sizes."""
    data: Any = case.files[CODEBOOKS]
    size = len(case.books[0].data)
    longer: Any = case.with_books([*case.books, *_unnamed(case, 1)])
    for whole in (case, longer):
        check_opened(ask, "CODEBOOK-FILE-02", whole)
    more = sorted({1, 2, 15, 16, size // 2, size - 1, 100} - {size, 0})
    for length in [len(data) + extra for extra in more if extra % size]:
        wrong = case.with_file(CODEBOOKS, longer.files[CODEBOOKS][:length].ljust(length, bytes(1)))
        names = {"have": length, "book_bytes": size}
        check_refused(ask, "CODEBOOK-FILE-02", wrong, "partial-codebook", **names)


HEADERS: dict[str, tuple[str, int, object]] = {
    "zero_magic": ("magic", 0, None),
    "magic_reversed": ("magic", 0x5743424B, None),
    "magic_of_a_record": ("magic", 0x50584557, None),
    "last_letter": ("magic", 0x4C424357, None),
    "vec_dim_0": ("vec_dim", 0, 8),
    "vec_dim_4": ("vec_dim", 4, 8),
    "vec_dim_16": ("vec_dim", 16, 8),
    "entries_0": ("entries", 0, 16),
    "entries_15": ("entries", 15, 16),
    "entries_256": ("entries", 256, 16),
    "entries_beyond_16_bits": ("entries", 16 + (1 << 16), 16),
    "entries_beyond_24_bits": ("entries", 16 + (1 << 24), 16),
}
"""A field of a book's header, what is written there, and the number that should have been."""


@clause("CODEBOOK-HEADER-01")
@needs("waste.verify")
@cases(HEADERS)
def test_a_named_book_is_what_the_manifest_says(ask: Ask, case: tuple[str, int, object]) -> None:
    """Another magic, vec_dim or number of entries is codebook-header, at open or in verification."""
    name, stored, expected = case
    check_opened(ask, "CODEBOOK-HEADER-01", TINY)
    sound = ask("waste.verify", path=ask.file("model", TINY.folder))
    check("CODEBOOK-HEADER-01", sound, answers(defects=[]))
    spelt = (Present(), Present()) if name == "magic" else (stored, expected)
    for number in (0, 8, 9, 17):
        wrong = TINY.with_book(TINY.books[number].with_stored(**{name: stored}))
        names = {"book": number, "field": field(name), "found": spelt[0], "expected": spelt[1]}
        _check_header(ask, wrong, names)


@clause("CODEBOOK-HEADER-01")
@needs("waste.verify")
@cases({f"{entries}_of_{vec_dim}": (entries, vec_dim) for entries, vec_dim in ((32, 4), (8, 16), (1, 128))})
def test_a_named_book_of_equal_length_is_none_of_equal_shape(ask: Ask, case: tuple[int, int]) -> None:
    """As many halves in vectors of another size are codebook-header too."""
    entries, vec_dim = case
    check_opened(ask, "CODEBOOK-HEADER-01", TINY)
    for number in (0, 17):
        wrong = TINY.with_book(TINY.books[number].with_stored(entries=entries, vec_dim=vec_dim))
        facts = dict.fromkeys(("field", "found", "expected"), Present())
        names: dict[str, object] = {"book": number, **facts}
        _check_header(ask, wrong, names)


def _check_header(ask: Ask, wrong: Waste, names: dict[str, object]) -> None:
    opened = open_(ask, wrong)
    refusal = refused("CODEBOOK-HEADER-01", "codebook-header", **names)
    check("CODEBOOK-HEADER-01", opened, either(opens(wrong), refusal))
    if isinstance(opened.outcome, Answer):
        found = Listed((defect("codebook-header", **names),), frozenset({"codebook-header"}))
        verified = ask("waste.verify", path=ask.file("model", wrong.folder))
        check("CODEBOOK-HEADER-01", verified, either(answers(defects=found), refusal))


@clause("CODEBOOK-HEADER-02")
@cases({f"fmt_{fmt}": fmt for fmt in (0, 3, 4, 5, 7, 8, 255)})
def test_the_format_of_a_book_is_not_compared(ask: Ask, case: int) -> None:
    """Whatever its byte 6 is, in one book or in all of them, the container opens."""
    for model in (TINY, PACKED, BLOCKED):
        every = [book.with_stored(fmt=case) for book in model.books]
        check_opened(ask, "CODEBOOK-HEADER-02", model, spelt=model.with_books(every))
        check_opened(ask, "CODEBOOK-HEADER-02", model, spelt=model.with_book(every[-1]))


HOLES: dict[str, bytes] = {
    "zeros": bytes(272),
    "ones": b"\xff" * 272,
    "text": (b"not a codebook. " * 17),
    "another_magic": b"WEXP" + bytes(268),
    "another_size": b"WCBK" + b"\x09\x00\x04\x10" + b"\xff" * 264,
    "not_finite": b"WCBK" + b"\x00\x00\x04\x08" + (16).to_bytes(4, "little") + bytes(4) + b"\x00\x7c" * 128,
}
"""What a book that no layer names may hold; each is as long as a book of the tiny container."""


def _apart() -> Waste:
    """The tiny container with a hole of three books before, between and behind those that are named."""
    return made(bases=(3, 15), seed="apart")


@clause("CODEBOOK-HOLE-01")
@cases(HOLES)
def test_a_book_that_nobody_names_is_not_judged(ask: Ask, case: bytes) -> None:
    """Before, between and behind the books of layers anything may stand in the place of a book."""
    model = _apart()
    check_opened(ask, "CODEBOOK-HOLE-01", model)
    data: Any = model.files[CODEBOOKS]
    filled = bytearray(data + case)
    for number in (0, 1, 2, 12, 13, 14):
        filled[number * 272 : (number + 1) * 272] = case
    check_opened(ask, "CODEBOOK-HOLE-01", model.with_file(CODEBOOKS, bytes(filled)))


@clause("CODEBOOK-HOLE-01")
@needs("waste.verify")
@cases(HOLES)
def test_a_hole_is_no_defect(ask: Ask, case: bytes) -> None:
    """Nor does verification find anything in it."""
    model = _apart()
    data: Any = model.files[CODEBOOKS]
    for number in (0, 13):
        filled = model.patched(CODEBOOKS, number * 272, case)
        verified = ask("waste.verify", path=ask.file("model", filled.folder))
        check("CODEBOOK-HOLE-01", verified, answers(records_checked=6, defects=[]))
    behind = model.with_file(CODEBOOKS, data + case)
    verified = ask("waste.verify", path=ask.file("model", behind.folder))
    check("CODEBOOK-HOLE-01", verified, answers(records_checked=6, defects=[]))


@clause("CODEBOOK-HOLE-01")
@needs("waste.matrix")
def test_a_hole_decodes_nothing(ask: Ask) -> None:
    """Books that no layer names take no part in a matrix."""
    model = _apart()
    zeros = model.patched(CODEBOOKS, 0, HOLES["ones"]).patched(CODEBOOKS, 13 * 272, HOLES["not_finite"])
    path = ask.file("model", zeros.folder)
    for layer in (1, 2):
        for kind in KINDS:
            reply = ask("waste.matrix", path=path, layer=layer, expert=2, matrix=kind)
            check("CODEBOOK-HOLE-01", reply, gives(model.weights(layer, 2, kind)))
