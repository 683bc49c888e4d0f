"""Banks and trunks that are mostly holes: what lies beyond 2 GiB and 4 GiB is found, by 64-bit offsets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_vindex3 import cases, check, clause, on_disk
from vindex3_fixtures.numbers import Numbers
from vindex3_fixtures.waste import TRUNK, Sparse, Waste, plain, quantised
from vindex3_fixtures.waste.draw import reals
from vindex3_fixtures.waste.make import drawn_record
from vindex3_fixtures.waste.trunk import Q3G, Q4G, Q8G
from vindex3_suites.lyrw.limits import GIB, sparse_files
from vindex3_suites.waste.models import DENSE
from vindex3_suites.waste.records import RECORD, served
from vindex3_suites.waste.remote import INNER, WIDTH, drawn_remote
from vindex3_suites.waste.tensors import check_rows, check_tensors

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask
    from vindex3_fixtures.waste import Tensor

LENGTH = 5 * GIB
PAGES = 32
EXPERTS = LENGTH // (PAGES * 4096)
AT_2_GIB, AT_4_GIB = 2 * GIB // (PAGES * 4096), 4 * GIB // (PAGES * 4096)
THERE = sorted(
    {0, 1, EXPERTS - 1}
    | {place + step for place in (AT_2_GIB, AT_4_GIB) for step in (-1, 0, 1)}
    | {EXPERTS - 1 - AT_4_GIB, AT_2_GIB // 2}
)
"""Records around both bounds, and where a number that was cut to 32 bits would lead."""


MODEL, FIRST = drawn_remote(0, 0, EXPERTS, blocks=PAGES)
RECORDS = {
    expert: replace(drawn_record(FIRST.quant, INNER, WIDTH, 0, expert, 0, "far"), blocks=PAGES)
    for expert in THERE
}
BANK = Sparse(LENGTH, {expert * PAGES * 4096: stored.data for expert, stored in RECORDS.items()})
far = pytest.mark.xdist_group("far")


@far
@clause("DIO-LARGE-01")
@cases(
    {
        f"{source}{'_verified' * verify}": (source, verify)
        for source in ("auto", "buffered")
        for verify in (False, True)
    }
)
def test_far_records_are_the_right_ones(ask: Ask, case: tuple[str, bool]) -> None:
    """Records on both sides of 2 GiB and of 4 GiB, and the last, are served byte for byte."""
    source, verify = case
    sparse_files(ask.folder, LENGTH)
    path = ask.file("model", MODEL.with_file(MODEL.bank_file(0), BANK).folder)
    for expert, stored in RECORDS.items():
        reply = ask(RECORD, path=path, layer=0, expert=expert, source=source, verify=verify)
        check("DIO-LARGE-01", reply, served(stored))


def _trunk(tensor: Tensor, off: int, scale_off: int | None) -> Waste:
    """A trunk of 5 GiB with one tensor, and others where numbers cut to 32 bits would lead."""
    pieces = {off: tensor.payload}
    if scale_off is not None:
        pieces[scale_off] = tensor.scale_bytes
    wrong = {place % (1 << bits): b"\x5a" * 64 for place in pieces for bits in (31, 32)}
    trunk = Sparse(LENGTH, {**wrong, **pieces})
    model = DENSE.with_manifest(("trunk",), [tensor.entry(off, scale_off)])
    return replace(model.with_file(TRUNK, trunk), tensors=(tensor,))


TENSORS: dict[str, Tensor] = {
    "F32": plain("w", reals(Numbers("far", 0), 3, 40)),
    "Q8G": quantised("w", Q8G, (3, 40), 16, Numbers("far", 2)),
    "Q4G": quantised("w", Q4G, (3, 40), 16, Numbers("far", 3)),
    "Q3G": quantised("w", Q3G, (3, 40), 16, Numbers("far", 7)),
}
NEAR = 4096
PLACES = {
    "2_gib": (2 * GIB + 4, 2 * GIB + 4096),
    "across_2_gib": (2 * GIB - 8, 2 * GIB - 4096),
    "4_gib": (4 * GIB + 8, 4 * GIB + 4096),
    "across_4_gib": (4 * GIB - 8, 4 * GIB - 4096),
    "payload_alone": (4 * GIB + 8, NEAR),
    "scales_alone": (NEAR, 4 * GIB + 8),
}
FAR = {
    f"{name}_{place}": _trunk(tensor, off, None if name == "F32" else scale_off)
    for place, (off, scale_off) in PLACES.items()
    for name, tensor in TENSORS.items()
    if name != "F32" or place != "scales_alone"
}


@on_disk
@far
@clause("DIO-LARGE-02")
@cases(FAR)
def test_far_tensors_decode(ask: Ask, case: Waste) -> None:
    """A tensor whose payload or scales lie beyond 2 GiB or 4 GiB decodes exactly, whole and by row."""
    sparse_files(ask.folder, LENGTH)
    check_tensors(ask, "DIO-LARGE-02", case)
    check_rows(ask, "DIO-LARGE-02", case, "w")
