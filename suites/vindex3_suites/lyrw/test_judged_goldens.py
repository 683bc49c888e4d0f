"""The pinned layer files under verification, laid out, and written: what stands beside them holds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_vindex3 import answers, cases, check, clause
from pytest_vindex3.law.registry import clauses
from pytest_vindex3.plugin.ask import needs
from vindex3_fixtures.goldens import Golden, Request, goldens
from vindex3_suites.lyrw.finding import (
    CLEAN,
    defect,
    either_way,
    reports,
    segment_gap,
)
from vindex3_suites.lyrw.limits import sparse_files
from vindex3_suites.lyrw.planning import lay, on_disk, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.contract.difference import FreeOrder
    from pytest_vindex3.contract.outcome import Answer
    from pytest_vindex3.plugin.ask import Ask


def _asked(golden: Golden, verb: str) -> list[Request]:
    return [request for request in golden.requests if request.verb == verb]


def _cases(asking: str, serving: str) -> Iterator[Any]:
    """Each golden with a question of a verb, once for each clause of another verb that it serves."""
    for golden in sorted(goldens().values(), key=lambda golden: (golden.length, golden.name)):
        if not _asked(golden, asking):
            continue
        for clause_id in golden.clauses:
            if clauses()[clause_id].verb == serving:
                name = f"{golden.name.removeprefix('lyrw/')}-{clause_id}"
                mark = pytest.mark.vindex3_clause(clause_id)
                yield pytest.param(golden, clause_id, id=name, marks=mark)


def _copy(ask: Ask, golden: Golden, folder: str = "") -> str:
    """A copy of a golden in the test's own folder, in a folder below it where one is named."""
    home = ask.folder / folder
    home.mkdir(exist_ok=True)
    return str(golden.hand_out(home))


@pytest.mark.parametrize(("golden", "clause_id"), list(_cases("lyrw.verify", "lyrw.verify")))
def test_a_golden_has_the_defects_written_down(ask: Ask, golden: Golden, clause_id: str) -> None:
    """A pinned file has the defects that stand beside it and no others; its legal twin has none.

    A file without a defect is asked about once more with its last byte cut off.
    """
    if golden.made:
        sparse_files(ask.folder, golden.length)
    if golden.twin:
        check(clause_id, ask("lyrw.verify", path=_copy(ask, goldens()[golden.twin], "twin")), CLEAN)
    path = _copy(ask, golden)
    for request in _asked(golden, "lyrw.verify"):
        _check_listed(ask, clause_id, path, cast("FreeOrder", (request.answer or {})["defects"]))


def _check_listed(ask: Ask, clause_id: str, path: str, expected: FreeOrder) -> None:
    required = [either_way(item) for item in cast("Iterable[dict[str, Any]]", expected.items)]
    also = (expected.ignored["kind"],) if isinstance(expected.ignored, dict) else ()
    reply = ask("lyrw.verify", path=path)
    if required:
        check(clause_id, reply, reports(*required, also=also))
        return
    check(clause_id, reply, CLEAN)
    os.truncate(path, Path(path).stat().st_size - 1)
    check(clause_id, ask("lyrw.verify", path=path), reports(defect("region-out-of-bounds")))


@pytest.mark.parametrize(("golden", "clause_id"), list(_cases("lyrw.layout", "lyrw.layout")))
def test_the_plan_of_a_golden_is_laid_out(ask: Ask, golden: Golden, clause_id: str) -> None:
    """The layout of a pinned file's plan is the one that stands beside it."""
    for request in _asked(golden, "lyrw.layout"):
        check(clause_id, lay(ask, request.arguments["plan"]), answers(request.answer))


@pytest.mark.parametrize(("golden", "clause_id"), list(_cases("lyrw.layout", "lyrw.write")))
def test_a_golden_is_written_from_its_plan(ask: Ask, golden: Golden, clause_id: str) -> None:
    """The plan of a pinned file and its regions give the pinned bytes."""
    data = golden.path.read_bytes()
    for request in _asked(golden, "lyrw.layout"):
        told: Any = request.answer
        pieces = [
            {
                **{key: region[key] for key in ("bank_id", "entry", "schema_index")},
                "data": data[region["offset"] : region["offset"] + region["length"]],
            }
            for region in told["regions"]
        ]
        reply = write(ask, "layer.lyrw", request.arguments["plan"], pieces)
        check(clause_id, reply, answers(file_length=golden.length))
        check(clause_id, reply, on_disk(ask, "layer.lyrw", data))


IN_WRITERS_ORDER = (
    "all_formats",
    "all_lengths",
    "all_roles",
    "browse_modes",
    "dense_f32_worked",
    "fused_halves",
    "fused_unknown_layout",
    "k_quants",
    "pairs_mxfp4",
    "reserved_word",
    "shared_and_routed",
    "slice_of_groups",
    "split_first",
    "split_second_worked",
    "two_segments",
    "unknown_tags",
)
"""Goldens that a writer makes: no gap wider than alignment needs, and regions in the order of the rows."""


@needs("lyrw.parse", "lyrw.region")
@clause("LYRW-TAGS-07")
@cases({name: name for name in IN_WRITERS_ORDER})
def test_a_golden_comes_out_as_it_went_in(ask: Ask, case: str) -> None:
    """What a reader shows and delivers of a pinned file gives the pinned bytes again."""
    golden = goldens()[f"lyrw/{case}"]
    path = _copy(ask, golden)
    (told,) = (request.answer for request in golden.requests[:1])
    parsed = ask("lyrw.parse", path=path)
    check("LYRW-TAGS-07", parsed, answers(told))
    shown = cast("dict[str, Any]", cast("Answer", parsed.outcome).value)
    pieces = list(_pieces(ask, path, shown))
    lengths = [{**piece, "length": len(piece["data"])} for piece in pieces]
    reply = write(ask, "again.lyrw", {**shown, "lengths": lengths}, pieces)
    check("LYRW-TAGS-07", reply, answers(file_length=golden.length))
    data = golden.path.read_bytes()
    check("LYRW-TAGS-07", reply, on_disk(ask, "again.lyrw", data[:20] + bytes(4) + data[24:]))


@clause("SEGMENTS-SET-01")
def test_the_two_files_of_a_k3_layer_make_it_whole(ask: Ask) -> None:
    """Two files of 11.3 GiB cover 896 experts together; one of them twice covers half of them twice."""
    first, second = (goldens()[f"lyrw/k3_{name}"] for name in ("first", "second"))
    sparse_files(ask.folder, first.length)
    paths = [_copy(ask, first), _copy(ask, second)]
    check("SEGMENTS-SET-01", ask("lyrw.verify", path=paths), CLEAN)
    twice = [paths[0], _copy(ask, first, "again")]
    shared = defect("segment-overlap", bank_id=0, first_entry=0, end_entry=448)
    found = reports(shared, segment_gap(0, 448, 896), also=("duplicate-segment-index",))
    check("SEGMENTS-SET-01", ask("lyrw.verify", path=twice), found)


def _pieces(ask: Ask, path: str, shown: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every region of a file, as the implementation itself delivers it."""
    widths = {bank["bank_id"]: len(bank["schemas"]) for bank in shown["banks"]}
    for segment in shown["segments"]:
        first = segment["first_entry"]
        for entry in range(first, first + segment["entry_count"]):
            for index in range(widths[segment["bank_id"]]):
                numbers = {"bank_id": segment["bank_id"], "entry": entry, "schema_index": index}
                region = ask("lyrw.region", path=path, **numbers)
                check("LYRW-TAGS-07", region, answers())
                yield {**numbers, "data": cast("Any", region.outcome).value["data"]}
