"""The header of a segment: whose bytes it has, and where each tensor lies (container.md, section 4)."""

from __future__ import annotations

import json
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.refusal import Refusal
from vindex3_reference.slot import U64

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vindex3_reference.slot import Slot
    from vindex3_reference.strict_json import Json

SCHEMA = 1
ALIGNMENT = 16
"""A writer lets payloads begin at a multiple of it; no reader asks for that."""

_WIDTHS = {
    1: ("I8", "U8", "BOOL"),
    2: ("F16", "BF16", "I16", "U16"),
    4: ("F32", "I32", "U32"),
    8: ("F64", "I64", "U64"),
}
WIDTHS = {dtype: width for width, dtypes in _WIDTHS.items() for dtype in dtypes}
"""Bytes of a value by dtype; every other label is carried, and says nothing of a length."""

_values = itemgetter("name", "dtype", "shape", "offset", "len")


class Row(NamedTuple):
    """A tensor of a segment: `length` bytes from `offset`, counted from the start of the payload."""

    name: str
    dtype: str
    shape: list[int]
    offset: int
    length: int

    @property
    def end(self) -> int:
        """Where its bytes end, counted from the start of the payload; no sum wraps."""
        return self.offset + self.length


class Table(NamedTuple):
    """The representation that a segment says it is, and its rows in file order, each name once."""

    representation: str
    rows: list[Row]

    @classmethod
    def read(cls, header: Slot) -> Table:
        """The table of a header.

        Raises:
            Refusal: `missing-field`, `bad-type` or `out-of-range`, whichever row has it;
                `unknown-version`; `duplicate-id` for a name that stands there twice (SEGMENT-HEAD-01 and
                02, SEGMENT-TABLE-04).
        """
        schema = header.required("schema").u32()
        if schema != SCHEMA:
            raise Refusal(
                "unknown-version",
                f"{header.path} has a header of schema {schema}; supported is {SCHEMA}",
                path=header.path,
                found=schema,
                supported=SCHEMA,
            )
        representation = header.required("representation").text()
        tensors = header.required("tensors")
        rows = _plain(tensors.value) or [_row(row) for row in tensors.elements()]
        _refuse_repeated(rows)
        return cls(representation, rows)

    def encoded(self) -> bytes:
        """The header as a writer has it: compact, padded to align the payload (SEGMENT-FRAME-04)."""
        document = {
            "schema": SCHEMA,
            "representation": self.representation,
            "tensors": [
                {
                    "name": row.name,
                    "dtype": row.dtype,
                    "shape": row.shape,
                    "offset": row.offset,
                    "len": row.length,
                }
                for row in self.rows
            ],
        }
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
        return text + b" " * (-(8 + len(text)) % ALIGNMENT)


def product(shape: Iterable[int], width: int) -> int | None:
    """The bytes of a tensor; None above 2^64 - 1, where a long shape would take long to multiply."""
    extents = list(shape)
    if 0 in extents:
        return 0
    total = width
    for extent in extents:
        total *= extent
        if total > U64:
            return None
    return total


def misfit(row: Row) -> Refusal | None:
    """A length that does not follow from dtype and shape (SEGMENT-TABLE-05); none for an unknown dtype."""
    width = WIDTHS.get(row.dtype)
    if width is None:
        return None
    expected = product(row.shape, width)
    if expected == row.length:
        return None
    values = f"more than {U64}" if expected is None else expected
    return Refusal(
        "shape-mismatch",
        f"{row.name!r} takes {row.length} bytes, and its values of {row.dtype} {values}",
        tensor=row.name,
        expected=values,
        found=row.length,
    )


def _plain(tensors: Json) -> list[Row] | None:
    """The rows where it can be seen at once that nothing is wrong with them; there may be thousands."""
    if type(tensors) is not list:
        return None
    try:
        rows = [Row._make(_values(row)) for row in tensors if type(row) is dict]
    except KeyError:
        return None
    return rows if len(rows) == len(tensors) and all(map(_is_sound, rows)) else None


def _is_sound(row: Row) -> bool:
    name, dtype, shape, offset, length = row
    return (
        type(name) is type(dtype) is str
        and type(offset) is type(length) is int
        and 0 <= offset <= U64
        and 0 <= length <= U64
        and type(shape) is list
        and all(type(extent) is int and 0 <= extent <= U64 for extent in shape)
    )


def _row(slot: Slot) -> Row:
    return Row(
        name=slot.required("name").text(),
        dtype=slot.required("dtype").text(),
        shape=[extent.u64() for extent in slot.required("shape").elements()],
        offset=slot.required("offset").u64(),
        length=slot.required("len").u64(),
    )


def _refuse_repeated(rows: list[Row]) -> None:
    names = {row.name for row in rows}
    if len(names) == len(rows):
        return
    for row in rows:
        if row.name not in names:
            raise Refusal("duplicate-id", f"a table has {row.name!r} twice", id=row.name, field="name")
        names.remove(row.name)
