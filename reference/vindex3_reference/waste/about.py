"""Facts that belong to whatever is refused while something is read."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def about(**facts: object) -> Iterator[None]:
    """Add facts to every refusal from within; those that it has already stay."""
    try:
        yield
    except Refusal as refusal:
        refusal.names = {**facts, **refusal.names}
        raise
