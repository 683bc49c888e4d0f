"""How tests ask about a graph: as a text, as a file of a container, as evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vindex3_fixtures.container import tiny
from vindex3_fixtures.json_text import json_text

if TYPE_CHECKING:
    from pytest_vindex3.contract.outcome import Reply
    from pytest_vindex3.plugin.ask import Ask

NAME = "system_graph.json"


def load(ask: Ask, document: Any) -> Reply:
    """Ask for a graph by its text."""
    return ask("graph.load", text=json_text(document).decode())


def load_stored(ask: Ask, document: Any, name: str = "model") -> Reply:
    """Ask for the graph of a container that has this document and is otherwise sound."""
    return ask("graph.load", path=ask.file(name, tiny().with_graph((), document).folder))


def resolve(ask: Ask, *artifacts: Any) -> Reply:
    """Ask what follows from these artifacts."""
    return ask("graph.resolve", artifacts=list(artifacts))
