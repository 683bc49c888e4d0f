"""What `vindex3 --version` says: the distribution, and the variants of the reference's kernels."""

from __future__ import annotations

import click


def show(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    """Print it and end, where the option is given."""
    del parameter
    if not wanted or context.resilient_parsing:
        return
    from pytest_vindex3 import __version__

    click.echo(f"vindex3, version {__version__}")
    click.echo(_kernels())
    context.exit()


def _kernels() -> str:
    """One line: how the kernels were built, and which variants of each this machine has, the best first."""
    from vindex3_reference.kernels import KERNELS, available, native

    if not native.built:
        return "kernels: not compiled in this build; numpy stands in for them"
    return "kernels: " + "; ".join(f"{kernel} {' '.join(available(kernel))}" for kernel in KERNELS)
