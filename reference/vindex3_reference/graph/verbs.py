"""The verbs of the system graph (graph.md; documents: container.md, section 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference import strict_json
from vindex3_reference.container.container import Container
from vindex3_reference.graph import evidence, observation
from vindex3_reference.graph.model import Graph
from vindex3_reference.graph.resolve import Resolution
from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import Slot

if TYPE_CHECKING:
    from vindex3_reference.strict_json import Json

__all__ = ["graph_load", "graph_resolve"]

Answer = dict[str, object]


def graph_load(*, path: str | None = None, text: str | None = None) -> Answer:
    """Read and judge the graph of a container, or of a document; the text decides where both are given."""
    if text is not None:
        return observation.of_graph(_graph_of(text))
    if path is None:
        raise Refusal("missing-field", "a graph is given by path or as text", field="path")
    return observation.of_graph(Container(path, whole=False).graph())


def graph_resolve(*, artifacts: Json) -> Answer:
    """Derive components and edges from what artifacts declare (graph.md, section 8)."""
    return observation.of_resolution(Resolution(evidence.read(artifacts)))


def _graph_of(text: str) -> Graph:
    """The graph of a document that is no file, so that refusals name none."""
    try:
        document = strict_json.parse(text.encode(errors="surrogatepass"), "the text")
        return Graph.read(Slot.root(document, "the text"))
    except Refusal as refusal:
        refusal.names.pop("path", None)
        raise
