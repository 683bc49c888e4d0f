"""The sizes and the packing that a container is written in (waste.md, section 13)."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.refusal import Refusal
from vindex3_reference.waste.config import Config, config_of
from vindex3_reference.waste.expert import Expert, expert_of
from vindex3_reference.waste.layers import MOST_RECORDS
from vindex3_reference.waste.quant import NEEDED, Quant, quant_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vindex3_reference.slot import Slot
    from vindex3_reference.strict_json import Json

WIDTH = (*NEEDED, "index_bits", "index_block")
"""The settings of which a container has one value each."""
_UNFIT = ("unsupported-packing", "unsupported-index-block", "partial-block")


class Settings(NamedTuple):
    """What sizes the files; `quant` and `expert` are None for a dense model."""

    config: Config
    quant: Quant | None
    expert: Expert | None


def settings_of(config: Slot, quant: Slot | None, published: Quant | None) -> Settings:
    """The settings of a description; those of the container that is resumed stand in for a packing not given.

    Raises:
        Refusal: what reading config and expert_quant refuses, as `out-of-range` wherever numbers do not fit
            together (WASTE-WRITE-04); `missing-field`; `settings-mismatch` (RESUME-BASE-03).
    """
    with _out_of_range():
        sizes = config_of(config)
        if sizes.experts > MOST_RECORDS:
            field = f"{config.field}.num_experts"
            message = f"{field} is above the {MOST_RECORDS} that records can number"
            raise Refusal("out-of-range", message, field=field, value=sizes.experts)
        packing = published if quant is None else quant_of(quant)
        if packing is not None and published is not None:
            _judge_width(packing, published)
        if not sizes.moe_layers:
            return Settings(sizes, packing, None)
        if packing is None:
            raise Refusal("missing-field", "experts have no packing", path="", field="expert_quant")
        return Settings(sizes, packing, expert_of(sizes, packing))


def quant_document(quant: Quant) -> dict[str, Json]:
    """The packing, as a manifest has it (WASTE-WRITE-03)."""
    bits: Json = quant.stages * quant.index_bits / quant.vec_dim
    return {**{key: getattr(quant, key) for key in WIDTH}, "bits_per_weight": bits}


def _judge_width(packing: Quant, published: Quant) -> None:
    for key in WIDTH:
        found, expected = getattr(packing, key), getattr(published, key)
        if found != expected:
            message = f"{key} is {found}, and {expected} in the container that is there"
            raise Refusal("settings-mismatch", message, field=key, expected=expected, found=found)


@contextmanager
def _out_of_range() -> Iterator[None]:
    try:
        yield
    except Refusal as refusal:
        if refusal.kind not in _UNFIT:
            raise
        field = refusal.names.get("field", "expert_quant.index_block")
        value = refusal.names.get("value", refusal.names.get("columns"))
        raise Refusal("out-of-range", refusal.message, field=field, value=value) from None
