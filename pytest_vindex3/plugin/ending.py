"""The end of a run: rows of all workers, the standing, the report and the exit code."""

from __future__ import annotations

import datetime as dt
import platform
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pytest_vindex3.plugin import goldens, known, overclaim
from pytest_vindex3.plugin.header import header
from pytest_vindex3.plugin.narrowing import narrowed
from pytest_vindex3.plugin.selection import fits
from pytest_vindex3.plugin.state import State
from pytest_vindex3.report.document import Report, counts, write_report
from pytest_vindex3.report.row import Row, clause_verdicts
from pytest_vindex3.report.standing import CONFORMANT, NOTHING, USAGE, Ended, Standing, standing

HANDED = "vindex3"
_FILTERS = {
    "vindex3_only": "--vindex3-only",
    "keyword": "-k",
    "markexpr": "-m",
    "lf": "--lf",
    "deselect": "--deselect",
    "ignore": "--ignore",
    "ignore_glob": "--ignore-glob",
    "stepwise": "--stepwise",
}


class Ending:
    """Hooks of the end; a worker hands over what it has, any other process concludes."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._begun = time.monotonic()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A suite that cannot be collected is broken."""
        if report.failed and self._state.origin:
            self._state.broken.append(f"{report.nodeid or 'the suites'} cannot be collected")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker handed over."""
        data = getattr(node, "workeroutput", None) or {}
        if HANDED in data:
            self._state.take(data[HANDED])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Conclude the run."""
        state = self._state
        if state.worker:
            session.config.workeroutput[HANDED] = state.plain()  # type: ignore[attr-defined]
        elif not session.config.option.collectonly and (state.rows or state.expected or state.origin):
            state.standing = _with_pytests(self._conclude(session.config, int(exitstatus)), int(exitstatus))
            self._report()
            session.exitstatus = state.standing.code

    def _conclude(self, config: pytest.Config, exitstatus: int) -> Standing:
        state = self._state
        state.drop_told_canaries()
        self._add_overclaims()
        if state.session.settings.fuzz and exitstatus != pytest.ExitCode.INTERRUPTED:
            self._add_fuzzed(config)
        rows = state.sorted_rows()
        left_out = self._left_out(config)
        errors = [f"{row.id}: {row.reason}" for row in rows if row.verdict == "error"]
        implementations = state.session.implementations
        return standing(
            rows,
            Ended(
                strict=state.session.settings.strict,
                certifying=state.origin is not None,
                interrupted=exitstatus == pytest.ExitCode.INTERRUPTED,
                broken=[*state.broken, *errors, *goldens.changed()],
                misused=known.greedy(state.known, {name for _, name in state.expected}),
                stale=() if left_out else known.unmet(state.known, rows),
                left_out=left_out,
                claimed={one.label: one.description.verbs for one in implementations},
            ),
        )

    def _add_overclaims(self) -> None:
        """Tell of listed verbs that there are not, unless a part was asked for that is another one."""
        state, only = self._state, self._state.session.settings.only
        if only and not any(fits(glob, overclaim.ID) for glob in only):
            return
        for row in overclaim.overclaims(state.session.implementations):
            known.settle(row, state.known, dt.datetime.now(dt.UTC).date())
            state.add(row)

    def _add_fuzzed(self, config: pytest.Config) -> None:
        """Fuzz what is asked for, and tell what was found."""
        from pytest_vindex3.plugin import fuzzing

        state, place = self._state, self._state.origin
        directory = Path(place.directory) if place else config.invocation_params.dir
        roots = [*dict.fromkeys([directory, Path(place.root) if place else config.rootpath])]
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        session = state.session

        def tell(line: str) -> None:
            if reporter:
                reporter.ensure_newline()
                reporter.write_line(line)

        for row in fuzzing.rows(session.implementations, session.settings, directory, roots, tell):
            known.settle(row, state.known, dt.datetime.now(dt.UTC).date())
            state.add(row)

    def _left_out(self, config: pytest.Config) -> str:
        missing = len(self._state.expected - self._state.rows.keys())
        given = [flag for key, flag in _FILTERS.items() if getattr(config.option, key, None)]
        if self._state.session.settings.only and "--vindex3-only" not in given:
            given.append("vindex3_only")
        words = f"{missing} of {len(self._state.expected)} tests left out" if missing else ""
        wanted = narrowed(self._state.session.settings)
        if wanted is not None:
            words = f"all but {len(wanted)} module{'s' * (len(wanted) > 1)} left out"
        return " by ".join(filter(None, (words or ("filtered" if given else ""), ", ".join(given))))

    def _report(self) -> None:
        state, path = self._state, self._state.session.settings.report
        if path is None or state.standing is None:
            return
        rows = tuple(state.sorted_rows())
        try:
            write_report(path, Report(header(state), rows, _footer(rows, state.standing), self._volatile()))
        except OSError as error:
            why = f"{state.standing}, but the report cannot be written ({error.strerror or error})"
            state.standing = Standing("usage", why, USAGE)

    def _volatile(self) -> dict[str, Any]:
        return {
            "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            "seconds": round(time.monotonic() - self._begun, 3),
            "python": sys.version.partition(" ")[0],
            "pytest": pytest.__version__,
            "platform": platform.platform(),
            "origins": {
                one.label: {"spec": one.spec, "origin": one.description.origin or one.door.origin}
                for one in self._state.session.implementations
            },
        }


def _footer(rows: tuple[Row, ...], verdict: Standing) -> dict[str, Any]:
    return {
        "verdict": verdict.word,
        "reason": verdict.reason,
        "exit": verdict.code,
        "counts": counts(rows),
        "clauses": clause_verdicts(rows),
    }


def _with_pytests(verdict: Standing, exitstatus: int) -> Standing:
    """The verdict, unless pytest itself broke, or saw something red that is no row of ours."""
    broke = exitstatus in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)
    red = verdict.code in (CONFORMANT, NOTHING) and exitstatus not in (CONFORMANT, NOTHING)
    if broke or red:
        return Standing(
            verdict.word if verdict.code else "partial", f"pytest ended with {exitstatus}", exitstatus
        )
    return verdict
