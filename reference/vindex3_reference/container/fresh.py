"""The index of a fresh graph container (container.md, section 3, the column of fresh writes)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference import json_text, strict_json
from vindex3_reference.container import generation, names
from vindex3_reference.container.index import KNOWN, Index
from vindex3_reference.refusal import Refusal
from vindex3_reference.representation import profile
from vindex3_reference.slot import Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vindex3_reference.container.plan import PlannedSegment
    from vindex3_reference.graph.model import Component, Graph
    from vindex3_reference.strict_json import Json

GRAPH = "system_graph.json"
EXACT: Json = {"name": "exact"}
"""The profile of a container that is given none: it selects nothing."""


class FreshIndex:
    """An index that is complete but for the digests of its segments.

    Args:
        graph: free of defects, with a component.
        segments: those of the graph.
        family: the model type of the source.
        profiles: as they are to be declared; none at all means `exact`.
        extra: further top-level keys.

    Raises:
        Refusal: what opening a container with this index would refuse, be its segments as they may;
            `duplicate-key` for an extra key that is one of the format's.
    """

    def __init__(
        self,
        graph: Graph,
        segments: Sequence[PlannedSegment],
        *,
        family: str | None,
        profiles: Json,
        extra: Json,
    ) -> None:
        self._entries: dict[str, dict[str, Json]] = {
            planned.representation: planned.entry("", "")
            for planned in sorted(segments, key=lambda planned: planned.representation)
        }
        keys = sorted(planned.key for planned in segments)
        self._document: dict[str, Json] = {
            **_head(_described(graph), family),
            **({"representations": dict(self._entries)} if self._entries else {}),
            "profiles": profiles or [EXACT],
            "segments": dict.fromkeys(keys, 1),
            **_extra(extra),
        }
        index = Index(Slot.root(strict_json.parse(self.encoded(), names.INDEX), names.INDEX))
        profile.resolve_all(index.profiles, index.catalogue)

    def record(self, representation: str, payload_sha256: str, segment_sha256: str) -> None:
        """Take the digests of a segment: of its payload, and of the whole file."""
        entry = self._entries[representation]
        entry["payload_sha256"] = payload_sha256
        entry["segment_sha256"] = segment_sha256

    def encoded(self) -> bytes:
        """The document, as text."""
        return json_text.encoded(self._document, names.INDEX)


def _described(graph: Graph) -> Component:
    """The component that a container is described by: the primary one, or the first."""
    primary = (each for each in graph.components if each.id == graph.primary)
    return next(primary, graph.components[0])


def _head(component: Component, family: str | None) -> dict[str, Json]:
    return {
        "version": generation.FRESH,
        "model": component.source_artifact,
        "family": family or "",
        "hidden_size": component.hidden_size,
        "num_layers": component.num_layers,
        "system_graph": GRAPH,
    }


def _extra(extra: Json) -> dict[str, Json]:
    if extra is None:
        return {}
    given = Slot(extra, "extra", None).object()
    for key in given:
        if key in KNOWN:
            raise Refusal("duplicate-key", f"{key!r} is no extra key", path=names.INDEX, key=key)
    return given
