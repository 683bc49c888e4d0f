"""From what a test did to its verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_vindex3.plugin.check import Failed, Failure, NotRun, Record, SuiteError
from pytest_vindex3.report.row import Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict of one test.

    Attributes:
        verdict: pass, fail, fault, advice, not run or error.
        clauses: each clause of the test with its own verdict.
        reason: why it was not run or is an error.
        failure: what a red check found.
    """

    verdict: Verdict
    clauses: dict[str, str]
    reason: str = ""
    failure: Failure | None = None


def judge(record: Record, exception: BaseException | None) -> Judged:
    """The verdict of a test that evaluated `record` and then raised `exception`, or nothing."""
    failed = find_failed(exception)
    if failed:
        return _red(record, failed.failure)
    if isinstance(exception, NotRun):
        return Judged("not run", dict.fromkeys(record.clauses, "not run"), str(exception))
    if exception is None:
        unchecked = record.unchecked()
        if not unchecked:
            return Judged("pass", dict.fromkeys(record.clauses, "pass"))
        exception = SuiteError(f"named and never checked: {', '.join(unchecked)}")
    reason = f"{type(exception).__name__}: {exception}"
    return Judged("error", dict.fromkeys(record.clauses, "not run"), reason)


def _red(record: Record, failure: Failure) -> Judged:
    verdict: Verdict = "fault" if failure.fault else "fail"
    if failure.clause.level == "should":
        verdict = "advice"
    clauses = {name: "pass" if name in record.sides else "not run" for name in record.clauses}
    clauses[failure.clause.id] = verdict
    return Judged(verdict, clauses, failure=failure)


def find_failed(exception: BaseException | None) -> Failed | None:
    """The `Failed` that an exception is, or the first in a group of them."""
    return next(_failed(exception, set()), None) if exception else None


def _failed(exception: BaseException, seen: set[int]) -> Iterator[Failed]:
    if id(exception) in seen:
        return
    seen.add(id(exception))
    if isinstance(exception, Failed):
        yield exception
    elif isinstance(exception, BaseExceptionGroup):
        for inner in exception.exceptions:
            yield from _failed(inner, seen)
