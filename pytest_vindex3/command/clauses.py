"""`vindex3 clauses`: the statements of the law, and which tests of the suites cover them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path

import click

from pytest_vindex3.command import EXIT_FAULT, EXIT_INTEGRITY, EXIT_NOTHING, EXIT_WRONG
from pytest_vindex3.contract.verb import verbs as contract
from pytest_vindex3.law.registry import FAMILIES, Clause
from pytest_vindex3.law.registry import clauses as law

Evaluated = Mapping[str, Iterable[str]]
"""Per clause, the sides ("legal", "wrong") on which one test evaluated a check of it."""

RUN_FAILED = 1
RUN_BROKE_INTEGRITY = 3


@dataclass(frozen=True, slots=True)
class Cover:
    """What the suites do for one clause.

    Attributes:
        clause: the clause.
        tests: ids of the tests that evaluated a check of it, sorted.
        missing: "legal", and "wrong" where the clause refuses or reports, unless a check met such an input.
        due: its verb is one that the reference answers already.
    """

    clause: Clause
    tests: tuple[str, ...]
    missing: tuple[str, ...]
    due: bool

    @property
    def covered(self) -> bool:
        """Whether a check met every side of input that the clause needs."""
        return not self.missing


def cover(clauses: Iterable[Clause], evaluated: Mapping[str, Evaluated], verbs: Iterable[str]) -> list[Cover]:
    """Say of each clause what the suites do for it.

    Args:
        clauses: the clauses to say it of.
        evaluated: what each test evaluated, by test id.
        verbs: the verbs that the reference answers.
    """
    tests: dict[str, list[str]] = {}
    sides: dict[str, set[str]] = {}
    for test, by_clause in sorted(evaluated.items()):
        for name, seen in by_clause.items():
            tests.setdefault(name, []).append(test)
            sides.setdefault(name, set()).update(seen)
    askable = frozenset(verbs)
    found = []
    for clause in clauses:
        needed = ("legal", "wrong") if clause.needs_wrong_input else ("legal",)
        missing = tuple(side for side in needed if side not in sides.get(clause.id, ()))
        found.append(Cover(clause, tuple(tests.get(clause.id, ())), missing, clause.verb in askable))
    return found


def select(
    patterns: Sequence[str] = (),
    *,
    family: str | None = None,
    level: str | None = None,
    verb: str | None = None,
) -> list[Clause]:
    """Find the clauses whose id matches one of the patterns, of this family, level and verb.

    Args:
        patterns: ids, beginnings of ids (`LYRW-MAGIC` finds `LYRW-MAGIC-01`) or globs, in capital or
            small letters; none is all.
        family: as the law has it.
        level: must, should or may.
        verb: a verb or a glob.
    """
    return [
        clause
        for clause in law().values()
        if (not patterns or any(_matches(clause.id, pattern) for pattern in patterns))
        and family in (None, clause.family)
        and level in (None, clause.level)
        and fnmatchcase(clause.verb, verb or "*")
    ]


def _matches(name: str, pattern: str) -> bool:
    wanted = pattern.upper()
    return fnmatchcase(name, wanted) or fnmatchcase(name, f"{wanted}-*")


def strangers(patterns: Iterable[str], verb: str | None = None) -> list[str]:
    """Say of each pattern that the law has nothing for, and of such a verb, what is nearest."""
    ids = list(law())
    found = [
        _stranger("clause", pattern.upper(), ids)
        for pattern in patterns
        if not any(_matches(name, pattern) for name in ids)
    ]
    verbs = sorted({clause.verb for clause in law().values()})
    if verb is not None and not any(fnmatchcase(name, verb) for name in verbs):
        found.append(_stranger("verb", verb, verbs))
    return found


def _stranger(noun: str, wanted: str, names: Sequence[str]) -> str:
    near = get_close_matches(wanted, names, n=3, cutoff=0.5)
    return f"no {noun} matches {wanted}" + (f"; nearest: {', '.join(near)}" if near else "")


@click.command()
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option(
    "--coverage", is_flag=True, help="Run the suites over the reference and say which tests cover what."
)
@click.option(
    "--report",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="With --coverage: what this report of a run says, instead of running anything.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--family", type=click.Choice(FAMILIES), help="Only clauses of this family.")
@click.option("--level", type=click.Choice(["must", "should", "may"]), help="Only clauses of this level.")
@click.option("--verb", metavar="VERB", help='Only clauses of this verb (lyrw.region, "moe.*").')
def command(
    patterns: tuple[str, ...],
    coverage: bool,
    report: Path | None,
    as_json: bool,
    family: str | None,
    level: str | None,
    verb: str | None,
) -> None:
    """List the clauses, all or those whose id matches a PATTERN (LYRW-MAGIC, "*-COST-*").

    Each has its level, verb and claim, and by the names of their keys the facts that a refusal or report
    must carry. Clauses of verbs that the contract does not have yet are listed as later.

    With --coverage the suites are run over the reference, and each clause is shown with the number of
    tests that evaluate it (--json has their ids). A report of such a run (--vindex3-report) will do instead.

    Exit status: 0 good, 1 a clause is not covered (or the reference fails), 2 usage, 4 the suites did not
    run, 5 a PATTERN matches no clause or nothing was examined, 6 the suites are damaged.
    """
    if report and not coverage:
        raise click.UsageError("--report goes with --coverage")
    chosen = select(patterns, family=family, level=level, verb=verb)
    unmet = strangers(patterns, verb)
    if coverage:
        _show_coverage(chosen, report, as_json)
    elif as_json:
        print(json.dumps({"clauses": [_listed(clause) for clause in chosen]}, indent=1))
    else:
        _table(("clause", "level", "verb", "claim", "facts"), [_row(clause) for clause in chosen])
    for sentence in unmet or ([] if chosen else ["no clause matches"]):
        click.echo(sentence, err=True)
    if unmet or not chosen:
        sys.exit(EXIT_NOTHING)


def _row(clause: Clause) -> tuple[str, ...]:
    verb = clause.verb if clause.verb in contract() else f"{clause.verb} (later)"
    return clause.id, clause.level, verb, clause.text, ", ".join(clause.names)


def _show_coverage(chosen: Sequence[Clause], report: Path | None, as_json: bool) -> None:
    from pytest_vindex3.contract.load import load

    with load("vindex3_reference") as reference:
        answered = reference.verbs
    verdict, evaluated = _evaluated(report) if report else _run_suites(chosen)
    covers = cover(chosen, evaluated, answered)
    if as_json:
        print(json.dumps({"clauses": [_covered(item) for item in covers]}, indent=1))
    else:
        rows = [(item.clause.id, item.clause.level, item.clause.verb, _state(item)) for item in covers]
        _table(("clause", "level", "verb", "covered by"), rows)
    due = [item for item in covers if item.due]
    missing = [item.clause.id for item in due if not item.covered]
    click.echo(
        f"{len(due) - len(missing)} of {len(due)} clauses covered; "
        f"{len(covers) - len(due)} more belong to verbs that come later",
        err=True,
    )
    for name in missing:
        click.echo(f"not covered: {name}", err=True)
    _end(verdict, nothing=not due or not evaluated, wrong=bool(missing))


def _end(verdict: int, *, nothing: bool, wrong: bool) -> None:
    """Leave with the exit code of the command, unless all is well."""
    if verdict == RUN_BROKE_INTEGRITY:
        sys.exit(EXIT_INTEGRITY)
    if verdict not in (0, RUN_FAILED):
        sys.exit(EXIT_FAULT)
    if nothing:
        sys.exit(EXIT_NOTHING)
    if wrong or verdict == RUN_FAILED:
        sys.exit(EXIT_WRONG)


def _run_suites(chosen: Sequence[Clause]) -> tuple[int, dict[str, Evaluated]]:
    """Judge the reference by these clauses in a process of its own; its exit code, and as `_evaluated`."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        options = ["--vindex3-impl=vindex3_reference", f"--vindex3-report={report}"]
        if len(chosen) < len(law()):
            options += [f"--vindex3-only={clause.id}" for clause in chosen]
        run = subprocess.run(
            [sys.executable, "-m", "pytest", *options],
            cwd=folder,
            env=environment,
            stdout=sys.stderr,
            check=False,
        )
        told, evaluated = _evaluated(report)
    return run.returncode or told, evaluated


def _evaluated(path: Path) -> tuple[int, dict[str, Evaluated]]:
    """The exit code of the run that a report is of, and which sides of which clauses each test evaluated."""
    from pytest_vindex3.report.document import InvalidReport, read_report

    try:
        report = read_report(path)
    except (OSError, InvalidReport) as error:
        click.echo(f"there is no report of the run: {error}", err=True)
        return RUN_FAILED, {}
    return report.footer["exit"], {row.id: row.sides for row in report.rows if row.sides}


def _listed(clause: Clause) -> dict[str, object]:
    keys = ("id", "level", "family", "role", "verb", "verdict", "text", "names")
    return {key: getattr(clause, key) for key in keys}


def _covered(item: Cover) -> dict[str, object]:
    return {
        "id": item.clause.id,
        "level": item.clause.level,
        "family": item.clause.family,
        "tests": item.tests,
        "covered": item.covered,
    }


def _state(item: Cover) -> str:
    if item.covered:
        return f"{len(item.tests)} test{'s' if len(item.tests) > 1 else ''}"
    if not item.due:
        return "later"
    return f"NOT COVERED: no {' and no '.join(item.missing)} input" if item.tests else "NOT COVERED: no test"


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: with lines folded on a terminal, one line a row and tabs between cells elsewhere."""
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(row).rstrip("\t"))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*titles, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
