"""Verbs that make containers (spec: container.md, sections 5 and 6)."""

from __future__ import annotations

from typing import NotRequired, Protocol, TypedDict

from pytest_vindex3.contract.families.container import SourceTensor
from pytest_vindex3.contract.slots import Document
from pytest_vindex3.contract.verb import verb


class WrittenContainer(TypedDict):
    """What a writer published, in the order in which it became visible, or `interrupted: true` alone."""

    path: NotRequired[str]
    published: NotRequired[list[str]]
    interrupted: NotRequired[bool]


class Rewritten(TypedDict):
    """Files of the source that the result has, and those that it has not; both sorted."""

    path: str
    carried_files: list[str]
    dropped_files: list[str]


@verb("container.write", options=("interrupt_before",), writes=("out",))
class ContainerWrite(Protocol):
    """Write a container from a system graph and the tensors of its artifacts.

    `sources` leads from an artifact to its tensors by source name, `extra` are further keys of the index,
    `capability_dir` is a folder from which capability files are copied. A writer that is told to
    stops before it publishes the file `interrupt_before` of the container.
    """

    def __call__(
        self,
        *,
        out: str,
        graph: Document,
        sources: dict[str, list[SourceTensor]],
        family: str | None = None,
        profiles: list[Document] | None = None,
        extra: dict[str, Document] | None = None,
        capability_dir: str | None = None,
        interrupt_before: str | None = None,
    ) -> WrittenContainer: ...


@verb("container.rewrite", writes=("out",))
class ContainerRewrite(Protocol):
    """Write a container that was read to `out`, which may be the path that it is read from."""

    def __call__(self, *, path: str, out: str) -> Rewritten: ...
