"""How waste.tensor is asked, containers of a few tensors, and what a right reader answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import check
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.models import DENSE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.waste import Tensor, Waste

TENSOR = "waste.tensor"


def holding(
    *tensors: Tensor, places: Mapping[str, tuple[int, int | None]] | None = None, tail: bytes = b""
) -> Waste:
    """A dense model whose trunk are these tensors; places and tail as in `Waste.with_trunk`."""
    return DENSE.with_trunk(*tensors, places=places, tail=tail)


def tensor(ask: Ask, model: Waste, name: str, row: int | None = None) -> Reply:
    """Ask for a tensor of a container, or for one of its rows."""
    path = ask.file("model", model.folder)
    return ask(TENSOR, path=path, name=name) if row is None else ask(TENSOR, path=path, name=name, row=row)


def check_tensors(ask: Ask, clause_id: str, model: Waste, *names: str) -> None:
    """These tensors, or all, are delivered whole as the formula decodes them."""
    for name in names or [one.name for one in model.tensors]:
        check(clause_id, tensor(ask, model, name), gives(model.values(name)))


def check_rows(ask: Ask, clause_id: str, model: Waste, name: str) -> None:
    """Every row of a tensor is delivered on its own."""
    stored = model.tensor(name)
    rows = model.values(name).reshape(stored.rows, stored.width)
    for row in range(stored.rows):
        check(clause_id, tensor(ask, model, name, row), gives(rows[row]))
