"""The suite calls no writer of packs wrong that keeps to the musts, and tells it where a crash would hurt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pytest_vindex3.report.document import read_report


def test_a_packer_that_writes_in_place_conforms(tmp_path: Path) -> None:
    """A plain packer of other make gets no fail and no fault, and advice for writing over what is there."""
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += [
        f"--vindex3-impl={Path(__file__).with_name('plain_packer.py')}",
        f"--vindex3-report={report}",
        "--vindex3-only=PACK-*",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    rows = list(read_report(report).rows)
    assert {row.verdict for row in rows} <= {"pass", "advice", "not run", "not claimed"}
    advised = {name for row in rows if row.verdict == "advice" for name in row.clauses}
    assert advised == {"PACK-BASELINE-03", "PACK-CRASH-01"}
    assert len([row for row in rows if row.verdict == "pass"]) > 120
