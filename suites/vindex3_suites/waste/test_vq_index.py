"""Indices at or beyond the number of entries: refused by kernels and readers, listed by verification."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, needs, refuses
from vindex3_fixtures.waste import KINDS, Quant, Waste, made
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.kernels import (
    MULTIPLY,
    Given,
    check_decoded,
    check_multiplied,
    decode,
    drawn,
    multiply,
    whole_vector,
)
from vindex3_suites.waste.verifying import check_listed, defect

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask


@dataclass(frozen=True)
class Beyond:
    """One index of a matrix that is too large."""

    quant: Quant
    rows: int
    positions: int
    row: int
    position: int
    stage: int
    index: int

    @property
    def legal(self) -> Given:
        """The matrix with the last entry in that place."""
        return self._with(self.quant.entries - 1)

    @property
    def wrong(self) -> Given:
        """The matrix with the index."""
        return self._with(self.index)

    @property
    def facts(self) -> dict[str, Any]:
        """Where it stands, and what it is."""
        names = ("row", "position", "stage", "index")
        return {**{name: getattr(self, name) for name in names}, "entries": self.quant.entries}

    def _with(self, index: int) -> Given:
        given = drawn(self.quant, self.rows, self.positions)
        matrix = given.matrix.with_index(self.row, self.position, self.stage, index)
        return replace(given, matrix=matrix)


PLACES = {
    "only_one": Beyond(Quant(1, 1, 1), 1, 1, 0, 0, 0, 1),
    "first": Beyond(Quant(3, 2, 16), 5, 3, 0, 0, 0, 16),
    "last": Beyond(Quant(3, 2, 16), 5, 3, 4, 2, 2, 16),
    "middle": Beyond(Quant(3, 2, 16), 5, 3, 2, 1, 1, 200),
    "largest": Beyond(Quant(2, 4, 100), 70, 2, 63, 1, 0, 255),
    "beside_255_entries": Beyond(Quant(2, 4, 255), 70, 2, 64, 0, 1, 255),
    "first_of_a_block": Beyond(Quant(3, 2, 16, index_block=64), 130, 3, 64, 0, 0, 16),
    "last_of_a_block": Beyond(Quant(3, 2, 16, index_block=64), 130, 3, 63, 2, 2, 17),
    "last_row_of_a_partial_block": Beyond(Quant(3, 2, 16, index_block=64), 130, 3, 129, 1, 0, 128),
    "last_of_eight_stages": Beyond(Quant(8, 1, 7, index_block=64), 33, 9, 32, 8, 7, 7),
}


@clause("VQ-INDEX-02")
@cases(PLACES)
def test_a_kernel_refuses_an_index_beyond(ask: Ask, case: Beyond) -> None:
    """The last entry is decoded; the next index is refused, with its place."""
    check_decoded(ask, "VQ-INDEX-02", case.legal)
    check("VQ-INDEX-02", decode(ask, case.wrong), refuses("index-out-of-codebook", **case.facts))


@clause("VQ-INDEX-02")
@needs(MULTIPLY)
@cases(PLACES)
def test_a_product_refuses_an_index_beyond(ask: Ask, case: Beyond) -> None:
    """A product is refused where decoding is."""
    x = whole_vector("beyond", length=case.positions * case.quant.vec_dim)
    check_multiplied(ask, "VQ-INDEX-02", case.legal, x)
    check("VQ-INDEX-02", multiply(ask, case.wrong, x), refuses("index-out-of-codebook", **case.facts))


@clause("VQ-INDEX-02")
@cases(whole_bytes=Quant(3, 2, 16, index_block=64), one_entry=Quant(2, 1, 1, index_block=64))
def test_filling_rows_have_no_indices(ask: Ask, case: Quant) -> None:
    """What stands in the rows that only fill up a block is no index, for decoding and for refusing."""
    given = replace(drawn(case, 70, 3), filling=0xFF)
    check_decoded(ask, "VQ-INDEX-02", given)
    matrix = given.matrix.with_index(69, 2, 1, case.entries)
    facts = {"row": 69, "position": 2, "stage": 1, "index": case.entries}
    reply = decode(ask, replace(given, matrix=matrix))
    check("VQ-INDEX-02", reply, refuses("index-out-of-codebook", **facts, entries=case.entries))


def _matrix(ask: Ask, model: Waste, kind: str, folder: str = "model") -> Reply:
    return ask("waste.matrix", path=ask.file(folder, model.folder), layer=1, expert=1, matrix=kind)


def _container(index_block: int = 0) -> Waste:
    """One layer of two experts with 20 entries, 24 rows of 10 positions and back."""
    quant = Quant(2, 2, 20, index_block=index_block)
    return made(quant=quant, inner=24, width=20, experts=2, layers=2, seed="index")


CONTAINERS = {"row_major": _container(), "blocked": _container(64)}


def _with_index(model: Waste, kind: str, row: int, index: int) -> Waste:
    record = model.record(1, 1)
    matrix = record.matrix(kind).with_index(row, 9, 1, index)
    return model.with_record(1, 1, record.with_matrix(kind, matrix))


@clause("VQ-INDEX-01")
@cases(CONTAINERS)
def test_an_index_beyond_is_not_decoded(ask: Ask, case: Waste) -> None:
    """An index at entries is refused with record, matrix and place; the last entry is decoded."""
    for kind in KINDS:
        for row, index in ((0, 20), (19, 255)):
            legal = _with_index(case, kind, row, 19)
            check("VQ-INDEX-01", _matrix(ask, legal, kind), gives(legal.weights(1, 1, kind)))
            wrong = _with_index(case, kind, row, index)
            place = {"row": row, "position": 9, "stage": 1, "index": index, "entries": 20}
            of = {"layer": 1, "expert": 1, "matrix": kind}
            check("VQ-INDEX-01", _matrix(ask, wrong, kind), refuses("index-out-of-codebook", **of, **place))


@clause("VQ-INDEX-03")
@cases(CONTAINERS)
def test_an_index_beyond_is_listed(ask: Ask, case: Waste) -> None:
    """Verification lists the first index beyond of every matrix, wherever it stands."""
    for row in (0, 19):
        wrong, found = case, []
        for kind, index in zip(KINDS, (20, 128, 255), strict=True):
            wrong = _with_index(wrong, kind, row, index)
            place = {"row": row, "position": 9, "stage": 1, "index": index}
            found.append(defect("index-out-of-codebook", layer=1, expert=1, matrix=kind, **place))
        check_listed(ask, "VQ-INDEX-03", case, wrong, *found)
