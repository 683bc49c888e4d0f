"""What is wrong between the system graph of a container and its directory (container.md, section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.graph import validate
from vindex3_reference.graph.vocabulary import CANONICAL
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vindex3_reference.container.entry import Entry
    from vindex3_reference.graph.model import Graph


def graph_faults(graph: Graph, entries: Mapping[str, Entry]) -> Iterator[Iterator[Refusal]]:
    """All findings about a graph by itself (VERIFY-GRAPH-01), then about it and the directory."""
    yield from validate.findings(graph)
    yield unrepresented(graph, entries)
    yield strays(graph, entries)
    yield asserted(graph, entries)


def unrepresented(graph: Graph, entries: Mapping[str, Entry]) -> Iterator[Refusal]:
    """Each object that no entry is of (VERIFY-DIR-01)."""
    stored = {entry.object for entry in entries.values()}
    for each in graph.objects:
        if each.id not in stored:
            yield Refusal("missing-representation", f"no entry is of {each.id}", object=each.id)


def strays(graph: Graph, entries: Mapping[str, Entry]) -> Iterator[Refusal]:
    """Each entry of an object that the graph does not have, by id (VERIFY-DIR-02)."""
    objects = {each.id for each in graph.objects}
    for key, entry in sorted(entries.items()):
        if entry.object not in objects:
            yield Refusal(
                "dangling-reference",
                f"{key} is of the object {entry.object!r}, which the graph does not have",
                referrer=key,
                missing=entry.object,
            )


def asserted(graph: Graph, entries: Mapping[str, Entry]) -> Iterator[Refusal]:
    """Each compiled entry that the graph calls canonical, which no compiled one is (SELECT-FIDELITY-01)."""
    for each in graph.objects:
        for representation in each.representations:
            key = f"{each.id}@{representation.encoding}"
            entry = entries.get(key)
            if representation.fidelity == CANONICAL and entry is not None and entry.is_compiled:
                message = f"{key} was compiled, and the graph calls it {CANONICAL}"
                yield Refusal("asserted-fidelity", message, representation=key)
