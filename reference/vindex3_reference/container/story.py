"""How stored representations compare with the artifacts they were made from (container.md, section 7)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from vindex3_reference.container.binding import bound_tensors, missing_artifact
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from vindex3_reference.container.binding import Bound
    from vindex3_reference.container.sources import Sources
    from vindex3_reference.container.verdict import Verdict
    from vindex3_reference.graph.model import Graph

STORIES = {
    (True, True): "agree",
    (False, True): "source-drifted",
    (True, False): "container-changed",
    (False, False): "both",
}
"""By whether the source is what is recorded, and whether the container is (VERIFY-SOURCE-01)."""


def tell(verdicts: Mapping[str, Verdict], graph: Graph, sources: Sources) -> Iterator[Refusal]:
    """Give the first representation of each object its story; yield each source that is not what is recorded.

    An object of which an artifact is not among the sources has none.
    """
    bound = bound_tensors(graph.objects, sources)
    for each in graph.objects:
        verdict = verdicts.get(f"{each.id}@{each.canonical}")
        if verdict is None or missing_artifact(each, sources):
            continue
        digest = payload_digest(bound[each.id])
        drifted = digest != verdict.entry.payload_sha256
        verdict.story = STORIES[not drifted, verdict.payload_ok]
        if drifted:
            yield Refusal(
                "hash-mismatch",
                f"{verdict.key}: its sources give {digest}, and {verdict.entry.payload_sha256!r} is recorded",
                subject=verdict.key,
                digest="source",
                expected=verdict.entry.payload_sha256,
                found=digest,
            )


def payload_digest(bound: Iterable[Bound]) -> str:
    """The digest of the payload that a writer makes of these tensors, which are in stored order."""
    digest = hashlib.sha256()
    for _, tensor in bound:
        digest.update(tensor.data)
    return digest.hexdigest()
