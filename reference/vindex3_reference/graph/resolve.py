"""From what artifacts declare to components and edges, and to nothing ambiguous (graph.md, section 8)."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.graph import placement, vocabulary
from vindex3_reference.graph.model import Edge
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vindex3_reference.graph.evidence import Artifact, Interface, NamedShape

IDS = {vocabulary.PRIMARY_TEXT: "target", vocabulary.DRAFTER: "draft"}
"""What an artifact's own component claims as its id."""


class Derived(NamedTuple):
    """A component that follows from evidence; `num_layers` is what the artifact declares for its own."""

    id: str
    role: str
    artifact: str
    num_layers: int


class Unresolved(NamedTuple):
    """An interface that gives no edge, and why."""

    artifact: str
    component: str
    reason: Refusal


class Resolution:
    """Everything that follows from a list of artifacts.

    Attributes:
        components: in the order of claiming their ids.
        edges, unresolved: in the order of the interfaces.
        unplaced: artifact and prefix of the tensors that belong to no component.
    """

    def __init__(self, artifacts: list[Artifact]) -> None:
        self.components: list[Derived] = []
        self.edges: list[Edge] = []
        self.unresolved: list[Unresolved] = []
        self._inventories = _inventories(artifacts)
        self._shapes = {
            artifact: {tensor.shape for tensor in tensors} for artifact, tensors in self._inventories.items()
        }
        self.unplaced = set(_unplaced(artifacts, self._inventories))
        for artifact, consumer in zip(artifacts, self._claim(artifacts), strict=True):
            for interface in artifact.interfaces:
                self._resolve(artifact, consumer, interface)

    def _claim(self, artifacts: list[Artifact]) -> list[Derived]:
        """Give every component its id (EDGE-ID-01), and return each artifact's own."""
        ids = _Ids()
        own = []
        for artifact in artifacts:
            role = artifact.role
            own.append(Derived(ids.claim(IDS[role]), role, artifact.name, artifact.num_layers))
            self.components.append(own[-1])
            for name in artifact.nested:
                self.components.append(Derived(ids.claim(name), vocabulary.PERCEPTION, artifact.name, 0))
        return own

    def _resolve(self, artifact: Artifact, consumer: Derived, interface: Interface) -> None:
        """Make an edge where exactly one component can be its producer (EDGE-ONE-01)."""
        try:
            self._require_projector(artifact, consumer, interface)
            producer = self._producer(consumer, interface.taps)
        except Refusal as reason:
            self.unresolved.append(Unresolved(artifact.name, consumer.id, reason))
        else:
            projector = f"{consumer.id}.{vocabulary.FEATURE_PROJECTOR}"
            edge = Edge(producer.id, interface.taps, consumer.id, projector, interface.block_size)
            self.edges.append(edge)

    def _require_projector(self, artifact: Artifact, consumer: Derived, interface: Interface) -> None:
        if artifact.name not in self._shapes:
            message = f"nobody listed the tensors of {artifact.name}"
            raise Refusal("missing-inventory", message, artifact=artifact.name)
        wanted = _projector_shapes(artifact, interface)
        if self._shapes[artifact.name].isdisjoint(wanted):
            message = f"{artifact.name} has no tensor of the shape {wanted[0]}, either way round"
            raise Refusal("no-projector", message, consumer=consumer.id)

    def _producer(self, consumer: Derived, taps: tuple[int, ...]) -> Derived:
        """The only candidate (EDGE-DEPTH-01, EDGE-CANDIDATE-01, EDGE-CANDIDATE-02)."""
        deepest = max(taps, default=-1)
        candidates = [
            each
            for each in self.components
            if each.role == vocabulary.PRIMARY_TEXT
            and each.artifact != consumer.artifact
            and each.num_layers > deepest
        ]
        if not candidates:
            message = f"nothing that {consumer.id} can tap has a layer {deepest}"
            raise Refusal("no-producer", message, consumer=consumer.id, deepest_tap=deepest)
        if len(candidates) > 1:
            ids = sorted(each.id for each in candidates)
            message = f"{consumer.id} could tap {', '.join(ids)}"
            raise Refusal("ambiguous", message, subject=consumer.id, candidates=ids)
        return candidates[0]


class _Ids:
    """Ids that are given away: the second claimant of one gets _2 behind it (EDGE-ID-01)."""

    def __init__(self) -> None:
        self._claims: Counter[str] = Counter()
        self._given: set[str] = set()

    def claim(self, wanted: str) -> str:
        while True:
            self._claims[wanted] += 1
            number = self._claims[wanted]
            identity = wanted if number == 1 else f"{wanted}_{number}"
            if identity not in self._given:
                self._given.add(identity)
                return identity


def _inventories(artifacts: Iterable[Artifact]) -> dict[str, list[NamedShape]]:
    """The tensors of each artifact that has a list of them, whichever of its entries it is in."""
    inventories: defaultdict[str, list[NamedShape]] = defaultdict(list)
    for artifact in artifacts:
        if artifact.tensors is not None:
            inventories[artifact.name] += artifact.tensors
    return dict(inventories)


def _unplaced(
    artifacts: Iterable[Artifact], inventories: dict[str, list[NamedShape]]
) -> Iterable[tuple[str, str]]:
    """Artifact and prefix of what belongs to no component (EDGE-UNPLACED-01)."""
    projectors: defaultdict[str, set[tuple[int, ...]]] = defaultdict(set)
    for artifact in artifacts:
        for interface in artifact.interfaces:
            projectors[artifact.name].update(_projector_shapes(artifact, interface))
    for name, tensors in inventories.items():
        owned = {tensor.name for tensor in tensors if tensor.shape in projectors[name]}
        for prefix in placement.unplaced((tensor.name for tensor in tensors), owned):
            yield name, prefix


def _projector_shapes(artifact: Artifact, interface: Interface) -> tuple[tuple[int, int], tuple[int, int]]:
    """What the projector of an interface measures, either way round (EDGE-PROJECTOR-02)."""
    width, hidden = len(interface.taps) * artifact.hidden_size, artifact.hidden_size
    return (width, hidden), (hidden, width)
