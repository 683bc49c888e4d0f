"""What the trials gave: who was killed by what, and who passed how much."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_vindex3.report.row import Row

if TYPE_CHECKING:
    from vindex3_fixtures.mutants.mutant import Mutant

MOST_A_NULL_PASSES = 0.1
_RED = ("fail", "fault", "advice")


class MutantResult(msgspec.Struct):
    """The end of one mutant.

    Attributes:
        id: the mutant.
        killed: whether a clause that it states turned red in the way that it states.
        by: the test that showed it.
        clause: the clause that turned red there.
        advice: whether only advice turned red, as for a defect against a should.
        strays: red clauses that it does not state: the mutant is described wrongly; those of the canary where
            nothing else judged.
        seconds: wall time of its run.
        canary_only: whether nothing but a canary turned red, for a clause that it does not state: the
            tests behind it were not run and say nothing of the mutant.
    """

    id: str
    killed: bool
    by: str
    clause: str
    advice: bool
    strays: list[str]
    seconds: float
    canary_only: bool = False


class Results(msgspec.Struct):
    """The results of one process of trials, or of all together.

    Attributes:
        perturbations: by each, the test that told it, or nothing.
        nulls: by each, the share of tests that it passed.
        through: whether the process came to its end.
    """

    mutants: list[MutantResult] = msgspec.field(default_factory=list)
    perturbations: dict[str, str] = msgspec.field(default_factory=dict)
    nulls: dict[str, float] = msgspec.field(default_factory=dict)
    through: bool = False

    @classmethod
    def together(cls, parts: Iterable[Results]) -> Results:
        """The results of several processes as one, in stable order."""
        whole = cls()
        for part in parts:
            whole.mutants += part.mutants
            whole.perturbations |= part.perturbations
            whole.nulls |= part.nulls
        whole.mutants.sort(key=lambda one: one.id)
        whole.perturbations = dict(sorted(whole.perturbations.items()))
        whole.nulls = dict(sorted(whole.nulls.items()))
        return whole

    @property
    def survivors(self) -> list[str]:
        """Perturbations that no test could tell."""
        return [name for name, killer in self.perturbations.items() if not killer]

    @property
    def good(self) -> bool:
        """Whether everybody was killed, nobody was described wrongly and no null passed too much."""
        mutants = all(one.killed and not one.strays for one in self.mutants)
        return (
            mutants
            and not self.survivors
            and all(share < MOST_A_NULL_PASSES for share in self.nulls.values())
        )

    def document(self) -> dict[str, Any]:
        """The machine-readable form; further keys beside those of the design say why something is wrong."""
        return {
            "mutants": [msgspec.to_builtins(one) for one in self.mutants],
            "perturbations": {
                "total": len(self.perturbations),
                "killed": len(self.perturbations) - len(self.survivors),
                "survivors": self.survivors,
            },
            "null": self.nulls,
        }


def judge_mutant(name: str, rows: Sequence[Row], seconds: float) -> MutantResult:
    """Whether the rows of a run kill a mutant, and whether it breaks what it does not state."""
    from vindex3_fixtures.mutants.mutant import mutants

    mutant = mutants()[name]
    red = [(row, _red_clause(row)) for row in rows if row.verdict in _RED]
    stated = [(row, clause) for row, clause in red if clause in mutant.breaks]
    killers = [(row, clause) for row, clause in stated if kills(mutant, row)]
    row, clause = min(killers, key=_first, default=(None, ""))
    canary_only = bool(red) and not stated and all(one.canary for one, _ in red)
    return MutantResult(
        id=name,
        killed=row is not None,
        by=row.id if row else "",
        clause=clause,
        advice=bool(stated) and all(row.verdict == "advice" for row, _ in stated),
        strays=sorted({clause for _, clause in red if canary_only or not mutant.states(clause)}),
        seconds=seconds,
        canary_only=canary_only,
    )


def kills(mutant: Mutant, row: Row) -> bool:
    """Whether a row shows a mutant by a clause that it breaks, and in its way."""
    return row.verdict in _RED and _red_clause(row) in mutant.breaks and _way(row) == mutant.way


def _red_clause(row: Row) -> str:
    return next((clause for clause, verdict in row.clauses.items() if verdict in _RED), "")


def _way(row: Row) -> str:
    return "fault" if (row.failure or {}).get("fault") else "answer"


def _first(found: tuple[Row, str]) -> tuple[bool, str]:
    """Canaries last: a test of the very clause tells more."""
    row, _ = found
    return row.canary, row.id
