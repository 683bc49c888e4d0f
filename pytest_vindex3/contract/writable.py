"""Inputs that write themselves: sparse files, folders, whatever is more than its bytes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeGuard, runtime_checkable


@runtime_checkable
class Writable(Protocol):
    """Content that writes itself, such as a sparse file or a folder."""

    def write_to(self, path: Path) -> object:
        """Write the content to this path, where nothing is yet.

        Raises:
            OSError: it cannot be written.
        """
        ...


@runtime_checkable
class Changeable(Writable, Protocol):
    """Content that can be made of what lies at a path by changing the few parts that differ."""

    def change(self, path: Path, former: object) -> bool:
        """Make `path`, where `former` was written and is as it was, hold this content.

        Returns:
            False where that would take more than writing it anew; nothing is changed then.

        Raises:
            OSError: it cannot be written.
        """
        ...


def changeable(content: object) -> TypeGuard[Changeable]:
    """Whether content is such; to ask it of the protocol itself takes longer than to write a small file."""
    kind: Any = type(content)
    return _is_changeable(kind)


@cache
def _is_changeable(kind: type) -> bool:
    return issubclass(kind, Changeable)
