"""What the fields of LYRW records say: words for tags, and marks where a value breaks a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pytest_vindex3.formats._ruler import Span
from vindex3_reference.lyrw import vocabulary, wire

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping

    import numpy as np

    from pytest_vindex3.formats._source import Source

Values = dict[str, int]


@dataclass(frozen=True, slots=True)
class Said:
    """What stands beside a field: its value as text, a note, and marks."""

    value: str
    note: str = ""
    marks: tuple[str, ...] = ()


VENDOR: Final = 256
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "bank_kind": vocabulary.BANK_KINDS,
    "role": vocabulary.ROLES,
    "format": vocabulary.FORMATS,
    "packing": vocabulary.PACKINGS,
    "layout": vocabulary.LAYOUTS,
}


_KEYS: Final[Mapping[str, tuple[str, ...]]] = {"bank_kind": ("kind",), "flags": ("flags", "browse")}
"""Keys of an answer that tell of a field, where they are not its own name alone."""


def record_spans(
    source: Source,
    at: int,
    record: np.dtype[np.void],
    prefix: str,
    say: Callable[[str, int, Values], Said],
    *,
    path: str = "",
    about: Mapping[str, object] | None = None,
) -> Iterator[Span]:
    """The fields of the record at `at`, as far as the file has them; the last may be cut.

    `path` is where lyrw.parse tells of the record.
    """
    values: Values = {}
    for name, (kind, within, *_) in (record.fields or {}).items():
        start, length = at + within, kind.itemsize
        paths = tuple(f"{path}.{key}" for key in _KEYS.get(name, (name,))) if path else ()
        have = min(length, source.size - start)
        if have <= 0:
            return
        if have < length:
            cut = f"cut: {have} of {length} bytes"
            yield Span(start, have, f"{prefix}.{name}", note=cut, paths=paths, about=about or {})
            return
        values[name] = int.from_bytes(source.read(start, start + length), "little")
        said = say(name, values[name], values)
        field = f"{prefix}.{name}"
        yield Span(start, length, field, said.value, said.note, said.marks, paths=paths, about=about or {})


def word(name: str, tag: int) -> str:
    """A tag with its word, or with what is known of a number that has none."""
    words = _WORDS[name]
    if tag < len(words):
        return f"{tag} {words[tag]}"
    if name == "role":
        return f"{tag} {'vendor' if tag >= VENDOR else 'reserved'}"
    return f"{tag} unknown"


def say_header(name: str, value: int, values: Values) -> Said:
    """Beside a field of the header."""
    del values
    if name == "magic":
        return _magic(value.to_bytes(4, "little"))
    if name == "format_version" and value != wire.FORMAT_VERSION:
        generation = ", a layer file of VINDEX2" if value == 1 else ""
        return Said(
            str(value), marks=(f"wrong-generation: {value}, required {wire.FORMAT_VERSION}{generation}",)
        )
    if name == "num_segments" and not value:
        return Said("0", marks=("no-segments",))
    if name == "flags":
        split = "one segment of several" if value & wire.SPLIT_LAYER else ""
        return Said(str(value), ", ".join(filter(None, (split, _unassigned(value & ~wire.SPLIT_LAYER)))))
    if name == "reserved" and value:
        return Said(str(value), "any value is accepted")
    return Said(str(value))


def say_bank(name: str, value: int, earlier: Container[int]) -> Said:
    """Beside a field of a bank descriptor; `earlier` has the bank_ids of the descriptors before it."""
    if name == "bank_id" and value in earlier:
        return Said(str(value), marks=("duplicate-bank-id",))
    if name == "bank_kind":
        return Said(word(name, value))
    if name == "flags":
        bits = value & wire.BROWSE
        known = bits < len(vocabulary.BROWSE_MODES)
        mode = vocabulary.BROWSE_MODES[bits] if known else f"none (bits {bits} unassigned)"
        return Said(
            str(value), ", ".join(filter(None, (f"browse {mode}", _unassigned(value & ~wire.BROWSE))))
        )
    return Said(str(value))


def say_schema(name: str, value: int, values: Values, position: int) -> Said:
    """Beside a field of the schema at `position` of its bank."""
    if name == "schema_index" and value != position:
        return Said(str(value), marks=(f"schema-index-mismatch: {value} at position {position}",))
    if name == "pair_id":
        shown = f"0x{value:04X} unpaired" if value == wire.UNPAIRED else str(value)
        return _pairing(shown, values["packing"], value)
    if name == "layout":
        return _layout(values["role"], value)
    return Said(word(name, value) if name in _WORDS else str(value))


def _magic(found: bytes) -> Said:
    text = found.decode("latin-1") if found.isalnum() else found.hex(" ").upper()
    if found == wire.MAGIC:
        return Said(text)
    return Said(text, marks=(f"bad-magic: {found.hex(' ').upper()}, expected {wire.MAGIC.hex(' ').upper()}",))


def _unassigned(bits: int) -> str:
    return f"unassigned bits 0x{bits:X}" if bits else ""


def _pairing(shown: str, packing: int, pair_id: int) -> Said:
    unpaired = pair_id == wire.UNPAIRED
    if packing >= len(vocabulary.PACKINGS):
        return Said(shown, "" if unpaired else "may be refused as inconsistent-pairing")
    if unpaired == (packing < vocabulary.BLOCKS_VALUES):
        return Said(shown)
    return Said(shown, marks=(f"inconsistent-pairing: {vocabulary.PACKINGS[packing]}",))


def _layout(role: int, layout: int) -> Said:
    shown = word("layout", layout)
    if layout == vocabulary.UNSPECIFIED or role == vocabulary.GATE_UP_FUSED:
        return Said(shown)
    if layout >= len(vocabulary.LAYOUTS) or role >= len(vocabulary.ROLES):
        return Said(shown, "may be refused as layout-on-non-fused")
    return Said(shown, marks=(f"layout-on-non-fused: {vocabulary.ROLES[role]}",))
