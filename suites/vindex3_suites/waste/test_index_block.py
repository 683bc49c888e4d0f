"""index_block: one matrix stored by rows and in blocks of rows is one matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vindex3 import cases, check, clause, needs
from vindex3_fixtures.waste import KINDS, Quant, Waste, blocked, made, packed
from vindex3_suites.waste.arrays import gives
from vindex3_suites.waste.models import TINY, open_, opens

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

BLOCK = 64


def _both(quant: Quant, inner: int, width: int) -> tuple[Waste, Waste]:
    """One model by rows and in blocks of 64, drawn from one stream."""
    by_rows, in_blocks = (
        made(
            quant=Quant(quant.stages, quant.vec_dim, quant.entries, quant.index_bits, block),
            inner=inner,
            width=width,
            experts=1,
            layers=1,
            dense=0,
            tensors=(),
            seed="both",
        )
        for block in (0, BLOCK)
    )
    return by_rows, in_blocks


_WHOLE, _PACKED = Quant(stages=2, vec_dim=4, entries=9), Quant(stages=4, vec_dim=8, entries=64, index_bits=6)

PAIRS: dict[str, tuple[Waste, Waste]] = {
    "fewer_rows_than_a_block": _both(_WHOLE, 4, 8),
    "a_row_less_than_a_block": _both(Quant(stages=1, vec_dim=1, entries=7), 63, 65),
    "just_a_block": _both(_WHOLE, 64, 128),
    "whole_bytes": (blocked(0), blocked(BLOCK)),
    "packed": (packed(0), packed(BLOCK)),
    "packed_and_few_rows": _both(_PACKED, 8, 16),
    "one_position": _both(Quant(stages=3, vec_dim=64, entries=5), 64, 64),
}


@clause("WASTE-QUANT-05")
@cases(PAIRS)
def test_both_layouts_are_one_matrix(ask: Ask, case: tuple[Waste, Waste]) -> None:
    """By rows and in blocks, the three matrices of an expert are the same numbers."""
    for model in case:
        path = ask.file("model", model.folder)
        layer = next(iter(model.banks))
        for kind in KINDS:
            expected = gives(case[0].weights(layer, 0, kind))
            reply = ask("waste.matrix", path=path, layer=layer, expert=0, matrix=kind)
            check("WASTE-QUANT-05", reply, expected)


@clause("WASTE-QUANT-05")
@needs("waste.open")
@cases({name: pair[0] for name, pair in PAIRS.items()} | {"tiny": TINY})
def test_no_block_is_by_rows(ask: Ask, case: Waste) -> None:
    """Without index_block a container is read by rows, and 0 is reported."""
    absent = case.without_manifest(("expert_quant", "index_block"))
    check("WASTE-QUANT-05", open_(ask, absent), opens(case))
    path = ask.file("model", absent.folder)
    layer = next(iter(case.banks))
    for kind in KINDS:
        reply = ask("waste.matrix", path=path, layer=layer, expert=0, matrix=kind)
        check("WASTE-QUANT-05", reply, gives(case.weights(layer, 0, kind)))
