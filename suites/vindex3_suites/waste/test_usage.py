"""usage.waste: what runs leave behind, read as it is, and never a reason for anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import answers, cases, check, clause, needs, refuses
from pytest_vindex3.contract.patterns import Present, one_of
from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import USAGE, made, usage_file
from vindex3_fixtures.waste.usage import Entry, usage_observation
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.judging import check_opened
from vindex3_suites.waste.models import DENSE, HEAD, PACKED, TINY

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.waste import Waste

U32, U64 = (1 << 32) - 1, (1 << 64) - 1


def _read(ask: Ask, data: bytes | None, model: Waste = TINY) -> Reply:
    """Ask for the statistics of a container that has this file, or none."""
    folder = model.folder if data is None else model.folder.with_file(USAGE, data)
    return ask("usage.read", path=ask.file("model", folder))


def _known(entries: list[Entry]) -> list[bool]:
    """Whether the tiny container has them."""
    return [layer in (1, 2) and expert < 3 for layer, expert, *_ in entries]


def _warm(entries: list[Entry]) -> list[tuple[int, int]]:
    """The known pairs by the hits of their last entry, then by number."""
    last = {(layer, expert): hits for layer, expert, hits, *_ in entries if layer in (1, 2) and expert < 3}
    return sorted(last, key=lambda pair: (-last[pair], pair))


def _expected(entries: list[Entry], **changes: Any) -> dict[str, Any]:
    return {**usage_observation(entries, _known(entries), _warm(entries)), **changes}


WORKED = bytes.fromhex(
    "57555347 01000000 0800000000000000"
    "0100 0200 05000000 07000000 00000000"
    "0200 0000 06000000 04030201 0D0C0B0A"
)
"""A header with clock 8 and two entries, typed from the tables of section 12."""


@clause("USAGE-READ-01")
def test_worked_bytes_are_read(ask: Ask) -> None:
    """Every field is where the tables say, with the low byte first."""
    first = {"layer": 1, "expert": 2, "hits": 5, "last_seen": 7, "next_layer_top": 0, "known": True}
    second = {"layer": 2, "expert": 0, "hits": 6, "last_seen": 0x01020304, "next_layer_top": 0x0A0B0C0D}
    expected = answers(
        present=True,
        version=1,
        clock=8,
        dropped_bytes=0,
        entries=[first, {**second, "known": True}],
        warm_order=[[2, 0], [1, 2]],
    )
    check("USAGE-READ-01", _read(ask, WORKED), expected)


ENTRIES: dict[str, list[Entry]] = {
    "one": [(1, 0, 1, 1, 0)],
    "in_file_order": [(2, 2, 1, 9, 0), (1, 0, 7, 1, 3), (2, 0, 3, 4, 0), (1, 1, 5, 2, 0)],
    "all_zero": [(1, 0, 0, 0, 0)],
    "next_layer": [(1, 0, 3, 0, 2), (1, 1, 2, 0, U32), (2, 0, 1, 0, 65536)],
    "twice": [(1, 0, 9, 1, 0), (1, 1, 5, 2, 0), (1, 0, 2, 3, 0)],
}


@clause("USAGE-READ-01")
@cases(ENTRIES)
def test_entries_are_read_in_file_order(ask: Ask, case: list[Entry]) -> None:
    """Every entry is reported where it stands, with every value as it is stored, repeated pairs too."""
    read = _read(ask, usage_file(case, clock=3))
    check("USAGE-READ-01", read, answers(_without_order(_expected(case, clock=3))))


def _without_order(observation: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in observation.items() if key != "warm_order"}


@clause("USAGE-READ-01")
def test_any_entries_are_read(ask: Ask) -> None:
    """So are many entries of any numbers."""
    numbers = Numbers(ask.seed)
    drawn: list[Entry] = [
        (
            numbers.below(4),
            numbers.below(5),
            numbers.below(U32) >> numbers.below(32),
            numbers.below(U32),
            numbers.below(U32),
        )
        for _ in range(500)
    ]
    clock = numbers.word()
    expected = _without_order(_expected(drawn, clock=clock))
    check("USAGE-READ-01", _read(ask, usage_file(drawn, clock=clock)), answers(expected))


ABSENT: dict[str, Any] = {
    "present": False,
    "version": None,
    "clock": None,
    "dropped_bytes": 0,
    "entries": [],
    "warm_order": [],
}


@clause("USAGE-READ-02")
@cases(tiny=TINY, dense=DENSE, packed=PACKED)
def test_statistics_may_be_absent(ask: Ask, case: Waste) -> None:
    """Without the file nothing is present; with a header alone it is, and has no entry."""
    check("USAGE-READ-02", _read(ask, None, case), answers(ABSENT))
    for clock in (0, 5):
        expected = answers(_expected([], clock=clock))
        check("USAGE-READ-02", _read(ask, usage_file(clock=clock), case), expected)


@clause("USAGE-READ-03")
@cases({f"{left}_bytes": left for left in range(1, 16)})
def test_a_torn_entry_is_dropped(ask: Ask, case: int) -> None:
    """What is left of a last entry is counted and dropped; the entries before it are kept."""
    for entries in (ENTRIES["in_file_order"], ENTRIES["one"], []):
        whole = usage_file(entries, clock=1)
        check("USAGE-READ-03", _read(ask, whole), answers(_expected(entries, clock=1)))
        torn = whole + usage_file([(1, 2, U32, U32, U32)])[16 : 16 + case]
        expected = answers(_expected(entries, clock=1, dropped_bytes=case))
        check("USAGE-READ-03", _read(ask, torn), expected)


MAGICS: dict[str, bytes] = {
    "zeros": bytes(4),
    "reversed": b"GSUW",
    "small_letters": b"wusg",
    "of_a_record": b"WEXP",
    "of_a_book": b"WCBK",
    "last_letter": b"WUSH",
    "text": b"# us",
}


@clause("USAGE-READ-04")
@cases(MAGICS)
def test_another_magic_is_refused(ask: Ask, case: bytes) -> None:
    """Other first bytes are bad-magic, with what was found and what should have been."""
    for entries in ([], ENTRIES["in_file_order"]):
        check("USAGE-READ-04", _read(ask, usage_file(entries)), answers(_expected(entries)))
        found = one_of(case.hex(), case.hex().upper())
        expected = refuses("bad-magic", found=found, expected=one_of("57555347"))
        check("USAGE-READ-04", _read(ask, usage_file(entries, magic=case)), expected)


@clause("USAGE-READ-04")
@cases({f"{length}_bytes": length for length in range(16)})
def test_a_header_is_whole(ask: Ask, case: int) -> None:
    """A file that ends within its header is truncated; one of just 16 bytes is read."""
    check("USAGE-READ-04", _read(ask, usage_file()), answers(_expected([])))
    check("USAGE-READ-04", _read(ask, usage_file()[:case]), refuses("truncated"))


@clause("USAGE-READ-05")
@cases({str(version): version for version in (0, 2, 3, 256, 257, 65537, 0x01000000, U32)})
def test_another_version_is_refused(ask: Ask, case: int) -> None:
    """A version other than 1 is unknown-version, with what was found and what is supported."""
    check("USAGE-READ-05", _read(ask, usage_file()), answers(_expected([])))
    expected = refuses("unknown-version", path=USAGE, found=case, supported=Present())
    for entries in ([], ENTRIES["one"]):
        check("USAGE-READ-05", _read(ask, usage_file(entries, version=case)), expected)


CONTENTS: dict[str, bytes] = {
    "nothing": b"",
    "three_bytes": b"WUS",
    "header": usage_file(),
    "another_magic": usage_file(ENTRIES["one"], magic=b"WEXP"),
    "another_version": usage_file(ENTRIES["one"], version=7),
    "random": Numbers("usage", 1).data(1000),
    "another_container": usage_file([(layer, expert, 9, 9, 0) for layer in (0, 9) for expert in (3, 400)]),
    "torn": usage_file(ENTRIES["in_file_order"])[:-5],
    "largest_numbers": usage_file([(65535, 65535, U32, U32, U32)] * 3, clock=U64),
    "long": usage_file([(1, 1, 1, 1, 1)] * 20_000),
}


@clause("USAGE-OPEN-01")
@cases(CONTENTS)
def test_statistics_never_decide_whether_it_opens(ask: Ask, case: bytes) -> None:
    """Whatever the file holds, the container is observed as ever."""
    for model in (TINY, DENSE):
        check_opened(ask, "USAGE-OPEN-01", model, spelt=model.folder.with_file(USAGE, case))


@clause("USAGE-OPEN-01")
@needs("waste.record")
@cases(CONTENTS)
def test_statistics_never_change_a_record(ask: Ask, case: bytes) -> None:
    """Nor is a record read otherwise."""
    path = ask.file("model", TINY.folder.with_file(USAGE, case))
    for verify in (False, True):
        reply = ask("waste.record", path=path, layer=2, expert=1, verify=verify)
        check("USAGE-OPEN-01", reply, answers(data=TINY.record(2, 1).data))


@clause("USAGE-OPEN-01")
@needs("waste.tensor")
@cases(CONTENTS)
def test_statistics_never_change_a_tensor(ask: Ask, case: bytes) -> None:
    """Nor a tensor of the trunk."""
    path = ask.file("model", TINY.folder.with_file(USAGE, case))
    check("USAGE-OPEN-01", ask("waste.tensor", path=path, name=HEAD), gives(TINY.values(HEAD)))


@clause("USAGE-IDS-01")
@cases(
    layer_of_16_bits=(65535, 0),
    expert_of_16_bits=(1, 65535),
    both=(65535, 65535),
    expert_400=(1, 400),
    expert_behind_the_last=(2, 3),
    dense_layer=(0, 0),
    layer_behind_the_last=(3, 0),
    one_more_than_8_bits=(257, 1),
    expert_of_9_bits=(1, 256),
    expert_of_15_bits=(2, 1 << 14),
)
def test_experts_of_another_container_index_nothing(ask: Ask, case: tuple[int, int]) -> None:
    """An entry of an expert that the container lacks is reported as unknown, and warms nothing."""
    layer, expert = case
    entries: list[Entry] = [(1, 2, 3, 1, 0), (layer, expert, U32, 2, 0), (2, 0, 4, 3, 0)]
    check("USAGE-IDS-01", _read(ask, usage_file(entries)), answers(_expected(entries)))
    alone = entries[1:2]
    check("USAGE-IDS-01", _read(ask, usage_file(alone)), answers(_expected(alone, warm_order=[])))


@clause("USAGE-IDS-01")
def test_a_model_without_experts_knows_none(ask: Ask) -> None:
    """In a dense model every entry is unknown."""
    entries: list[Entry] = [(0, 0, 5, 1, 0), (1, 0, 6, 1, 0)]
    expected = usage_observation(entries, [False, False], [])
    check("USAGE-IDS-01", _read(ask, usage_file(entries), DENSE), answers(expected))


ORDERS: dict[str, tuple[list[Entry], list[list[int]]]] = {
    "by_hits": ([(1, 0, 1, 0, 0), (1, 1, 3, 0, 0), (2, 0, 2, 0, 0)], [[1, 1], [2, 0], [1, 0]]),
    "by_layer": ([(2, 0, 5, 0, 0), (1, 2, 5, 0, 0)], [[1, 2], [2, 0]]),
    "by_expert": ([(1, 2, 5, 0, 0), (1, 0, 5, 0, 0), (1, 1, 5, 0, 0)], [[1, 0], [1, 1], [1, 2]]),
    "not_by_last_seen": ([(1, 0, 5, 1, 0), (1, 1, 5, 900, 0)], [[1, 0], [1, 1]]),
    "last_entry_is_less": ([(1, 0, 9, 0, 0), (1, 1, 5, 0, 0), (1, 0, 2, 0, 0)], [[1, 1], [1, 0]]),
    "last_entry_is_more": ([(1, 0, 2, 0, 0), (1, 1, 5, 0, 0), (1, 0, 9, 0, 0)], [[1, 0], [1, 1]]),
    "last_of_three": ([(1, 0, 2, 0, 0), (1, 0, 8, 0, 0), (1, 0, 4, 0, 0), (2, 2, 5, 0, 0)], [[2, 2], [1, 0]]),
    "no_hits": ([(2, 1, 0, 0, 0), (1, 1, 0, 0, 0)], [[1, 1], [2, 1]]),
    "unsigned": ([(1, 0, 1 << 31, 0, 0), (1, 1, U32, 0, 0), (1, 2, 7, 0, 0)], [[1, 1], [1, 0], [1, 2]]),
    "close_together": ([(1, 0, U32 - 1, 0, 0), (1, 1, U32, 0, 0)], [[1, 1], [1, 0]]),
    "unknown_between": ([(2, 2, 1, 0, 0), (9, 9, 50, 0, 0), (1, 1, 2, 0, 0)], [[1, 1], [2, 2]]),
}


@clause("USAGE-ORDER-01")
@cases(ORDERS)
def test_the_warmest_come_first(ask: Ask, case: tuple[list[Entry], list[list[int]]]) -> None:
    """By hits downwards, then layer and expert upwards; of several entries of a pair the last counts."""
    entries, order = case
    check("USAGE-ORDER-01", _read(ask, usage_file(entries)), answers(warm_order=order))


@clause("USAGE-ORDER-01")
def test_file_order_says_nothing(ask: Ask) -> None:
    """The same entries in any order give one warm order."""
    entries: list[Entry] = [
        (layer, expert, (7 * layer + expert) % 4, 0, 0) for layer in (1, 2) for expert in range(3)
    ]
    for turn in range(6):
        turned = [entries[place] for place in Numbers(ask.seed, turn).shuffled(6)]
        check("USAGE-ORDER-01", _read(ask, usage_file(turned)), answers(warm_order=_pairs(entries)))


MANY = made(experts=12, layers=11, dense=1, inner=8, width=8, seed="usage")
"""Layers and experts whose numbers have one digit or two."""


@clause("USAGE-ORDER-01")
def test_numbers_are_ordered_as_numbers(ask: Ask) -> None:
    """Of equal hits the second layer and expert come before the tenth."""
    pairs = [(layer, expert) for layer in (10, 2, 9) for expert in (11, 2, 10, 1)]
    entries: list[Entry] = [(layer, expert, 3, 0, 0) for layer, expert in pairs]
    order = [list(pair) for pair in sorted(pairs)]
    check("USAGE-ORDER-01", _read(ask, usage_file(entries), MANY), answers(warm_order=order))


def _pairs(entries: list[Entry]) -> list[list[int]]:
    return [list(pair) for pair in _warm(entries)]


EDGES = (0, 1, 255, 65535, 65536, (1 << 31) - 1, 1 << 31, U32 - 1, U32)


@clause("USAGE-RANGE-01")
def test_counts_are_exact(ask: Ask) -> None:
    """hits, last_seen and next_layer_top of any 32 bits are reported as they are, and ordered as such."""
    known = [(layer, expert) for layer in (1, 2) for expert in range(3)]
    for first, second, third in zip(EDGES, EDGES[3:], EDGES[6:], strict=False):
        hits = (first, second, third)
        entries: list[Entry] = [
            (layer, expert, hits[place % 3], hits[(place + 1) % 3], hits[(place + 2) % 3])
            for place, (layer, expert) in enumerate(known)
        ]
        check("USAGE-RANGE-01", _read(ask, usage_file(entries)), answers(_expected(entries)))


@clause("USAGE-RANGE-01")
def test_a_clock_is_exact(ask: Ask) -> None:
    """A clock of any 64 bits is reported to the digit."""
    for clock in (0, 1, U32, U32 + 1, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, U64 - 1, U64):
        expected = answers(_expected(ENTRIES["one"], clock=clock))
        check("USAGE-RANGE-01", _read(ask, usage_file(ENTRIES["one"], clock=clock)), expected)
