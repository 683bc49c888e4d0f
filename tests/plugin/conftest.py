"""Projects in which the plugin is tried, each run in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_vindex3.report.document import Report, read_report
from pytest_vindex3.report.row import Row

RIGHT = "from vindex3_reference.adapter import lyrw_parse, lyrw_partner, lyrw_region\n"
"""An implementation that is right in everything."""

WRONG = """
import vindex3_reference.adapter as oracle
from vindex3_reference.adapter import lyrw_partner, lyrw_region

def lyrw_parse(path):
    seen = oracle.lyrw_parse(path=path)
    seen["header"]["flags"] &= 0xFFFF
    return seen
"""
"""An implementation that loses half of a word, so that LYRW-HEADER-03 is red."""

OBEDIENT = """
class Refusal(Exception):
    def __init__(self, kind, **names):
        self.kind, self.names, self.message = kind, names, "as told"

def lyrw_parse(path):
    with open(path) as file:
        word, _, rest = file.read().partition(" ")
    if word == "refuse":
        raise Refusal(rest, found=1, required=2)
    if word == "raise":
        raise ZeroDivisionError(rest)
    flags = int(rest or 0)
    return {"header": {"logical_layer": 0, "flags": flags}, "banks": [], "segments": [],
            "table_bytes": 24, "payload_start": 64, "unknown": []}
"""
"""An implementation that does what the file says: `answer [FLAGS]`, `refuse KIND` or `raise TEXT`."""

HEAD = """
from pytest_vindex3 import answers, cases, check, clause, either, generated, needs, refuses
"""


@dataclass(frozen=True)
class Run:
    """What one run of pytest gave."""

    code: int
    out: str
    report_path: Path

    @property
    def lines(self) -> list[str]:
        """What was printed, by line."""
        return self.out.splitlines()

    @property
    def report(self) -> Report:
        """The report it wrote."""
        return read_report(self.report_path)

    @property
    def rows(self) -> dict[str, Row]:
        """The rows of the report, by id."""
        return {row.id: row for row in self.report.rows}

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdicts, by id."""
        return {row.id: row.verdict for row in self.report.rows}

    def verdict(self, name: str) -> str:
        """The verdict of the only test of this name."""
        (found,) = [row.verdict for row in self.report.rows if re.fullmatch(f".*::{name}", row.id)]
        return found


@dataclass(frozen=True)
class Project:
    """A folder with somebody's project in it, and adapters of three implementations.

    `right` is right in everything, `wrong` loses half of header.flags, `obedient` does what the file says.
    """

    folder: Path

    @classmethod
    def made(cls, folder: Path) -> Project:
        """A project with its three adapters."""
        return cls(folder).write(right=RIGHT, wrong=WRONG, obedient=OBEDIENT)

    def suite(self, name: str, *bodies: str) -> Project:
        """Write a test module that judges with the kit."""
        return self.write(**{name: "\n\n".join([HEAD, *bodies])})

    def write(self, **texts: str) -> Project:
        """Write modules by name; `pytest_ini` is the ini file."""
        for name, text in texts.items():
            file = "pytest.ini" if name == "pytest_ini" else f"{name}.py"
            (self.folder / file).write_text(text, encoding="utf-8")
        return self

    def command(self, *arguments: str) -> list[str]:
        """The command line of a pytest that loads no plugin but ours and those it is told to."""
        return [sys.executable, "-m", "pytest", "-p", "vindex3", *arguments]

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of a run."""
        clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
        fixed = {"COLUMNS": "120", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        return {**clean, **fixed, **more}

    def run(self, *arguments: str, report: Path | None = None, **environment: str) -> Run:
        """Run pytest here, writing a report."""
        path = report or self.folder / "report.json"
        return self.bare(f"--vindex3-report={path}", *arguments, report=path, **environment)

    def bare(self, *arguments: str, report: Path = Path(), **environment: str) -> Run:
        """Run pytest here with these arguments and no more."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Run(done.returncode, done.stdout + done.stderr, report)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project for one test."""
    return Project.made(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project for several tests of one run."""
    return Project.made(tmp_path_factory.mktemp("project"))
