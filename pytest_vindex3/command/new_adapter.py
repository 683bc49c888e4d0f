"""`vindex3 new-adapter`: a starting point that runs."""

from __future__ import annotations

import shlex
from importlib.resources import files
from pathlib import Path
from string import Template

import click

from pytest_vindex3.contract.verb import verbs

_TEMPLATES = files("pytest_vindex3.command") / "templates"
_SUFFIX = ".txt"
_README = "README.md"
_INDENT = " " * 4


@click.command("new-adapter")
@click.argument("language", type=click.Choice(sorted(folder.name for folder in _TEMPLATES.iterdir())))
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
def command(language: str, folder: Path) -> None:
    r"""Write an adapter to begin with into DIR.

    The one in Python refuses what is no LYRW file as the law asks; all else in it is still to be written,
    so most of its tests are red. The one in C speaks the pipe and answers lyrw.parse completely, as an
    example for programs in any language. DIR is made where it is not there; nothing in it is ever
    overwritten.

    \b
      vindex3 new-adapter python mine
      pytest --vindex3-impl=mine/adapter.py

    \b
      vindex3 new-adapter c mine
      make -C mine
      pytest --vindex3-impl="cmd:mine/adapter"

    Exit status: 0 written, 2 usage (a file is already there, or DIR cannot be written).
    """
    texts = _texts(language, folder)
    taken = sorted(name for name in texts if (folder / name).exists())
    if taken:
        raise click.UsageError(f"{folder} has {' and '.join(taken)} already; nothing was written")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in sorted(texts.items()):
            with (folder / name).open("x", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        raise click.UsageError(f"cannot write into {folder}: {error.strerror or error}") from None
    click.echo(f"Wrote {', '.join(str(folder / name) for name in sorted(texts))}. Next:")
    for line in texts[_README].splitlines():
        if line.startswith(_INDENT):
            click.echo(f"  {line.strip()}")


def _texts(language: str, folder: Path) -> dict[str, str]:
    """What is written, by name: files that end in `.txt` with their blanks filled in, others as they are."""
    found = {}
    for file in (_TEMPLATES / language).iterdir():
        text = file.read_text("utf-8")
        if file.name.endswith(_SUFFIX):
            text = Template(text).substitute(sketches=_sketches(), folder=shlex.quote(str(folder)))
        found[file.name.removesuffix(_SUFFIX)] = text
    return found


def _sketches() -> str:
    """The verbs that are still to be written, those of layer files first, as comments in a Python adapter."""
    lines: list[str] = []
    for verb in sorted(verbs().values(), key=lambda verb: (not verb.name.startswith("lyrw."), verb.name)):
        if verb.name != "lyrw.parse":
            lines += ["#", f"# {verb.signature}", f"#     {verb.summary}"]
    return "\n".join(lines)
