"""A plan from a handful of numbers: banks of experts as they usually are (lyrw.md, sections 4 and 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

PACKINGS: Final = ("auto", "inline", "pair", "row_major")
SHAPED: Final = ("gate", "up", "gate_up_fused", "down")
"""Roles whose rows and cols follow from the dimensions of the bank."""
SPLIT: Final = 1
"""The header flag of a file that has not the whole layer."""

_FLOATS: Final = ("f32", "f16", "bf16")


@dataclass(frozen=True, slots=True)
class Recipe:
    """A bank of experts by its numbers.

    Attributes:
        layer, bank_id, kind, browse: as in the plan.
        experts: entries of the whole bank.
        input, intermediate, output: its dimensions.
        roles, formats: of one entry; one format for all roles, or as many as there are roles.
        packing: one of `PACKINGS`; "auto" is row_major for plain floats and inline otherwise; "pair"
            stores the scales of block formats apart.
        layout: of gate_up_fused.
        first_entry, entry_count: what this file has.
        segments: segment records among which its entries are shared out.
        segment_index: of the first of them; None to number segments of this width through the bank.
        group_extent: 8, 16 or 32 to keep so many entries together, or None.
    """

    experts: int
    input: int
    intermediate: int
    output: int
    roles: Sequence[str] = ("gate_up_fused", "down")
    formats: Sequence[str] = ("mxfp4",)
    packing: str = "auto"
    layout: str = "contiguous_halves"
    layer: int = 0
    bank_id: int = 0
    kind: str = "routed"
    browse: str = "none"
    first_entry: int = 0
    entry_count: int | None = None
    segments: int = 1
    segment_index: int | None = None
    group_extent: int | None = None

    def plan(self) -> dict[str, Any]:
        """The plan that the recipe stands for; whether it is legal is for the layout to say.

        Raises:
            ValueError: a role without a shape, formats that do not fit the roles, or segments that
                cannot be shared out.
        """
        held = self.experts - self.first_entry if self.entry_count is None else self.entry_count
        bank = {
            "bank_id": self.bank_id,
            "kind": self.kind,
            "browse": self.browse,
            "num_entries": self.experts,
            "input_dim": self.input,
            "intermediate_dim": self.intermediate,
            "output_dim": self.output,
            "schemas": self._schemas(),
        }
        plan: dict[str, Any] = {
            "header": {"logical_layer": self.layer, "flags": 0 if held == self.experts else SPLIT},
            "banks": [bank],
            "segments": self._segments(held),
        }
        if self.group_extent is not None:
            plan["group_extent"] = self.group_extent
        return plan

    def _schemas(self) -> list[dict[str, Any]]:
        formats = self.formats if len(self.formats) > 1 else [*self.formats] * len(self.roles)
        if len(formats) != len(self.roles):
            raise ValueError(f"{len(formats)} formats are given for {len(self.roles)} roles")
        values, scales = [], []
        for number, (role, form) in enumerate(zip(self.roles, formats, strict=True)):
            packing = self._packing(form)
            schema = {
                "role": role,
                "format": form,
                "packing": packing,
                "pair_id": number if packing == "blocks_values" else None,
                "layout": self.layout if role == "gate_up_fused" else "unspecified",
                **self._shape(role),
            }
            values.append(schema)
            if packing == "blocks_values":
                apart = {"role": "scales", "packing": "blocks_scales", "layout": "unspecified"}
                scales.append({**schema, **apart})
        return values + scales

    def _packing(self, form: str) -> str:
        if form in _FLOATS or self.packing == "row_major":
            return "row_major"
        return "blocks_values" if self.packing == "pair" else "blocks_with_scales_inline"

    def _shape(self, role: str) -> Mapping[str, int]:
        shapes = {
            "gate": (self.intermediate, self.input),
            "up": (self.intermediate, self.input),
            "gate_up_fused": (2 * self.intermediate, self.input),
            "down": (self.output, self.intermediate),
        }
        if role not in shapes:
            raise ValueError(
                f"the dimensions of a bank give {', '.join(SHAPED)} a shape, and not {role!r}; "
                "a plan file can have any role (--plan prints one to begin with)"
            )
        rows, cols = shapes[role]
        return {"rows": rows, "cols": cols}

    def _segments(self, held: int) -> list[dict[str, int]]:
        step = self.group_extent or 1
        if self.segments < 1:
            raise ValueError("a file has one segment at least")
        width = -(-held // (self.segments * step)) * step
        counts = [min(width, held - width * number) for number in range(self.segments)]
        if self.segments > 1 and min(counts) < 1:
            raise ValueError(f"{held} entries cannot be shared out among {self.segments} segments")
        first_index = self.segment_index
        if first_index is None:
            first_index = self.first_entry // width if width > 0 else 0
        return [
            {
                "bank_id": self.bank_id,
                "segment_index": first_index + number,
                "first_entry": self.first_entry + width * number,
                "entry_count": count,
            }
            for number, count in enumerate(counts)
        ]
