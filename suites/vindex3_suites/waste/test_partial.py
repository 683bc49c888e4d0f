"""Widths that vec_dim does not divide: the last columns would have no index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, clause
from pytest_vindex3.contract.patterns import field, one_of
from vindex3_fixtures.waste import Quant, Waste, made
from vindex3_suites.waste.judging import check_opened, check_refused

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

INNER, WIDTH, ROUTED = "moe_intermediate_size", "hidden_size", "routed_expert_hidden_size"


def _of(inner: int, width: int, vec_dim: int) -> Waste:
    """A container of these sizes in records that have room for any shape near them."""
    quant = Quant(stages=2, vec_dim=vec_dim, entries=4)
    return made(quant=quant, inner=inner, width=width, experts=2, layers=1, dense=0, tensors=())


CASES: dict[str, tuple[Waste, str, int, int]] = {
    **{f"inner_{value}": (_of(16, 24, 8), INNER, value, 8) for value in (1, 7, 9, 12, 15, 17)},
    **{f"width_{value}": (_of(16, 24, 8), WIDTH, value, 8) for value in (1, 20, 23, 25, 28)},
    **{
        f"routed_{value}": (_of(16, 24, 8).with_config(ROUTED, 24).with_config(WIDTH, 23), ROUTED, value, 8)
        for value in (4, 20, 23, 25)
    },
    "odd_vectors": (_of(21, 33, 3), INNER, 20, 3),
    "pairs": (_of(10, 6, 2), WIDTH, 5, 2),
}


@clause("WASTE-QUANT-11")
@cases(CASES)
def test_vectors_fill_a_row(ask: Ask, case: tuple[Waste, str, int, int]) -> None:
    """A width that is no whole number of vectors is partial-block, with columns and vec_dim."""
    model, key, columns, vec_dim = case
    check_opened(ask, "WASTE-QUANT-11", model)
    wrong = model.with_config(key, columns)
    where = one_of(field(key), field("vec_dim"))
    names = {"field": where, "columns": columns, "vec_dim": vec_dim}
    check_refused(ask, "WASTE-QUANT-11", wrong, "partial-block", **names)


@clause("WASTE-QUANT-11")
def test_the_model_itself_may_have_any_width(ask: Ask) -> None:
    """Where experts have a width of their own, hidden_size need not be divided by anything."""
    model = _of(16, 24, 8).with_config(ROUTED, 24)
    for width in (1, 7, 23, 25, 4097):
        check_opened(ask, "WASTE-QUANT-11", model.with_config(WIDTH, width))
    where = one_of(field(ROUTED), field("vec_dim"))
    names = {"field": where, "columns": 25, "vec_dim": 8}
    check_refused(ask, "WASTE-QUANT-11", model.with_config(ROUTED, 25), "partial-block", **names)
