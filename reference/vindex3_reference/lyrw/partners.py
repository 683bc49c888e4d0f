"""Whether the schemas of a table find their partners, all at once (lyrw.md, section 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vindex3_reference.lyrw import vocabulary
from vindex3_reference.lyrw.tables import coordinates
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vindex3_reference.lyrw.tables import Tables

    Array = NDArray[Any]

SCALES = vocabulary.ROLES.index("scales")


class Partners:
    """The scales schemas that share bank and pair_id with each blocks_values schema, itself excepted.

    Attributes:
        tables: what the schemas are of.
        values: the blocks_values schemas, by place in the schema table.
        counts: how many partners each has.
        partner: the place of the partner of each that has exactly one.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        schemas = tables.schemas
        self.values: Array = (schemas["packing"] == vocabulary.BLOCKS_VALUES).nonzero()[0]
        if not len(self.values):
            self.counts = self.partner = self.values
            return
        keys = _keys(tables)
        scales = (schemas["role"] == SCALES).nonzero()[0]
        scales = scales[keys[scales].argsort(kind="stable")]
        sorted_keys, wanted = keys[scales], keys[self.values]
        first = sorted_keys.searchsorted(wanted, side="left")
        after = sorted_keys.searchsorted(wanted, side="right")
        is_scales = schemas["role"][self.values] == SCALES
        self.counts = after - first - is_scales
        self.partner = np.append(scales, -1)[np.minimum(first, len(scales))]
        itself = self.partner == self.values
        self.partner[itself] = np.append(scales, [-1, -1])[first[itself] + 1]


def missing(pairs: Partners) -> Iterator[Refusal]:
    """Each blocks_values schema without scales (PAIR-VERIFY-01, LAYOUT-PLAN-05)."""
    for schema in pairs.values[pairs.counts == 0].tolist():
        bank_id, index = coordinates(pairs.tables, schema)
        pair_id = int(pairs.tables.schemas["pair_id"][schema])
        yield Refusal(
            "missing-partner",
            f"no other schema of bank {bank_id} has role scales and pair_id {pair_id}",
            bank_id=bank_id,
            schema_index=index,
            pair_id=pair_id,
            partner_role="scales",
        )


def ambiguous(pairs: Partners) -> Iterator[Refusal]:
    """Each blocks_values schema with several scales (PAIR-VERIFY-01, LAYOUT-PLAN-05)."""
    several = pairs.counts > 1
    for schema, count in zip(pairs.values[several].tolist(), pairs.counts[several].tolist(), strict=True):
        bank_id, index = coordinates(pairs.tables, schema)
        pair_id = int(pairs.tables.schemas["pair_id"][schema])
        yield Refusal(
            "ambiguous-partner",
            f"{count} schemas of bank {bank_id} have role scales and pair_id {pair_id}",
            bank_id=bank_id,
            schema_index=index,
            pair_id=pair_id,
            partner_role="scales",
            count=count,
        )


def misshapen(pairs: Partners) -> Iterator[Refusal]:
    """Each pair whose scales do not declare rows and cols of their values (PAIR-VERIFY-02)."""
    if not len(pairs.values):
        return
    single = pairs.counts == 1
    values, scales = pairs.values[single], pairs.partner[single]
    rows, cols = (pairs.tables.schemas[field] for field in ("rows", "cols"))
    differs = (rows[values] != rows[scales]) | (cols[values] != cols[scales])
    for value, scale in zip(values[differs].tolist(), scales[differs].tolist(), strict=True):
        bank_id, index = coordinates(pairs.tables, scale)
        _, other = coordinates(pairs.tables, value)
        yield Refusal(
            "pair-shape-mismatch",
            f"scales {index} of bank {bank_id} have another shape than their values {other}",
            bank_id=bank_id,
            schema_index=index,
            other_schema_index=other,
        )


def _keys(tables: Tables) -> Array:
    """A number for bank and pair_id of each schema: pairs are sought within one bank (PAIR-FIND-06)."""
    counts = np.diff(tables.first_schema)
    keys: Array = np.repeat(np.arange(len(counts)) << 16, counts) + tables.schemas["pair_id"]
    return keys
