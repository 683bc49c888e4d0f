"""`vindex3 golden`: the pinned containers, their integrity, and a copy for other languages."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import click

from pytest_vindex3.command import EXIT_INTEGRITY


@click.group(name="golden")
def command() -> None:
    """List, check and export the goldens: pinned containers with the answers expected of them."""


@command.command(name="list")
@click.option(
    "--json", "as_json", is_flag=True, help="Print path, sha256, clauses and verdict of each as JSON."
)
def list_(as_json: bool) -> None:
    """List every golden with its verdict and what it is.

    The verdict is accept, refuse, or either where a clause lets an implementation choose.
    """
    from vindex3_fixtures.goldens import goldens, root

    if as_json:
        rows = [
            {
                "path": golden.path.relative_to(root()).as_posix(),
                "sha256": golden.sha256,
                "clauses": list(golden.clauses),
                "verdict": golden.verdict,
            }
            for golden in goldens().values()
        ]
        click.echo(json.dumps({"goldens": rows}, indent=1))
        return
    width = max(len(name) for name in goldens())
    for golden in goldens().values():
        click.echo(f"{golden.name:<{width}}  {golden.verdict:<6}  {golden.description}")


@command.command(name="check")
def check() -> None:
    """Check that every golden is what was pinned.

    Digests against the manifest, the manifest against the sidecars, and the annotated source of each
    golden against its bytes. The exit code is 6 where anything differs.
    """
    from vindex3_fixtures.goldens import listed, root
    from vindex3_fixtures.pin import problems

    found = problems(root())
    for sentence in found:
        click.echo(sentence, err=True)
    if found:
        click.echo(f"{len(found)} of the suite's own files cannot be trusted; install it again", err=True)
        raise click.exceptions.Exit(EXIT_INTEGRITY)
    click.echo(f"{sum(1 for _ in listed(root()))} goldens are what was pinned")


@command.command(name="export")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace what an earlier export wrote into DIRECTORY.")
def export(directory: Path, force: bool) -> None:
    """Copy all goldens into DIRECTORY, for use without this kit or without Python.

    DIRECTORY/manifest.json lists every golden with its SHA-256, clauses, verdict and files;
    expected.json beside each has the questions and the answers expected. DIRECTORY must be new or
    empty, unless --force is given.
    """
    from vindex3_fixtures.goldens import MANIFEST, changed, pinned_files, root

    if changed():
        click.echo("the goldens are not what was pinned; see `vindex3 golden check`", err=True)
        raise click.exceptions.Exit(EXIT_INTEGRITY)
    if directory.exists() and any(directory.iterdir()) and not force:
        raise click.UsageError(f"{directory} is not empty; --force writes into it all the same")
    try:
        for path in (root() / MANIFEST, *pinned_files(root())):
            target = directory / path.relative_to(root())
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    except OSError as error:
        raise click.UsageError(f"{directory} cannot be written: {error.strerror or error}") from error
    click.echo(f"copied to {directory}")
