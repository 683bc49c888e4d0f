"""What every command of `vindex3` says of itself."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from pytest_vindex3.command import vindex3

COMMANDS = vindex3.list_commands(click.Context(vindex3))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_text(name: str) -> None:
    """Help says what the command does, and its marks of paragraphs are not printed."""
    done = CliRunner().invoke(vindex3, [name, "--help"])
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) > 3
    assert "\\" not in done.stdout
    assert "\b" not in done.stdout


def test_examples_keep_their_lines() -> None:
    """The examples in a help text stand on lines of their own."""
    lines = CliRunner().invoke(vindex3, ["call", "--help"]).stdout.splitlines()
    assert "    vindex3 call mypkg lyrw.parse path=layer_003.lyrw" in lines
