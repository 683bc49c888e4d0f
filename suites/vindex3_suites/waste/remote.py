"""Containers of one layer whose bank is a hole but for one record, however far behind it lies."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from vindex3_fixtures.waste import Quant, Record, Sparse, Waste, made
from vindex3_fixtures.waste.make import drawn_record

INNER: Final = 16
WIDTH: Final = 24
"""I and W of the drawn records."""


def remote(stored: Record, experts: int, around: Waste) -> Waste:
    """A container whose one bank has so many slots, and this record in its own.

    Args:
        stored: the record; layer, expert and codebook_id are those of the container.
        experts: slots of the bank.
        around: a container with the layer, the shapes and the books of the record.
    """
    layer, bank = stored.layer, Sparse(experts * stored.length, {stored.expert * stored.length: stored.data})
    model = around.with_config("num_experts", experts).with_layer(layer, "experts", experts)
    model = model.with_layer(layer, "bytes", bank.length)
    model = model.with_layer(layer, "codebook_base", stored.codebook_id)
    return model.with_file(model.bank_file(layer), bank)


def drawn_remote(
    layer: int, expert: int, experts: int, quant: Quant | None = None, blocks: int | None = None
) -> tuple[Waste, Record]:
    """Such a container with drawn books, and its record, drawn, of so many pages."""
    width = quant or Quant()
    around = made(quant=width, inner=INNER, width=WIDTH, experts=1, layers=layer + 1, dense=layer)
    stored = replace(drawn_record(width, INNER, WIDTH, layer, expert, 0, "remote"), blocks=blocks)
    return remote(stored, experts, around), stored
