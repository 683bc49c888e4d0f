"""A target tried on an implementation: whether it can be, what was found, and where that is kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_vindex3.fuzz.keep import Kept, keep
from pytest_vindex3.fuzz.run import MISSING, Amount, Result, Run, available
from pytest_vindex3.fuzz.target import Target


@dataclass(frozen=True, slots=True)
class Subject:
    """An implementation that is fuzzed.

    Attributes:
        spec: as it was named.
        verbs: those it claims.
        roots: folders in which it is looked for.
        directory: the working directory of the user, where findings are kept.
    """

    spec: str
    verbs: Collection[str]
    roots: Sequence[Path]
    directory: Path


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of a target: the result, and the place of each of its findings."""

    result: Result
    kept: tuple[Kept, ...] = ()


def tried(target: Target, subject: Subject, amount: Amount) -> Trial:
    """Fuzz one target; nothing is tried, with the reason, where atheris or the target's verbs are missing."""
    why = obstacle(target, subject)
    if why:
        return Trial(Result(target.name, 0, 0.0, problem=why))
    result = Run(target, subject.spec, amount, subject.roots).result()
    return Trial(result, tuple(keep(target, one, subject.spec, subject.directory) for one in result.found))


def obstacle(target: Target, subject: Subject) -> str:
    """Why a target cannot be tried; empty where it can."""
    if not available():
        return MISSING
    if not target.verbs & set(subject.verbs):
        return f"{subject.spec} has none of {', '.join(sorted(target.verbs))}"
    return ""
