"""What a layer file and a plan have in common: descriptors and schemas as arrays."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Records = NDArray[np.void]
    Array = NDArray[Any]


class Tables(Protocol):
    """Tables of known counts.

    Attributes:
        flags: the header's word.
        banks, segments, schemas: structured arrays (`wire.BANK` and so on).
        first_schema: the place in `schemas` where each bank's schemas begin, and the end of the last.
    """

    flags: int
    banks: Records
    segments: Records
    schemas: Records
    first_schema: list[int]


def coordinates(tables: Tables, schema: int) -> tuple[int, int]:
    """The bank_id and schema_index of the schema at this place of the schema table."""
    bank = bisect_right(tables.first_schema, schema) - 1
    return int(tables.banks["bank_id"][bank]), schema - tables.first_schema[bank]
