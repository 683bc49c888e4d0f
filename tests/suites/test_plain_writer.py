"""The suite calls no writer wrong that keeps to the musts, and tells it where a crash would hurt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pytest_vindex3.law.registry import clauses
from pytest_vindex3.report.document import read_report


def test_a_writer_that_writes_in_place_conforms(tmp_path: Path) -> None:
    """A plain writer of other make gets no fail and no fault, and advice for writing over what is there."""
    report = tmp_path / "report.json"
    verbs = ("container.write", "container.rewrite")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += [
        f"--vindex3-impl={Path(__file__).with_name('plain_writer.py')}",
        f"--vindex3-report={report}",
        *(f"--vindex3-only={one.id}" for one in clauses().values() if one.verb in verbs),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    rows = list(read_report(report).rows)
    assert {row.verdict for row in rows} <= {"pass", "advice", "not run", "not claimed"}
    advised = {name for row in rows if row.verdict == "advice" for name in row.clauses}
    assert advised == {"PUBLISH-REPLACE-01"}
    assert len([row for row in rows if row.verdict == "pass"]) > 250
