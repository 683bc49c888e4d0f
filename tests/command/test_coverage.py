"""`vindex3 clauses --coverage`: what the suites evaluate over the reference."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from pytest_vindex3.law.registry import clauses

VINDEX3 = Path(sys.executable).with_name("vindex3")


def coverage(folder: Path, *arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    """The exit code, the clauses and what went to stderr."""
    command = [VINDEX3, "clauses", "--coverage", "--json", *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)
    return done.returncode, json.loads(done.stdout)["clauses"] if done.stdout else [], done.stderr


def test_the_suites_cover_every_clause_of_a_document(tmp_path: Path) -> None:
    """Each clause of a document is covered by the tests that name it, and no file is left behind."""
    code, rows, said = coverage(tmp_path, "--family=graph")
    assert code == 0, said
    assert {row["id"] for row in rows} == {one.id for one in clauses().values() if one.family == "graph"}
    assert {tuple(row) for row in rows} == {("id", "level", "family", "tests", "covered")}
    assert [row["id"] for row in rows if row["covered"] != bool(row["tests"])] == []
    assert all(row["covered"] for row in rows)
    assert list(tmp_path.iterdir()) == []


def test_a_report_stands_for_the_run_that_it_is_of(tmp_path: Path) -> None:
    """Nothing is run again, and clauses that the run left out are not covered."""
    report = tmp_path / "report.json"
    asked = [
        "--vindex3-impl=vindex3_reference",
        "--vindex3-only=lyrw/test_header.py",
        f"--vindex3-report={report}",
    ]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *asked], check=True, capture_output=True, cwd=tmp_path
    )
    code, rows, said = coverage(tmp_path, f"--report={report}", "LYRW-HEADER", "LYRW-BANK-05")
    assert code == 1
    assert "not covered: LYRW-BANK-05" in said
    assert {row["id"] for row in rows if row["covered"]} >= {"LYRW-HEADER-01"}


def test_what_is_no_report_is_told(tmp_path: Path) -> None:
    """A file that is none ends like a run that left none; without --coverage there is no use for one."""
    (tmp_path / "report.json").write_text("{}", encoding="utf-8")
    code, _, said = coverage(tmp_path, "--report=report.json")
    assert code != 0
    assert "there is no report of the run" in said
    command = [VINDEX3, "clauses", "--report=report.json"]
    assert subprocess.run(command, check=False, capture_output=True, cwd=tmp_path).returncode == 2
