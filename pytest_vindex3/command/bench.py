"""`vindex3 bench`: how fast the reference is, as ratios in one run."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from pytest_vindex3.bench.measure import LEAST_ROUNDS, Disagreement, Measured, Unmeasurable, machine, measured
from pytest_vindex3.bench.row import Place
from pytest_vindex3.bench.row import rows as rows_of
from pytest_vindex3.command import EXIT_NOTHING, EXIT_WRONG
from pytest_vindex3.command._console import console


@click.command(name="bench")
@click.argument("pattern", default="*")
@click.option("--rounds", type=click.IntRange(LEAST_ROUNDS, 1000), default=9, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(pattern: str, rounds: int, as_json: bool) -> None:
    """Time the reference against named opponents, the two sides taking turns.

    PATTERN chooses rows by a glob over their text. A ratio is the other side's median time over ours:
    larger is better. The range is that of single rounds; the best is the ratio of the fastest rounds, to
    be looked at where other programs run. Goals are for comparison: a missed one is printed as missed and
    fails nothing. A row that needs what the machine has not is printed with the reason. Files of 400 MB
    are made in the folder for temporary files, of which TMPDIR may name another.

    Exit code: 0; 1 if the two sides of a row give different results; 5 if no row matches.
    """
    with tempfile.TemporaryDirectory(prefix="vindex3-bench-") as folder, Place(Path(folder)) as place:
        found = list(_measured(place, pattern, rounds))
    if not found:
        click.echo(f"no row matches {pattern!r}", err=True)
        sys.exit(EXIT_NOTHING)
    if as_json:
        document = {"machine": machine(), "rows": [one.document() for one in found]}
        click.echo(json.dumps(document, indent=1))
    else:
        _show(found)


def _measured(place: Place, pattern: str, rounds: int) -> Iterator[Measured | Unmeasurable]:
    aside = Console(stderr=True)
    for row in rows_of(place):
        if not fnmatchcase(row.what.lower(), f"*{pattern.lower()}*"):
            continue
        if aside.is_terminal:
            aside.print(f"timing: {row.what}", style="dim")
        try:
            yield measured(row, rounds)
        except Disagreement as problem:
            click.echo(str(problem), err=True)
            sys.exit(EXIT_WRONG)


def _show(found: list[Measured | Unmeasurable]) -> None:
    out = console()
    for key, value in machine().items():
        out.print(f"{key:10} {value}", highlight=False)
    table = Table(box=None, pad_edge=False)
    for heading in ("what", "against", "ratio", "range", "best", "goal", "us a call"):
        table.add_column(
            heading, overflow="fold", justify="left" if heading in ("what", "against") else "right"
        )
    for one in found:
        if isinstance(one, Unmeasurable):
            table.add_row(one.what, f"not measured: {one.reason}", style="dim")
            continue
        goal = "" if one.goal is None else f"{one.goal:g}{' missed' if one.missed else ''}"
        spread = f"{one.low:.2f} to {one.high:.2f}"
        figures = f"{one.ratio:.2f}", spread, f"{one.best:.2f}", goal, f"{one.microseconds:.1f}"
        table.add_row(one.what, one.against, *figures)
    out.print(table)
