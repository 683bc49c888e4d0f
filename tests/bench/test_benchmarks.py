"""benchmarks/: the rows of `vindex3 bench` under pytest-benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from pytest_vindex3.bench.measure import LEAST_ROUNDS

CHECKOUT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Pytest on that folder, as a contributor runs it."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "benchmarks", *arguments]
    return subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False, timeout=120)


def test_both_sides_of_a_row_are_in_a_group(tmp_path: Path) -> None:
    """A row gives two benchmarks of the same group, each of enough rounds."""
    file = tmp_path / "found.json"
    done = run("-k", "LYRW and declared", f"--benchmark-json={file}")
    assert done.returncode == 0, done.stdout + done.stderr
    ours, theirs = json.loads(file.read_text(encoding="utf-8"))["benchmarks"]
    assert ours["group"] == theirs["group"]
    assert [one["extra_info"]["side"] for one in (ours, theirs)] == ["ours", "theirs"]
    assert all(one["stats"]["rounds"] >= LEAST_ROUNDS for one in (ours, theirs))
    assert ours["extra_info"]["goal"] == 0.11
