"""The command `vindex3` as a shell sees it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import pytest_vindex3
from vindex3_reference.kernels import KERNELS, available, native

VINDEX3 = Path(sys.executable).with_name("vindex3")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command."""
    return subprocess.run([VINDEX3, *arguments], check=False, capture_output=True, text=True)


def test_the_command_says_its_version() -> None:
    """`vindex3 --version` prints the version of the distribution, and the variants of the kernels."""
    done = run("--version")
    assert (done.returncode, done.stderr) == (0, "")
    version, kernels = done.stdout.splitlines()
    assert version == f"vindex3, version {pytest_vindex3.__version__}"
    if native.built:
        for kernel in KERNELS:
            assert f" {kernel} {' '.join(available(kernel))}" in kernels
    else:
        assert "not compiled" in kernels


def test_help_lists_every_subcommand() -> None:
    """`vindex3 --help` has a line for each module of the command that is not private."""
    folder = Path(pytest_vindex3.__path__[0]) / "command"
    names = {path.stem.replace("_", "-") for path in folder.glob("[a-z]*.py")}
    done = run("--help")
    assert done.returncode == 0
    listed = {line.split()[0] for line in done.stdout.partition("Commands:")[2].splitlines() if line.strip()}
    assert names <= listed
    assert "clauses" in listed


@pytest.mark.parametrize("arguments", [["no-such-command"], ["--no-such-option"]])
def test_a_wrong_command_line_is_a_usage_error(arguments: list[str]) -> None:
    """An unknown subcommand or option ends with 2 and says so on stderr alone."""
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such" in done.stderr.lower()
