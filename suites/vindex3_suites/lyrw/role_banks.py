"""Layer files by the roles they hold: what programmes and operations are judged on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vindex3_fixtures.lyrw import Bank, LyrwFile, Schema, Segment
from vindex3_fixtures.lyrw import vocabulary as v

TAGS = {word: tag for tag, word in v.ROLES.items()}


def schema(role: str | int, **values: Any) -> Schema:
    """A small f32 schema of this role; gate_up_fused is interleaved unless its layout is given."""
    tag = TAGS[role] if isinstance(role, str) else role
    layout = v.INTERLEAVED if tag == v.GATE_UP_FUSED else v.UNSPECIFIED
    return replace(Schema(role=tag, layout=layout, rows=4, cols=2), **values)


def layer_of(*schemas: str | int | Schema, bank_id: int = 0, entries: int = 1, **values: Any) -> LyrwFile:
    """A file with one routed bank of these roles or schemas over all of its entries.

    `values` are those of `Bank`; the layer number is 0, as in a manifest's smallest layer.
    """
    made = tuple(one if isinstance(one, Schema) else schema(one) for one in schemas)
    bank = Bank(made, bank_id=bank_id, num_entries=entries, **{"kind": v.ROUTED, **values})
    return LyrwFile(banks=(bank,), logical_layer=0)


def slice_of(file: LyrwFile, *ranges: tuple[int, int], index: int = 0) -> LyrwFile:
    """The file of a split layer that has only these entries, given as [first, end)."""
    bank_id = file.banks[0].bank_id
    segments = tuple(
        Segment(bank_id, index + position, first, end - first) for position, (first, end) in enumerate(ranges)
    )
    return replace(file, segments=segments, flags=1)


FUSED = layer_of("gate_up_fused", "down")
APART = layer_of("gate", "up", "down")
