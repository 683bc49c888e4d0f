"""`vindex3 mutants`: what the suite does with implementations that are wrong on purpose."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from pytest_vindex3.command import EXIT_FAULT, EXIT_NOTHING, EXIT_WRONG
from pytest_vindex3.command._console import console
from pytest_vindex3.trust.processes import EndedEarly, Trials
from pytest_vindex3.trust.result import MutantResult, Results


@click.command(name="mutants")
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option("--jobs", type=click.IntRange(1, 64), default=lambda: os.cpu_count() or 1, show_default="cores")
@click.option(
    "--perturbations",
    "perturbed",
    multiple=True,
    metavar="GLOB",
    help="Try the perturbations of these verbs, and mutants only where a PATTERN names them.",
)
@click.option(
    "--brief",
    is_flag=True,
    help="Be done with a mutant once it is killed, and do not look for what else it turns red.",
)
@click.option(
    "--list", "only_list", is_flag=True, help="List the mutants with the clauses they break; run nothing."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    patterns: tuple[str, ...],
    jobs: int,
    perturbed: tuple[str, ...],
    brief: bool,
    only_list: bool,
    as_json: bool,
) -> None:
    """Run the suites against every deliberately wrong implementation and say what killed each.

    Three kinds are tried: mutants (the reference with one defect), perturbations (the reference with
    one key or fact dropped or altered) and nulls (answers in the right types, made without reading).
    A mutant meets every case of the tests about its clauses and the smallest case of every other test of
    its family, as far as they come by what it replaces; inputs are never drawn, so that the fixed ones
    have to do.
    With `--brief` it meets the tests about its clauses alone, until one turns red: a survivor shows in a
    fraction of the time, a clause that its mutant does not state does not show.
    PATTERN restricts the run to mutants whose id matches, with `_` for `-` if you like; perturbations and
    nulls are then left out. `--perturbations 'container.*'` tries those of some verbs alone.

    Exit code: 0 if every mutant and perturbation is killed, no clause turns red that its mutant does
    not state, and every null passes under a tenth of the tests; else 1.
    """
    from vindex3_fixtures.mutants.nulls import NULLS

    names = _chosen(patterns) if patterns or not perturbed else []
    verbs = _verbs(perturbed)
    if not (names or verbs):
        what = "verb" if perturbed and not patterns else "mutant"
        click.echo(f"no {what} matches{_nearest(patterns)}; --list names all mutants", err=True)
        sys.exit(EXIT_NOTHING)
    if only_list:
        _list(names, as_json)
        return
    everything = not (patterns or perturbed)
    nulls = list(NULLS) if everything else []
    results = _try(Trials(names, nulls, ["*"] if everything else verbs, brief), jobs)
    if as_json:
        click.echo(json.dumps(results.document(), indent=1))
    else:
        _show(results)
    sys.exit(0 if results.good else EXIT_WRONG)


def _verbs(globs: Sequence[str]) -> list[str]:
    """The globs, where some verb matches one."""
    from pytest_vindex3.contract.verb import verbs

    return [glob for glob in globs if any(fnmatchcase(name, glob) for name in verbs())]


def _chosen(patterns: Sequence[str]) -> list[str]:
    from vindex3_fixtures.mutants.mutant import mutants

    wanted = [pattern.replace("_", "-") for pattern in patterns]
    return [name for name in mutants() if not wanted or any(fnmatchcase(name, one) for one in wanted)]


def _nearest(patterns: Sequence[str]) -> str:
    from vindex3_fixtures.mutants.mutant import mutants

    near = [name for one in patterns for name in get_close_matches(one.replace("_", "-"), mutants(), n=2)]
    return f"; nearest: {', '.join(near)}" if near else ""


def _list(names: Sequence[str], as_json: bool) -> None:
    from vindex3_fixtures.mutants.mutant import mutants

    chosen = [mutants()[name] for name in names]
    if as_json:
        rows = [{"id": one.id, "family": one.family, "breaks": one.breaks, "way": one.way} for one in chosen]
        click.echo(json.dumps({"mutants": rows}, indent=1))
        return
    for one in chosen:
        click.echo(f"{one.id}: {one.about}\n    breaks {', '.join(one.breaks)} by {_by(one.way)}")


def _by(way: str) -> str:
    return "a fault" if way == "fault" else "a wrong answer"


def _try(trials: Trials, jobs: int) -> Results:
    """Run the trials, with a bar on a terminal."""
    aside = Console(stderr=True)
    with Progress(console=aside, transient=True, disable=not aside.is_terminal) as progress:
        task = progress.add_task("trying", total=len(trials.mutants) + len(trials.nulls))
        try:
            return trials.run(jobs, lambda done: progress.update(task, completed=done))
        except EndedEarly as text:
            click.echo(str(text)[-4000:], err=True)
            click.echo("the trials ended early: the lines above say why", err=True)
            sys.exit(EXIT_FAULT)


def _show(results: Results) -> None:
    out = console()
    if results.mutants:
        _show_mutants(out, results.mutants)
    for survivor in results.survivors:
        out.print(f"no test tells: {survivor}")
    if results.mutants:
        killed = sum(one.killed for one in results.mutants)
        out.print(f"mutants killed: {killed} of {len(results.mutants)}")
    if results.perturbations:
        total = len(results.perturbations)
        out.print(f"perturbations killed: {total - len(results.survivors)} of {total}")
    for name, share in results.nulls.items():
        out.print(f"the null implementation that {name.replace('-', ' ')} passes {share:.1%} of the tests")


def _show_mutants(out: Console, mutants: Sequence[MutantResult]) -> None:
    """What killed each, and which of them are described wrongly."""
    table = Table(box=None, pad_edge=False)
    for heading in ("mutant", "killed by", "clause", "s"):
        table.add_column(heading, no_wrap=heading != "killed by", overflow="fold")
    for one in mutants:
        table.add_row(one.id, _killer(one), one.clause, f"{one.seconds:.1f}")
    out.print(table)
    for one in mutants:
        if one.canary_only:
            out.print(
                f"{one.id} breaks {', '.join(one.strays)} at the canary, which it does not state; behind a "
                "red canary nothing is run, so a defect is to leave the canary's file alone"
            )
        elif one.strays:
            out.print(f"{one.id} also breaks {', '.join(one.strays)}, which it does not state")


def _killer(one: MutantResult) -> str:
    if not one.killed:
        return "only the canary judged" if one.canary_only else "SURVIVED"
    return f"{one.by} (advice)" if one.advice else one.by
