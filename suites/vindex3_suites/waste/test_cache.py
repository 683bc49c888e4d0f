"""Records from memory: the same as from the disk, verified when they enter, never overwritten while held."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, either, needs, refuses
from pytest_vindex3.contract.patterns import Present, one_of
from vindex3_fixtures.waste import KINDS, Waste
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.models import BLOCKED, PACKED, TINY
from vindex3_suites.waste.records import RECORD, UNCACHED, check_served, record, served

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Answers

TRACE = [[1, 0], [1, 1], [1, 0], [2, 2], [1, 2], [2, 2], [1, 1], [2, 0], [1, 0], [2, 1], [1, 0], [2, 0]]
CAPACITIES = (0, 1, 2, None)
SOURCES = ("auto", "buffered")


def _capacity(records: int | None) -> dict[str, int]:
    return {} if records is None else {"cache_records": records}


def _any_way(model: Waste, layer: int, expert: int, **changes: object) -> Answers:
    """The record, wherever its bytes came from."""
    return served(model.record(layer, expert), mode=Present(), **changes)


PADDED = TINY.with_record(1, 1, replace(TINY.record(1, 1), padding=0xEE))
"""The tiny container with a record whose padding is not zero."""
SAME = {"tiny": TINY, "packed": PACKED, "blocked": BLOCKED, "padded": PADDED}


@needs("waste.record:before", "waste.record:cache_records", "waste.matrix")
@clause("CACHE-SAME-01")
@cases({f"{name}_{source}": (name, source) for name in SAME for source in SOURCES})
def test_memory_and_disk_are_the_same(ask: Ask, case: tuple[str, str]) -> None:
    """A record and its matrices are the same from the disk, from memory, and after an eviction."""
    name, source = case
    model = SAME[name]
    for verify in (False, True):
        for capacity, before in ((0, []), (0, [[1, 1]]), (2, [[1, 1]]), (1, [[1, 1], [1, 0]])):
            options: dict[str, Any] = {"before": before, "cache_records": capacity, "source": source}
            reply = record(ask, model, 1, 1, verify=verify, **options)
            check("CACHE-SAME-01", reply, _any_way(model, 1, 1))
    path = ask.file("model", model.folder)
    for _ in range(2):
        for kind in KINDS:
            reply = ask("waste.matrix", path=path, layer=1, expert=1, matrix=kind)
            check("CACHE-SAME-01", reply, gives(model.weights(1, 1, kind)))


def _steps(options: dict[str, Any]) -> list[dict[str, Any]]:
    """A request for every step of the trace, those before it read first."""
    return [
        {"layer": layer, "expert": expert, "before": TRACE[:step], **options}
        for step, (layer, expert) in enumerate(TRACE)
    ]


TRACES = {
    f"{'any' if capacity is None else capacity}_{source}{'_verified' * verify}": {
        **_capacity(capacity),
        "source": source,
        "verify": verify,
    }
    for capacity in CAPACITIES
    for source in SOURCES
    for verify in (False, True)
}


@needs("waste.record:before", "waste.record:cache_records")
@clause("CACHE-SAME-02")
@cases(TRACES)
def test_a_trace_gives_the_same(ask: Ask, case: dict[str, Any]) -> None:
    """Every step of a fixed trace gives its record, whatever the cache holds."""
    path = ask.file("model", TINY.folder)
    for request in _steps(case):
        reply = ask(RECORD, path=path, **request)
        check("CACHE-SAME-02", reply, _any_way(TINY, request["layer"], request["expert"]))


@needs("waste.record:before", "waste.record:cache_records")
@clause("CACHE-SAME-02")
@cases({name: options for name, options in TRACES.items() if "auto" in name})
def test_eight_at_once_give_the_same(ask: Ask, case: dict[str, Any]) -> None:
    """Eight requests at once each give their record."""
    path = ask.file("model", TINY.folder)
    requests = [{"path": path, **request} for request in _steps(case)[-8:]]
    for request, reply in zip(requests, ask.together(RECORD, requests), strict=True):
        check("CACHE-SAME-02", reply, _any_way(TINY, request["layer"], request["expert"]))


def _damage(model: Waste, layer: int, expert: int, after: int, at: int = 48) -> dict[str, Any]:
    """A change of one byte of a record's payload, after so many reads."""
    stored = model.record(layer, expert)
    data = bytes([stored.data[at] ^ 1])
    name = model.bank_file(layer)
    return {"after": after, "file": name, "offset": expert * stored.length + at, "data": data}


def _undone(patch: dict[str, Any], after: int) -> dict[str, Any]:
    """The change that takes back a change of one byte."""
    return {**patch, "after": after, "data": bytes([patch["data"][0] ^ 1])}


MISMATCH = refuses("checksum-mismatch", layer=1, expert=0)


@needs("waste.record:before", "waste.record:cache_records", "waste.record:patch")
@clause("CACHE-VERIFY-01")
@cases({f"{source}_{at}": (source, at) for source in SOURCES for at in (48, 590)})
def test_what_was_verified_is_served(ask: Ask, case: tuple[str, int]) -> None:
    """A verified record is served from memory although its bytes changed, and refused if it is read again."""
    source, at = case
    options: dict[str, Any] = {"source": source, "verify": True}
    for before in ([[1, 0]], [[1, 0], [1, 1]], [[1, 1], [1, 0], [1, 0]]):
        patch = [_damage(TINY, 1, 0, len(before), at)]
        reply = record(ask, TINY, 1, 0, before=before, cache_records=2, patch=patch, **options)
        check("CACHE-VERIFY-01", reply, served(TINY.record(1, 0), mode="cache"))
    kept = served(TINY.record(1, 0), mode="cache")
    for capacity, before in ((0, [[1, 0]]), (1, [[1, 0], [1, 1]]), (2, [[1, 0], [1, 1], [2, 1]])):
        patch = [_damage(TINY, 1, 0, len(before), at)]
        reply = record(ask, TINY, 1, 0, before=before, cache_records=capacity, patch=patch, **options)
        check("CACHE-VERIFY-01", reply, either(kept, MISMATCH) if capacity else MISMATCH)


@needs("waste.record:before", "waste.record:cache_records", "waste.record:patch")
@clause("CACHE-VERIFY-02")
@cases({f"{source}_{capacity}": (source, capacity) for source in SOURCES for capacity in (0, 1, 3)})
def test_what_failed_does_not_enter(ask: Ask, case: tuple[str, int]) -> None:
    """A damaged record is refused each time it is asked for, and served once its bytes are right again."""
    source, capacity = case
    options: dict[str, Any] = {"source": source, "cache_records": capacity, "verify": True}
    damage = _damage(TINY, 1, 0, 0)
    for before in ([[1, 0]], [[1, 0], [1, 0]], [[1, 1], [1, 0], [1, 2]]):
        reply = record(ask, TINY, 1, 0, before=before, patch=[damage], **options)
        check("CACHE-VERIFY-02", reply, MISMATCH)
        patch = [damage, _undone(damage, len(before))]
        reply = record(ask, TINY, 1, 0, before=before, patch=patch, **options)
        check("CACHE-VERIFY-02", reply, served(TINY.record(1, 0)))


@needs("waste.record:before", "waste.record:cache_records")
@clause("CACHE-VERIFY-03")
@cases({f"{source}_{capacity}": (source, capacity) for source in SOURCES for capacity in CAPACITIES})
def test_what_nobody_verified_is_not_verified(ask: Ask, case: tuple[str, int | None]) -> None:
    """A damaged record that was served without checksums is refused by a later request with them."""
    source, capacity = case
    check_served(ask, "CACHE-VERIFY-03", TINY, 1, 0, source=source, verify=True)
    damaged = TINY.record(1, 0).with_stored(crc32=TINY.record(1, 0).true_header["crc32"] ^ 1)
    model = TINY.with_record(1, 0, damaged)
    options: dict[str, Any] = {"source": source, "before": [[1, 0]], **_capacity(capacity)}
    check("CACHE-VERIFY-03", record(ask, model, 1, 0, verify=False, **options), _any_way(model, 1, 0))
    check("CACHE-VERIFY-03", record(ask, model, 1, 0, verify=True, **options), MISMATCH)


def _digest(layer: int, expert: int) -> str:
    return sha256(TINY.record(layer, expert).data).hexdigest()


OTHERS = [[1, 1], [1, 2], [2, 0], [2, 1], [2, 2], [1, 1], [2, 0]]


@needs("waste.record:before", "waste.record:cache_records", "waste.record:hold")
@clause("CACHE-PIN-01")
@cases({f"{source}_{capacity}": (source, capacity) for source in SOURCES for capacity in (2, 3, None)})
def test_held_bytes_stay(ask: Ask, case: tuple[str, int | None]) -> None:
    """A held record is what it was after many other reads, wherever among them it was taken."""
    source, capacity = case
    for place in (0, 2, len(OTHERS)):
        before = [*OTHERS[:place], [1, 0], *OTHERS[place:]]
        for asked in ((2, 2), (1, 0)):
            options: dict[str, Any] = {"before": before, "hold": place, "source": source}
            options |= _capacity(capacity)
            reply = record(ask, TINY, *asked, **options)
            check("CACHE-PIN-01", reply, _any_way(TINY, *asked, held_sha256=_digest(1, 0)))


@needs("waste.record:before", "waste.record:cache_records", "waste.record:hold", "waste.record:patch")
@clause("CACHE-PIN-01")
@cases({source: source for source in SOURCES})
def test_held_bytes_stay_beside_damage(ask: Ask, case: str) -> None:
    """A held record is what it was after reads of others that failed."""
    patch = [_damage(TINY, 1, 1, 1), _damage(TINY, 2, 0, 1)]
    before = [[1, 0], *OTHERS]
    for asked, expected in (((1, 2), None), ((1, 1), "checksum-mismatch")):
        options: dict[str, Any] = {"before": before, "hold": 0, "cache_records": 2, "source": case}
        reply = record(ask, TINY, *asked, verify=True, patch=patch, **options)
        whole = _any_way(TINY, *asked, held_sha256=_digest(1, 0))
        check("CACHE-PIN-01", reply, refuses(expected) if expected else whole)


@needs("waste.record:before", "waste.record:cache_records", "waste.record:hold")
@clause("CACHE-PIN-02")
@cases(
    {f"{source}{'_verified' * verify}": (source, verify) for source in SOURCES for verify in (False, True)}
)
def test_a_full_cache_evicts_nothing_that_is_held(ask: Ask, case: tuple[str, bool]) -> None:
    """Beside a held record in a cache of one, others come uncached or are refused, and none replaces it."""
    source, verify = case
    for before in ([[1, 0]], [[1, 0], [1, 1]], [[1, 0], [2, 2], [1, 2]]):
        for layer, expert in ((1, 2), (2, 0)):
            options: dict[str, Any] = {"before": before, "hold": 0, "cache_records": 1, "source": source}
            reply = record(ask, TINY, layer, expert, verify=verify, **options)
            whole = _any_way(TINY, layer, expert, held_sha256=_digest(1, 0))
            refused = refuses("cache-exhausted", layer=layer, expert=expert)
            check("CACHE-PIN-02", reply, either(whole, refused))


@needs("waste.record:before", "waste.record:cache_records", "waste.record:hold")
@clause("CACHE-PIN-02")
def test_without_a_cache_a_record_may_be_held(ask: Ask) -> None:
    """With cache_records 0 a held record stays as it was, or holding is refused."""
    options: dict[str, Any] = {"before": [[1, 0], [1, 1]], "hold": 0, "cache_records": 0}
    reply = record(ask, TINY, 1, 2, **options)
    whole = served(TINY.record(1, 2), mode=UNCACHED, held_sha256=_digest(1, 0))
    refused = refuses("cache-exhausted", layer=1, expert=one_of(0, 2))
    check("CACHE-PIN-02", reply, either(whole, refused))
