"""Running a test: the fixture `ask`, what its checks evaluated, and the row of its verdict."""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path

import pytest

from pytest_vindex3.plugin import identity
from pytest_vindex3.plugin.ask import Ask
from pytest_vindex3.plugin.check import NotRun, Record, begin, end
from pytest_vindex3.plugin.facts import facts
from pytest_vindex3.plugin.identity import Identity
from pytest_vindex3.plugin.state import State
from pytest_vindex3.plugin.verdict import Judged, judge
from pytest_vindex3.report.page import page
from pytest_vindex3.report.row import RED, Row

ROW = "vindex3"
_ASK = pytest.StashKey[Ask]()
_RECORD = pytest.StashKey[Record]()
_PASSED_ON = (KeyboardInterrupt, pytest.exit.Exception)


class Running:
    """Hooks of running, and the fixture."""

    def __init__(self, state: State) -> None:
        self._state = state

    @pytest.fixture
    def ask(self, request: pytest.FixtureRequest) -> Ask:
        """The implementation under test; see `ask.Ask`."""
        known = identity.of(request.node)
        made = self._ask(known, request.node)
        request.node.stash[_ASK] = made
        return made

    def _ask(self, known: Identity | None, item: pytest.Item) -> Ask:
        session = self._state.session
        label = known.implementation if known else str(_param(item))
        name = known.id if known else item.nodeid
        implementation = session.implementation(label)
        place = session.scratch / _slug(implementation.label) / _slug(name)
        if known is None:
            return Ask(implementation, session.settings, place, name)
        return Ask(implementation, session.settings, place, name, known.verbs, known.options)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        """Record what the checks of a conformance test evaluate."""
        known = identity.of(item)
        if known is None:
            return (yield)
        record = Record(known.clauses)
        item.stash[_RECORD] = record
        begin(record)
        try:
            return (yield)
        finally:
            end()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the verdict in place of pytest's own outcome."""
        report = yield
        known = identity.of(item)
        exception = call.excinfo.value if call.excinfo else None
        if known is None or isinstance(exception, _PASSED_ON) or (call.when != "call" and exception is None):
            return report
        record = item.stash.get(_RECORD, Record(known.clauses))
        judged = judge(record, _told(exception))
        row = self._row(item, known, record, judged, call.duration)
        _apply(report, row, item, self._state)
        return report

    def _row(self, item: pytest.Item, known: Identity, record: Record, judged: Judged, seconds: float) -> Row:
        implementation = self._state.session.implementation(known.implementation)
        row = Row(
            id=known.id,
            implementation=implementation.label,
            family=known.family,
            verdict=judged.verdict,
            level=known.level,
            clauses=judged.clauses,
            sides={name: sorted(sides) for name, sides in sorted(record.sides.items())},
            choices=dict(sorted(record.choices.items())),
            reason=judged.reason,
            canary=known.canary,
            seconds=round(seconds, 4),
        )
        if judged.failure:
            ask = item.stash.get(_ASK, None)
            row.failure = facts(judged.failure, ask.place if ask else Path())
        return row


def _told(exception: BaseException | None) -> BaseException | None:
    """A skip is a test that was not run."""
    return NotRun(str(exception)) if isinstance(exception, pytest.skip.Exception) else exception


def _apply(report: pytest.TestReport, row: Row, item: pytest.Item, state: State) -> None:
    setattr(report, ROW, row.plain())
    spec = state.session.implementation(row.implementation).spec
    where = (str(item.path), item.location[1] or 0)
    if row.verdict == "pass":
        report.outcome = "passed"
    elif row.verdict in RED or (row.verdict == "advice" and state.session.settings.strict):
        report.outcome = "failed"
        if row.failure:
            report.longrepr = "\n".join(page(row, spec))
    else:
        report.outcome = "skipped"
        report.longrepr = (*where, f"{row.verdict}: {row.reason}")


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")[:120] or "test"


def _param(item: pytest.Item) -> object:
    callspec = getattr(item, "callspec", None)
    return callspec.params.get(identity.IMPLEMENTATION, "") if callspec else ""
