"""Containers: a folder with an index, a system graph or banks, and segments; described and judged whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_vindex3.formats import Page, Work

INDEX: Final = "index.json"
GRAPH: Final = "system_graph.json"


class _Container:
    name = "container"
    whole = ""
    binds = False

    def holds(self, names: frozenset[str]) -> bool:
        return INDEX in names or GRAPH in names or "segments" in names

    def observe(self, path: str) -> dict[str, object]:
        from vindex3_reference.container.verbs import container_open

        return container_open(path=path)

    def describe(self, path: str, observation: Mapping[str, object]) -> Page:
        from pytest_vindex3.formats.container.page import container_page

        return container_page(Path(path).resolve().name, observation, _graph(path, observation))

    def verify(
        self, paths: Sequence[str], bound: Mapping[str, list[str]] | None, work: Work
    ) -> dict[str, object]:
        from vindex3_reference.container.verify import verified

        del bound
        [path] = paths
        return verified(path, progress=work.tell, threads=work.jobs)


def _graph(path: str, observation: Mapping[str, object]) -> Mapping[str, Any] | None:
    """The answer of graph.load, None for a container without a graph.

    Raises:
        Exception: a refusal, where the graph cannot be read as one.
    """
    from vindex3_reference.graph.verbs import graph_load

    return graph_load(path=path) if observation["system_graph"] is not None else None


FOLDER = _Container()
