"""Matrices as kernels are given them, the questions about them, and what a right kernel answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pytest_vindex3 import answers, check
from pytest_vindex3.contract.patterns import one_of
from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import Matrix, Quant, draw, formulas, region

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers
    from vindex3_fixtures.waste.quant import Floats, Halves

DECODE: Final = "kernel.vq_decode"
MULTIPLY: Final = "kernel.vq_matvec"
ISAS: Final = ("scalar", "avx2", "avx512", "neon", "clmul", "armcrc")
"""Every name that a variant can have."""
ONE_HALF: Final = 0x3C00
"""The pattern of the half 1."""
PACKED: Final = Quant(stages=4, vec_dim=8, entries=64, index_bits=6)


@dataclass(frozen=True, eq=False, kw_only=True)
class Given:
    """A matrix in the form that kernels take.

    Attributes:
        quant: its width.
        matrix: its indices and scales.
        books: one for each stage, [entries][vec_dim].
        filling: the byte of the rows that only fill up a block.
        changed: arguments that are given otherwise.
    """

    quant: Quant
    matrix: Matrix
    books: tuple[Halves, ...]
    filling: int = 0
    changed: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """What kernel.vq_decode is asked with."""
        stored = {
            "indices": region(self.matrix.indices, self.quant, self.filling),
            "codebooks": halves(*self.books),
            "scales": halves(self.matrix.scales),
        }
        keys = ("stages", "vec_dim", "entries", "index_bits", "index_block")
        width = {key: getattr(self.quant, key) for key in keys}
        sizes = {"rows": self.matrix.rows, "n_in": self.matrix.positions * self.quant.vec_dim}
        return {**stored, **sizes, **width, **self.changed}

    @cached_property
    def weights(self) -> Floats:
        """What it decodes to."""
        return formulas.decoded(self.matrix.indices, self.books, self.matrix.scales)

    def product(self, x: Floats, table: str = "f32") -> Floats:
        """Its product with `x` by this table."""
        formula = {"f32": formulas.product, "int8": formulas.product_int8}[table]
        return formula(self.matrix.indices, self.books, self.matrix.scales, x)

    def with_arguments(self, **changed: object) -> Given:
        """The same matrix, asked about with other arguments."""
        return replace(self, changed={**self.changed, **changed})


def halves(*patterns: Halves) -> bytes:
    """Patterns as they are stored, one array behind the other."""
    return b"".join(one.astype("<u2").tobytes() for one in patterns)


def drawn(quant: Quant, rows: int, positions: int, *seed: object) -> Given:
    """A matrix of drawn indices whose books and scales are whole numbers.

    Values are from 1 to 1000 and scales 1, 2 or 4, so that every sum and product is exact in any order:
    what such a matrix shows is where indices lie, and nothing else.
    """
    numbers = Numbers("kernel", quant, rows, positions, *seed)
    indices = draw.indices(numbers, rows, positions, quant.stages, quant.entries)
    books = tuple(_whole(numbers, quant.entries, quant.vec_dim) for _ in range(quant.stages))
    scales = ONE_HALF + (_words(numbers, rows) % 3 << 10)
    return Given(quant=quant, matrix=Matrix(indices, scales.astype(np.uint16)), books=books)


def whole_vector(*seed: object, length: int) -> Floats:
    """Drawn whole numbers from -4 to 4 for the right-hand side of a product that is exact in any order."""
    return (_words(Numbers("whole", *seed), length) % 9).astype(np.float32) - 4


def _whole(numbers: Numbers, entries: int, vec_dim: int) -> Halves:
    values = _words(numbers, entries * vec_dim).reshape(entries, vec_dim) % 1000 + 1
    return values.astype(np.float16).view(np.uint16)


def _words(numbers: Numbers, count: int) -> npt.NDArray[np.uint32]:
    return np.frombuffer(numbers.data(4 * count), "<u4")


def table_of(books: tuple[Halves, ...], scale: int = ONE_HALF, *, index_block: int = 0) -> Given:
    """A matrix of one position and a row for every entry: row r takes entry r of each book."""
    entries, vec_dim = books[0].shape
    quant = Quant(len(books), vec_dim, entries, index_block=index_block)
    indices = np.repeat(np.arange(entries, dtype=np.uint8), len(books)).reshape(entries, 1, len(books))
    return Given(quant=quant, matrix=Matrix(indices, np.full(entries, scale, np.uint16)), books=books)


def vector(*seed: object, length: int) -> Floats:
    """Drawn real numbers for the right-hand side of a product whose roundings show."""
    return draw.reals(Numbers("vector", *seed), length)


def decode(ask: Ask, given: Given, **options: Any) -> Reply:
    """Ask for the weights."""
    return ask(DECODE, **given.arguments, **options)


def decodes(given: Given, isa: str | None = None) -> Answers:
    """The weights, by the variant named or by one that has a name."""
    return answers(out=given.weights, isa=isa or one_of(*ISAS))


def check_decoded(ask: Ask, clause_id: str, given: Given, **options: Any) -> None:
    """A matrix decodes to the bits of the formula."""
    check(clause_id, decode(ask, given, **options), decodes(given))


def multiply(ask: Ask, given: Given, x: Floats, **options: Any) -> Reply:
    """Ask for the product."""
    return ask(MULTIPLY, **given.arguments, x=x, **options)


def multiplies(given: Given, x: Floats, table: str = "f32", isa: str | None = None) -> Answers:
    """The product, by this table."""
    return answers(out=given.product(x, table), isa=isa or one_of(*ISAS), table=table)


def check_multiplied(ask: Ask, clause_id: str, given: Given, x: Floats, **options: Any) -> None:
    """A product has the bits of the formula; `table` is one of the options."""
    table = str(options.get("table", "f32"))
    check(clause_id, multiply(ask, given, x, **options), multiplies(given, x, table))
