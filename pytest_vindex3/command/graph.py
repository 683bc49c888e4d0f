"""`vindex3 graph`: the system graph of a container as a diagram."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_vindex3.command import EXIT_REFUSED, EXIT_WRONG
from pytest_vindex3.command._defects import defect_lines
from pytest_vindex3.command._file import refusal, refused_file_lines
from pytest_vindex3.command._values import for_programmes

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command(name="graph")
@click.argument("directory", metavar="DIR", type=click.Path(exists=True))
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), help="Draw it into this file.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer of graph.load.")
def command(directory: str, svg: Path | None, as_json: bool) -> None:
    r"""Draw the system graph of the container DIR: its components, their objects, the edges between them.

    Printed is Mermaid text, which many editors and forges show as a picture; --svg makes the picture.
    DIR may also be a system_graph.json by itself.

    \b
      vindex3 graph model.vindex
      vindex3 graph model.vindex --svg model.svg

    Exit status: 0, 1 the graph has defects (listed on stderr), 2 usage, 3 it is refused.
    """
    try:
        graph = _loaded(Path(directory))
    except Exception as error:
        said = refusal(error)
        text = (
            for_programmes({"refused": said}) if as_json else "\n".join(refused_file_lines(directory, said))
        )
        click.echo(text)
        sys.exit(EXIT_REFUSED)
    if as_json:
        click.echo(for_programmes(graph))
    elif svg is None:
        _print(graph)
    else:
        _draw(graph, Path(directory), svg)
    for line in defect_lines(directory, graph["defects"], True):
        click.echo(line, err=True)
    sys.exit(EXIT_WRONG if graph["defects"] else 0)


def _loaded(path: Path) -> Mapping[str, Any]:
    from vindex3_reference.graph.verbs import graph_load

    if path.is_dir():
        return graph_load(path=str(path))
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{path} cannot be read: {error}") from None
    return graph_load(text=text)


def _print(graph: Mapping[str, Any]) -> None:
    from pytest_vindex3.command._diagram import diagram, mermaid

    click.echo(mermaid(diagram(graph)), nl=False)


def _draw(graph: Mapping[str, Any], path: Path, target: Path) -> None:
    from pytest_vindex3.command._diagram import diagram
    from pytest_vindex3.command._graph_svg import drawing

    try:
        target.write_text(drawing(diagram(graph), f"system graph of {path.name}"), encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{target} cannot be written: {error.strerror or error}") from None
    click.echo(f"drawn into {target}", err=True)
