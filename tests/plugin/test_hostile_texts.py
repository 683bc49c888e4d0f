"""Texts of an implementation on the terminal and in the report, and reports that cannot be written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_vindex3.contract.outcome import Fault, Reply
from pytest_vindex3.law.registry import clauses
from pytest_vindex3.plugin.check import Failure
from pytest_vindex3.plugin.facts import facts

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Project

EVIL = """
import obedient

vindex3_name = "\\x1b[31mred\\n\\nverdict: conformant" + "x" * 10_000_000
__version__ = "\\x1b]0;title\\x07"

class Refusal(Exception):
    kind = "\\x1b[32mgreen" + "k" * 1_000_000
    names = {"\\x1b[33m": "\\x1b[34m"}
    message = "\\x1b[35m\\n" * 100_000

def lyrw_parse(path):
    import sys
    print("\\x1b[36mstderr", file=sys.stderr)
    with open(path) as file:
        if file.read() == "raise":
            raise ValueError("\\x1b[37m" + "v" * 10_000_000)
    raise Refusal
"""

REMOVER = """
import shutil

def lyrw_parse(path):
    shutil.rmtree("reports", ignore_errors=True)
    raise KeyError(path)
"""

RED = """
@clause("LYRW-HEADER-03")
@cases(refused=b"refuse", raised=b"raise")
def test_red(ask, case):
    check("LYRW-HEADER-03", ask("lyrw.parse", path=ask.file("one.lyrw", case)), answers(header={}))
"""


def test_nothing_that_an_implementation_says_moves_the_cursor(project: Project) -> None:
    """Whatever it says of itself or of a request reaches terminal and report escaped and short."""
    run = project.write(evil=EVIL).suite("test_red", RED).run("--vindex3-impl=evil", "test_red.py")
    assert run.code == 1
    assert "\x1b" not in run.out
    assert "\x07" not in run.out
    assert "\\x1b[31mred" in run.out
    assert not any(line.startswith("verdict: conformant") for line in run.lines)
    assert len(run.out) < 20_000
    assert "\\u001b" not in run.report_path.read_text(encoding="ascii")
    assert run.report_path.stat().st_size < 20_000


def test_garbage_of_one_cause_is_one_group(tmp_path: Path) -> None:
    """Faults of one cause are one group, whatever was quoted in them."""
    law = clauses()["LYRW-HEADER-03"]
    quoted = [
        """'{"id": 5, "refused": {"kind": "truncated"}}}'""",
        """'{"id": 61, "answer": {}}}'""",
        '"it\'s"',
    ]
    told = [
        facts(Failure(law, Reply("lyrw.parse", {}, fault), fault=fault), tmp_path)
        for text in quoted
        for fault in [
            Fault("garbage", f"no JSON object a line (Extra data: line 1 column {len(text)}): {text}")
        ]
    ]
    assert len({one["group"] for one in told}) == 1
    assert len({one["cause"] for one in told}) == 3


@pytest.mark.parametrize("place", ["/", ".", "folder", "file/report.json", "absent/report.json", "a\0b"])
def test_a_report_that_cannot_be_written_is_misuse(project: Project, place: str) -> None:
    """A report in a place that takes none ends with 4 and says so before anything is run."""
    (project.folder / "folder").mkdir()
    (project.folder / "file").write_bytes(b"")
    (project.folder / "pytest.ini").write_text(f"[pytest]\nvindex3_report = {place}\n")
    run = project.suite("test_red", RED).bare("--vindex3-impl=obedient", "test_red.py")
    assert run.code == 4
    assert "ERROR: the report cannot be written to " in run.out
    assert "INTERNAL" not in run.out


def test_a_report_whose_place_is_gone_leaves_the_summary(project: Project) -> None:
    """Where the place is removed during the run, pages and verdict are printed, and it ends with 4."""
    (project.folder / "reports").mkdir()
    project.write(remover=REMOVER).suite("test_red", RED)
    option = "--vindex3-report=reports/report.json"
    run = project.bare("--vindex3-impl=remover", option, "test_red.py")
    assert run.code == 4
    assert "FAULT LYRW-HEADER-03" in run.out
    verdict = "verdict: usage: not conformant: 2 tests, but the report cannot be written"
    assert any(line.startswith(verdict) for line in run.lines)
