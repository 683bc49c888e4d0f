"""Segments of many GiB: sparse, so that only what is read costs anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import answers, cases, check, clause, on_disk
from vindex3_fixtures.container import pattern
from vindex3_fixtures.container.large import BEHIND, GIB, LARGE, large
from vindex3_suites.lyrw.limits import sparse_files

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

BEYOND = {
    "at_2_gib": 2 * GIB,
    "just_below_4_gib": 4 * GIB - 24,
    "at_4_gib": 4 * GIB,
    "above_4_gib": 4 * GIB + 2,
    "above_8_gib": 8 * GIB + 48,
}


@on_disk
@clause("SEGMENT-FRAME-01")
@cases(BEYOND)
def test_offsets_have_64_bits(ask: Ask, case: int) -> None:
    """A tensor that begins beyond 32 bits comes out exactly."""
    sparse_files(ask.folder, case + GIB)
    behind = pattern(48, 7)
    path = ask.file("model", large(case, behind).folder)
    reply = ask("container.tensor", path=path, representation=LARGE, tensor=BEHIND)
    expected = answers(representation=LARGE, dtype="BF16", shape=[6, 4], data=behind)
    check("SEGMENT-FRAME-01", reply, expected)
