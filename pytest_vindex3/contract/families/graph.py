"""Verbs of the system graph (spec: graph.md; documents: container.md, section 9)."""

from __future__ import annotations

from typing import NotRequired, Protocol, TypedDict

from pytest_vindex3.contract.defect import Defect
from pytest_vindex3.contract.slots import Document
from pytest_vindex3.contract.verb import verb


class GraphComponent(TypedDict):
    """A sub-system of a model.

    Attributes:
        role: primary_text, perception, drafter
    """

    id: str
    role: str
    source_artifact: str
    num_layers: int
    hidden_size: int


class Representation(TypedDict):
    """One encoding in which an object is stored; `fidelity` is canonical or approximate."""

    encoding: str
    fidelity: str


class GraphObject(TypedDict):
    """A logical object; `canonical` is the encoding of its first representation, null where none is."""

    id: str
    component: str
    kind: str
    representations: list[Representation]
    canonical: str | None


class Edge(TypedDict):
    """States that flow from layers of one component into an object of another."""

    producer_component: str
    producer_layers: list[int]
    consumer_component: str
    consumer_object: str
    block_size: NotRequired[int]


class Graph(TypedDict):
    """A system graph in stored order; `document` is the stored JSON value."""

    schema: int
    components: list[GraphComponent]
    objects: list[GraphObject]
    edges: list[Edge]
    primary: str | None
    document: Document
    defects: list[Defect]


class NestedComponent(TypedDict):
    """A component that an artifact's configuration nests; `name` without `_config`."""

    name: str
    num_layers: int
    hidden_size: int


class Interface(TypedDict):
    """What an artifact declares to take from another: the path of the key, and the layers it taps."""

    path: str
    taps: list[int]
    block_size: NotRequired[int]


class NamedShape(TypedDict):
    """A tensor of an artifact, without its bytes."""

    name: str
    shape: list[int]


class Artifact(TypedDict):
    """What is known of a source artifact; `tensors` is null where nobody listed them."""

    artifact: str
    num_layers: int
    hidden_size: int
    nested: NotRequired[list[NestedComponent] | None]
    interfaces: NotRequired[list[Interface] | None]
    tensors: NotRequired[list[NamedShape] | None]


class DerivedComponent(TypedDict):
    """A component that follows from evidence."""

    id: str
    role: str
    source_artifact: str


class Unresolved(TypedDict):
    """An interface that gives no edge: the consumer's artifact and component, a kind, and its facts."""

    artifact: str
    component: str
    kind: str
    names: dict[str, Document]


class Unplaced(TypedDict):
    """Tensors that no rule gives to a component, by a prefix that covers their names."""

    artifact: str
    prefix: str


class Resolved(TypedDict):
    """Components sorted by id, edges by consumer, what blocks a container beside them."""

    components: list[DerivedComponent]
    edges: list[Edge]
    unresolved: list[Unresolved]
    unplaced: list[Unplaced]


@verb("graph.load")
class GraphLoad(Protocol):
    """Read and judge the system graph of the container `path`, or the document `text`."""

    def __call__(self, *, path: str | None = None, text: str | None = None) -> Graph: ...


@verb("graph.resolve")
class GraphResolve(Protocol):
    """Derive components and edges from what artifacts declare; nothing ambiguous becomes an edge."""

    def __call__(self, *, artifacts: list[Artifact]) -> Resolved: ...
