"""Output of `vindex3` that cannot be written: one sentence and an exit code, whatever was asked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vindex3_fixtures.container.tiny import tiny
from vindex3_fixtures.goldens import goldens

GOLDEN = str(goldens()["lyrw/dense_f32_worked"].path)
COMMANDS = (
    ["dump", GOLDEN],
    ["dump", "--json", GOLDEN],
    ["inspect", GOLDEN],
    ["clauses", "LYRW-MAGIC"],
    ["clauses", "--json"],
    ["schema"],
    ["mutants", "--list"],
    ["--version"],
    ["--help"],
    ["dump", "--help"],
)


def vindex3(redirected: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run the command as a shell does, its output redirected."""
    command = [sys.executable, "-m", "pytest_vindex3.command", *arguments]
    shell = ["sh", "-c", f'"$@" {redirected}', "sh", *command]
    return subprocess.run(shell, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("redirected", "why"),
    [(">&-", "standard output is closed"), ("> /dev/full", "standard output: No space left on device")],
    ids=["closed", "full"],
)
def test_lost_output_is_one_sentence(arguments: list[str], redirected: str, why: str) -> None:
    """Closed or full, standard output is told of on stderr alone, and the command ends with 1."""
    if "full" in redirected and not Path("/dev/full").exists():
        pytest.skip("this platform has no device that is always full")
    done = vindex3(redirected, arguments)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"vindex3: {why}\n")


def test_a_reader_that_went_away_is_nothing_to_tell_of() -> None:
    """A pipe that is closed on the other side ends the command without a word."""
    done = vindex3("| true", ["clauses", "--json"])
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_signs_that_an_encoding_lacks_are_shown_as_escapes(encoding: str, tmp_path: Path) -> None:
    """A terminal that cannot show a name of the document is given its escape, and no command fails for it."""
    model = tiny().with_index(("model",), "\U0001f600").with_index(("profiles",), ["\u4e00"])
    container = tmp_path / "model"
    model.folder.write_to(container)
    for name in ("inspect", "select", "verify", "graph"):
        command = [sys.executable, "-m", "pytest_vindex3.command", name, str(container)]
        variables = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run(command, capture_output=True, env=variables, check=False, timeout=60)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
        shown = done.stdout.decode(encoding)
        if name in ("inspect", "select"):
            sign = "\U0001f600" if name == "inspect" else "\u4e00"
            assert (sign if encoding == "utf-8" else sign.encode("unicode_escape").decode()) in shown


def test_a_file_that_cannot_be_read_is_misuse(tmp_path: Path) -> None:
    """Of a folder it is said that it cannot be dumped, with exit code 2."""
    done = vindex3("", ["dump", str(tmp_path)])
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
