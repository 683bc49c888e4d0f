"""Documents of containers, as JSON with a ruler: a line of text after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_vindex3.formats._document import document_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.formats._ruler import Span
    from pytest_vindex3.formats._source import Source

FILE_NAMES: Final = ("index.json", "manifest.json", "system_graph.json")


class _JsonDocument:
    name = "json"

    def detect(self, leading: bytes, name: str) -> bool:
        del leading  # those of every document are alike
        return name in FILE_NAMES

    def spans(self, source: Source) -> Iterator[Span]:
        return document_spans(source)


FORMAT = _JsonDocument()
