"""The schemas of a bank as a table, with what their rules say about size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3.formats._page import Grid, near
from vindex3_reference.lyrw import wire
from vindex3_reference.lyrw.lengths import RULES, length_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MOST_ROWS: Final = 40
"""Rows that a table for a person has."""

_HEADS: Final = ("#", "role", "format", "packing, layout", "rows x cols", "pair", "bytes", "bits")
_RIGHT: Final = frozenset({"#", "rows x cols", "pair", "bytes", "bits"})


@dataclass(frozen=True, slots=True)
class Shape:
    """One schema, and the bytes of each of its regions; `length` is None where nothing says it."""

    schema: Mapping[str, Any]
    length: int | None

    @property
    def values(self) -> int:
        """Numbers that a region encodes; none for scales, whose shape is that of their values."""
        scales = self.schema["packing"] == "blocks_scales" or self.schema["role"] == "scales"
        return 0 if scales else self.schema["rows"] * self.schema["cols"]

    @property
    def label(self) -> str:
        """The role, and of an unknown one its number."""
        role = self.schema["role"]
        return role if isinstance(role, str) else f"role {role}"

    @property
    def bits(self) -> str:
        """Bits that a value takes in its own region, "" where that says nothing."""
        return f"{8 * self.length / self.values:.5g}" if self.length and self.values else ""


def ruled(schema: Mapping[str, Any]) -> Shape:
    """A schema with the length that its tags, rows and cols give, where there is a rule and whole blocks."""
    rule = RULES.get((schema["format"], schema["packing"]))
    if rule is None or schema["cols"] % rule.block:
        return Shape(schema, None)
    return Shape(schema, length_of(rule, schema["rows"], schema["cols"]))


def entry_bytes(shapes: Iterable[Shape]) -> int | None:
    """Bytes from one entry to the next, in the order of a writer; None where a length is not known."""
    lengths = [shape.length for shape in shapes]
    if None in lengths:
        return None
    return sum(wire.aligned(length) for length in lengths if length is not None)


def schema_grid(shapes: Sequence[Shape]) -> Grid:
    """A row for each schema, up to `MOST_ROWS`."""
    rows = [_row(shape) for shape in shapes[:MOST_ROWS]]
    if len(shapes) > MOST_ROWS:
        rows.append(("...", f"{len(shapes) - MOST_ROWS} more", *[""] * (len(_HEADS) - 2)))
    return Grid(_HEADS, tuple(rows), _RIGHT)


def _row(shape: Shape) -> tuple[str, ...]:
    schema = shape.schema
    stored = [_word(schema["packing"])]
    if schema["layout"] != "unspecified":
        stored.append(_word(schema["layout"]))
    return (
        str(schema["schema_index"]),
        _word(schema["role"]),
        _word(schema["format"]),
        ", ".join(stored),
        f"{schema['rows']} x {schema['cols']}",
        "" if schema["pair_id"] is None else str(schema["pair_id"]),
        _length(shape.length),
        shape.bits,
    )


def _length(length: int | None) -> str:
    if length is None:
        return "no rule"
    return f"{length:,} ({near(length)})" if length >= 1 << 10 else f"{length:,}"


def _word(tag: str | int) -> str:
    return tag if isinstance(tag, str) else f"{tag} (unknown)"
