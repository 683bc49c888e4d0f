"""What reading one record costs: its own bytes, once, and memory in their proportion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause
from pytest_vindex3.contract.outcome import Cost, Limits, Reply
from pytest_vindex3.plugin.check import NotRun
from pytest_vindex3.plugin.expect import AtMost
from vindex3_fixtures.waste import CODEBOOKS, Waste
from vindex3_suites.lyrw.limits import MIB, ROUNDS, SLACK, sparse_files
from vindex3_suites.waste.records import RECORD, served
from vindex3_suites.waste.remote import drawn_remote

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

OTHER_FILE = 8192
"""Bytes that opening may read of the trunk, and of a bank."""
PAGES = 2048
"""Pages of a record: 8 MiB, so that a second read of it shows."""


def _most_read(model: Waste, stride: int) -> int:
    """The record, the probe of its bank, and what opening reads."""
    books = model.files[CODEBOOKS]
    opening = len(model.text) + (len(books) if isinstance(books, bytes) else 0) + 2 * OTHER_FILE
    return stride + 4096 + opening + SLACK


def _measured(ask: Ask, model: Waste, expert: int, memory: int, most: int) -> tuple[Reply, Cost | None]:
    """Ask until the bytes read are within bounds, at most `ROUNDS` times: the last reply and its cost."""
    path = ask.file("model", model.folder)
    for _ in range(ROUNDS):
        limits = Limits(memory=memory, measure=True)
        reply = ask(RECORD, path=path, layer=0, expert=expert, limits=limits)
        if reply.cost is None or reply.cost.bytes_read <= most:
            break
    return reply, reply.cost


def _check_cost(ask: Ask, clause_id: str, expert: int, experts: int, pages: int) -> None:
    """The record is served whole, within the bytes and the memory that it may take."""
    stride = 4096 * pages
    sparse_files(ask.folder, experts * stride)
    model, stored = drawn_remote(0, expert, experts, blocks=pages)
    most = _most_read(model, stride)
    reply, cost = _measured(ask, model, expert, 3 * stride + 32 * MIB, most)
    check(clause_id, reply, served(stored))
    if cost is None:
        raise NotRun("this door does not measure bytes read")
    check(clause_id, reply, AtMost("bytes_read", most, cost.bytes_read))


@clause("WASTE-LIMIT-04")
@cases(
    alone=(0, 1, PAGES),
    last_of_4_gib=(511, 512, PAGES),
    in_16_gib=(1000, 2048, PAGES),
    small_in_4_gib=(65535, 65536, 16),
)
def test_a_record_is_read_alone(ask: Ask, case: tuple[int, int, int]) -> None:
    """A record takes its own bytes and a probe, and three times its length in memory, in any bank."""
    _check_cost(ask, "WASTE-LIMIT-04", *case)


@clause("RECORD-SERVE-02")
@cases(first=(0, 3), middle=(1, 3), last=(2, 3))
def test_a_record_is_fetched_once(ask: Ask, case: tuple[int, int]) -> None:
    """A record of 8 MiB is served whole, and none of its bytes is read a second time."""
    _check_cost(ask, "RECORD-SERVE-02", *case, PAGES)
