"""`vindex3 select`: what a profile of a container would execute, and at which authority."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from pytest_vindex3.command import EXIT_NOTHING, EXIT_REFUSED
from pytest_vindex3.command._file import refusal, refused_file_lines, refused_lines
from pytest_vindex3.command._page import show
from pytest_vindex3.command._values import for_programmes
from pytest_vindex3.formats import Facts, Grid, Page, Part, counted

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command(name="select")
@click.argument("directory", metavar="DIR", type=click.Path(exists=True, file_okay=False))
@click.option(
    "--profile", "wanted", metavar="NAME", multiple=True, help="As often as you like.  [default: every one]"
)
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each profile.")
def command(directory: str, wanted: tuple[str, ...], as_json: bool) -> None:
    r"""Say what each declared profile of the container DIR would execute, and at which authority.

    \b
      vindex3 select model.vindex
      vindex3 select model.vindex --profile routed-mxfp4

    No byte of a segment is read, and nothing stands in for what is absent: a profile that selects it is
    refused. With --json a line is the answer of selection.resolve or {"refused": {...}}.

    Exit status: 0, 2 usage, 3 a profile (or the container) is refused, 5 no profile is declared.
    """
    try:
        profiles = wanted or _declared(directory)
    except Exception as error:
        said = refusal(error)
        lines = [for_programmes({"refused": said})] if as_json else refused_file_lines(directory, said)
        click.echo("\n".join(lines))
        sys.exit(EXIT_REFUSED)
    if not profiles:
        click.echo(f"{directory} declares no profile", err=True)
        sys.exit(EXIT_NOTHING)
    codes = []
    for number, profile in enumerate(profiles):
        if number and not as_json:
            click.echo()
        codes.append(_told(directory, profile, as_json))
    sys.exit(max(codes))


def _declared(directory: str) -> tuple[str, ...]:
    from vindex3_reference.container.verbs import container_open

    opened: Any = container_open(path=directory)
    return tuple(profile["name"] for profile in opened["profiles"])


def _told(directory: str, profile: str, as_json: bool) -> int:
    """Print one profile; the exit code for it alone."""
    from vindex3_reference.representation.verbs import selection_resolve

    try:
        answer = selection_resolve(path=directory, profile=profile)
    except Exception as error:
        said = refusal(error)
        lines = [for_programmes({"refused": said})] if as_json else refused_lines(f"profile {profile}", said)
        click.echo("\n".join(lines))
        return EXIT_REFUSED
    if as_json:
        click.echo(for_programmes(answer))
    else:
        show(_page(answer))
    return 0


def _page(answer: Mapping[str, Any]) -> Page:
    selections = answer["selections"]
    rows = tuple(
        (region_set, one["variant"], one["fidelity"], one["storage"])
        for region_set, one in sorted(selections.items())
    )
    part: Part = (
        Grid(("region set", "variant", "fidelity", "storage"), rows)
        if rows
        else Facts((("selections", "none: the container has no catalogue"),))
    )
    title = f"profile {answer['profile']}: {answer['authority']}, {counted(len(rows), 'region set')}"
    return Page(title, (part,))
