"""`vindex3 pack`: encodings of a container added beside those that are there, and taken out again."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from pytest_vindex3.command import EXIT_NOTHING, EXIT_REFUSED
from pytest_vindex3.command._file import refusal, refused_lines
from pytest_vindex3.command._page import show
from pytest_vindex3.command._progress import watched
from pytest_vindex3.command._values import for_programmes
from pytest_vindex3.formats import Facts, Grid, Page, counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_vindex3.command._packing import Pack

ROLES = ("decoder-linear", "expert-weight")
"""What is encoded where no map says otherwise."""


@click.group(name="pack")
def command() -> None:
    """Add encodings beside those that a container has, or take them out again.

    The first representation of an object is never touched, and answers whoever does not ask for a pack.
    """


@command.command(name="add")
@click.argument("directory", metavar="DIR", type=click.Path(exists=True, file_okay=False))
@click.option("--encoding", metavar="LABEL", help="Encode weights so: Q8_0 or NVFP4.")
@click.option(
    "--map", "map_file", metavar="MAP.json", type=click.Path(exists=True, dir_okay=False),
    help="Encode what this precision map compiles; its default is the label of the packs.",
)  # fmt: skip
@click.option("--object", "only", metavar="ID", multiple=True, help="Only these objects.")
@click.option("--out", metavar="DIR", help="Write another container; what is not touched is linked.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each pack.")
def add(
    directory: str,
    encoding: str | None,
    map_file: str | None,
    only: tuple[str, ...],
    out: str | None,
    as_json: bool,
) -> None:
    r"""Add packs to the container DIR: one for each object of which something is encoded.

    \b
      vindex3 pack add model.vindex --encoding Q8_0
      vindex3 pack add model.vindex --map mixed.json --out smaller.vindex
      vindex3 pack add model.vindex --encoding NVFP4 --object target.decoder_stack

    Encoded are weights (roles decoder-linear and expert-weight) whose shape fits, or what the map compiles;
    every other tensor is taken over as it is. The fidelity that is shown is found by comparing values.

    Exit status: 0, 2 usage, 3 refused (packs that were added before stay), 5 nothing is to be
    encoded.
    """
    if (encoding is None) == (map_file is None):
        raise click.UsageError("say either --encoding or --map")
    try:
        label, chosen = _decided(directory, encoding, map_file)
        missing = sorted(set(only) - {thing for thing, _ in chosen})
        if missing:
            raise click.UsageError(f"nothing of {', '.join(missing)} is to be encoded")
        packs = _made(directory, label, [pair for pair in chosen if not only or pair[0] in only], out)
    except click.UsageError:
        raise
    except Exception as error:
        _refuse(directory, error, as_json)
    if not packs:
        click.echo(f"nothing in {directory} is to be encoded", err=True)
        sys.exit(EXIT_NOTHING)
    if as_json:
        for _, answer in packs:
            click.echo(for_programmes(answer))
    else:
        show(_page(out or directory, label, packs))


@command.command(name="remove")
@click.argument("directory", metavar="DIR", type=click.Path(exists=True, file_okay=False))
@click.argument("thing", metavar="OBJECT")
@click.argument("encoding", metavar="ENCODING")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")
def remove(directory: str, thing: str, encoding: str, as_json: bool) -> None:
    r"""Take the pack ENCODING of OBJECT out of the container DIR, in place.

    \b
      vindex3 pack remove model.vindex target.decoder_stack Q8_0

    Its line in the graph, its entry and its segment go; nothing else changes. The first representation of
    an object cannot be taken out.

    Exit status: 0, 2 usage, 3 refused.
    """
    from vindex3_reference.disk import Disk
    from vindex3_reference.representation.removal import pack_remove

    try:
        answer: Any = pack_remove(Disk(), directory, thing, encoding)
    except Exception as error:
        _refuse(directory, error, as_json)
    if as_json:
        click.echo(for_programmes(answer))
    else:
        show(
            Page(f"removed {answer['removed']}", (Facts((("files", ", ".join(answer["files"]) or "none"),)),))
        )


def _refuse(directory: str, error: Exception, as_json: bool) -> NoReturn:
    said = refusal(error)
    click.echo(for_programmes({"refused": said}) if as_json else "\n".join(refused_lines(directory, said)))
    sys.exit(EXIT_REFUSED)


def _decided(
    directory: str, encoding: str | None, map_file: str | None
) -> tuple[str, list[tuple[str, list[Mapping[str, Any]]]]]:
    """The label of the packs, and each object of which something is encoded with its decisions."""
    from pytest_vindex3.command._inventory import inventory
    from vindex3_reference.document import root_of
    from vindex3_reference.representation.verbs import precision_compile

    usual = {"name": "usual", "encoding": encoding, "roles": list(ROLES)}
    policy: Any = usual if map_file is None else root_of(map_file).value
    tensors: Any = inventory(directory)
    answer: Any = precision_compile(map=policy, tensors=tensors)
    objects = [
        (thing, list(decisions))
        for thing, decisions in groupby(answer["decisions"], lambda decision: str(decision["object"]))
    ]
    chosen = [pair for pair in objects if any(decision["encoding"] is not None for decision in pair[1])]
    return str(policy["encoding"]), chosen


def _made(
    directory: str, label: str, chosen: Sequence[tuple[str, Sequence[Mapping[str, Any]]]], out: str | None
) -> list[tuple[Pack, Mapping[str, Any]]]:
    """Add the packs one after the other; the first makes the other container, where one is wanted."""
    from pytest_vindex3.command._packing import packed
    from vindex3_reference.representation.verbs import pack_add

    added: list[tuple[Pack, Mapping[str, Any]]] = []
    with watched(len(chosen)) as watch:
        for thing, decisions in chosen:
            watch.begin(thing)
            pack = packed(directory, thing, decisions)
            tensors: Any = pack.tensors
            place = directory if out is None or not added else out
            answer: Any = pack_add(
                path=place, out=out, object=thing, encoding=label, tensors=tensors,
                encoder={"algorithm": "nearest", "revision": 1},
            )  # fmt: skip
            added.append((pack, answer))
    return added


def _page(place: str, label: str, packs: Sequence[tuple[Pack, Mapping[str, Any]]]) -> Page:
    rows = []
    for pack, answer in packs:
        segment = answer["added"][0]["segment"] if answer["added"] else "was there"
        tensors = f"{pack.encoded:,} of {len(pack.tensors):,}"
        rows.append((pack.object, tensors, f"{pack.before:,}", f"{pack.after:,}", pack.fidelity, segment))
    heads = ("object", "encoded", "bytes before", "after", "fidelity", "segment")
    new = sum(bool(answer["added"]) for _, answer in packs)
    right = frozenset({"encoded", "bytes before", "after"})
    return Page(
        f"{Path(place).name}: {counted(new, 'pack')} of {label} added", (Grid(heads, tuple(rows), right),)
    )
