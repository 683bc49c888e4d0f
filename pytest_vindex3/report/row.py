"""A row: what one test gave for one implementation, as plain data that crosses processes."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

Verdict = Literal[
    "fault",
    "fail",
    "error",
    "stale known failure",
    "known failure",
    "advice",
    "not run",
    "pass",
    "not claimed",
]
VERDICTS: Final[tuple[Verdict, ...]] = (
    "pass",
    "fail",
    "fault",
    "advice",
    "not run",
    "not claimed",
    "known failure",
    "stale known failure",
    "error",
)
RED: Final[frozenset[str]] = frozenset({"fail", "fault", "stale known failure", "error"})
EXECUTED: Final[frozenset[str]] = RED | {"pass", "advice", "known failure"}
_WORST_FIRST: Final = ("fault", "fail", "advice", "not run", "pass", "not claimed")


@dataclass(slots=True)
class Row:
    """What one test gave for one implementation.

    Attributes:
        id: path inside the suites, name and case name.
        implementation: the label of the implementation.
        family: the folder of the suites.
        verdict: of the test.
        level: of its clauses.
        clauses: each clause of the test with its own verdict here.
        sides: per clause, the sides on which it was evaluated.
        choices: per `may` clause, the conforming choice that was met.
        reason: why it was not run, is known or is an error.
        failure: facts of a failure, see `page.py`.
        canary: whether it is the canary of its family.
        node: of a test that is none of the suites, what pytest calls it.
        seconds: what it took; volatile.
        inputs: folder of the kept inputs; volatile.
        stderr: the last lines that the implementation printed; volatile.
    """

    id: str
    implementation: str
    family: str
    verdict: Verdict
    level: str = ""
    clauses: dict[str, str] = field(default_factory=dict)
    sides: dict[str, list[str]] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    reason: str = ""
    failure: dict[str, Any] | None = None
    canary: bool = False
    node: str = ""
    seconds: float = 0.0
    inputs: str = ""
    stderr: list[str] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from every other row of a run."""
        return self.implementation, self.id

    def plain(self) -> dict[str, Any]:
        """The row as a dictionary of JSON types."""
        return {name: copy.copy(getattr(self, name)) for name in self.__slots__}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Row:
        """The row that `plain` gave."""
        return cls(**data)


def worst(verdicts: Iterable[str]) -> str:
    """A clause's verdict over its tests: the first of fault, fail, advice, not run, pass, not claimed."""
    given = set(verdicts)
    return next((verdict for verdict in _WORST_FIRST if verdict in given), "not claimed")


def clause_verdicts(rows: Iterable[Row]) -> dict[str, dict[str, str]]:
    """Per implementation, the verdict of every clause that a row is about."""
    given: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        of_implementation = given.setdefault(row.implementation, {})
        for clause, verdict in row.clauses.items():
            of_implementation.setdefault(clause, []).append(verdict)
    return {
        name: {clause: worst(verdicts) for clause, verdicts in sorted(of_implementation.items())}
        for name, of_implementation in sorted(given.items())
    }
