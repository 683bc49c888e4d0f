"""The verbs of LYRW v2 layer files and of the manifest that binds them (lyrw.md, section 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vindex3_reference.lyrw import capability, moe_defects, pair, region
from vindex3_reference.lyrw.layout import Layout
from vindex3_reference.lyrw.moe_manifest import Manifest
from vindex3_reference.lyrw.observation import Observation
from vindex3_reference.lyrw.plan import Plan
from vindex3_reference.lyrw.reader import LayerFile
from vindex3_reference.lyrw.verify import verified
from vindex3_reference.lyrw.writer import write
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.lyrw.writer import Payload
    from vindex3_reference.strict_json import Json

__all__ = [
    "capability_check",
    "lyrw_layout",
    "lyrw_parse",
    "lyrw_partner",
    "lyrw_region",
    "lyrw_verify",
    "lyrw_write",
    "moe_check",
    "moe_load",
]

Answer = dict[str, object]
Role = str | int


def lyrw_parse(*, path: str) -> Answer:
    """Describe a layer file from its header, descriptors and schemas alone."""
    with LayerFile(path) as layer:
        return Observation(layer).parsed()


def lyrw_region(
    *, path: str, bank_id: int, entry: int, schema_index: int | None = None, role: Role | None = None
) -> Answer:
    """Give the place and bytes of one region; `schema_index` decides where a role is given as well."""
    with LayerFile(path) as layer:
        slot = region.slot_of(layer, bank_id, entry)
        if slot is None:
            return {"absent": True}
        index = _asked_schema(layer, slot, schema_index, role)
        if index is None:
            return {"absent": True}
        extent, data = region.bytes_of(layer, slot, index)
        return {**extent._asdict(), "data": data}


def lyrw_partner(
    *, path: str, bank_id: int, entry: int, schema_index: int, partner_role: Role = "scales"
) -> Answer:
    """Find the schema that is paired with another one, and the place of its region for the entry."""
    with LayerFile(path) as layer:
        slot = region.slot_of(layer, bank_id, entry)
        if slot is None or not region.has_schema(layer, slot, schema_index):
            return {"absent": True}
        partner, pair_id = pair.partner_of(layer, slot, schema_index, partner_role)
        return {
            "schema_index": partner,
            "pair_id": pair_id,
            **region.extent_of(layer, slot, partner)._asdict(),
        }


def lyrw_verify(*, path: str | list[str]) -> Answer:
    """List everything that is wrong with a layer file, or with a list of all files of one layer."""
    return verified(path).answer()


def lyrw_layout(*, plan: Json) -> Answer:
    """Say where every table and region of a plan lies."""
    return Layout(Plan(plan)).answer()


def lyrw_write(*, plan: Json, payload: Payload, path: str) -> Answer:
    """Write the file of a plan, with the bytes that `payload` gives for each region."""
    return write(Layout(Plan(plan)), payload, path)


def moe_load(*, path: str) -> Answer:
    """Read a manifest, with every optional field filled in."""
    return Manifest(path).answer()


def moe_check(*, path: str, segments: Json = None) -> Answer:
    """List everything that is wrong with a manifest, and with `segments` in the files of its routed banks."""
    return moe_defects.checked(path, segments).answer()


def capability_check(*, files: list[str], bank_id: int, operation: str, options: Json = None) -> Answer:
    """Say whether an operation can be done with a bank, and what stands against it."""
    return capability.checked(files, bank_id, operation, options)


def _asked_schema(
    layer: LayerFile, slot: region.Slot, schema_index: int | None, role: Role | None
) -> int | None:
    if schema_index is not None:
        return schema_index if region.has_schema(layer, slot, schema_index) else None
    if role is None:
        raise Refusal("missing-field", "a region is asked by schema_index or by role", field="schema_index")
    return region.schema_with_role(layer, slot, role)
