"""Canaries: one small question a family, put before anything else of that family is judged.

`vindex3_suites.<family>.canary` has a function `canary(ask)` that checks it. Where it fails, the rest of
the family would fail a hundred times for the same reason, so it is not run.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.util import find_spec

from pytest_vindex3.law.registry import clauses
from pytest_vindex3.plugin.ask import Ask, NotClaimed
from pytest_vindex3.plugin.check import Failed, Failure, NotRun, Record, SuiteError, begin, end
from pytest_vindex3.plugin.session import Session
from pytest_vindex3.plugin.telling import Telling
from pytest_vindex3.report.row import Row, Verdict

NAME = "canary"


class Canaries:
    """The canaries of one process, each run once an implementation when it is first needed."""

    def __init__(self, session: Session, telling: Telling) -> None:
        self._session = session
        self._telling = telling
        self._rows: dict[tuple[str, str], Row | None] = {}

    def dead(self, label: str, family: str) -> Row | None:
        """The row of the family's canary where it failed, None where it lives or there is none.

        Raises:
            SuiteError: the canary itself is wrong.
        """
        key = label, family
        if key not in self._rows:
            self._rows[key] = self._run(label, family)
        return self._rows[key]

    def _run(self, label: str, family: str) -> Row | None:
        canary = _find(family)
        if canary is None:
            return None
        implementation = self._session.implementation(label)
        place = self._session.scratch / f"{NAME}-{len(self._rows)}" / family
        ask = Ask(implementation, self._session.settings, place, f"{family}/{NAME}")
        record = Record(clauses())
        begin(record)
        try:
            canary(ask)
        except Failed as failed:
            return self._row(ask, implementation.label, family, failed.failure)
        except (NotClaimed, NotRun):
            return None
        except Exception as error:
            met = [clauses()[name] for name in record.sides]
            damage = ask.damage(error, met or [one for one in clauses().values() if one.family == family])
            if damage:
                return self._row(ask, implementation.label, family, damage.failure)
            raise SuiteError(f"the canary of {family} is wrong: {type(error).__name__}: {error}") from error
        finally:
            end()
        return None

    def _row(self, ask: Ask, label: str, family: str, failure: Failure) -> Row:
        verdict: Verdict = "fault" if failure.fault else "fail"
        row = Row(
            f"{family}/{NAME}", label, family, verdict, failure.clause.level, {failure.clause.id: verdict}
        )
        row.canary = True
        self._telling.tell(row, failure, ask.inputs)
        return row


def _find(family: str) -> Callable[[Ask], object] | None:
    name = f"vindex3_suites.{family}.{NAME}"
    if not family.isidentifier() or find_spec(f"vindex3_suites.{family}") is None or find_spec(name) is None:
        return None
    found: Callable[[Ask], object] | None = getattr(importlib.import_module(name), NAME, None)
    return found
