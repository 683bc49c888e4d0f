"""What is printed: header, letters, pages and the summary, in place of pytest's failure section."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vindex3.plugin import header
from pytest_vindex3.plugin.running import ROW
from pytest_vindex3.plugin.state import State
from pytest_vindex3.report import summary
from pytest_vindex3.report.row import Row

_REPLACED = ("failed", "advice")
_MOST_ERRORS = 5
_PATHS_GIVEN = (
    "vindex3: paths were given, and no test is there: the suites run without paths, "
    "or with --pyargs vindex3_suites"
)


class Terminal:
    """Hooks of the process that prints; in a distributed run, the controller."""

    def __init__(self, state: State, directory: Path) -> None:
        self._state = state
        self._directory = directory

    def pytest_report_header(self) -> list[str]:
        """Say what is judged, by what, and how."""
        return header.lines(self._state, self._directory)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Name the files of the suites as they stand in ids, not as seen from the user's directory."""
        config = session.config
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        if reporter and self._state.origin:
            reporter.startpath = config.rootpath
            config.invocation_params = replace(config.invocation_params, dir=config.rootpath)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Give advice a category and a letter of its own."""
        row = getattr(report, ROW, None)
        if row and row["verdict"] == "advice" and report.outcome != "failed":
            return "advice", "a", "ADVICE"
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the row of a report, from whatever process it comes."""
        row = getattr(report, ROW, None)
        if row:
            self._state.add(Row.of(row))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
    ) -> Generator[None]:
        """Print our pages and summary; keep our failures out of pytest's own sections."""
        stats = terminalreporter.stats
        before = {name: stats[name] for name in _REPLACED if name in stats}
        for name, reports in before.items():
            stats[name] = [report for report in reports if not getattr(report, ROW, None)]
            stats[name] += [report for report in reports if _is_error(report)][:_MOST_ERRORS]
        try:
            return (yield)
        finally:
            stats.update(before)
            self._print(terminalreporter)
            if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and config.option.file_or_dir:
                self._explain(terminalreporter)

    def _explain(self, out: pytest.TerminalReporter) -> None:
        """Say why nothing ran where paths hold no test: most likely the suites were meant."""
        if self._state.standing is None and self._state.origin is None:
            out.ensure_newline()
            out.write_line(_PATHS_GIVEN, yellow=True)

    def _print(self, out: pytest.TerminalReporter) -> None:
        state = self._state
        if state.standing is None:
            return
        rows = state.sorted_rows()
        specs = {one.label: one.spec for one in state.session.implementations}
        report = state.session.settings.report
        closing = summary.closing(rows, state.standing, state.unmatched, str(report) if report else "")
        out.ensure_newline()
        for line in summary.pages(rows, specs, reported=report is not None):
            out.write_line(line)
        out.write_sep("=", "vindex3")
        for line in closing[:-1]:
            out.write_line(line)
        good = {0: {"green": True}, 1: {"red": True}}.get(state.standing.code, {"yellow": True})
        out.write_line(closing[-1], bold=True, **good)


def _is_error(report: object) -> bool:
    """Whether it is of something wrong with the suite itself: no page tells of that, but pytest does."""
    row = getattr(report, ROW, None)
    return bool(row and row["verdict"] == "error")
