"""What a run says of itself before it begins: in the terminal and at the head of the report."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pytest_vindex3.contract.texts import printable
from pytest_vindex3.contract.verb import verbs
from pytest_vindex3.plugin import goldens
from pytest_vindex3.plugin.session import Implementation
from pytest_vindex3.plugin.state import State

_MOST_NAMES = 200


def header(state: State) -> dict[str, Any]:
    """The header of the report."""
    session = state.session
    settings = session.settings
    return {
        "suite": version("pytest-vindex3"),
        "goldens": goldens.manifest_name(),
        "certifying": state.origin is not None,
        "profile": settings.profile,
        "seed": settings.seed,
        "time_scale": settings.time_scale,
        "strict": settings.strict,
        "only": list(settings.only),
        "known_failures": len(state.known),
        "implementations": [_described(one) for one in session.implementations],
    }


def _described(one: Implementation) -> dict[str, Any]:
    said = one.description
    return {
        "label": one.label,
        "name": said.name,
        "version": said.version,
        "language": said.language,
        "protocol": said.protocol,
        "door": one.door.kind,
        "verbs": _listed(said.verbs),
        "options": {
            printable(verb): _listed(names) for verb, names in sorted(said.options.items())[:_MOST_NAMES]
        },
    }


def _listed(names: Iterable[str]) -> list[str]:
    return [printable(name) for name in sorted(names)[:_MOST_NAMES]]


def lines(state: State, directory: Path) -> list[str]:
    """The header in the terminal."""
    session = state.session
    settings = session.settings
    name = goldens.manifest_name()
    suite = f"suite {version('pytest-vindex3')}" + (f", goldens {name}" if name else "")
    first = f"vindex3: {suite}, profile {settings.profile}, seed {settings.seed}"
    if state.known and settings.known_failures:
        first += f", {len(state.known)} known failures ({_near(settings.known_failures, directory)})"
    return [first, *(f"vindex3: {_loaded(one, directory)}" for one in session.implementations)]


def _loaded(one: Implementation, directory: Path) -> str:
    said = one.description
    name = " ".join(filter(None, (said.name, said.version)))
    count = f"verbs {len(said.verbs)} of {len(verbs())}"
    origin = _near(Path(said.origin or one.door.origin), directory)
    return f"{name} ({origin}), door: {one.door.kind}, {count}"


def _near(path: Path, directory: Path) -> str:
    """The path as seen from the working directory, where it is below."""
    near = path.is_absolute() and path.is_relative_to(directory)
    return f"./{path.relative_to(directory)}" if near else str(path)
