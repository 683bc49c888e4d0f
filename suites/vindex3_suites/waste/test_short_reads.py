"""Reads that give less than was asked for, files that end early or shrink, bytes that look like text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_vindex3 import cases, check, clause, either, needs, refuses
from pytest_vindex3.contract.outcome import Limits, Reading
from vindex3_fixtures.container.folder import Folder
from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import TRUNK, Matrix, Quant, Record, Waste, made, plain, quantised
from vindex3_fixtures.waste.draw import reals
from vindex3_fixtures.waste.trunk import Q3G, Q4G, Q8G
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.models import BLOCKED, PACKED, TINY
from vindex3_suites.waste.reading import direct_disk, direct_reader, hindered, slot
from vindex3_suites.waste.records import RECORD, check_served, record, served, with_spare
from vindex3_suites.waste.tensors import TENSOR, check_rows, check_tensors, holding

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from pytest_vindex3.plugin.expect import Expectation
    from vindex3_fixtures.waste import Tensor

THREE_PAGES = with_spare(TINY, pages=2)
SOURCES = ("auto", "direct", "buffered")
CUTS = (7, 512, 4095, 4097)


@clause("DIO-SHORT-01")
@cases(
    {f"{source}_{most}": (source, most) for source in ("auto", "buffered") for most in CUTS},
    buffered_1=("buffered", 1),
)
def test_short_reads_are_continued(ask: Ask, case: tuple[str, int]) -> None:
    """A record of which every call gives a few bytes, interrupted before, is served whole."""
    source, most = case
    model = TINY if most == 1 else PACKED
    reply = hindered(ask, model, 1, 1, {"most": most, "interrupted": True}, source=source, verify=True)
    check("DIO-SHORT-01", reply, served(model.record(1, 1)))


@clause("DIO-SHORT-03")
@cases({f"after_{most}": most for most in (*CUTS, 5000, 8191)})
def test_a_cut_direct_read_is_continued(ask: Ask, case: int) -> None:
    """Direct reads that stop inside a page leave no hole, and nobody sees that they cannot go on there."""
    direct_disk(ask.folder)
    for expert in (0, 2):
        how = {**slot(THREE_PAGES, 1, expert), "direct": True, "most": case}
        reply = hindered(ask, THREE_PAGES, 1, expert, how)
        check("DIO-SHORT-03", reply, served(THREE_PAGES.record(1, expert)))


def _truncated(model: Waste, expert: int, have: int) -> Expectation:
    """Refused with both counts, of the record or of the bank up to its end; `have` may be negative."""
    need = model.record(1, expert).length
    start = expert * need
    place = {"layer": 1, "expert": expert}
    of_the_record = refuses("truncated", **place, need=need, have=max(0, have))
    return either(of_the_record, refuses("truncated", **place, need=start + need, have=start + have))


@clause("DIO-SHORT-02")
@cases(
    {
        f"{source}_{expert}_{have}": (source, expert, have)
        for source in SOURCES
        for expert, have in ((0, 47), (1, 0), (1, 1), (2, 48), (2, 4095), (2, 4096), (2, 12287))
    }
)
def test_an_early_end_is_truncated(ask: Ask, case: tuple[str, int, int]) -> None:
    """A record of which no more than its beginning can be read is refused, with both lengths."""
    source, expert, have = case
    if source == "direct":
        direct_reader(ask, THREE_PAGES, 1, expert)
    check_served(ask, "DIO-SHORT-02", THREE_PAGES, 1, expert, source=source)
    end = slot(THREE_PAGES, 1, expert)["start"] + have
    reply = hindered(ask, THREE_PAGES, 1, expert, {"length": end}, source=source)
    check("DIO-SHORT-02", reply, _truncated(THREE_PAGES, expert, have))


@needs("waste.record:before", "waste.record:cache_records")
@clause("DIO-SHORT-02")
@cases({f"{capacity}_of_{have}": (capacity, have) for capacity in (0, 1, 2) for have in (0, 48, 4095)})
def test_nothing_is_left_over_from_an_earlier_read(ask: Ask, case: tuple[int, int]) -> None:
    """After other records were read into the same memory, one that ends early is refused all the same."""
    capacity, have = case
    options: dict[str, Any] = {"before": [[1, 0], [1, 1], [2, 2]], "cache_records": capacity}
    reply = record(ask, TINY, 1, 2, **options)
    check("DIO-SHORT-02", reply, served(TINY.record(1, 2)))
    end = slot(TINY, 1, 2)["start"] + have
    check("DIO-SHORT-02", hindered(ask, TINY, 1, 2, {"length": end}, **options), _truncated(TINY, 2, have))


@needs("waste.record:before", "waste.record:patch", "waste.record:cache_records")
@clause("DIO-SHRINK-01")
@cases(
    {f"{source}_{have}": (source, have) for source in SOURCES for have in (0, 1, 4096, 8191, 12287, 12288)}
)
def test_a_bank_that_shrinks_is_noticed(ask: Ask, case: tuple[str, int]) -> None:
    """Records that a bank lost after the handle had read from it are truncated, the others are served."""
    source, have = case
    if source == "direct":
        direct_reader(ask, THREE_PAGES, 1, 2)
    stride = THREE_PAGES.record(1, 0).length
    name = THREE_PAGES.bank_file(1)
    options: dict[str, Any] = {"source": source, "before": [[1, 0], [1, 1]], "cache_records": 0}
    for asked, length in ((1, stride + have), (2, stride), (2, 2 * stride + have)):
        patch = [{"after": 2, "file": name, "length": length}]
        left = min(length - asked * stride, stride)
        reply = record(ask, THREE_PAGES, 1, asked, patch=patch, **options)
        whole = served(THREE_PAGES.record(1, asked))
        check("DIO-SHRINK-01", reply, whole if left == stride else _truncated(THREE_PAGES, asked, left))
        reply = record(ask, THREE_PAGES, 1, 0, patch=patch, **options)
        check("DIO-SHRINK-01", reply, served(THREE_PAGES.record(1, 0)))


LONG: dict[str, Tensor] = {
    "F32": plain("w", reals(Numbers("long", 0), 61, 1001)),
    "Q8G": quantised("w", Q8G, (61, 5000), 100, Numbers("long", 2)),
    "Q4G": quantised("w", Q4G, (61, 5000), 100, Numbers("long", 3)),
    "Q3G": quantised("w", Q3G, (61, 5000), 100, Numbers("long", 7)),
}


@clause("DIO-LARGE-03")
@cases({f"{name}_{most}": (name, most) for name in LONG for most in (4097, 65536)})
def test_a_long_span_is_assembled(ask: Ask, case: tuple[str, int]) -> None:
    """A tensor of which one call gives only a part is decoded exactly, whole and by row."""
    name, most = case
    model = holding(LONG[name])
    path = ask.file("model", model.folder)
    trunk = Reading(str((ask.folder / "model" / TRUNK).resolve()), most=most)
    check("DIO-LARGE-03", ask.watched(TENSOR, reading=trunk, path=path, name="w"), gives(model.values("w")))
    rows = replace(trunk, most=min(most, 1000))
    reply = ask.watched(TENSOR, reading=rows, path=path, name="w", row=60)
    check("DIO-LARGE-03", reply, gives(model.values("w")[60]))


def _ending(tensor: Tensor) -> Waste:
    """A trunk that ends with the payload of this tensor, behind its scales and a first one."""
    scales = len(tensor.scale_bytes)
    return holding(tensor, places={"w": (8 + scales, 8 if scales else None)})


TAILS: dict[str, Waste] = {
    **{f"F32_{one}": _ending(plain("w", reals(Numbers("tail", one), one))) for one in (1, 1023, 1025)},
    **{
        f"{name}_{width}": _ending(quantised("w", fmt, (3, width), group, Numbers("tail", width)))
        for name, fmt, group in (("Q8G", Q8G, 1), ("Q4G", Q4G, 2), ("Q3G", Q3G, 1))
        for width in (1, 1365, 1366, 4097)
    },
    "tiny": TINY,
    "padded": TINY.with_trunk(*TINY.tensors, tail=b"\xff" * 5000),
}


@clause("DIO-TAIL-01")
@cases(TAILS)
def test_a_trunk_is_read_to_its_last_byte(ask: Ask, case: Waste) -> None:
    """A trunk whose length is no whole number of pages delivers its last tensor, whole and by row."""
    last = case.tensors[-1].name
    check_tensors(ask, "DIO-TAIL-01", case, last)
    check_rows(ask, "DIO-TAIL-01", case, last)


def _spelt(stored: Record, codes: list[int], scale: int) -> Record:
    """The record with these indices over and over, and one scale."""

    def of(matrix: Matrix) -> Matrix:
        indices = np.resize(np.array(codes, np.uint8), matrix.indices.shape)
        return Matrix(indices, np.full(matrix.rows, scale, np.uint16))

    return replace(stored, gate=of(stored.gate), up=of(stored.up), down=of(stored.down))


WIDE = made(quant=Quant(entries=256), seed="binary")
SPELT = {
    "ends_of_lines": ([0x0D, 0x0A], 0x0A0D),
    "lines": ([0x0A], 0x0A0A),
    "returns": ([0x0D], 0x0D0D),
    "ends_of_files": ([0x1A, 0x0D, 0x0A], 0x1A1A),
    "nothing": ([0x00, 0x1A, 0xFF, 0x0A], 0x000A),
}


@clause("DIO-BINARY-01")
@cases(SPELT)
def test_no_byte_is_a_sign_of_text(ask: Ask, case: tuple[list[int], int]) -> None:
    """A payload full of ends of lines and of files comes through unchanged, from every source."""
    model = WIDE.with_bank(1, [_spelt(one, *case) for one in WIDE.banks[1]])
    for source in ("auto", "buffered"):
        for verify in (False, True):
            check_served(ask, "DIO-BINARY-01", model, 1, 1, source=source, verify=verify)


HELD = Limits(unprivileged=True, seconds=10)


@clause("DIO-FD-01")
@cases(missing=None, a_folder=Folder(), closed=0)
def test_no_other_descriptor_is_read(ask: Ask, case: Folder | int | None) -> None:
    """A bank that cannot be opened is refused as such, and nothing else is read in its place."""
    name = BLOCKED.bank_file(1)
    path = ask.file("sound", BLOCKED.folder)
    reply = ask(RECORD, path=path, layer=1, expert=1, limits=HELD)
    check("DIO-FD-01", reply, served(BLOCKED.record(1, 1)))
    model = BLOCKED.without_file(name) if case is None else BLOCKED
    if isinstance(case, Folder):
        model = BLOCKED.with_file(name, case)
    path = ask.file("wrong", model.folder)
    bank = ask.folder / "wrong" / name
    if case == 0:
        bank.chmod(0)
    try:
        for source in ("auto", "buffered"):
            reply = ask(RECORD, path=path, layer=1, expert=1, source=source, limits=HELD)
            check("DIO-FD-01", reply, refuses("missing-file", "io"))
    finally:
        if case == 0:
            bank.chmod(0o644)
