"""What container.open answers: the index as plain data, and the files that it does not name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.container.generation import GENERATION
from vindex3_reference.container.unreferenced import unreferenced

if TYPE_CHECKING:
    from vindex3_reference.container.container import Container


def opened(container: Container) -> dict[str, object]:
    """The container as its index describes it, before any segment is read."""
    index = container.index
    return {
        "generation": GENERATION,
        "schema": index.version,
        "shapes": index.shapes,
        "model": index.model,
        "family": index.family,
        "hidden_size": index.hidden_size,
        "num_layers": index.num_layers,
        "system_graph": index.system_graph,
        "moe_manifest": index.moe_manifest,
        "authority": index.authority,
        "derived_from_model": index.derived_from_model,
        "precision_map": index.precision_map,
        "profiles": [profile.answer() for profile in index.profiles],
        "representations": {key: entry.answer() for key, entry in index.representations.items()},
        "segments": index.segments,
        "variants": index.catalogue.answer(),
        "extra": index.extra,
        "unreferenced_files": unreferenced(container),
    }
