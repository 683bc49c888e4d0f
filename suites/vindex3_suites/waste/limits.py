"""Bounds of WASTE-LIMIT-01, and how the cost of opening is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3.contract.outcome import Cost, Limits, Reply
from pytest_vindex3.plugin.check import NotRun
from pytest_vindex3.plugin.expect import AtMost
from vindex3_fixtures.waste import CODEBOOKS
from vindex3_suites.lyrw.limits import MIB, ROUNDS

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.waste import Waste

SECONDS = 2.0
TEXT_PER_SECOND = 4 * MIB
MEMORY = 64 * MIB


def bounds(model: Waste) -> Limits:
    """The memory that opening, or refusing, this container may take, and a measured cost."""
    books = model.length(CODEBOOKS) if isinstance(model.files.get(CODEBOOKS), bytes) else 0
    return Limits(memory=MEMORY + 32 * len(model.text) + 2 * books, measure=True)


def seconds(ask: Ask, model: Waste) -> float:
    """The processor time that it may take."""
    return (SECONDS + len(model.text) / TEXT_PER_SECOND) * ask.time_scale


def measured(ask: Ask, model: Waste, most_read: int | None = None) -> tuple[Reply, Cost | None]:
    """Ask until the cost is within bounds, at most `ROUNDS` times: the last reply, the least costs.

    The first request of a process may load code, whose bytes and time are no cost of the container.
    """
    path = ask.file("model", model.folder)
    reply = ask("waste.open", limits=bounds(model), path=path)
    costs = [reply.cost] if reply.cost else []
    while costs and len(costs) < ROUNDS and not _within(ask, model, costs, most_read):
        reply = ask("waste.open", limits=bounds(model), path=path)
        costs += [reply.cost] if reply.cost else []
    if not costs or reply.cost is None:
        return reply, None
    return reply, Cost(min(one.cpu_seconds for one in costs), min(one.bytes_read for one in costs))


def _within(ask: Ask, model: Waste, costs: list[Cost], most_read: int | None) -> bool:
    prompt = min(one.cpu_seconds for one in costs) <= seconds(ask, model)
    return prompt and (most_read is None or min(one.bytes_read for one in costs) <= most_read)


def promptly(ask: Ask, model: Waste, cost: Cost | None) -> AtMost:
    """Not more processor time than the format allows for this container.

    Raises:
        NotRun: it could not be measured.
    """
    if cost is None:
        raise NotRun("this door does not measure processor time")
    return AtMost("cpu_seconds", seconds(ask, model), cost.cpu_seconds)
