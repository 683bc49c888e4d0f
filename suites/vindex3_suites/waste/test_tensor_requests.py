"""Requests for tensors and rows: names as they are written, rows that are there, files that are whole."""

from __future__ import annotations

import errno
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_vindex3 import cases, check, clause, either, needs, on_disk, refuses
from pytest_vindex3.contract.outcome import Limits, Reading
from pytest_vindex3.contract.patterns import Present
from pytest_vindex3.plugin.check import NotRun
from pytest_vindex3.plugin.expect import AtMost, Refuses
from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import TRUNK, Sparse, Tensor, Waste, plain, quantised
from vindex3_fixtures.waste.trunk import Q3G, Q4G, Q8G
from vindex3_suites.lyrw.limits import GIB, MIB, ROUNDS, SLACK, sparse_files
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.infinite import INFINITE, Half
from vindex3_suites.waste.models import DENSE, EMBEDDING, HEAD, NORM, QUERY, TINY
from vindex3_suites.waste.tensors import TENSOR, check_rows, check_tensors, holding, tensor
from vindex3_suites.waste.verifying import check_listed, defect

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask

FORMATS = {"q8g": Q8G, "q4g": Q4G, "q3g": Q3G}


def _named(*names: str) -> Waste:
    """A dense model of one number a tensor, each another one."""
    return holding(*(plain(name, np.array([at + 1], np.float32)) for at, name in enumerate(names)))


LONG = "model.layers." + "x" * 286 + "."


@clause("TRUNK-ENTRY-06")
@cases(
    last_of_300=(f"{LONG}a", f"{LONG}b"),
    longer=("n" * 5000, "n" * 5001, "n" * 4999),
    prefixes=("model", "model.norm", "model.norm.weight", "model.norm.weight.weight"),
    case_and_blanks=("weight", "Weight", "weight ", " weight", "weight\t"),
    beyond_ascii=("é", "e\u0301", "e", "模型.权重", "\U0001f40d"),
    empty=("", " "),
    paths=("a/b", "a//b", "a/../b", "./a/b", "a\\b"),
    with_nul=("a\x00b", "a", "a\x00c"),
)
def test_names_are_never_cut(ask: Ask, case: tuple[str, ...]) -> None:
    """Names that differ in one character, however far behind, are those of different tensors."""
    check_tensors(ask, "TRUNK-ENTRY-06", _named(*case))


PREFIXED = _named("language_model.model.norm.weight", "vision.norm.weight").with_manifest(
    ("tensor_prefix",), "language_model."
)


@clause("TRUNK-ENTRY-07")
@cases(
    other="model.absent.weight",
    without_the_prefix="model.norm.weight",
    prefix_twice="language_model.language_model.model.norm.weight",
    prefix_added="language_model.vision.norm.weight",
    cut="language_model.model.norm.weigh",
    longer="language_model.model.norm.weight.",
    capital="Language_model.model.norm.weight",
    empty="",
    prefix_alone="language_model.",
    file="trunk.bin",
)
def test_a_name_that_is_not_listed_is_missing(ask: Ask, case: str) -> None:
    """No other spelling of a name is found, with or without the prefix."""
    check_tensors(ask, "TRUNK-ENTRY-07", PREFIXED)
    check("TRUNK-ENTRY-07", tensor(ask, PREFIXED, case), refuses("missing-tensor", tensor=case))
    check("TRUNK-ENTRY-07", tensor(ask, PREFIXED, case, 0), refuses("missing-tensor", tensor=case))


@clause("TRUNK-ROW-01")
@cases(
    f32=NORM,
    q8g=HEAD,
    q4g=EMBEDDING,
    q3g=QUERY,
)
def test_a_row_is_that_of_the_whole(ask: Ask, case: str) -> None:
    """Each row on its own is that row of the whole tensor, the last one and that of a vector included."""
    check_tensors(ask, "TRUNK-ROW-01", TINY, case)
    check_rows(ask, "TRUNK-ROW-01", TINY, case)


@clause("TRUNK-ROW-01")
@cases(FORMATS)
def test_rows_of_odd_shapes(ask: Ask, case: int) -> None:
    """Rows of tensors of several dimensions are counted through, with the padding of each group."""
    for shape, group in (((2, 3, 7), 4), ((5,), 8), ((1, 1, 3, 33), 16)):
        model = holding(
            quantised("rows", case, shape, group, Numbers("rows", shape, case), padding=1, guard=255)
        )
        check_rows(ask, "TRUNK-ROW-01", model, "rows")


@clause("TRUNK-ROW-01")
def test_rows_of_f32_of_several_dimensions(ask: Ask) -> None:
    """Rows of F32 are counted through as well."""
    model = holding(plain("rows", np.arange(42, dtype=np.float32).reshape(2, 3, 7)))
    check_rows(ask, "TRUNK-ROW-01", model, "rows")


@clause("TRUNK-ROW-02")
@cases(
    behind=lambda rows: rows,
    negative=lambda rows: -1,
    first_from_the_end=lambda rows: -rows,
    far=lambda rows: 1 << 31,
    wraps_32=lambda rows: 1 << 32,
    wraps_64=lambda rows: 1 << 64,
    far_below=lambda rows: -(1 << 63),
)
def test_a_row_that_is_not_there_is_refused(ask: Ask, case: object) -> None:
    """Rows are counted from 0 to the number of rows, and from nowhere else."""
    for name in (HEAD, NORM, QUERY):
        rows = TINY.tensor(name).rows
        row = case(rows) if callable(case) else 0
        check_rows(ask, "TRUNK-ROW-02", TINY, NORM)
        refused = refuses("out-of-range", tensor=name, row=row, rows=rows)
        check("TRUNK-ROW-02", tensor(ask, TINY, name, row), refused)


CUT = ("truncated", "io", "extent-out-of-file")
"""How a trunk that ends too early is refused, at open or when it is read."""


def _cut(name: str) -> Refuses:
    return refuses(*CUT, tensor=name, need=Present(), have=Present())


@clause("TRUNK-ROW-04")
@cases(FORMATS)
def test_a_tensor_that_is_cut_is_refused(ask: Ask, case: int) -> None:
    """Where the trunk ends in a tensor, neither it nor any of its rows is made up."""
    stored = quantised("cut", case, (4, 9), 4, Numbers("cut", case))
    model = holding(stored)
    whole = model.files[TRUNK]
    data = whole if isinstance(whole, bytes) else b""
    check_rows(ask, "TRUNK-ROW-04", model, "cut")
    for length in (len(data) - 1, len(data) - len(stored.scale_bytes), stored.row_bytes, 0):
        wrong = model.with_file(TRUNK, data[:length])
        for row in (None, 3):
            check("TRUNK-ROW-04", tensor(ask, wrong, "cut", row), _cut("cut"))


@clause("TRUNK-ROW-04")
@cases(one_byte=1, element=4, row=12, everything=48)
def test_f32_that_is_cut_is_refused(ask: Ask, case: int) -> None:
    """F32 is not filled up with zeros either."""
    model = holding(plain("cut", np.arange(1, 13, dtype=np.float32).reshape(4, 3)))
    check_rows(ask, "TRUNK-ROW-04", model, "cut")
    wrong = model.with_file(TRUNK, bytes(48 - case))
    for row in (None, 3):
        check("TRUNK-ROW-04", tensor(ask, wrong, "cut", row), _cut("cut"))


VECTOR = plain("cut", np.arange(1, 13, dtype=np.float32))
"""48 bytes at the beginning of a trunk, which nobody reads in parts."""


@clause("TRUNK-ROW-04")
@cases(nothing=0, one_byte=1, half=24, all_but_one=47)
def test_a_read_that_ends_early_is_refused(ask: Ask, case: int) -> None:
    """A trunk that is whole at open and ends early when it is read gives neither zeros nor less."""
    model = holding(VECTOR)
    check_tensors(ask, "TRUNK-ROW-04", model)
    reply = _hindered(ask, model, length=case)
    truncated = refuses("truncated", tensor="cut", need=48, have=case)
    check("TRUNK-ROW-04", reply, either(truncated, refuses("io", tensor="cut")))


@clause("TRUNK-ROW-04")
def test_a_read_that_fails_is_refused(ask: Ask) -> None:
    """A trunk whose reads fail is refused with the tensor; asked again, it is delivered."""
    model = holding(VECTOR)
    reply = _hindered(ask, model, error=errno.EIO)
    truncated = refuses("truncated", tensor="cut", need=Present(), have=Present())
    check("TRUNK-ROW-04", reply, either(refuses("io", tensor="cut"), truncated))
    check_tensors(ask, "TRUNK-ROW-04", model)


def _hindered(ask: Ask, model: Waste, **how: Any) -> Reply:
    """Ask for the tensor while something is done to reads of the trunk."""
    path = ask.file("model", model.folder)
    trunk = Reading(str((ask.folder / "model" / TRUNK).resolve()), **how)
    return ask.watched(TENSOR, reading=trunk, path=path, name="cut")


def _infinite(fmt: int, *scales: int) -> Tensor:
    """A row of so many groups of two columns, with these scales."""
    codes = np.resize(np.array([0, 1, -1, 2, 3, -3], np.int8), 2 * len(scales)).reshape(1, -1)
    patterns = np.array([scales], np.uint16)
    return Tensor(name="scaled", fmt=fmt, shape=(1, codes.size), group=2, codes=codes, scales=patterns)


@clause("TRUNK-SCALE-02")
@needs(TENSOR)
@cases({f"{name}_{word}": (fmt, half) for name, fmt in FORMATS.items() for word, half in INFINITE.items()})
def test_an_infinite_scale_is_listed(ask: Ask, case: tuple[int, int]) -> None:
    """Verification lists it with tensor, row and group; the tensor decodes by IEEE all the same."""
    fmt, half = case
    legal = quantised("scaled", fmt, (3, 10), 4, Numbers("scaled", fmt))
    if legal.scales is None:
        raise ValueError("the tensor has no scales")
    scales = legal.scales.copy()
    scales[1, 2] = half
    wrong = holding(replace(legal, scales=scales))
    found = defect("non-finite", tensor="scaled", row=1, group=2, found=Half(half))
    check_listed(ask, "TRUNK-SCALE-02", holding(legal), wrong, found)
    check("TRUNK-SCALE-02", tensor(ask, wrong, "scaled"), gives(wrong.values("scaled")))
    first = holding(_infinite(fmt, half, 0x3C00, 0x8000))
    check("TRUNK-SCALE-02", tensor(ask, first, "scaled"), gives(first.values("scaled")))


@clause("TRUNK-SCALE-02")
def test_an_infinite_scale_among_many_is_listed_at_its_place(ask: Ask) -> None:
    """Row and group are those of the tensor, also behind half a million scales."""
    scales = np.full((600, 1000), 0x3C00, np.uint16)
    codes = np.ones((600, 1000), np.int8)
    legal = Tensor(name="scaled", fmt=Q8G, shape=(600, 1000), group=1, codes=codes, scales=scales)
    infinite = scales.copy()
    infinite[598, 997] = infinite[1, 1] = 0x7C00
    wrong = replace(legal, scales=infinite)
    places = ((1, 1), (598, 997))
    found = [defect("non-finite", tensor="scaled", row=row, group=group) for row, group in places]
    check_listed(ask, "TRUNK-SCALE-02", holding(legal), holding(wrong), *found)


WIDE = 1 << 12


def _large(rows: int) -> tuple[Waste, Tensor]:
    """A Q8G table of so many rows of 4096 columns, a hole but for its last row and that row's scale."""
    row = quantised("table", Q8G, (1, WIDE), WIDE, Numbers("large"))
    payload, scales = rows * WIDE, 2 * rows
    pieces = {payload - WIDE: row.payload, payload + scales - 2: row.scale_bytes}
    small = holding(row).with_entry("table", "shape", [rows, WIDE])
    small = small.with_entry("table", "scale_off", payload).with_entry("table", "bytes", payload + scales)
    return small.with_file(TRUNK, Sparse(payload + scales, pieces)), row


@on_disk
@clause("TRUNK-ROW-03")
@cases(of_64_mib=1 << 14, of_8_gib=1 << 21)
def test_a_row_is_read_alone(ask: Ask, case: int) -> None:
    """A row takes its own bytes and little more, and memory in its own proportion."""
    sparse_files(ask.folder, case * WIDE)
    model, row = _large(case)
    path = ask.file("model", model.folder)
    for _ in range(ROUNDS):
        limits = Limits(memory=32 * MIB, measure=True)
        reply = ask(TENSOR, path=path, name="table", row=case - 1, limits=limits)
        if reply.cost is None or reply.cost.bytes_read <= SLACK:
            break
    check("TRUNK-ROW-03", reply, gives(holding(row).values("table")[0]))
    if reply.cost is None:
        raise NotRun("this door does not measure bytes read")
    allowed = WIDE + 2 + (64 << 10) + len(model.text) + SLACK
    check("TRUNK-ROW-03", reply, AtMost("bytes_read", allowed, reply.cost.bytes_read))


@on_disk
@clause("TRUNK-ROW-03")
@cases(q8g=Q8G, q3g=Q3G)
def test_a_tensor_takes_its_own_memory(ask: Ask, case: int) -> None:
    """A tensor of 1 MiB of numbers far behind in a large trunk takes memory for itself alone."""
    sparse_files(ask.folder, 8 * GIB)
    rows, width = 64, 1 << 12
    stored = quantised("far", case, (1, width), 64, Numbers("far"))
    whole = replace(
        stored,
        shape=(rows, width),
        codes=np.tile(stored.codes, (rows, 1)) if stored.codes is not None else None,
        scales=np.tile(stored.scales, (rows, 1)) if stored.scales is not None else None,
    )
    payload, start = stored.payload * rows, 8 * GIB
    entry = whole.entry(start, start + len(payload)) | {"bytes": len(payload) + len(whole.scale_bytes)}
    pieces = {start: payload, start + len(payload): whole.scale_bytes}
    model = replace(
        DENSE.with_manifest(("trunk",), [entry]).with_file(TRUNK, Sparse(start + entry["bytes"], pieces)),
        tensors=(whole,),
    )
    needed = entry["bytes"] + 4 * rows * width + 32 * MIB
    reply = ask(TENSOR, path=ask.file("model", model.folder), name="far", limits=Limits(memory=needed))
    check("TRUNK-ROW-03", reply, gives(model.values("far")))
