"""Texts of a document in which one member of one object stands twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vindex3_fixtures.json_text import at, json_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from vindex3_fixtures.json_text import Way


def quoted(key: str) -> str:
    """A key as it is."""
    return f'"{key}"'


def escaped(key: str) -> str:
    """A key with every letter as an escape."""
    return '"' + "".join(f"\\u{ord(one):04X}" for one in key) + '"'


def with_twice(document: Any, way: Way, spell: Callable[[str], str] = quoted) -> bytes:
    """The document in which the last member of a way stands a second time, with one value."""
    *home, key = way
    text, inner = json_text(document), json_text(at(document, tuple(home)))
    again = f",{spell(str(key))}:".encode() + json_text(at(document, way)) + b"}"
    return text.replace(inner, inner[:-1] + again, 1)
