"""How waste.write is asked, and what stands in its folder afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3 import answers, check
from pytest_vindex3.contract.difference import free_order
from pytest_vindex3.contract.patterns import Exactly
from vindex3_fixtures.waste import Waste, description
from vindex3_suites.container.on_disk import contents, spares
from vindex3_suites.waste.stored import StoredWaste

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Limits, Reply
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers, Expectation

WRITE: Final = "waste.write"
OUT: Final = "out"


def write(
    ask: Ask,
    model: Waste | dict[str, Any],
    name: str = OUT,
    *,
    limits: Limits | None = None,
    workers: int | None = None,
    **changes: Any,
) -> Reply:
    """Ask for a container of this name in the test's own folder.

    Args:
        ask: the implementation.
        model: what is described; or a description.
        name: of the folder.
        limits: bounds of the request.
        workers: how many; None for as many as there are.
        changes: of the description.
    """
    described = description(model, **changes) if isinstance(model, Waste) else {**model, **changes}
    many = {} if workers is None else {"workers": workers}
    return ask(WRITE, limits=limits, model=described, path=str(ask.folder / name), **many)


def look(ask: Ask, name: str = OUT) -> StoredWaste:
    """What stands in a folder now."""
    return StoredWaste(ask.folder / name)


def check_written(
    ask: Ask,
    clause_id: str,
    reply: Reply,
    model: Waste,
    name: str = OUT,
    layers: tuple[int, ...] | None = None,
) -> StoredWaste:
    """Judge that a request was answered, and that every file is what a right writer makes of the model."""
    check(clause_id, reply, answers())
    found = look(ask, name)
    for expected in found.written(model, layers):
        check(clause_id, reply, expected)
    return found


def check_refused(
    ask: Ask, clause_id: str, wrong: dict[str, Any], refused: Expectation, name: str = OUT
) -> None:
    """A description is refused, and its folder is what it was, to the byte."""
    before = contents(ask.folder / name)
    reply = write(ask, wrong, name)
    check(clause_id, reply, refused)
    check(clause_id, reply, spares(f"files of {name}", Exactly(before), contents(ask.folder / name)))


def said(written: list[str], unchanged: list[str] | None = None) -> Answers:
    """These files were written, in any order, and perhaps those not."""
    told: dict[str, Any] = {"written": free_order(written)}
    if unchanged is not None:
        told["unchanged"] = free_order(unchanged)
    return answers(told)
