"""Running a test: the fixture `ask`, what its checks evaluated, and the row of its verdict."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest

from pytest_vindex3.plugin import identity
from pytest_vindex3.plugin.ask import Ask
from pytest_vindex3.plugin.canary import Canaries
from pytest_vindex3.plugin.check import Failed, NotRun, Record, begin, end
from pytest_vindex3.plugin.identity import Identity
from pytest_vindex3.plugin.known import settle
from pytest_vindex3.plugin.state import State
from pytest_vindex3.plugin.telling import Telling
from pytest_vindex3.plugin.verdict import Judged, judge
from pytest_vindex3.report.page import page
from pytest_vindex3.report.row import RED, Row

ROW = "vindex3"
_LONGEST_NAME = 100
_ASK = pytest.StashKey[Ask]()
_RECORD = pytest.StashKey[Record]()
_PASSED_ON = (KeyboardInterrupt, pytest.exit.Exception)


class Running:
    """Hooks of running, and the fixture; `state` is what it runs with."""

    def __init__(self, state: State, telling: Telling) -> None:
        self.state = state
        self._telling = telling
        self._canaries: Canaries | None = Canaries(state.session, telling)
        self._today = dt.datetime.now(dt.UTC).date()

    @pytest.fixture
    def ask(self, request: pytest.FixtureRequest) -> Iterator[Ask]:
        """The implementation under test; see `ask.Ask`."""
        known = identity.of(request.node)
        made = self._ask(known, request.node)
        request.node.stash[_ASK] = made
        yield made
        shutil.rmtree(made.place, ignore_errors=True)

    def _ask(self, known: Identity | None, item: pytest.Item) -> Ask:
        session = self.state.session
        label = known.implementation if known else str(_param(item))
        name = known.id if known else item.nodeid
        implementation = session.implementation(label)
        ours = known is not None and identity.in_suites(item) and not known.on_disk
        memory = session.in_memory(implementation) if ours else None
        place = (memory or session.scratch) / _slug(implementation.label) / _slug(name)
        made = Ask(implementation, session.settings, place, name, on_disk=memory is None)
        if known is not None:
            made.verbs, made.options = known.verbs, known.options
        return made

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
            if identity.in_suites(item) and not known.canary:
                self._look_at_canary(known)
            return (yield)
        finally:
            end()

    @contextmanager
    def fresh_canaries(self, *, heeded: bool) -> Iterator[None]:
        """Forget for a while which canaries failed, for another implementation in place; or heed none."""
        before = self._canaries
        self._canaries = Canaries(self.state.session, self._telling) if heeded else None
        try:
            yield
        finally:
            self._canaries = before

    def _look_at_canary(self, known: Identity) -> None:
        label = self.state.session.implementation(known.implementation).label
        dead = self._canaries.dead(label, known.family) if self._canaries else None
        if dead:
            self.state.add(dead)
            raise NotRun(f"canary failed: {(dead.failure or {})['cause']}")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the verdict in place of pytest's own outcome."""
        known = identity.of(item)
        exception = call.excinfo.value if call.excinfo else None
        with _untraced(call, known):
            report = yield
        if known is None or isinstance(exception, _PASSED_ON) or (call.when != "call" and exception is None):
            return report
        record = item.stash.get(_RECORD, Record(known.clauses))
        ask = item.stash.get(_ASK, None)
        damage = ask.damage(exception, record.clauses.values()) if ask else None
        judged = judge(record, damage or _told(exception))
        row = self._row(item, known, record, judged)
        row.seconds = round(call.duration, 4)
        settle(row, self.state.known, self._today)
        _apply(report, row, item, self.state)
        return report

    def _row(self, item: pytest.Item, known: Identity, record: Record, judged: Judged) -> Row:
        implementation = self.state.session.implementation(known.implementation)
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
            node="" if identity.in_suites(item) else item.nodeid,
        )
        ask = item.stash.get(_ASK, None)
        if judged.failure and ask:
            self._telling.tell(row, judged.failure, ask.inputs)
        return row


@contextmanager
def _untraced(call: pytest.CallInfo[None], known: Identity | None) -> Iterator[None]:
    """Let pytest write no traceback of a verdict: nobody sees it, and it takes longer than most tests.

    A debugger still gets the exception of a failure; where a test was not run there is nothing to see.
    """
    hidden = call.excinfo
    if known is None or hidden is None or not isinstance(hidden.value, (Failed, NotRun)):
        yield
        return
    call.excinfo = None
    try:
        yield
    finally:
        call.excinfo = hidden if isinstance(hidden.value, Failed) else None


def _told(exception: BaseException | None) -> BaseException | None:
    """A skip is a test that was not run."""
    return NotRun(str(exception)) if isinstance(exception, pytest.skip.Exception) else exception


def _apply(report: pytest.TestReport, row: Row, item: pytest.Item, state: State) -> None:
    """Say the verdict in pytest's words; the row travels with the report, across processes too."""
    setattr(report, ROW, row.plain())
    if row.verdict == "pass":
        report.outcome = "passed"
        report.longrepr = None
    elif row.verdict in RED or (row.verdict == "advice" and state.session.settings.strict):
        report.outcome = "failed"
        if row.verdict != "error":
            report.longrepr = "\n".join(_told_at_length(row, state))
    else:
        report.outcome = "skipped"
        reason = row.reason or (row.failure or {}).get("cause", "")
        report.longrepr = (str(item.path), item.location[1] or 0, f"{row.verdict}: {reason}")
        if row.verdict == "known failure":
            report.wasxfail = reason


def _told_at_length(row: Row, state: State) -> list[str]:
    if row.failure is None:
        return [f"{row.verdict}: {row.reason}"]
    return page(row, state.session.implementation(row.implementation).spec)


def _slug(name: str) -> str:
    """A folder name for an id: short enough for any file system, and still its own."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "test"
    if len(plain) <= _LONGEST_NAME:
        return plain
    return f"{plain[:_LONGEST_NAME]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _param(item: pytest.Item) -> object:
    callspec = getattr(item, "callspec", None)
    return callspec.params.get(identity.IMPLEMENTATION, "") if callspec else ""
