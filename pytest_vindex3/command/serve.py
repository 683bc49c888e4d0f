"""`vindex3 serve`: a Python implementation on the pipe."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("serve", short_help="Put a Python implementation on the pipe.")
@click.argument("spec")
def command(spec: str) -> None:
    """Answer requests on standard input with the implementation SPEC until the input ends.

    SPEC is `mypkg`, `module:attribute` or `path/to/adapter.py`. One JSON object a line goes each way; what
    the implementation prints goes to standard error.

    The exit code is 0, and 2 where SPEC cannot be loaded.
    """
    from pytest_vindex3.contract.door import NotLoaded
    from pytest_vindex3.contract.find import find
    from pytest_vindex3.contract.host import serve

    roots = [Path.cwd()]
    if serve(spec, roots):
        return
    try:
        find(spec, roots)
    except NotLoaded as problem:
        raise click.UsageError(str(problem)) from None
