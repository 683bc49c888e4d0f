"""LYRW v2 layer files: with a ruler, field by field; described by their tables; judged whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vindex3.formats.lyrw.payload import Payload
from pytest_vindex3.formats.lyrw.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_vindex3.formats import Work
    from pytest_vindex3.formats._page import Page
    from pytest_vindex3.formats._ruler import Span
    from pytest_vindex3.formats._source import Source


class _Lyrw:
    name = "lyrw"
    whole = "layer"
    binds = False

    def detect(self, leading: bytes, name: str) -> bool:
        return leading.startswith(b"LYRW") or name.endswith(".lyrw")

    def spans(self, source: Source) -> Iterator[Span]:
        tables = Tables(source)
        yield from tables.spans()
        if tables.whole:
            yield from Payload(source, tables).spans()

    def observe(self, path: str) -> dict[str, object]:
        from vindex3_reference.lyrw.verbs import lyrw_parse

        return lyrw_parse(path=path)

    def describe(self, path: str, observation: Mapping[str, object]) -> Page:
        from pytest_vindex3.formats.lyrw.page import layer_page

        return layer_page(Path(path).name, Path(path).stat().st_size, observation)

    def verify(
        self, paths: Sequence[str], bound: Mapping[str, list[str]] | None, work: Work
    ) -> dict[str, object]:
        from vindex3_reference.lyrw.verbs import lyrw_verify

        del bound, work
        return lyrw_verify(path=paths[0] if len(paths) == 1 else list(paths))


FORMAT = _Lyrw()
