"""`vindex3 inspect`: what a file or a container says of itself."""

from __future__ import annotations

import sys

import click

from pytest_vindex3.command import EXIT_NOTHING, EXIT_REFUSED
from pytest_vindex3.command._file import format_of, format_option, refusal, refused_file_lines
from pytest_vindex3.command._page import show
from pytest_vindex3.command._values import for_programmes
from pytest_vindex3.formats import Inspects


@click.command(name="inspect")
@click.argument("files", nargs=-1, metavar="FILE|DIR...")
@click.option("--json", "as_json", is_flag=True, help="Print the observation of the format's open verb.")
@click.option("--format", "form", metavar="NAME", callback=format_option, help="Read FILE as this format.")
def command(files: tuple[str, ...], as_json: bool, form: str | None) -> None:
    r"""Describe each FILE by its own tables: banks, schemas, segments, pairs, sizes, what is unknown.

    Of a container, which is a folder, its index and graph: components, objects, representations, edges;
    of a WASTE container its manifest: layers, banks, codebooks, trunk.

    \b
      vindex3 inspect layer_012.lyrw
      vindex3 inspect model.vindex
      vindex3 inspect model.waste

    With --json each gives one line: the answer of lyrw.parse for a layer file, of moe.load for
    moe_manifest.json, of container.open or waste.open for a container, as the reference gives it; or
    {"refused": {"kind", "message", "names"}}.

    Exit status: 0 described, 2 usage (or a file of no known format), 3 a file is refused, 5 no file
    was given.
    """
    if not files:
        click.echo("no file was given", err=True)
        sys.exit(EXIT_NOTHING)
    worst = 0
    for position, path in enumerate(files):
        entry = format_of(path, form)
        if not isinstance(entry, Inspects):
            raise click.UsageError(
                f"{path}: files of the format {entry.name} are not described by themselves; dump shows them"
            )
        if position and not as_json:
            click.echo()
        worst = max(worst, _described(entry, path, as_json))
    sys.exit(worst)


def _described(entry: Inspects, path: str, as_json: bool) -> int:
    """Print one file; the exit code for it alone."""
    try:
        observation = entry.observe(path)
        page = None if as_json else entry.describe(path, observation)
    except Exception as error:
        said = refusal(error)
        click.echo(
            for_programmes({"refused": said}) if as_json else "\n".join(refused_file_lines(path, said))
        )
        return EXIT_REFUSED
    if page is None:
        click.echo(for_programmes(observation))
    else:
        show(page)
    return 0
