"""A layer file written from its layout, in one pass, and in its place only when it is whole."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from vindex3_reference.lyrw import wire
from vindex3_reference.lyrw.plan import Region, region_mismatch
from vindex3_reference.refusal import Refusal
from vindex3_reference.target import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vindex3_reference.lyrw.layout import Layout

    Payload = Callable[[int, int, int], bytes | bytearray | memoryview | None]

ROWS_AT_ONCE = 1 << 12


def write(layout: Layout, payload: Payload, path: str) -> dict[str, object]:
    """Write the file of a layout to `path` (LAYOUT-WRITE-01 and 02).

    Args:
        layout: of a plan that is legal in every respect.
        payload: gives the bytes of a region by bank_id, entry and schema_index, or None where it has not
            got it. Where it also has `keys()`, the coordinates of all regions that it has, none of
            them may be one that the plan lacks.
        path: replaced as `Target` says, once everything is written.

    Raises:
        Refusal: `plan-mismatch` for a payload that does not match (LAYOUT-WRITE-04), `bad-type` for one
            that is no bytes, `io`; the target is then as it was before (LAYOUT-WRITE-05).
    """
    _check_surplus(layout, payload)
    with Target(path) as target:
        for piece in _tables(layout):
            target.write(piece)
        end = layout.table_bytes
        for region, offset, length in layout.regions():
            target.write(bytes(offset - end))
            target.write(_region_bytes(payload, region, length))
            end = offset + length
        target.publish()
    return {
        "file_length": layout.file_length,
        "table_bytes": layout.table_bytes,
        "payload_start": layout.payload_start,
    }


def _check_surplus(layout: Layout, payload: Payload) -> None:
    keys = getattr(payload, "keys", None)
    for key in keys() if keys is not None else ():
        region = Region(*key)
        if not layout.has(region):
            raise region_mismatch(region, "the payload has a region that the plan lacks")


def _tables(layout: Layout) -> Iterator[bytes]:
    """Header, descriptors, schemas and rows."""
    plan = layout.plan
    header = (
        wire.MAGIC,
        wire.FORMAT_VERSION,
        plan.logical_layer,
        len(plan.banks),
        len(plan.segments),
        plan.flags,
        0,
    )
    yield np.array(header, wire.HEADER).tobytes()
    yield from (table.tobytes() for table in (plan.banks, plan.segments, plan.schemas))
    rows = ((offset, length) for _, offset, length in layout.regions())
    while part := list(islice(rows, ROWS_AT_ONCE)):
        yield np.array(part, wire.ROW).tobytes()


def _region_bytes(payload: Payload, region: Region, length: int) -> bytes | memoryview:
    data = payload(*region)
    if data is None:
        raise region_mismatch(region, "the payload lacks the region")
    try:
        view = memoryview(data)
    except TypeError:
        raise Refusal("bad-type", f"the payload gives a {type(data).__name__}", field="data") from None
    if view.nbytes != length:
        raise region_mismatch(region, f"the payload gives {view.nbytes} bytes, and the plan has {length}")
    return view if view.c_contiguous else view.tobytes()
