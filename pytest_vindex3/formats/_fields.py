"""Fields of a packed little-endian record, each a span of its own as far as the file has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_vindex3.formats._raw import printable
from pytest_vindex3.formats._ruler import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_vindex3.formats._source import Source


class Field(NamedTuple):
    """One field: its name, its bytes, and whether it is text in place of a number."""

    name: str
    length: int
    text: bool = False


def values_at(source: Source, at: int, fields: Sequence[Field]) -> dict[str, int]:
    """The numbers of the fields that the file has whole, by name."""
    found: dict[str, int] = {}
    for field in fields:
        if at + field.length > source.size:
            break
        found[field.name] = int.from_bytes(source.read(at, at + field.length), "little")
        at += field.length
    return found


def field_spans(
    source: Source,
    at: int,
    fields: Sequence[Field],
    prefix: str,
    *,
    marks: Mapping[str, str] | None = None,
    notes: Mapping[str, str] | None = None,
    about: Mapping[str, object] | None = None,
) -> Iterator[Span]:
    """The fields from `at` on; the last is cut where the file ends, and said to be.

    Args:
        source: the file.
        at: where the first field begins.
        fields: in their order, without gaps.
        prefix: what stands before each name.
        marks: what is wrong, by field name.
        notes: what there is to know, by field name.
        about: the coordinates of what the fields belong to.
    """
    for field in fields:
        if at >= source.size:
            return
        stop = min(source.size, at + field.length)
        data = source.read(at, stop)
        value = printable(data) if field.text else str(int.from_bytes(data, "little"))
        wrong = (marks or {}).get(field.name)
        found = ("truncated: the file ends within this field",) if stop - at < field.length else ()
        yield Span(
            at,
            stop - at,
            f"{prefix}.{field.name}",
            value,
            note=(notes or {}).get(field.name, ""),
            marks=(*((wrong,) if wrong else ()), *found),
            about=about or {},
        )
        at += field.length
