"""system_graph.json as a document: every required key, type and closed word (graph.md, sections 1 to 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vindex3_reference.graph import vocabulary
from vindex3_reference.graph.execution import Execution
from vindex3_reference.graph.policy import Policy
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.slot import Slot
    from vindex3_reference.strict_json import Json

SCHEMA = 6


@dataclass(frozen=True, slots=True)
class Component:
    """A sub-system of a model.

    Attributes:
        policies: one per layer; empty where no programme is declared.
        execution: None where the document has none.
    """

    id: str
    role: str
    source_artifact: str
    num_layers: int
    hidden_size: int
    policies: tuple[Policy, ...]
    execution: Execution | None

    @property
    def operators(self) -> frozenset[str]:
        """What the layers run, each operator once."""
        return frozenset(policy.operator for policy in self.policies)

    @classmethod
    def read(cls, component: Slot) -> Component:
        """One element of `components`."""
        attention, execution = component.optional("attention"), component.optional("execution")
        read = cls(
            id=component.required("id").text(),
            role=component.required("role").word(vocabulary.ROLES),
            source_artifact=component.required("source_artifact").text(),
            num_layers=component.required("num_layers").u64(),
            hidden_size=component.required("hidden_size").u64(),
            policies=() if attention is None else tuple(map(Policy.read, attention.elements())),
            execution=None if execution is None else Execution.read(execution),
        )
        perception = component.optional("perception")
        if perception is not None:
            _check_perception(perception)
        return read


@dataclass(frozen=True, slots=True)
class Binding:
    """Tensors of a source artifact that belong to an object: those under a prefix."""

    artifact: str
    tensor_prefix: str

    @classmethod
    def read(cls, binding: Slot) -> Binding:
        """One element of `source_bindings`; what its counts say of the source is not judged."""
        read = cls(binding.required("artifact").text(), binding.required("tensor_prefix").text())
        binding.required("tensors").u64()
        binding.required("bytes").u64()
        return read


@dataclass(frozen=True, slots=True)
class Representation:
    """One encoding of an object; `encoding` is a free string (GRAPH-ENUM-03)."""

    encoding: str
    fidelity: str

    @classmethod
    def read(cls, representation: Slot) -> Representation:
        """One element of `representations`."""
        return cls(
            encoding=representation.required("encoding").text(),
            fidelity=representation.required("fidelity").word(vocabulary.FIDELITIES),
        )


@dataclass(frozen=True, slots=True)
class Object:
    """A logical object of a component."""

    id: str
    component: str
    kind: str
    bindings: tuple[Binding, ...]
    representations: tuple[Representation, ...]

    @property
    def canonical(self) -> str | None:
        """The encoding of the first representation, whatever its fidelity (GRAPH-OBJ-04)."""
        return self.representations[0].encoding if self.representations else None

    @classmethod
    def read(cls, stored: Slot) -> Object:
        """One element of `objects`."""
        return cls(
            id=stored.required("id").text(),
            component=stored.required("component").text(),
            kind=stored.required("kind").word(vocabulary.KINDS),
            bindings=tuple(map(Binding.read, stored.required("source_bindings").elements())),
            representations=tuple(map(Representation.read, stored.required("representations").elements())),
        )


@dataclass(frozen=True, slots=True)
class Edge:
    """States that flow from layers of one component into an object of another.

    Attributes:
        producer_layers: in declared order (EDGE-LOAD-04).
        block_size: None where it is not stored.
    """

    producer_component: str
    producer_layers: tuple[int, ...]
    consumer_component: str
    consumer_object: str
    block_size: int | None

    @classmethod
    def read(cls, edge: Slot) -> Edge:
        """One element of `edges`."""
        block_size = edge.optional("block_size")
        return cls(
            producer_component=edge.required("producer_component").text(),
            producer_layers=tuple(layer.u64() for layer in edge.required("producer_layers").elements()),
            consumer_component=edge.required("consumer_component").text(),
            consumer_object=edge.required("consumer_object").text(),
            block_size=None if block_size is None else block_size.u64(),
        )


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph that is right as a document; what its parts say together is for `validate`.

    Attributes:
        components, objects, edges: in stored order (GRAPH-ORDER-01).
        document: the stored value, unknown keys included (GRAPH-DOC-01, GRAPH-FIELD-03).
    """

    components: tuple[Component, ...]
    objects: tuple[Object, ...]
    edges: tuple[Edge, ...]
    document: dict[str, Json]

    @classmethod
    def read(cls, root: Slot) -> Graph:
        """The graph of a document.

        Raises:
            Refusal: `unknown-version` before anything else is looked at (GRAPH-SCHEMA-03), then
                `missing-field`, `bad-type`, `out-of-range` or `unknown-value`.
        """
        _check_schema(root)
        return cls(
            components=tuple(map(Component.read, root.required("components").elements())),
            objects=tuple(map(Object.read, root.required("objects").elements())),
            edges=tuple(map(Edge.read, root.required("edges").elements())),
            document=root.object(),
        )

    @property
    def primaries(self) -> list[str]:
        """The ids of primary_text components, sorted, each once."""
        return sorted({each.id for each in self.components if each.role == vocabulary.PRIMARY_TEXT})

    @property
    def primary(self) -> str | None:
        """The id of the only primary_text component; None among several (GRAPH-COMP-03 to 05)."""
        primaries = self.primaries
        return primaries[0] if len(primaries) == 1 else None


def _check_schema(root: Slot) -> None:
    schema = root.required("schema").u64()
    if schema != SCHEMA:
        raise Refusal(
            "unknown-version",
            f"{root.path} has graph schema {schema}; supported is {SCHEMA}",
            path=root.path,
            found=schema,
            supported=SCHEMA,
        )


def _check_perception(perception: Slot) -> None:
    perception.required("modality").word(vocabulary.MODALITIES)
    transform = perception.required("transform")
    forms = dict(transform.members())
    for form, numbers in _TRANSFORMS.items():
        if form in forms:
            for number in filter(None, map(forms[form].optional, numbers)):
                number.u64()
    if forms and not forms.keys() & _TRANSFORMS.keys():
        word = next(iter(forms))
        raise Refusal(
            "unknown-value",
            f"{transform.path}: {transform.field} is {word!r}, none of {', '.join(_TRANSFORMS)}",
            path=transform.path,
            field=transform.field,
            value=word,
        )


_TRANSFORMS = {
    vocabulary.ENCODER: ("depth", "width", "num_heads"),
    vocabulary.DIRECT_PROJECTION: ("output_width",),
}
"""The forms of a perception's transform, each with the numbers that may be read of it."""
