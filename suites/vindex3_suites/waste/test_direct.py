"""Reads past the page cache: which banks take them, what becomes of those that cannot, what is reported."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, either, needs, refuses
from pytest_vindex3.contract.patterns import Present
from pytest_vindex3.plugin.check import NotRun
from pytest_vindex3.plugin.expect import AtMost
from vindex3_suites.waste.models import BLOCKED, PACKED, TINY
from vindex3_suites.waste.reading import (
    NO_DIRECT_OPEN,
    NOT_DIRECT,
    direct_disk,
    direct_reader,
    hindered,
    slot,
)
from vindex3_suites.waste.records import UNCACHED, check_served, record, served, with_spare

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reads, Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.waste import Waste

THREE_PAGES = with_spare(TINY, pages=2)
MODELS = {"tiny": TINY, "packed": PACKED, "three_pages": THREE_PAGES}
SOURCES = ("auto", "direct", "buffered")


def _last(model: Waste) -> tuple[int, int]:
    """The last record of the first bank."""
    layer = min(model.banks)
    return layer, len(model.banks[layer]) - 1


@clause("DIO-ELIGIBLE-01")
@cases({f"{pages + 1}_pages": with_spare(TINY, pages=pages) for pages in (0, 1, 2, 3, 4, 6)})
def test_whole_pages_are_read_direct(ask: Ask, case: Waste) -> None:
    """Where files can be read direct, a stride of any whole number of pages is, under auto."""
    direct_disk(ask.folder)
    for expert in range(3):
        reply = record(ask, case, 1, expert)
        check("DIO-ELIGIBLE-01", reply, served(case.record(1, expert), mode="direct"))


@clause("DIO-ELIGIBLE-01")
@cases(NOT_DIRECT)
def test_what_cannot_be_direct_is_buffered(ask: Ask, case: dict[str, Any]) -> None:
    """Where direct reads are refused, the same bytes come buffered under auto."""
    reply = hindered(ask, THREE_PAGES, 1, 1, case)
    check("DIO-ELIGIBLE-01", reply, served(THREE_PAGES.record(1, 1), mode="buffered"))


@clause("DIO-PROBE-01")
@cases({f"{name}_{how}": (model, how) for name, model in MODELS.items() for how in NOT_DIRECT})
def test_an_open_that_succeeds_is_no_proof(ask: Ask, case: tuple[Waste, str]) -> None:
    """Where opening or the first direct read fails, identical bytes come buffered, verified and not."""
    model, how = case
    for expert, verify in ((0, False), (_last(model)[1], True)):
        reply = hindered(ask, model, 1, expert, NOT_DIRECT[how], verify=verify)
        check("DIO-PROBE-01", reply, served(model.record(1, expert), mode="buffered"))


@needs("waste.record:before")
@clause("DIO-PROBE-02")
@cases(NOT_DIRECT)
def test_a_bank_that_falls_back_leaves_the_others(ask: Ask, case: dict[str, Any]) -> None:
    """Of two banks read through one handle, the one that cannot be read direct alone is not."""
    direct_disk(ask.folder)
    for bank, other in ((1, 2), (2, 1)):
        reply = hindered(ask, TINY, other, 1, case, bank=bank, before=[[bank, 0], [bank, 1]])
        check("DIO-PROBE-02", reply, served(TINY.record(other, 1), mode="direct"))
        reply = hindered(ask, TINY, bank, 1, case, bank=bank, before=[[other, 0], [other, 1]])
        check("DIO-PROBE-02", reply, served(TINY.record(bank, 1), mode="buffered"))


@clause("DIO-PROBE-03")
@cases(EINVAL=errno.EINVAL, EOPNOTSUPP=errno.EOPNOTSUPP)
def test_a_later_direct_read_is_repeated(ask: Ask, case: int) -> None:
    """Where direct reads of one record fail as not possible, it comes buffered."""
    direct_disk(ask.folder)
    for model in (TINY, THREE_PAGES):
        how = {**slot(model, 1, 2), "direct": True, "error": case}
        check("DIO-PROBE-03", hindered(ask, model, 1, 2, how), served(model.record(1, 2), mode="buffered"))


@clause("DIO-PROBE-03")
@cases({source: source for source in ("auto", "buffered")})
def test_a_broken_disk_is_named(ask: Ask, case: str) -> None:
    """A record whose reads fail is refused as io with the reason; another one of the bank is served."""
    how = {**slot(TINY, 1, 2), "error": errno.EIO}
    reply = hindered(ask, TINY, 1, 2, how, source=case)
    check("DIO-PROBE-03", reply, refuses("io", layer=1, expert=2, reason=Present()))
    check_served(ask, "DIO-PROBE-03", TINY, 1, 1, source=case)


@clause("DIO-PROBE-03")
@cases(auto="auto", direct="direct")
def test_a_broken_disk_is_not_read_again_in_another_way(ask: Ask, case: str) -> None:
    """A direct read that fails though it is possible is refused as io; the next one is served."""
    direct_reader(ask, THREE_PAGES, 1, 2)
    how = {**slot(THREE_PAGES, 1, 2), "direct": True, "error": errno.EIO}
    reply = hindered(ask, THREE_PAGES, 1, 2, how, source=case)
    check("DIO-PROBE-03", reply, refuses("io", layer=1, expert=2, reason=Present()))
    check_served(ask, "DIO-PROBE-03", THREE_PAGES, 1, 2, source=case)


@needs("waste.record:before")
@clause("DIO-PROBE-03")
@cases({source: source for source in ("auto", "buffered")})
def test_no_error_sticks(ask: Ask, case: str) -> None:
    """After a read that failed, the same handle serves the same record and others."""
    how = {**slot(TINY, 1, 1), "error": errno.EIO, "times": 1}
    for asked in (1, 2):
        reply = hindered(ask, TINY, 1, asked, how, source=case, before=[[1, 1]])
        check("DIO-PROBE-03", reply, served(TINY.record(1, asked), mode=Present()))


def _came(seen: Reads | None, stride: int) -> object:
    """The mode of bytes that were read once since the request began, by the calls that were seen.

    Raises:
        NotRun: the calls do not tell.
    """
    direct, buffered = (seen.direct, seen.buffered) if seen else (0, 0)
    if direct and buffered:
        return UNCACHED
    if max(direct, buffered) < stride:
        raise NotRun("no call was seen that reads the whole record")
    return "direct" if direct else "buffered"


@clause("DIO-MODE-01")
@cases({f"{name}_{source}": (model, source) for name, model in MODELS.items() for source in SOURCES})
def test_the_mode_is_what_was_used(ask: Ask, case: tuple[Waste, str]) -> None:
    """The mode of a record is how the calls that read it really read."""
    model, source = case
    layer, expert = _last(model)
    if source == "direct":
        direct_reader(ask, model, layer, expert)
    reply = hindered(ask, model, layer, expert, slot(model, layer, expert), source=source)
    stored = model.record(layer, expert)
    check("DIO-MODE-01", reply, served(stored, mode=_came(reply.reads, stored.length)))


@clause("DIO-MODE-01")
@cases(NOT_DIRECT)
def test_the_mode_is_not_what_was_wished(ask: Ask, case: dict[str, Any]) -> None:
    """Where direct reads fail, buffered is reported under auto."""
    reply = hindered(ask, TINY, 1, 1, case, source="auto")
    check("DIO-MODE-01", reply, served(TINY.record(1, 1), mode="buffered"))


@needs("waste.record:before", "waste.record:cache_records")
@clause("DIO-MODE-01")
@cases({source: source for source in ("auto", "buffered")})
def test_cache_is_said_of_what_was_in_memory(ask: Ask, case: str) -> None:
    """A record asked twice is of the cache where its bytes were read once, and never without a cache."""
    stored = TINY.record(1, 1)
    for capacity in (0, 1, 2):
        options: dict[str, Any] = {"cache_records": capacity, "before": [[1, 1]], "source": case}
        reply = hindered(ask, TINY, 1, 1, slot(TINY, 1, 1), **options)
        check("DIO-MODE-01", reply, served(stored, mode=_mode_of_two(reply, stored.length)))


@needs("waste.record:before", "waste.record:cache_records")
@clause("DIO-MODE-01")
@cases(once=[[1, 1]], often=[[1, 1]] * 5, among_others=[[1, 1], [2, 0], [1, 1], [1, 0]])
def test_without_a_cache_nothing_comes_of_it(ask: Ask, case: list[list[int]]) -> None:
    """With cache_records 0 the mode is never cache, whatever was read before."""
    reply = record(ask, TINY, 1, 1, before=case, cache_records=0)
    check("DIO-MODE-01", reply, served(TINY.record(1, 1), mode=UNCACHED))


def _mode_of_two(reply: Reply, stride: int) -> object:
    """The mode of a record that was asked twice, by the calls that were seen."""
    seen = reply.reads
    if seen is None or not seen.direct + seen.buffered:
        raise NotRun("no call was seen that reads the record")
    return "cache" if seen.direct + seen.buffered <= stride else UNCACHED


@clause("DIO-MODE-02")
@cases({f"{name}_{how}": (model, how) for name, model in MODELS.items() for how in NOT_DIRECT})
def test_direct_or_not_at_all(ask: Ask, case: tuple[Waste, str]) -> None:
    """Where direct reads fail, source direct is refused with the bank and why; auto is served."""
    model, how = case
    layer, expert = _last(model)
    reply = hindered(ask, model, layer, expert, NOT_DIRECT[how], source="auto")
    check("DIO-MODE-02", reply, served(model.record(layer, expert), mode="buffered"))
    reply = hindered(ask, model, layer, expert, NOT_DIRECT[how], source="direct")
    named = {"path": model.bank_file(layer), "reason": Present()}
    check("DIO-MODE-02", reply, refuses("direct-unavailable", **named))


@clause("DIO-MODE-02")
@cases(MODELS)
def test_direct_is_never_buffered(ask: Ask, case: Waste) -> None:
    """Whatever reads this reader has, source direct is served direct or refused with the bank and why."""
    for layer, records in case.banks.items():
        named = {"path": case.bank_file(layer), "reason": Present()}
        for expert, stored in enumerate(records):
            check_served(ask, "DIO-MODE-02", case, layer, expert, source="auto")
            reply = record(ask, case, layer, expert, source="direct")
            refused = refuses("direct-unavailable", **named)
            check("DIO-MODE-02", reply, either(served(stored, mode="direct"), refused))


@clause("DIO-MODE-03")
@cases({**MODELS, "blocked": BLOCKED})
def test_every_source_gives_the_same(ask: Ask, case: Waste) -> None:
    """Header, digest and bytes of every record are the same from every source, buffered reported as such."""
    for layer, records in case.banks.items():
        for expert in range(len(records)):
            check_served(ask, "DIO-MODE-03", case, layer, expert)
            reply = record(ask, case, layer, expert, source="buffered")
            check("DIO-MODE-03", reply, served(case.record(layer, expert), mode="buffered"))


@clause("DIO-MODE-03")
@cases(MODELS)
def test_direct_gives_what_buffered_gives(ask: Ask, case: Waste) -> None:
    """Where files can be read direct, source direct gives every record as it is stored."""
    direct_reader(ask, case, *_last(case))
    for layer, records in case.banks.items():
        for expert, stored in enumerate(records):
            reply = record(ask, case, layer, expert, source="direct")
            check("DIO-MODE-03", reply, served(stored, mode="direct"))


@clause("DIO-MODE-03")
@cases(MODELS)
def test_buffered_never_reads_direct(ask: Ask, case: Waste) -> None:
    """Of source buffered no byte comes past the page cache, the probe of the bank included."""
    layer, expert = _last(case)
    reply = hindered(ask, case, layer, expert, {}, source="buffered")
    check("DIO-MODE-03", reply, served(case.record(layer, expert), mode="buffered"))
    check("DIO-MODE-03", reply, AtMost("direct bytes", 0, reply.reads.direct if reply.reads else 0))


ADDRESSES = (0, 1, 511, 4095)


@needs("waste.record:address")
@clause("DIO-BUFFER-01")
@cases({f"{name}_{source}": (model, source) for name, model in MODELS.items() for source in SOURCES})
def test_any_address_takes_a_record(ask: Ask, case: tuple[Waste, str]) -> None:
    """Delivered to any address, a record is the same."""
    model, source = case
    layer, expert = _last(model)
    if source == "direct":
        direct_reader(ask, model, layer, expert)
    for address in ADDRESSES:
        for verify in (False, True):
            check_served(
                ask, "DIO-BUFFER-01", model, layer, expert, source=source, address=address, verify=verify
            )


@needs("waste.record:address", "waste.record:cache_records")
@clause("DIO-BUFFER-01")
@cases({f"{name}_{source}": (model, source) for name, model in MODELS.items() for source in SOURCES})
def test_any_address_takes_a_record_past_the_cache(ask: Ask, case: tuple[Waste, str]) -> None:
    """Without a cache, bytes that may go straight to the address are the same at every one."""
    model, source = case
    layer, expert = _last(model)
    if source == "direct":
        direct_reader(ask, model, layer, expert)
    for address in ADDRESSES:
        options: dict[str, Any] = {"source": source, "address": address, "cache_records": 0}
        check_served(ask, "DIO-BUFFER-01", model, layer, expert, **options)


@needs("waste.record:address")
@clause("DIO-BUFFER-01")
@cases({f"at_{address}": address for address in ADDRESSES})
def test_any_address_takes_what_is_not_direct(ask: Ask, case: int) -> None:
    """The same holds where direct reads are refused."""
    reply = hindered(ask, THREE_PAGES, 1, 2, NO_DIRECT_OPEN, address=case)
    check("DIO-BUFFER-01", reply, served(THREE_PAGES.record(1, 2), mode="buffered"))
