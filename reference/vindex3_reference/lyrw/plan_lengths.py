"""How many bytes each region of a plan has: by its rule, or as the plan says (lyrw.md, section 4)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from vindex3_reference.lyrw import segments, vocabulary
from vindex3_reference.lyrw.lengths import length_of, rule_of
from vindex3_reference.lyrw.plan import PATH, Plan, Region, region_mismatch
from vindex3_reference.lyrw.tables import coordinates
from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import U64

if TYPE_CHECKING:
    from collections.abc import Mapping


class PlanLengths:
    """The length of every region of a plan that `plan_checks` let pass.

    Attributes:
        single: the regions whose length is given one by one.

    Raises:
        Refusal: `unknown-length`, `region-length-mismatch`, `out-of-range`, or `plan-mismatch` for the
            length of a region that the plan has not (LAYOUT-REGION-03 to 05).
    """

    def __init__(self, plan: Plan) -> None:
        self.single: Mapping[Region, int] = plan.single_lengths
        self._by_schema: dict[tuple[int, int], int | None] = {}
        self._ruled: set[tuple[int, int]] = set()
        for place, explicit in enumerate(plan.lengths):
            self._add_schema(plan, place, explicit)
        self._check_single(plan)
        self._check_known(plan)

    def default(self, bank_id: int, schema_index: int) -> int | None:
        """The length of a schema's regions; None where each one is given."""
        return self._by_schema[bank_id, schema_index]

    def _add_schema(self, plan: Plan, place: int, explicit: int | None) -> None:
        bank_id, index = coordinates(plan, place)
        _, _, format_, packing, _, _, rows, cols = plan.schemas[place].item()
        rule = rule_of(format_, packing)
        self._by_schema[bank_id, index] = explicit
        if rule is None:
            return
        expected = length_of(rule, rows, cols)
        if explicit is not None and explicit != expected:
            raise _mislong(bank_id, index, explicit, expected)
        if expected > U64:
            raise Refusal(
                "out-of-range",
                f"regions of schema {index} of bank {bank_id} have {expected} bytes, which no row can state",
                path=PATH,
                field="length",
                value=expected,
            )
        self._by_schema[bank_id, index] = expected
        self._ruled.add((bank_id, index))

    def _check_single(self, plan: Plan) -> None:
        """Refuse single lengths of regions that are not there, or that contradict a rule."""
        held = segments.Held(segments.spans(plan))
        for region, length in self.single.items():
            bank_id, entry, index = region
            if (bank_id, index) not in self._by_schema or not held.has(bank_id, entry):
                raise region_mismatch(region, "a length is given, and the plan has no such region")
            expected = self._by_schema[bank_id, index]
            if expected is not None and (bank_id, index) in self._ruled and length != expected:
                refusal = _mislong(bank_id, index, length, expected)
                refusal.names["entry"] = entry
                raise refusal

    def _check_known(self, plan: Plan) -> None:
        """Refuse a schema with a region whose length nothing gives."""
        held: Counter[int] = Counter()
        for span in segments.spans(plan):
            held[span.bank_id] += span.end_entry - span.first_entry
        given = Counter((region.bank_id, region.schema_index) for region in self.single)
        for place in range(len(plan.lengths)):
            bank_id, index = coordinates(plan, place)
            if self._by_schema[bank_id, index] is None and given[bank_id, index] < held[bank_id]:
                raise _unknown(plan, place)


def _mislong(bank_id: int, schema_index: int, length: int, expected: int) -> Refusal:
    return Refusal(
        "region-length-mismatch",
        f"schema {schema_index} of bank {bank_id} is given {length} bytes, and its rule gives {expected}",
        bank_id=bank_id,
        schema_index=schema_index,
        length=length,
        expected=expected,
    )


def _unknown(plan: Plan, place: int) -> Refusal:
    bank_id, index = coordinates(plan, place)
    _, _, format_tag, packing_tag, *_ = plan.schemas[place].item()
    format_ = vocabulary.shown(vocabulary.FORMATS, format_tag)
    packing = vocabulary.shown(vocabulary.PACKINGS, packing_tag)
    return Refusal(
        "unknown-length",
        f"schema {index} of bank {bank_id}: nothing gives a length for {format_} as {packing}",
        bank_id=bank_id,
        schema_index=index,
        format=format_,
        packing=packing,
    )
