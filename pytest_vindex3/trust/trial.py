"""Trials: the collected suites, run again and again against implementations that are wrong on purpose.

A pytest plugin of its own: it takes the place of the run loop, and a plan in the environment says whom
to try. Nothing of it is loaded in a run that judges a user's implementation.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from _pytest.runner import runtestprotocol

from pytest_vindex3.contract.door import Door
from pytest_vindex3.contract.opening import open_door
from pytest_vindex3.plugin import identity
from pytest_vindex3.plugin.collection import quick
from pytest_vindex3.plugin.identity import Identity
from pytest_vindex3.plugin.running import ROW, Running
from pytest_vindex3.plugin.session import Implementation
from pytest_vindex3.plugin.state import State
from pytest_vindex3.report.row import EXECUTED, Row
from pytest_vindex3.trust.nursery import nursery
from pytest_vindex3.trust.perturbation import Perturbation, PerturbedDoor, is_offered, perturbations
from pytest_vindex3.trust.plan import PLAN, Plan
from pytest_vindex3.trust.recording import Notes, Record, Recorder
from pytest_vindex3.trust.result import MutantResult, Results, judge_mutant, kills
from vindex3_fixtures.mutants import traced
from vindex3_fixtures.mutants.mutant import Mutant, mutants

_MUTANTS = "vindex3_fixtures.mutants.adapter"
_NULLS = "vindex3_fixtures.mutants.nulls"
_TRACED = "vindex3_fixtures.mutants.traced:reference"
_TICK = 0.05


class Trials:
    """The run loop of a process of trials."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._results = Results()
        self._parent = os.getppid()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try everybody of the plan that no other process has taken; the results go to a file."""
        with nursery():
            self._try_all(Bench(session))
        return True

    def _try_all(self, bench: Bench) -> None:
        record = self._recorded(bench) if self._plan.recorded else Record()
        for name in self._plan.mutants:
            if self._plan.takes(name):
                self._results.mutants.append(_try_mutant(bench, name, record, brief=self._plan.brief))
                self._save()
        for name in self._plan.nulls:
            if self._plan.takes(name):
                self._results.nulls[name] = _try_null(bench, name)
                self._save()
        self._try_perturbations(bench, record)
        self._results.through = True
        self._save()

    def _recorded(self, bench: Bench) -> Record:
        """What all processes see of the oracle, each in its share of the tests."""
        tests = bench.tests(self._plan)[self._plan.part :: self._plan.parts]
        notes = Notes.of_reference(Path(self._plan.folder))
        with closing(open_door(_TRACED)) as door:
            mine = bench.record(Recorder(door, self._perturbations(bench)), notes, tests)
        part = self._plan.record.with_suffix(".part")
        part.write_bytes(msgspec.json.encode(mine))
        part.rename(self._plan.record)
        return Record.together(self._awaited(part) for part in range(self._plan.parts))

    def _awaited(self, part: int) -> Record:
        """What another process saw, as soon as it has written it down."""
        path = self._plan.record_of(part)
        while not path.exists():
            if os.getppid() != self._parent:
                raise pytest.UsageError("nobody waits for the trials any more")
            time.sleep(_TICK)
        return msgspec.json.decode(path.read_bytes(), type=Record)

    def _perturbations(self, bench: Bench) -> list[Perturbation]:
        return perturbations(filter(self._plan.perturbs, bench.verbs))

    def _try_perturbations(self, bench: Bench, record: Record) -> None:
        door = bench.state.session.implementations[0].door
        for perturbation in self._perturbations(bench):
            name = str(perturbation)
            tests = sorted(record.changed.get(name, ()), key=lambda test: record.seconds[test])
            if (tests or not is_offered(perturbation.place)) and self._plan.takes(name):
                killer = bench.first_red(PerturbedDoor(door, perturbation), tests)
                self._results.perturbations[name] = killer or ""

    def _save(self) -> None:
        self._plan.results.write_bytes(msgspec.json.encode(self._results))


@dataclass
class Bench:
    """The collected tests and the state through which another implementation is put in place."""

    session: pytest.Session
    state: State = field(init=False)
    running: Running = field(init=False)
    items: dict[str, pytest.Item] = field(init=False)

    def __post_init__(self) -> None:
        config = self.session.config
        self.running = cast("Running", config.pluginmanager.get_plugin("vindex3-running"))
        self.state = self.running.state
        known = ((identity.of(item), item) for item in self.session.items)
        self.items = {one.id: item for one, item in known if one}

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs that the collected tests ask."""
        return frozenset().union(*(one.verbs for _, one in self._known()))

    def tests_for(self, mutant: Mutant, *, brief: bool) -> list[str]:
        """Every case of the tests about its clauses, and of all other tests of its family the smallest.

        In brief, those about its clauses.
        """
        return [
            test
            for test, one in self._known()
            if one.clauses.keys() & set(mutant.breaks)
            or (not brief and one.family == mutant.family and test in self.smallest)
        ]

    def tests(self, plan: Plan) -> list[str]:
        """All tests that a plan is going to need."""
        needed = {test for name in plan.mutants for test in self.tests_for(mutants()[name], brief=plan.brief)}
        needed |= {test for test, one in self._known() if any(map(plan.perturbs, one.verbs))}
        return [test for test in self.items if test in needed]

    @cached_property
    def smallest(self) -> frozenset[str]:
        """The tests of the quick profile."""
        pairs = [(self.items[test], one) for test, one in self._known()]
        return frozenset(one.id for _, one in quick(pairs))

    def _known(self) -> list[tuple[str, Identity]]:
        found = ((test, identity.of(item)) for test, item in self.items.items())
        return [(test, one) for test, one in found if one]

    def rows(self, *, tests: Sequence[str] = ()) -> Iterator[Row]:
        """Run tests, all if none is named, and give their rows; each inherits what the next one shares."""
        items = [self.items[test] for test in tests] or list(self.items.values())
        for item, following in zip(items, [*items[1:], None], strict=True):
            yield from filter(None, map(_row, runtestprotocol(item, log=False, nextitem=following)))

    @contextmanager
    def facing(self, door: Door, *, canary: bool) -> Iterator[None]:
        """Put the implementation behind `door` in place for a while."""
        before = self.state.session.implementations
        one = Implementation(door.origin, "", door, door.describe())
        self.state.session.implementations = (one,)
        try:
            with self.running.fresh_canaries(heeded=canary):
                yield
        finally:
            self.state.session.implementations = before

    def record(self, recorder: Recorder, notes: Notes, tests: Sequence[str]) -> Record:
        """Run tests against the oracle, noting what each sees and comes by, and what it took.

        A test that does not pass may have ended too early to come by everything that it would.
        """
        record = Record()
        with self.facing(recorder, canary=False):
            for test in tests:
                recorder.test = test
                notes.taken()
                rows = list(self.rows(tests=[test]))
                record.seconds[test] = sum(row.seconds for row in rows)
                if all(row.verdict == "pass" for row in rows):
                    record.reached[test] = notes.taken()
        record.changed = {str(one): sorted(tests) for one, tests in recorder.tests.items()}
        return record

    def first_red(self, door: Door, tests: Sequence[str]) -> str | None:
        """The first of these tests that turns red."""
        with self.facing(door, canary=False):
            for test in tests:
                if any(_is_red(row) for row in self.rows(tests=[test])):
                    return test
        return None


def _row(report: pytest.TestReport) -> Row | None:
    data: dict[str, Any] | None = getattr(report, ROW, None)
    return Row.of(data) if data else None


def _is_red(row: Row) -> bool:
    return row.verdict in ("fail", "fault", "advice")


def _try_mutant(bench: Bench, name: str, record: Record, *, brief: bool) -> MutantResult:
    """Try one on the tests that can tell it, or in brief on those about its clauses until one does."""
    begun = time.monotonic()
    mutant, places = mutants()[name], traced.places(name)
    tests = [test for test in bench.tests_for(mutant, brief=brief) if record.can_tell(test, places)]
    if brief:
        tests.sort(key=lambda test: record.seconds.get(test, 0))
    rows: list[Row] = []
    if tests:
        with closing(open_door(f"{_MUTANTS}:{name}")) as door, bench.facing(door, canary=True):
            for row in bench.rows(tests=tests):
                rows.append(row)
                if brief and kills(mutant, row):
                    break
    return judge_mutant(name, rows, round(time.monotonic() - begun, 2))


def _try_null(bench: Bench, name: str) -> float:
    with closing(open_door(f"{_NULLS}:{name}")) as door, bench.facing(door, canary=False):
        verdicts = [row.verdict for row in bench.rows(tests=sorted(bench.smallest))]
    executed = [verdict for verdict in verdicts if verdict in EXECUTED]
    return round(executed.count("pass") / len(executed), 4) if executed else 1.0


def pytest_configure(config: pytest.Config) -> None:
    """Join the session with the plan of the environment."""
    config.pluginmanager.register(Trials(msgspec.json.decode(os.environ[PLAN], type=Plan)), "vindex3-trials")
