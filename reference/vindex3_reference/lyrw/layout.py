"""Where everything lies in the file of a plan: exact arithmetic, no bytes (lyrw.md, section 4)."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.lyrw import plan_checks, segments, wire
from vindex3_reference.lyrw.plan import PATH, Plan, Region
from vindex3_reference.lyrw.plan_lengths import PlanLengths
from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import U64

if TYPE_CHECKING:
    from collections.abc import Iterator


class Placed(NamedTuple):
    """A region and its place in the file."""

    region: Region
    offset: int
    length: int


class Layout:
    """The offsets of a plan's tables and regions, in bytes.

    Attributes:
        plan: the plan, legal in every respect.
        bank_table, segment_table, schema_table, entry_table: where the tables begin.
        entry_tables: where each segment's rows begin, and the end of the last.
        file_length: the end of the last region; nothing follows it (LAYOUT-REGION-02).

    Raises:
        Refusal: whatever is wrong with the plan.
    """

    def __init__(self, plan: Plan) -> None:
        plan_checks.check(plan)
        self.plan = plan
        self._lengths = PlanLengths(plan)
        self._spans = segments.spans(plan)
        self._held = segments.Held(self._spans)
        banks = plan.banks
        self._schema_counts: dict[int, int] = dict(
            zip(banks["bank_id"].tolist(), banks["region_schema_count"].tolist(), strict=True)
        )
        self.bank_table: int = wire.HEADER.itemsize
        self.segment_table = self.bank_table + banks.nbytes
        self.schema_table = self.segment_table + plan.segments.nbytes
        self.entry_table = self.schema_table + plan.schemas.nbytes
        sizes = (
            wire.ROW.itemsize * (span.end_entry - span.first_entry) * self._schema_counts[span.bank_id]
            for span in self._spans
        )
        self.entry_tables = list(accumulate(sizes, initial=self.entry_table))
        self.file_length = self._end()

    @property
    def table_bytes(self) -> int:
        """The end of the last entry table."""
        return self.entry_tables[-1]

    @property
    def payload_start(self) -> int:
        """Where the first region lies."""
        return wire.aligned(self.table_bytes)

    def regions(self) -> Iterator[Placed]:
        """Every region in file order: segment as declared, entry, schema (LAYOUT-REGION-01)."""
        end = self.payload_start
        for span in self._spans:
            defaults = self._defaults(span.bank_id)
            for entry in range(span.first_entry, span.end_entry):
                for index, default in enumerate(defaults):
                    region = Region(span.bank_id, entry, index)
                    length = self._lengths.single.get(region, default)
                    offset = wire.aligned(end)
                    yield Placed(region, offset, length)
                    end = offset + length

    def has(self, region: Region) -> bool:
        """Whether the plan has this region."""
        known = 0 <= region.schema_index < self._schema_counts.get(region.bank_id, 0)
        return known and self._held.has(region.bank_id, region.entry)

    def answer(self) -> dict[str, object]:
        """The answer of lyrw.layout."""
        tables = [
            {
                "bank_id": span.bank_id,
                "segment_index": span.segment_index,
                "offset": offset,
                "length": end - offset,
            }
            for span, offset, end in zip(
                self._spans, self.entry_tables[:-1], self.entry_tables[1:], strict=True
            )
        ]
        return {
            "tables": {
                "bank_table": self.bank_table,
                "segment_table": self.segment_table,
                "schema_table": self.schema_table,
                "entry_table": self.entry_table,
                "entry_tables": tables,
                "table_bytes": self.table_bytes,
                "payload_start": self.payload_start,
            },
            "regions": [
                {**region._asdict(), "offset": offset, "length": length}
                for region, offset, length in self.regions()
            ],
            "file_length": self.file_length,
        }

    def _defaults(self, bank_id: int) -> list[int]:
        """The length of each schema's regions; 0 stands where each one is given."""
        return [self._lengths.default(bank_id, index) or 0 for index in range(self._schema_counts[bank_id])]

    def _end(self) -> int:
        """The end of the last region, without a walk over all of them.

        Every region begins aligned, so that each takes its length rounded up, wherever it lies.

        Raises:
            Refusal: `out-of-range`, where that region begins beyond what a row can state.
        """
        end = self.payload_start
        for span in self._spans:
            stride = sum(map(wire.aligned, self._defaults(span.bank_id)))
            end += stride * (span.end_entry - span.first_entry)
        for region, length in self._lengths.single.items():
            default = self._lengths.default(region.bank_id, region.schema_index) or 0
            end += wire.aligned(length) - wire.aligned(default)
        last_length = self._last_length()
        offset = end - wire.aligned(last_length)
        if offset > U64:
            raise Refusal(
                "out-of-range",
                f"the last region would lie at {offset}, which no row can state",
                path=PATH,
                field="offset",
                value=offset,
            )
        return offset + last_length

    def _last_length(self) -> int:
        span = self._spans[-1]
        index = self._schema_counts[span.bank_id] - 1
        region = Region(span.bank_id, span.end_entry - 1, index)
        return self._lengths.single.get(region, self._lengths.default(span.bank_id, index) or 0)
