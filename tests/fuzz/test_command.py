"""`vindex3 fuzz`: what it prints and keeps, its exit codes, and the option of pytest that does the same."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_vindex3.command.fuzz import command
from pytest_vindex3.fuzz.run import available
from vindex3_fixtures.annotated import assemble

RAISING = """
import os
from pathlib import Path

def lyrw_parse(path):
    raise LookupError(len(Path(path).read_bytes()))

def lyrw_verify(path):
    os._exit(9)
"""
"""An implementation that every input shows to be wrong."""

PASSING = """
from pytest_vindex3 import check, clause, refuses
from pytest_vindex3.contract.outcome import Refused, Reply

@clause("LYRW-MAGIC-02")
def test_nothing(ask):
    check("LYRW-MAGIC-02", Reply("lyrw.parse", {}, Refused("bad-magic")), refuses("bad-magic"))
"""
"""A conformance test that asks nothing."""

needs_atheris = pytest.mark.skipif(not available(), reason="atheris is not installed")


def vindex3(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    return run(folder, "pytest_vindex3.command", *words)


def run(folder: Path, module: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a module in a folder."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    command = [sys.executable, "-m", module, *words]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


@needs_atheris
def test_a_finding_is_kept_small_and_can_be_replayed(tmp_path: Path) -> None:
    """The finding is told with the smallest input, its bytes with names, and a line that shows it again."""
    (tmp_path / "raising.py").write_text(RAISING, encoding="utf-8")
    done = vindex3(tmp_path, "fuzz", "lyrw-tables", "--impl", "raising.py", "--runs", "2", "--json")
    assert done.returncode == 1, done.stderr
    [row] = json.loads(done.stdout)["targets"]
    raised, ended = row["findings"]
    assert (row["target"], row["problem"]) == ("lyrw-tables", "")
    assert (raised["verb"], raised["fault"], ended["verb"], ended["fault"]) == (
        "lyrw.parse",
        True,
        "lyrw.verify",
        True,
    )
    assert ended["text"].startswith("crash: the process ended with 9")
    folder = tmp_path / raised["folder"]
    assert (folder / "input/input.lyrw").read_bytes() == b""
    assert assemble((folder / "dump.txt").read_text(encoding="utf-8")) == b""
    assert (tmp_path / ".vindex3/.gitignore").read_text(encoding="utf-8") == "*\n"
    for finding, code, said in ((raised, 4, "LookupError"), (ended, 9, "")):
        program, *words = shlex.split(finding["replay"])
        again = vindex3(tmp_path, *words)
        assert (program, again.returncode, said in again.stdout) == ("vindex3", code, True)


@needs_atheris
def test_pytest_fuzzes_behind_the_tests(tmp_path: Path) -> None:
    """With --vindex3-fuzz a finding is a red row with a line to replay it, and the run is not conformant."""
    (tmp_path / "raising.py").write_text(RAISING, encoding="utf-8")
    (tmp_path / "test_one.py").write_text(PASSING, encoding="utf-8")
    only = ["--vindex3-only=LYRW-MAGIC-02", "--vindex3-only=fuzz/lyrw-*"]
    done = run(tmp_path, "pytest", "--vindex3-impl=raising.py", "--vindex3-fuzz=1", *only, "test_one.py")
    assert "FAULT fuzz (must)  fuzz/lyrw-tables" in done.stdout
    assert "replay    vindex3 call raising.py lyrw.parse path=.vindex3/fuzz/lyrw-tables-" in done.stdout
    assert "matches no test" not in done.stdout
    assert (done.returncode, "verdict: not conformant: 1 test" in done.stdout) == (1, True)


@pytest.mark.parametrize(
    ("there", "why"),
    [(True, "raising.py has none of graph.load"), (False, 'pip install "pytest-vindex3[fuzz]"')],
    ids=["no_verb", "no_atheris"],
)
def test_nothing_is_tried_without_verbs_or_atheris(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool, why: str
) -> None:
    """Nothing was tried: exit code 5, and the verbs that are missing, or what there is to install."""
    (tmp_path / "raising.py").write_text(RAISING, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pytest_vindex3.fuzz.trial.available", lambda: there)
    done = CliRunner().invoke(command, ["system-graph", "--impl", "raising.py", "--runs", "1"])
    assert (done.exit_code, why in done.stdout) == (5, True), done.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("lyrw-table", "--impl", "x"), "did you mean lyrw-tables?"),
        (("lyrw-tables",), "give --impl and a target"),
        (("lyrw-tables", "--impl", "no_such_module_here"), "no_such_module_here"),
        (("lyrw-tables", "--impl", "x", "--runs", "1", "--seconds", "1"), "not both"),
    ],
    ids=["target", "no_impl", "not_loaded", "both"],
)
def test_wrong_usage_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    """A wrong name, a missing one and an implementation that is not there end with 2 and a sentence."""
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(command, words)
    assert (done.exit_code, said in done.stderr) == (2, True), done.output
