"""The answers of graph.load and graph.resolve (container.md, section 9)."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from vindex3_reference.defects import Defects
from vindex3_reference.graph.model import SCHEMA
from vindex3_reference.graph.validate import findings

if TYPE_CHECKING:
    from vindex3_reference.graph.model import Component, Edge, Graph, Object
    from vindex3_reference.graph.resolve import Resolution, Unresolved

    Answer = dict[str, object]


def of_graph(graph: Graph) -> Answer:
    """Everything that is asked of a graph, in stored order; `more` is there where defects were left out."""
    defects = Defects()
    for found in findings(graph):
        defects.take(found)
    return {
        "schema": SCHEMA,
        "components": [_component(each) for each in graph.components],
        "objects": [_object(each) for each in graph.objects],
        "edges": [_edge(each) for each in graph.edges],
        "primary": graph.primary,
        "document": graph.document,
        **defects.answer(),
    }


def of_resolution(resolution: Resolution) -> Answer:
    """What follows from evidence: components by id, edges by consumer, unplaced by artifact and prefix."""
    return {
        "components": [
            {"id": each.id, "role": each.role, "source_artifact": each.artifact}
            for each in sorted(resolution.components)
        ],
        "edges": [_edge(each) for each in sorted(resolution.edges, key=attrgetter("consumer_component"))],
        "unresolved": [_unresolved(each) for each in resolution.unresolved],
        "unplaced": [
            {"artifact": artifact, "prefix": prefix} for artifact, prefix in sorted(resolution.unplaced)
        ],
    }


def _edge(edge: Edge) -> Answer:
    """An edge, with its block size where it has one (EDGE-LOAD-04)."""
    answer: Answer = {
        "producer_component": edge.producer_component,
        "producer_layers": list(edge.producer_layers),
        "consumer_component": edge.consumer_component,
        "consumer_object": edge.consumer_object,
    }
    if edge.block_size is not None:
        answer["block_size"] = edge.block_size
    return answer


def _component(component: Component) -> Answer:
    return {
        "id": component.id,
        "role": component.role,
        "source_artifact": component.source_artifact,
        "num_layers": component.num_layers,
        "hidden_size": component.hidden_size,
    }


def _object(stored: Object) -> Answer:
    return {
        "id": stored.id,
        "component": stored.component,
        "kind": stored.kind,
        "representations": [
            {"encoding": each.encoding, "fidelity": each.fidelity} for each in stored.representations
        ],
        "canonical": stored.canonical,
    }


def _unresolved(interface: Unresolved) -> Answer:
    return {
        "artifact": interface.artifact,
        "component": interface.component,
        "kind": interface.reason.kind,
        "names": interface.reason.names,
    }
