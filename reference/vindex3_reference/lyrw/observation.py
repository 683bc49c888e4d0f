"""The observation of lyrw.parse: what a layer file's tables say (lyrw.md, section 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.lyrw import vocabulary, wire

if TYPE_CHECKING:
    from vindex3_reference.lyrw.reader import LayerFile

    Object = dict[str, object]

_TAGS = {
    "kind": vocabulary.BANK_KINDS,
    "role": vocabulary.ROLES,
    "format": vocabulary.FORMATS,
    "packing": vocabulary.PACKINGS,
    "layout": vocabulary.LAYOUTS,
}
"""The vocabulary of each key that shows a tag."""


class Observation:
    """Plain data about a layer file, with the values that no vocabulary names collected on the way.

    Attributes:
        unknown: where, field and value of each such value, in file order.
    """

    def __init__(self, layer: LayerFile) -> None:
        self._layer = layer
        self.unknown: list[Object] = []

    def parsed(self) -> Object:
        """The whole answer."""
        layer = self._layer
        self._note_bits("header", "flags", layer.flags, wire.SPLIT_LAYER)
        self._note_bits("header", "reserved", layer.reserved, 0)
        return {
            "header": {"logical_layer": layer.logical_layer, "flags": layer.flags},
            "banks": [self._bank(position, row) for position, row in enumerate(layer.banks.tolist())],
            "segments": [
                {
                    "bank_id": bank_id,
                    "segment_index": segment_index,
                    "first_entry": first_entry,
                    "entry_count": entry_count,
                }
                for bank_id, segment_index, first_entry, entry_count in layer.segments.tolist()
            ],
            "table_bytes": layer.table_bytes,
            "payload_start": layer.payload_start,
            "unknown": self.unknown,
        }

    def _bank(self, position: int, row: tuple[int, ...]) -> Object:
        where = f"banks[{position}]"
        bank_id, kind, _, flags, num_entries, input_dim, intermediate_dim, output_dim = row
        return {
            "bank_id": bank_id,
            "kind": self._word(where, "kind", kind),
            "browse": self._browse(where, flags & wire.BROWSE),
            "flags": self._note_bits(where, "flags", flags, wire.BROWSE),
            "num_entries": num_entries,
            "input_dim": input_dim,
            "intermediate_dim": intermediate_dim,
            "output_dim": output_dim,
            "schemas": [
                self._schema(f"{where}.schemas[{place}]", schema)
                for place, schema in enumerate(self._layer.schemas_of(position).tolist())
            ],
        }

    def _schema(self, where: str, row: tuple[int, ...]) -> Object:
        schema_index, role, format_, packing, pair_id, layout, rows, cols = row
        return {
            "schema_index": schema_index,
            "role": self._word(where, "role", role),
            "format": self._word(where, "format", format_),
            "packing": self._word(where, "packing", packing),
            "pair_id": None if pair_id == wire.UNPAIRED else pair_id,
            "layout": self._word(where, "layout", layout),
            "rows": rows,
            "cols": cols,
        }

    def _word(self, where: str, field: str, tag: int) -> str | int:
        """A tag as it is shown; an unknown one is kept in `unknown` (LYRW-TAGS-03 to 05, LYRW-BANK-02)."""
        word = vocabulary.shown(_TAGS[field], tag)
        if isinstance(word, int):
            self._note(where, field, tag)
        return word

    def _browse(self, where: str, bits: int) -> str:
        """The browse mode; bits without a meaning are none, and kept (BROWSE-BITS-01 and 02)."""
        if bits >= len(vocabulary.BROWSE_MODES):
            self._note(where, "browse", bits)
        return vocabulary.browse_mode(bits)

    def _note_bits(self, where: str, field: str, word: int, assigned: int) -> int:
        """The word as stored; its unassigned bits are kept (LYRW-HEADER-03, BROWSE-BITS-03)."""
        if word & ~assigned:
            self._note(where, field, word & ~assigned)
        return word

    def _note(self, where: str, field: str, value: int) -> None:
        self.unknown.append({"where": where, "field": field, "value": value})
