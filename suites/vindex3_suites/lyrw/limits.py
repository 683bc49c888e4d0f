"""Bounds of the resource clauses, and how they are measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3.contract.outcome import Cost, Limits, Reply
from pytest_vindex3.plugin.check import NotRun
from pytest_vindex3.plugin.expect import AtMost

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_vindex3.plugin.ask import Ask

MIB = 1 << 20
GIB = 1 << 30
SLACK = MIB
"""Bytes that a reader may read beyond what a clause allows: buffers, read-ahead, mapped pages."""
SECONDS = 2.0
ROUNDS = 3


def limits(needed: int) -> Limits:
    """The memory that the format allows for `needed` bytes of tables or region, and a measured cost."""
    return Limits(memory=64 * MIB + 4 * needed, measure=True)


def measured(
    ask: Ask, verb: str, needed: int, *, reading: int | None = None, **arguments: object
) -> tuple[Reply, Cost | None]:
    """Ask until the cost is within bounds, at most `ROUNDS` times: the last reply, the least costs.

    The first request of a process may load code, whose bytes and time are no cost of the file.

    `needed` is the size of the tables or of the region that the request is about, in bytes; `reading`
    how many bytes it takes to answer, where that is another number.
    """
    least: Cost | None = None
    enough = SLACK + (needed if reading is None else reading)
    for _ in range(ROUNDS):
        reply = ask(verb, limits=limits(needed), **arguments)
        if reply.cost is None:
            return reply, None
        least = _least(least or reply.cost, reply.cost)
        if least.cpu_seconds <= SECONDS * ask.time_scale and least.bytes_read <= enough:
            break
    return reply, least


def _least(one: Cost, other: Cost) -> Cost:
    return Cost(min(one.cpu_seconds, other.cpu_seconds), min(one.bytes_read, other.bytes_read))


def promptly(ask: Ask, cost: Cost | None) -> AtMost:
    """Not more processor time than the format allows.

    Raises:
        NotRun: it could not be measured.
    """
    if cost is None:
        raise NotRun("this door does not measure processor time")
    return AtMost("cpu_seconds", SECONDS * ask.time_scale, cost.cpu_seconds)


def reads(needed: int, cost: Cost | None) -> AtMost:
    """Not more bytes read than these, and the slack.

    Raises:
        NotRun: it could not be measured.
    """
    if cost is None:
        raise NotRun("this door does not measure bytes read")
    return AtMost("bytes_read", needed + SLACK, cost.bytes_read)


def sparse_files(folder: Path, length: int = 64 * GIB) -> None:
    """Probe whether the file system makes holes.

    Raises:
        NotRun: it does not, or no file of this length.
    """
    path = folder / "probe"
    try:
        with path.open("xb") as file:
            file.truncate(length)
        sparse = path.stat().st_blocks * 512 < MIB
    except (OSError, AttributeError):
        sparse = False
    finally:
        path.unlink(missing_ok=True)
    if not sparse:
        raise NotRun(f"this file system makes no sparse file of {length} bytes")
