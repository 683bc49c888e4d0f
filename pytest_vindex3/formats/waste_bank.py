"""Banks of WASTE records: the 48 bytes of each header field by field, then its regions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_vindex3.formats._fields import Field, field_spans, values_at
from pytest_vindex3.formats._raw import raw
from pytest_vindex3.formats._ruler import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_vindex3.formats._source import Source

MAGIC: Final = b"WEXP"
PAGE: Final = 4096
HEADER: Final = (
    Field("magic", 4, text=True),
    Field("layer", 2),
    Field("expert_id", 2),
    Field("fmt", 1),
    Field("flags", 1),
    Field("codebook_id", 2),
    Field("lowrank_id", 2),
    Field("reserved0", 2),
    Field("record_4k_blocks", 4),
    Field("gate_off", 4),
    Field("up_off", 4),
    Field("down_off", 4),
    Field("correction_off", 4),
    Field("crc32", 4),
    Field("reserved1", 8),
)
HEADER_BYTES: Final = sum(field.length for field in HEADER)
OFFSETS: Final = ("gate_off", "up_off", "down_off", "correction_off")
REGIONS: Final = ("gate indices", "up indices", "down indices", "scales and padding")
_WORDS: Final = {4: "VQ3R", 5: "VQ2R", 6: "SUB1", 8: "VQ4P"}


class _WasteBank:
    name = "waste_bank"

    def detect(self, leading: bytes, name: str) -> bool:
        return leading.startswith(MAGIC) or (name.startswith("experts-") and name.endswith(".bin"))

    def spans(self, source: Source) -> Iterator[Span]:
        """Records as long as the first says; without a manifest nothing else tells their stride."""
        stride = values_at(source, 0, HEADER).get("record_4k_blocks", 0) * PAGE
        if not source.size or stride < HEADER_BYTES:
            yield from field_spans(source, 0, HEADER, "record 0", marks=_magic(source, 0))
            if source.size > HEADER_BYTES:
                yield raw(source, HEADER_BYTES, "bytes", note="the record states no length")
            return
        for number, at in enumerate(range(0, source.size, stride)):
            yield from _record(source, at, min(source.size, at + stride), stride, number)


def _record(source: Source, at: int, end: int, stride: int, number: int) -> Iterator[Span]:
    values = values_at(source, at, HEADER)
    marks = _magic(source, at) | dict(_offset_marks(values, stride))
    if "record_4k_blocks" in values and values["record_4k_blocks"] * PAGE != stride:
        marks["record_4k_blocks"] = f"record-length: the first record has {stride} bytes"
    notes = {"fmt": _WORDS.get(values.get("fmt", 0), "of no expert"), "record_4k_blocks": f"{stride:,} bytes"}
    about = {"layer": values.get("layer"), "expert": values.get("expert_id")}
    yield from field_spans(source, at, HEADER, f"record {number}", marks=marks, notes=notes, about=about)
    if at + HEADER_BYTES < end:
        yield from _regions(source, at, end, values, number, sound=not marks)
    if end < at + stride:
        yield Span(
            end, 0, f"record {number} ends here", marks=(f"truncated: {at + stride - end} bytes lack",)
        )


def _regions(
    source: Source, at: int, end: int, values: dict[str, int], number: int, *, sound: bool
) -> Iterator[Span]:
    if not sound:
        yield Span(at + HEADER_BYTES, end - at - HEADER_BYTES, f"record {number} body")
        return
    places = [min(end, at + values[name]) for name in OFFSETS] + [end]
    for region, start, stop in zip(REGIONS, places, places[1:], strict=False):
        if start < stop:
            yield Span(start, stop - start, f"record {number} {region}", paths=("data",))


def _magic(source: Source, at: int) -> dict[str, str]:
    found = source.read(at, min(source.size, at + 4))
    return {} if found == MAGIC else {"magic": f"bad-magic: {found.hex(' ').upper()}, expected 57 45 58 50"}


def _offset_marks(values: dict[str, int], stride: int) -> Iterator[tuple[str, str]]:
    before = HEADER_BYTES
    for name in OFFSETS:
        place = values.get(name)
        if place is None:
            return
        if name == "gate_off" and place != HEADER_BYTES:
            yield name, f"record-offsets: not {HEADER_BYTES}"
        elif name != "gate_off" and place <= before:
            yield name, f"record-offsets: not behind {before}"
        elif place > stride:
            yield name, "record-offsets: behind the record"
        before = place


FORMAT = _WasteBank()
