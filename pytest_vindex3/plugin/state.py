"""What the plugin holds for one pytest session."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pytest_vindex3.plugin.restart import Origin
from pytest_vindex3.plugin.session import Session
from pytest_vindex3.report.row import Row


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
        filtered: why the run is partial, or nothing.
        broken: what is wrong with the suite itself.
    """

    session: Session
    origin: Origin | None
    worker: bool
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    expected: set[tuple[str, str]] = field(default_factory=set)
    unmatched: list[str] = field(default_factory=list)
    filtered: str = ""
    broken: list[str] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Take a row; of two for one test the red one stays."""
        self.rows.setdefault(row.key, row)

    def sorted_rows(self) -> list[Row]:
        """All rows in stable order."""
        return [self.rows[key] for key in sorted(self.rows)]

    @property
    def directory(self) -> Path:
        """The user's working directory."""
        return Path(self.origin.directory) if self.origin else Path.cwd()


STATE = pytest.StashKey[State]()
