"""What is printed: header, letters, pages and the summary, in place of pytest's failure section."""

from __future__ import annotations

from collections.abc import Generator
from importlib.metadata import version
from pathlib import Path

import pytest

from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.plugin.running import ROW
from pytest_vindex3.plugin.state import State
from pytest_vindex3.report import summary
from pytest_vindex3.report.row import Row

_TAKEN = ("failed", "advice")


class Terminal:
    """Hooks of the process that prints; in a distributed run, the controller."""

    def __init__(self, state: State) -> None:
        self._state = state

    def pytest_report_header(self) -> list[str]:
        """Say what is judged, by what, and how."""
        session = self._state.session
        settings = session.settings
        lines = [
            f"vindex3: suite {version('pytest-vindex3')}, profile {settings.profile}, seed {settings.seed}"
        ]
        for one in session.implementations:
            said = one.description
            count = f"verbs {len(said.verbs)} of {len(verbs())}"
            lines.append(
                f"vindex3: {said.name} {said.version} ({one.door.origin}), door: {one.door.kind}, {count}"
            )
        return lines

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Give advice a category and a letter of its own."""
        row = getattr(report, ROW, None)
        if row and row["verdict"] == "advice" and report.outcome != "failed":
            return "advice", "a", "ADVICE"
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the row of a report, from whatever process it comes."""
        row = getattr(report, ROW, None)
        if row:
            self._state.add(Row.of(row))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None]:
        """Print our pages and summary; keep our failures out of pytest's own sections."""
        stats = terminalreporter.stats
        before = {name: stats[name] for name in _TAKEN if name in stats}
        for name, reports in before.items():
            stats[name] = [report for report in reports if not _paged(report)]
        try:
            result = yield
        finally:
            stats.update(before)
        self._print(terminalreporter)
        return result

    def _print(self, out: pytest.TerminalReporter) -> None:
        rows = self._state.sorted_rows()
        if not rows:
            return
        specs = {one.label: one.spec for one in self._state.session.implementations}
        for line in summary.pages(rows, specs):
            out.write_line(line)
        out.write_sep("=", "vindex3")
        for line in summary.table(rows):
            out.write_line(line)


def _paged(report: object) -> bool:
    """Whether one of our pages tells of this report; what is wrong with the suite itself is pytest's to tell."""
    row = getattr(report, ROW, None)
    return bool(row and row["verdict"] != "error")


def shortened(path: Path, base: Path) -> str:
    """The path as seen from a folder above it, else whole."""
    return str(path.relative_to(base)) if path.is_relative_to(base) else str(path)
