"""`vindex3 fuzz`: inputs that grow from goldens by chance and coverage, put to an implementation."""

from __future__ import annotations

import contextlib
import difflib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_vindex3.command import EXIT_NOTHING, EXIT_USAGE, EXIT_WRONG
from pytest_vindex3.contract.door import NotLoaded
from pytest_vindex3.contract.opening import open_door, search_roots
from pytest_vindex3.contract.texts import printable_lines

if TYPE_CHECKING:
    from pytest_vindex3.fuzz.keep import Kept
    from pytest_vindex3.fuzz.run import Amount, Result
    from pytest_vindex3.fuzz.target import Target
    from pytest_vindex3.fuzz.trial import Trial

_SECONDS = 60


@click.command(name="fuzz")
@click.argument("names", nargs=-1, metavar="[TARGET]...")
@click.option("--impl", "spec", metavar="SPEC", help="The implementation: as for `vindex3 call`.")
@click.option(
    "--seconds", type=click.IntRange(1), help=f"Go on for so long, each target.  [default: {_SECONDS}]"
)
@click.option("--runs", type=click.IntRange(1), help="Try so many inputs, each target.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Where the numbers that are drawn begin."
)
@click.option(
    "--list", "only_list", is_flag=True, help="List the targets and the verbs they ask; run nothing."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    names: tuple[str, ...],
    spec: str | None,
    seconds: int | None,
    runs: int | None,
    seed: int,
    only_list: bool,
    as_json: bool,
) -> None:
    r"""Fuzz an implementation: look for inputs at which it crashes, hangs or judges wrongly.

    Inputs grow from the goldens by edits that know the format, and by the branches that they reach. Any
    fault is a finding, and so is a verdict that departs from the reference where the law leaves no choice.
    Each finding is kept in .vindex3/fuzz: the input, made small, its bytes with names, a line to replay it.

    \b
      vindex3 fuzz --list
      vindex3 fuzz lyrw-tables --impl mypkg --seconds 600
      vindex3 fuzz container-index system-graph --impl "cmd:./my-adapter" --runs 20000 --seed 7

    A Python implementation is asked in the process that fuzzes, so that its branches count; any other
    program over its pipe.

    An interruption ends the run; what was found until then is kept.

    Exit code: 0 nothing was found; 1 something was; 2 usage, or SPEC could not be loaded; 5 nothing was
    tried, or not to the end: atheris is not installed, or SPEC has none of the verbs.
    """
    from pytest_vindex3.fuzz.target import targets

    if only_list:
        _list(list(targets().values()))
        return
    chosen = [_target(name) for name in names]
    if not chosen or not spec:
        raise click.UsageError(f"give --impl and a target: {', '.join(targets())}")
    if seconds and runs:
        raise click.UsageError("give --seconds or --runs, not both")
    trials: list[Trial] = []
    for trial in _trials(chosen, spec, _amount(seconds, runs, seed)):
        trials.append(trial)
        if not as_json:
            click.echo(_text(trial.result, trial.kept))
    if as_json:
        click.echo(json.dumps({"targets": [_plain(one.result, one.kept) for one in trials]}, indent=1))
    sys.exit(_code([one.result for one in trials]))


class _NotLoadedError(click.ClickException):
    exit_code = EXIT_USAGE


def _list(known: Sequence[Target]) -> None:
    width = max(len(target.name) for target in known)
    for target in known:
        verbs = ", ".join(dict.fromkeys(one.verb for one in target.asked))
        click.echo(f"{target.name:<{width}}  {verbs}: {target.about}")


def _target(name: str) -> Target:
    from pytest_vindex3.fuzz.target import targets

    if name in targets():
        return targets()[name]
    near = difflib.get_close_matches(name, targets(), n=1)
    hint = f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(targets())}"
    raise click.UsageError(f"there is no target {name!r}{hint}")


def _amount(seconds: int | None, runs: int | None, seed: int) -> Amount:
    from pytest_vindex3.fuzz.run import Amount

    return Amount(runs, None if runs else seconds or _SECONDS, seed)


def _trials(chosen: Sequence[Target], spec: str, amount: Amount) -> Iterator[Trial]:
    from pytest_vindex3.fuzz.trial import Subject, tried

    subject = Subject(spec, _verbs(spec), search_roots(), Path.cwd())
    for target in chosen:
        trial = tried(target, subject, amount)
        yield trial
        if trial.result.interrupted:
            return


def _verbs(spec: str) -> set[str]:
    """The verbs that the implementation claims; it is loaded in a process of its own."""
    try:
        with contextlib.closing(open_door(spec, roots=search_roots())) as door:
            return set(door.describe().verbs)
    except NotLoaded as error:
        raise _NotLoadedError(str(error)) from None


def _text(result: Result, kept: Sequence[Kept]) -> str:
    problem = [f"{result.target}: {printable_lines(result.problem)}"] if result.problem else []
    if problem and not result.found:
        return problem[0]
    number = len(result.found)
    findings = f"{number} finding{'s' if number > 1 else ''}" if number else "nothing found"
    lines = [f"{result.target}: {result.runs} inputs, {result.per_second:.0f} a second, {findings}"]
    for found, place in zip(result.found, kept, strict=True):
        word = click.style("FAULT" if found.fault else "WRONG", fg="red", bold=True)
        told = printable_lines(found.text).replace("\n", "\n      ")
        lines += [
            f"  {word} {found.verb} {told}",
            f"    kept    {place.folder}",
            f"    replay  {place.replay}",
        ]
    return "\n".join([*lines, *problem])


def _plain(result: Result, kept: Sequence[Kept]) -> dict[str, Any]:
    rows = [
        {
            "verb": found.verb,
            "fault": found.fault,
            "text": found.text,
            "folder": str(place.folder),
            "replay": place.replay,
        }
        for found, place in zip(result.found, kept, strict=True)
    ]
    return {
        "target": result.target,
        "runs": result.runs,
        "seconds": round(result.seconds, 3),
        "problem": result.problem,
        "findings": rows,
    }


def _code(results: Sequence[Result]) -> int:
    if any(result.found for result in results):
        return EXIT_WRONG
    return EXIT_NOTHING if any(result.problem for result in results) else 0
