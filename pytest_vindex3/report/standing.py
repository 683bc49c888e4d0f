"""Where an implementation stands after a run: the verdict of the whole, and the exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pytest_vindex3.law.registry import clauses
from pytest_vindex3.report.row import EXECUTED, RED, Row, clause_verdicts
from pytest_vindex3.report.shown import cut

CONFORMANT: Final = 0
NOT_CONFORMANT: Final = 1
INTERRUPTED: Final = 2
INTEGRITY: Final = 3
USAGE: Final = 4
NOTHING: Final = 5
_GOOD: Final = "conformant"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended, besides its rows.

    Attributes:
        strict: whether advice counts.
        certifying: whether the suites ran in a session of their own.
        interrupted: whether it was broken off.
        broken: what is wrong with the suite itself.
        misused: what is wrong with the known failures, found after the start.
        stale: known failures that no test of this run met.
        left_out: why the run is partial, or nothing.
        claimed: per implementation, the verbs it claims.
    """

    strict: bool = False
    certifying: bool = True
    interrupted: bool = False
    broken: Sequence[str] = ()
    misused: Sequence[str] = ()
    stale: Sequence[str] = ()
    left_out: str = ""
    claimed: Mapping[str, Iterable[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Standing:
    """The verdict of a run: a word, its reason, and the exit code."""

    word: str
    reason: str
    code: int

    def __str__(self) -> str:
        link = ", " if self.word == _GOOD else ": "
        return f"{self.word}{link}{self.reason}" if self.reason else self.word


def standing(rows: Sequence[Row], ended: Ended) -> Standing:
    """The first that applies of: integrity, usage, not conformant, interrupted, nothing, partial, promise."""
    if ended.broken:
        return Standing("suite integrity", ended.broken[0], INTEGRITY)
    if ended.misused:
        return Standing("usage", ended.misused[0], USAGE)
    red = _red(rows, ended)
    if red:
        return Standing("not conformant", red, NOT_CONFORMANT)
    if ended.interrupted:
        return Standing("partial", "interrupted", INTERRUPTED)
    if not any(row.verdict in EXECUTED for row in rows):
        return Standing("nothing executed", ended.left_out or "no claimed verb has a test", NOTHING)
    if ended.left_out:
        return Standing("partial", ended.left_out, CONFORMANT)
    if not ended.certifying:
        return Standing("partial", "in the session of a project, never a certificate", CONFORMANT)
    broken_promise = promise(rows, ended.claimed)
    if broken_promise:
        return Standing("under the promise of the profile", broken_promise, NOTHING)
    return _green(rows)


def _red(rows: Sequence[Row], ended: Ended) -> str:
    counted = RED | {"advice"} if ended.strict else RED
    number = sum(row.verdict in counted for row in rows)
    reasons = [f"{number} test{'s' if number > 1 else ''}"] if number else []
    return ", ".join([*reasons, *ended.stale])


def _green(rows: Sequence[Row]) -> Standing:
    known = sum(row.verdict == "known failure" for row in rows)
    if known:
        return Standing("not certified", f"{known} known failure{'s' if known > 1 else ''}", CONFORMANT)
    reasons = Counter(row.reason for row in rows if row.verdict == "not run")
    if not reasons:
        return Standing(_GOOD, "", CONFORMANT)
    number, (first, _) = reasons.total(), reasons.most_common(1)[0]
    others = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    tests = f"{number} test{'s' if number > 1 else ''} not run"
    return Standing(_GOOD, f"{tests}: {cut(first, 90)}{others}", CONFORMANT)


def promise(rows: Sequence[Row], claimed: Mapping[str, Iterable[str]]) -> str:
    """The clauses of claimed verbs that no test was about, or nothing."""
    given = clause_verdicts(rows)
    missing = [
        clause.id
        for label, names in claimed.items()
        for clause in clauses().values()
        if clause.verb in set(names) and clause.id not in given.get(label, {})
    ]
    if not missing:
        return ""
    some = ", ".join(missing[:4]) + (", ..." if missing[4:] else "")
    return f"{len(missing)} clauses of claimed verbs have no test in this run ({some})"
