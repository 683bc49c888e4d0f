"""LYRW v2 layer files with a ruler: tables field by field, regions by their coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3.formats.lyrw.payload import Payload
from pytest_vindex3.formats.lyrw.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.formats._ruler import Span
    from pytest_vindex3.formats._source import Source


class _Lyrw:
    name = "lyrw"

    def detect(self, leading: bytes, name: str) -> bool:
        return leading.startswith(b"LYRW") or name.endswith(".lyrw")

    def spans(self, source: Source) -> Iterator[Span]:
        tables = Tables(source)
        yield from tables.spans()
        if tables.whole:
            yield from Payload(source, tables).spans()


FORMAT = _Lyrw()
