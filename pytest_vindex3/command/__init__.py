"""The command `vindex3`: a module per subcommand, imported when it is asked for."""

from __future__ import annotations

import importlib
import io
import os
import pkgutil
import sys
from contextlib import suppress
from typing import NoReturn

import click

from pytest_vindex3.command._version import show

EXIT_WRONG = 1
EXIT_USAGE = 2
EXIT_REFUSED = 3
EXIT_FAULT = 4
EXIT_NOTHING = 5
EXIT_INTEGRITY = 6


class Subcommands(click.Group):
    """Finds each subcommand in the module of its name, `-` for `_`, as the attribute `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every module of this package that is not private."""
        del ctx
        names = (module.name for module in pkgutil.iter_modules(__path__))
        return sorted(name.replace("_", "-") for name in names if not name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand, or None where there is no such module."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{__name__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        for one in (command, *getattr(command, "commands", {}).values()):
            one.help = _with_examples(one.help or "")
        return command


def _with_examples(text: str) -> str:
    r"""A help text in which `\b`, as a raw docstring has it, keeps the lines below it as they are."""
    return text.replace("\\b\n", "\b\n")


@click.group(cls=Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show,
    help="Say what this is, and end.",
)
def vindex3() -> None:
    """Read, check and certify VINDEX3 model containers."""


def main() -> None:
    """Run the command line, to the last byte of what it prints.

    A closed pipe on the other side is no error to tell of; output that cannot be written otherwise is one
    sentence on stderr. Both end with 1. A sign that the terminal's encoding lacks is shown as its escape.
    """
    if sys.stdout is None:  # so Python has it where the shell closed it
        _give_up("standard output is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            vindex3(prog_name="vindex3")
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _give_up("")
    except OSError as error:
        _give_up(f"{error.filename or 'standard output'}: {error.strerror or error}")


def _give_up(why: str) -> NoReturn:
    """Leave with one sentence, and let what is still held for standard output go nowhere."""
    if why:
        click.echo(f"vindex3: {why}", err=True)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(nowhere, sys.stdout.fileno())
    sys.exit(EXIT_WRONG)
