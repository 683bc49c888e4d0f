"""Fuzzing at the end of a run: a row for each target of which the implementation has a verb."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3.contract.outcome import Fault
from pytest_vindex3.plugin.blame import blame_of
from pytest_vindex3.plugin.selection import fits
from pytest_vindex3.plugin.session import Implementation
from pytest_vindex3.plugin.settings import Settings
from pytest_vindex3.report.page import FUZZED, INPUT
from pytest_vindex3.report.row import Row
from pytest_vindex3.report.shown import cut

if TYPE_CHECKING:
    from pytest_vindex3.fuzz.keep import Kept
    from pytest_vindex3.fuzz.run import Found
    from pytest_vindex3.fuzz.target import Target
    from pytest_vindex3.fuzz.trial import Trial

_CLAIM: Final = (
    "No input is answered by a fault, or judged otherwise than the law binds every implementation."
)
_MOST: Final = 4


def rows(
    implementations: Sequence[Implementation],
    settings: Settings,
    directory: Path,
    roots: Sequence[Path],
    tell: Callable[[str], None],
) -> Iterator[Row]:
    """Fuzz every target that is asked for, one behind the other.

    Args:
        implementations: those of the run.
        settings: `fuzz` says how long each target takes, `only` which ones are meant.
        directory: the user's working directory.
        roots: folders in which implementations are looked for.
        tell: says on the terminal what takes so long.
    """
    from pytest_vindex3.fuzz.run import Amount
    from pytest_vindex3.fuzz.target import targets
    from pytest_vindex3.fuzz.trial import Subject, tried

    for one in implementations:
        verbs = set(one.description.verbs)
        subject = Subject(one.spec, verbs, roots, directory)
        for target in targets().values():
            if target.verbs & verbs and _meant(target, settings.only):
                tell(f"vindex3: fuzzing {one.label}, {target.name}, {settings.fuzz} s")
                trial = tried(target, subject, Amount(seconds=settings.fuzz, seed=settings.seed))
                yield _row(target, one.label, trial)
                if trial.result.interrupted:
                    return


def names_target(glob: str) -> bool:
    """Whether a glob of --vindex3-only means a target, which is called `fuzz/` with its name behind."""
    from pytest_vindex3.fuzz.target import targets

    return any(fits(glob, f"{FUZZED}/{name}") for name in targets())


def _meant(target: Target, only: Sequence[str]) -> bool:
    names = (f"{FUZZED}/{target.name}", target.family)
    return not only or any(fits(glob, name) for glob in only for name in names)


def _row(target: Target, label: str, trial: Trial) -> Row:
    row = Row(
        f"{FUZZED}/{target.name}",
        label,
        target.family,
        "pass",
        "must",
        seconds=round(trial.result.seconds, 4),
    )
    if trial.result.found:
        first = trial.result.found[0]
        row.verdict = "fault" if first.fault else "fail"
        row.failure = _facts(first, trial)
        row.inputs = str(trial.kept[0].folder)
    elif trial.result.problem:
        row.verdict, row.reason = "not run", cut(trial.result.problem)
    return row


def _facts(found: Found, trial: Trial) -> dict[str, Any]:
    lines = [cut(line) for line in found.text.splitlines()]
    cause = f"{found.verb}: {lines[0]}"
    return {
        "clause": FUZZED,
        "level": "must",
        "claim": _CLAIM,
        "verb": found.verb,
        "arguments": {"path": {INPUT: _inside(trial.kept[0])}, **found.arguments},
        "difference": None,
        "fault": {"what": "found", "detail": [*lines[:_MOST], *_more(trial)]},
        "refused": "",
        "said": "",
        "blame": blame_of(Fault("exception", lines[0])),
        "cause": cause,
        "group": cause,
        "bytes": [],
    }


def _inside(kept: Kept) -> str:
    """The path of a request as seen from the folder of its finding."""
    return kept.path.relative_to(kept.folder).as_posix()


def _more(trial: Trial) -> list[str]:
    others = len(trial.kept) - 1
    return [f"{others} more in {trial.kept[0].folder.parent}"] if others else []
