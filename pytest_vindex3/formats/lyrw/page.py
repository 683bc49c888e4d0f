"""What a person reads about a layer file: all of it from header, descriptors and schemas."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from pytest_vindex3.formats._page import Bar, Facts, Grid, Page, Part, Piece, counted, exact, near
from pytest_vindex3.formats.lyrw.schemas import MOST_ROWS, Shape, entry_bytes, ruled, schema_grid
from vindex3_reference.lyrw import wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MOST_NAMED: Final = 10


def layer_page(name: str, size: int, observation: Mapping[str, Any]) -> Page:
    """The page about a layer file of `size` bytes, by the answer of lyrw.parse."""
    banks, header = observation["banks"], observation["header"]
    shapes = [[ruled(schema) for schema in bank["schemas"]] for bank in banks]
    parts: list[Part] = [_sizes(size, observation), _tables(observation)]
    for bank, own in list(zip(banks, shapes, strict=True))[:MOST_ROWS]:
        parts.extend(_bank(bank, own))
    if len(banks) > MOST_ROWS:
        parts.append(Facts((("", f"and {counted(len(banks) - MOST_ROWS, 'more bank')}"),)))
    parts.append(_segments(observation))
    if observation["unknown"]:
        parts.append(_unknown(observation["unknown"]))
    title = f"{name}: LYRW v2, layer {header['logical_layer']}, {counted(len(banks), 'bank')}, {near(size)}"
    return Page(title, tuple(parts), tuple(_remarks(size, observation, shapes)))


def _sizes(size: int, observation: Mapping[str, Any]) -> Facts:
    tables, start = observation["table_bytes"], observation["payload_start"]
    flags = observation["header"]["flags"]
    split = "one file of several that make up the layer" if flags & wire.SPLIT_LAYER else "the whole layer"
    payload = f"from {start:,}, {exact(max(0, size - start))}" if size > start else "none in this file"
    return Facts(
        (
            ("file", exact(size)),
            ("tables", f"{exact(tables)}, {padding_words(start - tables)}"),
            ("payload", payload),
            ("header flags", f"{flags}, {split}"),
        )
    )


def padding_words(length: int) -> str:
    """What lies between the tables and the payload."""
    return f"then {counted(length, 'byte')} of padding" if length else "no padding"


def _tables(observation: Mapping[str, Any]) -> Bar:
    banks, segments = observation["banks"], observation["segments"]
    schemas = sum(len(bank["schemas"]) for bank in banks)
    records = [
        ("header", wire.HEADER.itemsize),
        ("banks", wire.BANK.itemsize * len(banks)),
        ("segments", wire.SEGMENT.itemsize * len(segments)),
        ("schemas", wire.SCHEMA.itemsize * schemas),
    ]
    return tables_bar(records, observation["table_bytes"], observation["payload_start"])


def tables_bar(records: Sequence[tuple[str, int]], table_bytes: int, payload_start: int) -> Bar:
    """The tables one after the other: `records` with their bytes, then entry rows and padding."""
    pieces, at = [], 0
    for label, length in records:
        pieces.append(Piece(label, at, at + length))
        at += length
    pieces += [Piece("entry rows", at, table_bytes), Piece("padding", table_bytes, payload_start)]
    shown = tuple(piece for piece in pieces if piece.start < piece.stop)
    return Bar(f"tables, {exact(payload_start)} with padding", shown, magnified=True)


def _bank(bank: Mapping[str, Any], shapes: list[Shape]) -> Iterator[Part]:
    kind = bank["kind"] if isinstance(bank["kind"], str) else f"kind {bank['kind']} (unknown)"
    dims = ", ".join(f"{key} {bank[f'{key}_dim']:,}" for key in ("input", "intermediate", "output"))
    facts = [("dimensions", dims), ("browse", f"{bank['browse']} (flags {bank['flags']})")]
    size = entry_bytes(shapes)
    if size is not None and shapes:
        facts.append(("an entry", entry_words(size, shapes)))
    facts += [(f"pair {number}", text) for number, text in pairs(bank["schemas"])]
    entries = "1 entry" if bank["num_entries"] == 1 else f"{bank['num_entries']:,} entries"
    yield Facts(tuple(facts), f"bank {bank['bank_id']}: {kind}, {entries}")
    yield schema_grid(shapes)


def entry_words(size: int, shapes: Sequence[Shape]) -> str:
    """What an entry takes, and what that is for each of its values."""
    values = sum(shape.values for shape in shapes)
    gaps = size - sum(shape.length or 0 for shape in shapes)
    taken = f"{exact(size)}, of it {gaps:,} of gaps" if gaps else exact(size)
    if not values:
        return taken
    return f"{taken}, {values:,} values, {8 * size / values:.5g} bits each"


def pairs(schemas: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    """Each pair number with the schemas that carry it."""
    numbered: dict[int, list[str]] = defaultdict(list)
    for schema in schemas:
        if schema["pair_id"] is not None:
            numbered[schema["pair_id"]].append(f"schema {schema['schema_index']} {schema['role']}")
    for number, sides in list(numbered.items())[:MOST_ROWS]:
        yield number, " + ".join(sides) + ("" if len(sides) > 1 else ", alone")


def _segments(observation: Mapping[str, Any]) -> Part:
    segments = observation["segments"]
    if not segments:
        return Facts((("segments", "none"),))
    population = {bank["bank_id"]: bank["num_entries"] for bank in reversed(observation["banks"])}
    rows = [
        (
            str(segment["bank_id"]),
            str(segment["segment_index"]),
            entry_range(segment["first_entry"], segment["entry_count"]),
            f"{segment['entry_count']:,} of {population.get(segment['bank_id'], 0):,}",
        )
        for segment in segments[:MOST_ROWS]
    ]
    if len(segments) > MOST_ROWS:
        rows.append(("...", f"{len(segments) - MOST_ROWS} more", "", ""))
    heads = ("bank", "segment", "entries", "how many")
    return Grid(heads, tuple(rows), frozenset(heads), "segments in this file")


def entry_range(first: int, count: int) -> str:
    """The entries from `first` on, as a range with both ends."""
    return f"{first} to {first + count - 1}" if count > 1 else str(first) if count else "none"


def _unknown(unknown: Sequence[Mapping[str, Any]]) -> Grid:
    rows = [(item["where"], item["field"], str(item["value"])) for item in unknown[:MOST_ROWS]]
    if len(unknown) > MOST_ROWS:
        rows.append(("...", f"{len(unknown) - MOST_ROWS} more", ""))
    return Grid(("where", "field", "value"), tuple(rows), frozenset({"value"}), "unknown, and kept as stored")


def _remarks(size: int, observation: Mapping[str, Any], shapes: Sequence[list[Shape]]) -> Iterator[str]:
    if size < observation["table_bytes"]:
        yield f"the file ends at {size:,}, inside its entry tables"
    declared = _declared(observation, shapes)
    if declared is not None and declared > size - observation["payload_start"]:
        yield (
            f"by their rules the regions take {exact(declared)}, which is more payload than there is: "
            "the file is cut, or its rows say otherwise"
        )
    unsaid = [
        str(bank["bank_id"])
        for bank, own in zip(observation["banks"], shapes, strict=True)
        if any((one.schema["role"], one.schema["layout"]) == ("gate_up_fused", "unspecified") for one in own)
    ]
    if unsaid:
        more = ", ..." if len(unsaid) > _MOST_NAMED else ""
        banks = f"bank{'s' if len(unsaid) > 1 else ''} {', '.join(unsaid[:_MOST_NAMED])}{more}"
        yield f"{banks}: how gate and up lie in gate_up_fused is not said"


def _declared(observation: Mapping[str, Any], shapes: Sequence[list[Shape]]) -> int | None:
    """Bytes of all regions without what lies between them; None where a rule is missing."""
    by_bank: dict[int, list[Shape]] = {}
    for bank, own in zip(observation["banks"], shapes, strict=True):
        by_bank.setdefault(bank["bank_id"], own)
    total = 0
    for segment in observation["segments"]:
        lengths = [shape.length for shape in by_bank.get(segment["bank_id"], [])]
        if None in lengths:
            return None
        total += segment["entry_count"] * sum(length for length in lengths if length is not None)
    return total
