"""The command `vindex3`: a module per subcommand, imported when it is asked for."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import click

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
        command.help = _with_examples(command.help or "")
        return command


def _with_examples(text: str) -> str:
    r"""A help text in which `\b`, as a raw docstring has it, keeps the lines below it as they are."""
    return text.replace("\\b\n", "\b\n")


@click.group(cls=Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pytest-vindex3", prog_name="vindex3")
def vindex3() -> None:
    """Read, check and certify VINDEX3 model containers."""


def main() -> None:
    """Run the command line; a closed pipe on the other side is no error."""
    try:
        vindex3(prog_name="vindex3")
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(EXIT_WRONG)
