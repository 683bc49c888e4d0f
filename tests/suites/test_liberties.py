"""The suite calls no reader wrong that uses the liberties which the clauses leave."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pytest_vindex3.report.document import read_report

STRICT = Path(__file__).with_name("strict_reader.py")
REFUSING = {
    "LYRW-BANK-04",
    "LYRW-FUSED-02",
    "LYRW-PADDING-01",
    "LYRW-TABLES-03",
    "LYRW-TRAIL-01",
    "PAIR-PARSE-03",
    "REGION-ALIGN-01",
    "REGION-ALIGN-02",
    "REGION-OVERLAP-01",
    "SEGMENTS-MULTI-02",
    "SEGMENTS-READ-05",
}


def test_a_reader_that_refuses_whatever_it_may_conforms(tmp_path: Path) -> None:
    """A strict reader of other make gets no fail and no fault, and advice only for reading its rows."""
    report = tmp_path / "report.json"
    arguments = [f"--vindex3-impl={STRICT}", f"--vindex3-report={report}", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    rows = read_report(report).rows
    advised = {name for row in rows if row.verdict == "advice" for name in row.clauses}
    assert advised <= {"LYRW-COST-02"}
    assert {row.verdict for row in rows} <= {"pass", "advice", "not run"}
    refused = {name for row in rows for name, choice in row.choices.items() if choice.startswith("refused")}
    assert refused >= REFUSING
