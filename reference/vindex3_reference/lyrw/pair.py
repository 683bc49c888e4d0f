"""Pairs of schemas: values and their scales, found by a shared number (lyrw.md, section 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.lyrw import vocabulary, wire
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.lyrw.reader import LayerFile
    from vindex3_reference.lyrw.region import Slot


def partner_of(layer: LayerFile, slot: Slot, schema_index: int, partner_role: str | int) -> tuple[int, int]:
    """The schema_index of the partner, and the pair_id that both carry (PAIR-FIND-01, 02, 06, 07).

    Raises:
        Refusal: `not-paired`, `missing-partner` or `ambiguous-partner` (PAIR-FIND-03 to 05).
    """
    schemas = layer.schemas_of(slot.bank)
    pairs: list[int] = schemas["pair_id"].tolist()
    pair_id = pairs[schema_index]
    if pair_id == wire.UNPAIRED:
        raise Refusal(
            "not-paired",
            f"schema {schema_index} of bank {slot.bank_id} has no pair_id",
            bank_id=slot.bank_id,
            schema_index=schema_index,
        )
    tag = vocabulary.tag_of(vocabulary.ROLES, partner_role)
    found = partners(pairs, schemas["role"].tolist(), schema_index, tag)
    if len(found) == 1:
        return found[0], pair_id
    raise _no_partner(slot, schema_index, pair_id, partner_role, len(found))


def partners(pairs: list[int], roles: list[int], schema_index: int, role: int | None) -> list[int]:
    """Every other schema with this role and the same pair_id: a shared number, never an index."""
    return [
        index
        for index, (pair_id, other) in enumerate(zip(pairs, roles, strict=True))
        if index != schema_index and pair_id == pairs[schema_index] and other == role
    ]


def _no_partner(slot: Slot, schema_index: int, pair_id: int, role: str | int, count: int) -> Refusal:
    word = vocabulary.shown(vocabulary.ROLES, role) if isinstance(role, int) else role
    if count:
        return Refusal(
            "ambiguous-partner",
            f"{count} schemas of bank {slot.bank_id} have role {word} and pair_id {pair_id}",
            bank_id=slot.bank_id,
            pair_id=pair_id,
            partner_role=word,
            count=count,
        )
    return Refusal(
        "missing-partner",
        f"no other schema of bank {slot.bank_id} has role {word} and pair_id {pair_id}",
        bank_id=slot.bank_id,
        schema_index=schema_index,
        pair_id=pair_id,
        partner_role=word,
    )
