"""What a plan is refused for, all of it before a byte is written (lyrw.md, section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vindex3_reference.lyrw import checks, segments, structure, wire
from vindex3_reference.lyrw.lengths import SchemaLengths
from vindex3_reference.lyrw.partners import Partners
from vindex3_reference.lyrw.tables import coordinates
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from vindex3_reference.lyrw.plan import Plan


def check(plan: Plan) -> None:
    """Judge everything but the lengths of regions.

    Raises:
        Refusal: what reading such a file refuses, in its order; then what verifying it finds; then what
            contradicts the group extent (LAYOUT-PLAN-03 to 08, SEGMENTS-GROUP-01).
    """
    as_read(plan)
    as_verified(plan)
    in_extents(plan)


def as_read(plan: Plan) -> None:
    """Refuse what opening the file would refuse (LAYOUT-PLAN-04)."""
    counts = np.diff(plan.first_schema)
    places = np.arange(len(plan.schemas)) - np.repeat(plan.first_schema[:-1], counts)
    fault = checks.faulty_schema(plan.schemas, places)
    if fault is not None:
        bank_id, place = coordinates(plan, fault)
        raise checks.schema_refusal(plan.schemas[fault : fault + 1], place, bank_id)
    checks.segments(plan.segments.tolist(), segments.populations(plan))


def as_verified(plan: Plan) -> None:
    """Refuse the first defect that the file would have (LAYOUT-PLAN-03, 05, 07 and 08)."""
    spans = segments.spans(plan)
    found = list(structure.faults(plan, Partners(plan), SchemaLengths(plan.schemas)))
    found.append(segments.overlaps(spans))
    if not plan.flags & wire.SPLIT_LAYER:
        found.append(segments.gaps(spans, segments.populations(plan)))
    for findings in found:
        for refusal in findings:
            raise refusal


def in_extents(plan: Plan) -> None:
    """Refuse a segment that begins or ends inside a group (SEGMENTS-GROUP-01 and 02)."""
    extent = plan.group_extent
    if extent is None:
        return
    for bank_id, segment_index, first_entry, entry_count in plan.segments.tolist():
        if first_entry % extent or entry_count % extent:
            raise Refusal(
                "segment-off-extent",
                f"segment {segment_index} of bank {bank_id} holds {entry_count} entries from {first_entry}, "
                f"which is not in groups of {extent}",
                bank_id=bank_id,
                segment_index=segment_index,
                group_extent=extent,
            )
