"""The JSON report and the standing of a run."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_vindex3.law.registry import clauses
from pytest_vindex3.report.document import InvalidReport, Report, read_report, write_beginning, write_report
from pytest_vindex3.report.row import Row, worst
from pytest_vindex3.report.standing import Ended, standing

if TYPE_CHECKING:
    from pathlib import Path

ROW = Row(
    "lyrw/test_x.py::test_y[z]",
    "mypkg",
    "lyrw",
    "fail",
    "must",
    {"LYRW-MAGIC-01": "fail"},
    {"LYRW-MAGIC-01": ["legal", "wrong"]},
    failure={"clause": "LYRW-MAGIC-01", "difference": {"path": "a"}},
    seconds=1.5,
    inputs=".vindex3/last/x",
    stderr=["\u2603"],
)
REPORT = Report({"suite": "1"}, (ROW,), {"exit": 1}, {"date": "today"})


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Header, rows, footer and volatile values come back."""
    write_report(tmp_path / "r.json", REPORT)
    assert read_report(tmp_path / "r.json") == REPORT


def test_volatile_values_stand_apart(tmp_path: Path) -> None:
    """Two runs that differ in time and place alone differ in `volatile` alone."""
    later = replace(
        REPORT, rows=(replace(ROW, seconds=9.0, inputs="/tmp/y", stderr=[]),), volatile={"date": "x"}
    )
    documents = []
    for report in (REPORT, later):
        write_report(tmp_path / "r.json", report)
        documents.append(json.loads((tmp_path / "r.json").read_bytes()))
    assert documents[0].pop("volatile") != documents[1].pop("volatile")
    assert documents[0] == documents[1]


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda text: text[: len(text) // 2], "no JSON document"),
        (lambda text: "[]", "no report"),
        (lambda text: text.replace('"format": 1', '"format": 2'), "format 2"),
        (lambda text: text.replace('"footer"', '"fooder"'), "did not end"),
        (lambda text: text.replace('"verdict"', '"vredict"'), "damaged"),
        (lambda text: text.replace('"seconds"', '"secnods"'), "damaged"),
        (lambda text: text.replace('"header"', '"haeder"'), "damaged"),
        (lambda text: "[" * 100_000, "no JSON document"),
    ],
)
def test_a_damaged_report_is_invalid(tmp_path: Path, damage, complaint: str) -> None:
    """A report that is cut, of another format, without footer or with unknown keys is not taken for one."""
    path = tmp_path / "r.json"
    write_report(path, REPORT)
    path.write_text(damage(path.read_text(encoding="ascii")), encoding="ascii")
    with pytest.raises(InvalidReport, match=complaint):
        read_report(path)


def test_a_run_that_breaks_off_leaves_no_valid_report(tmp_path: Path) -> None:
    """The report of the run before does not survive the beginning of another one."""
    write_report(tmp_path / "r.json", REPORT)
    write_beginning(tmp_path / "r.json", {})
    with pytest.raises(InvalidReport, match="did not end"):
        read_report(tmp_path / "r.json")


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        (["pass", "fault", "fail"], "fault"),
        (["pass", "fail", "advice"], "fail"),
        (["not run", "advice", "pass"], "advice"),
        (["pass", "not run"], "not run"),
        (["not claimed", "pass"], "pass"),
        (["not claimed"], "not claimed"),
        ([], "not claimed"),
    ],
)
def test_the_worst_verdict_is_the_clauses(verdicts: list[str], verdict: str) -> None:
    """Of fault, fail, advice, not run, pass, not claimed the first that occurs."""
    assert worst(verdicts) == verdict


EVERY_CLAUSE = {name: "pass" for name, clause in clauses().items() if clause.verb == "lyrw.parse"}
WHOLE = Row("lyrw/t::all", "mypkg", "lyrw", "pass", "must", EVERY_CLAUSE)
CLAIMED = {"mypkg": ["lyrw.parse"]}


@pytest.mark.parametrize(
    ("rows", "ended", "word", "code"),
    [
        ([WHOLE], Ended(claimed=CLAIMED), "conformant", 0),
        ([WHOLE, replace(ROW, verdict="fail")], Ended(claimed=CLAIMED), "not conformant", 1),
        (
            [WHOLE, replace(ROW, verdict="fault")],
            Ended(left_out="by -k", claimed=CLAIMED),
            "not conformant",
            1,
        ),
        ([WHOLE, replace(ROW, verdict="stale known failure")], Ended(claimed=CLAIMED), "not conformant", 1),
        ([WHOLE, replace(ROW, verdict="advice")], Ended(claimed=CLAIMED), "conformant", 0),
        ([WHOLE, replace(ROW, verdict="advice")], Ended(strict=True, claimed=CLAIMED), "not conformant", 1),
        ([WHOLE, replace(ROW, verdict="not run")], Ended(claimed=CLAIMED), "conformant", 0),
        ([WHOLE, replace(ROW, verdict="known failure")], Ended(claimed=CLAIMED), "not certified", 0),
        ([WHOLE], Ended(stale=["x meets no test"], claimed=CLAIMED), "not conformant", 1),
        ([WHOLE], Ended(left_out="3 of 9 tests left out by -k", claimed=CLAIMED), "partial", 0),
        ([WHOLE], Ended(certifying=False, claimed=CLAIMED), "partial", 0),
        ([WHOLE], Ended(interrupted=True, claimed=CLAIMED), "partial", 2),
        ([WHOLE], Ended(broken=["golden x was changed"], claimed=CLAIMED), "suite integrity", 3),
        ([ROW], Ended(broken=["golden x was changed"], claimed=CLAIMED), "suite integrity", 3),
        ([WHOLE], Ended(misused=["a glob means 21 tests"], claimed=CLAIMED), "usage", 4),
        ([], Ended(claimed=CLAIMED), "nothing executed", 5),
        ([replace(ROW, verdict="not run")], Ended(claimed=CLAIMED), "nothing executed", 5),
        ([replace(ROW, verdict="not claimed")], Ended(claimed=CLAIMED), "nothing executed", 5),
        ([], Ended(left_out="all", claimed=CLAIMED), "nothing executed", 5),
        ([replace(ROW, verdict="pass")], Ended(claimed=CLAIMED), "under the promise of the profile", 5),
        ([WHOLE], Ended(claimed={**CLAIMED, "other": ["lyrw.parse"]}), "under the promise of the profile", 5),
    ],
)
def test_the_standing_of_a_run(rows: list[Row], ended: Ended, word: str, code: int) -> None:
    """Integrity, usage, red, interrupted, nothing, partial, promise: the first that applies."""
    verdict = standing(rows, ended)
    assert (verdict.word, verdict.code) == (word, code)


@pytest.mark.parametrize(
    ("reasons", "line"),
    [
        ([], "conformant"),
        (["no sparse files"], "conformant, 1 test not run: no sparse files"),
        (["in process", "no root", "in process"], "conformant, 3 tests not run: in process, and 1 more"),
    ],
)
def test_a_good_verdict_says_what_was_not_run(reasons: list[str], line: str) -> None:
    """Nobody takes a run in which clauses were not measured for a whole certificate."""
    silent = [
        replace(ROW, id=f"t::{n}", verdict="not run", reason=reason) for n, reason in enumerate(reasons)
    ]
    assert str(standing([WHOLE, *silent], Ended(claimed=CLAIMED))) == line
