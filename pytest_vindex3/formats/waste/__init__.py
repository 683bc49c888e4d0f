"""WASTE containers: a folder with a manifest, a trunk, codebooks and banks; described and judged whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_vindex3.formats import Page, Work

MANIFEST: Final = "manifest.json"
TRUNK: Final = "trunk.bin"


class _Waste:
    name = "waste"
    whole = ""
    binds = False

    def holds(self, names: frozenset[str]) -> bool:
        return MANIFEST in names or TRUNK in names

    def observe(self, path: str) -> dict[str, object]:
        from vindex3_reference.waste.verbs import waste_open

        return waste_open(path=path)

    def describe(self, path: str, observation: Mapping[str, object]) -> Page:
        from pytest_vindex3.formats.waste.page import waste_page
        from vindex3_reference.refusal import Refusal
        from vindex3_reference.waste.verbs import usage_read

        usage: Any
        try:
            usage = usage_read(path=path)
        except Refusal as refusal:  # statistics never decide over a container (USAGE-OPEN-01)
            usage = refusal.kind
        return waste_page(Path(path).resolve().name, observation, usage)

    def verify(
        self, paths: Sequence[str], bound: Mapping[str, list[str]] | None, work: Work
    ) -> dict[str, object]:
        from vindex3_reference.waste.verify import verified

        del bound
        [path] = paths
        return verified(path, progress=lambda far: work.tell(far.bytes, far.all_bytes), jobs=work.jobs)


FOLDER = _Waste()
