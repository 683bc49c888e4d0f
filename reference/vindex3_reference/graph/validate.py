"""What is wrong with a graph that is right as a document, function by function (graph.md, section 7)."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain, islice
from typing import TYPE_CHECKING

from vindex3_reference.defects import LISTED
from vindex3_reference.graph import surface, vocabulary
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from vindex3_reference.graph.model import Component, Edge, Graph, Object
    from vindex3_reference.graph.policy import Policy


def defects(graph: Graph) -> list[Refusal]:
    """All defects in the law's order; of one invariant, no more than are ever listed."""
    return list(chain.from_iterable(islice(found, LISTED) for found in findings(graph)))


def findings(graph: Graph) -> Iterator[Iterator[Refusal]]:
    """The defects of each invariant, in the law's order; those of one are all of one kind."""
    yield duplicates(graph.components)
    yield duplicates(graph.objects)
    yield ownerless_objects(graph)
    yield unbound_objects(graph)
    yield dangling_edges(graph)
    yield mismatched_ids(graph)
    yield taps_too_deep(graph)
    yield self_edges(graph)
    yield ambiguous_primary(graph)
    yield missing_surfaces(graph)
    yield surplus_surfaces(graph)
    yield miscounted_policies(graph)
    yield contradictory_policies(graph)


def duplicates(named: Iterable[Component | Object]) -> Iterator[Refusal]:
    """Each id that is used more than once, among components or among objects (GRAPH-COMP-01)."""
    for identity, count in Counter(each.id for each in named).items():
        if count > 1:
            yield Refusal("duplicate-id", f"{identity!r} is there {count} times", id=identity)


def ownerless_objects(graph: Graph) -> Iterator[Refusal]:
    """Each object whose component is not there (GRAPH-OBJ-01)."""
    components = _components(graph)
    for each in graph.objects:
        if each.component not in components:
            yield _dangling(each.id, each.component)


def unbound_objects(graph: Graph) -> Iterator[Refusal]:
    """Each object without a binding (GRAPH-OBJ-02)."""
    for each in graph.objects:
        if not each.bindings:
            yield Refusal("unbound-object", f"{each.id} has no source binding", object=each.id)


def dangling_edges(graph: Graph) -> Iterator[Refusal]:
    """Each component or object that an edge names and the graph lacks (EDGE-LOAD-01)."""
    components, objects = _components(graph), {each.id for each in graph.objects}
    for position, edge in enumerate(graph.edges):
        for end in (edge.producer_component, edge.consumer_component):
            if end not in components:
                yield _dangling(f"edges[{position}]", end)
        if edge.consumer_object not in objects:
            yield _dangling(f"edges[{position}]", edge.consumer_object)


def mismatched_ids(graph: Graph) -> Iterator[Refusal]:
    """Each object whose id is not its component and kind joined (GRAPH-OBJ-03)."""
    for each in graph.objects:
        joined = f"{each.component}.{each.kind}"
        if each.id != joined:
            yield Refusal(
                "id-mismatch",
                f"object {each.id!r} is {joined!r} by its component and kind",
                subject=each.id,
                expected=joined,
                found=each.id,
            )


def taps_too_deep(graph: Graph) -> Iterator[Refusal]:
    """Each tap at or past the end of its producer (EDGE-LOAD-02)."""
    components = _components(graph)
    for edge in graph.edges:
        producer = components.get(edge.producer_component)
        if producer is not None and not _unread(producer):
            yield from _deep_taps(edge, producer)


def self_edges(graph: Graph) -> Iterator[Refusal]:
    """Each edge from a component into itself (EDGE-LOAD-03)."""
    for edge in graph.edges:
        if edge.producer_component == edge.consumer_component:
            component = edge.producer_component
            yield Refusal("self-edge", f"states of {component} flow into itself", component=component)


def ambiguous_primary(graph: Graph) -> Iterator[Refusal]:
    """More than one primary_text component (GRAPH-COMP-04)."""
    primaries = graph.primaries
    if len(primaries) > 1:
        message = f"{len(primaries)} components are {vocabulary.PRIMARY_TEXT}"
        yield Refusal("ambiguous", message, candidates=primaries)


def missing_surfaces(graph: Graph) -> Iterator[Refusal]:
    """Each execution group that a component calls for and lacks."""
    owned = defaultdict(set)
    for each in graph.objects:
        owned[each.component].add(each.kind)
    for component in graph.components:
        yield from surface.missing(component, owned.pop(component.id, set()))


def surplus_surfaces(graph: Graph) -> Iterator[Refusal]:
    """Each execution group that nothing in its component runs."""
    for component in graph.components:
        yield from surface.surplus(component)


def miscounted_policies(graph: Graph) -> Iterator[Refusal]:
    """Each text or drafting component with another number of policies than of layers (GRAPH-POLICY-05)."""
    for component in graph.components:
        count = len(component.policies)
        if component.role != vocabulary.PERCEPTION and count not in (0, component.num_layers):
            yield Refusal(
                "count-mismatch",
                f"{component.id} has {component.num_layers} layers and {count} policies",
                subject=component.id,
                expected=component.num_layers,
                found=count,
            )


def contradictory_policies(graph: Graph) -> Iterator[Refusal]:
    """Each field of a policy that its operator, span or position contradicts (GRAPH-POLICY-04, 06)."""
    for component in graph.components:
        for layer, policy in enumerate(component.policies):
            for field in _contradictions(policy):
                yield Refusal(
                    "inconsistent-policy",
                    f"layer {layer} of {component.id} contradicts itself in {field}",
                    component=component.id,
                    layer=layer,
                    field=field,
                )


def _components(graph: Graph) -> dict[str, Component]:
    """Components by id; of two with one id the first is meant."""
    return {each.id: each for each in reversed(graph.components)}


def _dangling(referrer: str, missing: str) -> Refusal:
    return Refusal(
        "dangling-reference",
        f"{referrer} names {missing!r}, which is not there",
        referrer=referrer,
        missing=missing,
    )


def _unread(component: Component) -> bool:
    """Whether nobody has read how many layers there are."""
    return component.role == vocabulary.PERCEPTION and component.num_layers == 0


def _deep_taps(edge: Edge, producer: Component) -> Iterator[Refusal]:
    for tap in edge.producer_layers:
        if tap >= producer.num_layers:
            yield Refusal(
                "edge-depth",
                f"layer {tap} of {producer.id} is tapped, which has {producer.num_layers}",
                component=producer.id,
                layer=tap,
                num_layers=producer.num_layers,
            )


def _contradictions(policy: Policy) -> Iterator[str]:
    if (policy.span is None and policy.operator == vocabulary.SOFTMAX) or (
        policy.span is not None and policy.operator in vocabulary.SPANLESS
    ):
        yield "span"
    if policy.window is not None and policy.span != vocabulary.SLIDING:
        yield "window"
    if policy.theta is not None and policy.theta <= 0:
        yield "theta"
