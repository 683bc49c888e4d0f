"""`vindex3 mutants`: what the suite does with implementations that are wrong on purpose."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from pytest_vindex3.command import EXIT_FAULT, EXIT_NOTHING, EXIT_WRONG
from pytest_vindex3.command._console import console
from pytest_vindex3.plugin.identity import GENERATED_MARK
from pytest_vindex3.trust.plan import PLAN, Plan
from pytest_vindex3.trust.result import MutantResult, Results

REFERENCE = "vindex3_reference"


@click.command(name="mutants")
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option("--jobs", type=click.IntRange(1, 64), default=lambda: os.cpu_count() or 1, show_default="cores")
@click.option(
    "--list", "only_list", is_flag=True, help="List the mutants with the clauses they break; run nothing."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(patterns: tuple[str, ...], jobs: int, only_list: bool, as_json: bool) -> None:
    """Run the suites against every deliberately wrong implementation and say what killed each.

    Three kinds are tried: mutants (the reference with one defect), perturbations (the reference with
    one key or fact dropped or altered) and nulls (answers in the right types, made without reading).
    A mutant meets every case of the tests about its clauses and the smallest case of every other test of
    its family; inputs are never drawn, so that the fixed ones have to do.
    PATTERN restricts the run to mutants whose id matches, with `_` for `-` if you like; perturbations and
    nulls are then left out.

    Exit code: 0 if every mutant and perturbation is killed, no clause turns red that its mutant does
    not state, and every null passes under a tenth of the tests; else 1.
    """
    names = _chosen(patterns)
    if not names:
        click.echo(f"no mutant matches{_nearest(patterns)}; --list names them all", err=True)
        sys.exit(EXIT_NOTHING)
    if only_list:
        _list(names, as_json)
        return
    results = _try(names, everything=not patterns, jobs=jobs)
    if as_json:
        click.echo(json.dumps(results.document(), indent=1))
    else:
        _show(results)
    sys.exit(0 if results.good else EXIT_WRONG)


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


def _try(names: list[str], *, everything: bool, jobs: int) -> Results:
    """Share the trials out over processes and gather what they found."""
    from vindex3_fixtures.mutants.nulls import NULLS

    nulls = list(NULLS) if everything else []
    jobs = min(jobs, len(names) + len(nulls))
    with tempfile.TemporaryDirectory(prefix="vindex3-trials-") as folder:
        plans = [
            Plan(
                names[at::jobs],
                nulls[at::jobs],
                at,
                jobs if everything else 0,
                str(Path(folder, f"{at}.json")),
            )
            for at in range(jobs)
        ]
        children = [_start(plan, Path(folder)) for plan in plans]
        try:
            _wait(children, plans, len(names) + len(nulls))
        finally:
            for child in children:
                child.kill()
        return Results.together(_read(plan, Path(folder)) for plan in plans)


def _start(plan: Plan, folder: Path) -> subprocess.Popen[bytes]:
    import vindex3_suites

    suites = Path(vindex3_suites.__path__[0])
    arguments = [
        *("-p", "vindex3", "-p", "pytest_vindex3.trust.trial", "-p", "no:cacheprovider", "-q"),
        *("-m", f"not {GENERATED_MARK}"),
        *(
            "-c",
            str(suites / "pytest.ini"),
            "--rootdir",
            str(suites),
            f"--vindex3-impl={REFERENCE}",
            str(suites),
        ),
    ]
    dropped = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
    environment = {key: value for key, value in os.environ.items() if key not in dropped}
    environment[PLAN] = msgspec.json.encode(plan).decode()
    environment["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")
    log = _log(plan, folder).open("wb")
    with log:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "pytest", *arguments],
            env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip


def _wait(children: Sequence[subprocess.Popen[bytes]], plans: Sequence[Plan], total: int) -> None:
    aside = Console(stderr=True)
    with Progress(console=aside, transient=True, disable=not aside.is_terminal) as progress:
        task = progress.add_task("trying", total=total)
        while any(child.poll() is None for child in children):
            time.sleep(0.2)
            progress.update(task, completed=sum(_done(plan) for plan in plans))


def _done(plan: Plan) -> int:
    try:
        found = msgspec.json.decode(Path(plan.out).read_bytes(), type=Results)
    except (OSError, msgspec.DecodeError):
        return 0
    return len(found.mutants) + len(found.nulls)


def _read(plan: Plan, folder: Path) -> Results:
    try:
        return msgspec.json.decode(Path(plan.out).read_bytes(), type=Results)
    except (OSError, msgspec.DecodeError):
        click.echo(_log(plan, folder).read_text(errors="replace")[-4000:], err=True)
        click.echo("the trials ended early: the lines above say why", err=True)
        sys.exit(EXIT_FAULT)


def _log(plan: Plan, folder: Path) -> Path:
    return folder / f"{Path(plan.out).stem}.log"


def _show(results: Results) -> None:
    out = console()
    table = Table(box=None, pad_edge=False)
    for heading in ("mutant", "killed by", "clause", "s"):
        table.add_column(heading, no_wrap=heading != "killed by", overflow="fold")
    for one in results.mutants:
        table.add_row(one.id, _killer(one), one.clause, f"{one.seconds:.1f}")
    out.print(table)
    for one in results.mutants:
        if one.canary_only:
            out.print(
                f"{one.id} breaks {', '.join(one.strays)} at the canary, which it does not state; behind a "
                "red canary nothing is run, so a defect is to leave the canary's file alone"
            )
        elif one.strays:
            out.print(f"{one.id} also breaks {', '.join(one.strays)}, which it does not state")
    for survivor in results.survivors:
        out.print(f"no test tells: {survivor}")
    killed = sum(one.killed for one in results.mutants)
    out.print(f"mutants killed: {killed} of {len(results.mutants)}")
    if results.perturbations:
        total = len(results.perturbations)
        out.print(f"perturbations killed: {total - len(results.survivors)} of {total}")
    for name, share in results.nulls.items():
        out.print(f"the null implementation that {name.replace('-', ' ')} passes {share:.1%} of the tests")


def _killer(one: MutantResult) -> str:
    if not one.killed:
        return "only the canary judged" if one.canary_only else "SURVIVED"
    return f"{one.by} (advice)" if one.advice else one.by
