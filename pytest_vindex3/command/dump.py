"""`vindex3 dump`: a file read with a ruler."""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_vindex3.formats import Line

BATCH: Final = 4096


def _offset(_: click.Context, option: click.Parameter, value: str | None) -> int | None:
    """The value of an option as a byte offset, decimal or with 0x."""
    if value is None:
        return None
    try:
        place = int(value, 0)
    except ValueError:
        place = -1
    if place < 0:
        raise click.BadParameter(f"{value!r} is no offset; write it as 192 or 0xC0", param=option)
    return place


@click.command(name="dump")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, an object a line of the dump.")
@click.option(
    "--from",
    "start",
    metavar="OFFSET",
    default="0",
    callback=_offset,
    help="Begin with the line that has this byte.",
)
@click.option(
    "--to",
    "stop",
    metavar="OFFSET",
    callback=_offset,
    help="End before the line that begins at this byte or later.",
)
@click.option("--all", "everything", is_flag=True, help="Leave nothing out of a file above 1 MiB.")
@click.option(
    "--format", "form", metavar="NAME", help="Read the file as this format, whatever it begins with."
)
def command(
    file: Path, as_json: bool, start: int, stop: int | None, everything: bool, form: str | None
) -> None:
    """Print every byte of FILE with its name, one field a line.

    Offsets are decimal, bytes hexadecimal. Behind an exclamation mark stands what is wrong at that
    place, by the kind that the law has for it. Damaged files are shown as far as they make sense and
    then as bytes; so are files of an unknown format.

    What is printed is the notation of the goldens (docs/goldens.md): assembled, it gives the file back.
    Above 1 MiB, long regions are shown by their beginning unless --all is given.

    The exit code is 0 for whatever could be shown, and 2 where FILE cannot be read.
    """
    from pytest_vindex3.formats import dump, formats

    if form is not None and form not in formats():
        raise click.BadParameter(f"{form!r} is none of {', '.join(formats())}", param_hint="--format")
    lines = dump(file, form=form, start=start, stop=stop, everything=everything)
    readable = _read(lines, file)
    if as_json:
        _print_json(readable)
    else:
        _print_text(readable, max(4, len(str(file.stat().st_size))))


def _read(lines: Iterable[Line], file: Path) -> Iterator[Line]:
    """The lines; where one cannot be read, the sentence that says so."""
    try:
        yield from lines
    except OSError as error:
        raise click.UsageError(f"{file} cannot be read: {error.strerror or error}") from error


def _print_text(lines: Iterator[Line], width: int) -> None:
    emit = _emit_coloured if sys.stdout.isatty() else _emit_plain
    left_out = 0
    while batch := list(islice(lines, BATCH)):
        left_out += sum(line.length for line in batch if line.data is None)
        emit(batch, width)
    if left_out:
        click.echo(f"; {left_out} bytes are left out; --all shows them")


def _emit_plain(lines: Iterable[Line], width: int) -> None:
    sys.stdout.write("".join(f"{line.text(width)}\n" for line in lines))


def _emit_coloured(lines: Iterable[Line], width: int) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        text = Text(line.text(width))
        body, _, _ = text.plain.partition(";")
        text.stylize("cyan", 0, min(width, len(body)))
        text.stylize("dim", len(body))
        if line.marks:
            text.stylize("not dim bold red", len(text.plain) - len(line.warning))
        console.print(text)


def _print_json(lines: Iterator[Line]) -> None:
    separator = "["
    for line in lines:
        sys.stdout.write(f"{separator}\n{json.dumps(line.json())}")
        separator = ","
    sys.stdout.write("[]\n" if separator == "[" else "\n]\n")
