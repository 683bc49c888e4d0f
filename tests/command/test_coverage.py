"""`vindex3 clauses --coverage`: what the suites evaluate over the reference."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

VINDEX3 = Path(sys.executable).with_name("vindex3")


def test_the_suites_cover_every_clause_of_every_verb(tmp_path: Path) -> None:
    """Each clause of a verb of the contract is covered, later ones are not, and no file is left behind."""
    command = [VINDEX3, "clauses", "--coverage", "--json"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["clauses"]
    assert {tuple(row) for row in rows} == {("id", "level", "family", "tests", "covered")}
    assert [row["id"] for row in rows if row["covered"] != bool(row["tests"])] == []
    covered = {row["id"] for row in rows if row["covered"]}
    assert {"LYRW-MAGIC-01", "LYRW-MAGIC-02", "REGION-BOUNDS-01", "PAIR-FIND-01"} - covered == set()
    assert list(tmp_path.iterdir()) == []
