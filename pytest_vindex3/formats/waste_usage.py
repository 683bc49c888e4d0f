"""usage.waste: what runs have counted, entry by entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_vindex3.formats._fields import Field, field_spans
from pytest_vindex3.formats._raw import raw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.formats._ruler import Span
    from pytest_vindex3.formats._source import Source

MAGIC: Final = b"WUSG"
HEADER: Final = (Field("magic", 4, text=True), Field("version", 4), Field("clock", 8))
ENTRY: Final = (
    Field("layer", 2),
    Field("expert", 2),
    Field("hits", 4),
    Field("last_seen", 4),
    Field("next_layer_top", 4),
)
HEADER_BYTES: Final = 16
ENTRY_BYTES: Final = 16


class _WasteUsage:
    name = "waste_usage"

    def detect(self, leading: bytes, name: str) -> bool:
        return leading.startswith(MAGIC) or name == "usage.waste"

    def spans(self, source: Source) -> Iterator[Span]:
        found = source.read(0, min(4, source.size))
        marks = {} if found == MAGIC else {"magic": "bad-magic: the magic is 57 55 53 47"}
        yield from field_spans(source, 0, HEADER, "header", marks=marks)
        whole = (source.size - HEADER_BYTES) // ENTRY_BYTES
        for number in range(whole):
            at = HEADER_BYTES + number * ENTRY_BYTES
            yield from field_spans(source, at, ENTRY, f"entry {number}")
        rest = HEADER_BYTES + max(whole, 0) * ENTRY_BYTES
        if rest < source.size:
            yield raw(source, rest, f"entry {whole}", note="torn: dropped by every reader")


FORMAT = _WasteUsage()
