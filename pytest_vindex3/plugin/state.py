"""What the plugin holds for one pytest session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_vindex3.plugin.known import Known
from pytest_vindex3.plugin.restart import Origin
from pytest_vindex3.plugin.session import Session
from pytest_vindex3.report.row import Row
from pytest_vindex3.report.standing import Standing


@dataclass(slots=True)
class State:
    """What the plugin holds for one pytest session.

    Attributes:
        session: the implementations.
        origin: where a certifying run was asked for; None in a project's own session.
        worker: whether this process is a worker of a distributed run.
        rows: the rows of the run, by key.
        expected: keys of the tests that the profile runs, filters not counted.
        unmatched: patterns of --vindex3-only that match no test.
        broken: what is wrong with the suite itself.
        known: the known failures.
        standing: the verdict of the run, once it has ended.
    """

    session: Session
    origin: Origin | None
    worker: bool
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    expected: set[tuple[str, str]] = field(default_factory=set)
    unmatched: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    known: tuple[Known, ...] = ()
    standing: Standing | None = None

    def add(self, row: Row) -> None:
        """Take a row; of several for one test the first stays, unless a later one tells of an error."""
        if row.verdict == "error":
            self.rows[row.key] = row
        self.rows.setdefault(row.key, row)

    def drop_told_canaries(self) -> None:
        """Leave out a canary's own row where its test has told of the failure already."""
        tests = [row for row in self.rows.values() if row.canary and row.failure and "::" in row.id]
        told = {(row.implementation, row.family) for row in tests}
        self.rows = {
            key: row
            for key, row in self.rows.items()
            if "::" in row.id or (row.implementation, row.family) not in told
        }

    def sorted_rows(self) -> list[Row]:
        """All rows in stable order."""
        return [self.rows[key] for key in sorted(self.rows)]

    def plain(self) -> dict[str, Any]:
        """What a worker hands to its controller, its rows apart: those travel with the reports."""
        silent = [
            row for row in self.rows.values() if row.verdict == "not claimed" or row.key not in self.expected
        ]
        return {
            "expected": sorted(self.expected),
            "unmatched": self.unmatched,
            "rows": [row.plain() for row in silent],
        }

    def take(self, data: Mapping[str, Any]) -> None:
        """Take what a worker handed over."""
        self.expected |= {(label, name) for label, name in data["expected"]}
        self.unmatched = list(data["unmatched"])
        for row in data["rows"]:
            self.add(Row.of(row))
