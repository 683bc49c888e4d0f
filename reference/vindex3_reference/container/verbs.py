"""The verbs of containers (container.md, section 9)."""

from __future__ import annotations

from vindex3_reference.container.container import Container
from vindex3_reference.container.observation import opened

__all__ = ["container_open"]

Answer = dict[str, object]


def container_open(*, path: str) -> Answer:
    """Read the index of a container and resolve every profile that it declares."""
    return opened(Container(path))
