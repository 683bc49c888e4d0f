"""The page about a layout: how large everything is, drawn to scale, and where it lies."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from pytest_vindex3.formats import Bar, Facts, Grid, Page, Part, Piece, counted, exact, near
from pytest_vindex3.formats.lyrw.page import entry_range, entry_words, padding_words, pairs, tables_bar
from pytest_vindex3.formats.lyrw.schemas import MOST_ROWS, entry_bytes, schema_grid
from vindex3_reference.lyrw import wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_vindex3.command._placement import PlacedBank, PlacedEntry, Placement

CAP: Final = 20 << 30
"""Bytes of the largest file by the policy that layers are split by (lyrw.md, section 7)."""
WIDE: Final = 1 << 32
"""The first offset that 32 bits do not hold."""
_MOST_REGIONS_SHOWN: Final = 8


def layout_page(placement: Placement) -> Page:
    """Everything a person reads who chooses how a bank is laid out."""
    layout = placement.layout
    parts: list[Part] = [_totals(placement)]
    records = [(name, length) for name, _, _, length in placement.tables()]
    parts += [tables_bar(records, layout.table_bytes, layout.payload_start), payload_bar(placement)]
    parts += entry_bars(placement)
    parts.append(_tables(placement))
    for bank in placement.banks[:MOST_ROWS]:
        parts += _bank(bank)
    parts.append(_segments(placement))
    parts += _offsets(placement)
    banks = [f"{bank.entries:,} {_entries_of(bank)}" for bank in placement.banks[:3]]
    more = ", ..." if len(placement.banks) > len(banks) else ""
    title = (
        f"LYRW v2, layer {layout.plan.logical_layer}: {', '.join(banks)}{more}, {near(layout.file_length)}"
    )
    return Page(title, tuple(parts), tuple(_remarks(placement)))


def _entries_of(bank: PlacedBank) -> str:
    kind = bank.kind if isinstance(bank.kind, str) else f"kind {bank.kind}"
    return f"{kind} {'entry' if bank.entries == 1 else 'entries'}"


def _totals(placement: Placement) -> Facts:
    layout = placement.layout
    share = layout.file_length / CAP
    of_cap = f"{100 * share:.3g} % of" if share < 10 else f"{share:,.0f} times"
    regions = len(placement.regions)
    rows = [
        ("file", f"{exact(layout.file_length)}, {of_cap} the cap of {near(CAP)}"),
        (
            "tables",
            f"{exact(layout.table_bytes)}, {padding_words(layout.payload_start - layout.table_bytes)}",
        ),
    ]
    if placement.complete:
        stored = sum(placed.length for placed in placement.regions)
        lost = placement.payload - stored
        gaps = f"of it {exact(lost)} of gaps" if lost else "no gaps"
        rows.append(("payload", f"{exact(placement.payload)} in {counted(regions, 'region')}, {gaps}"))
        wide = next((placed for placed in placement.regions if placed.offset >= WIDE), None)
        if wide is not None:
            bank_id, entry, index = wide.region
            role = placement.bank(bank_id).shapes[index].label
            rows.append(("above 4 GiB", f"from {wide.offset:,} on: entry {entry}, {role}"))
    else:
        rows.append(("payload", exact(placement.payload)))
    flags = layout.plan.flags
    if flags & wire.SPLIT_LAYER:
        rows.append(("header flags", f"{flags}, one file of several that make up the layer"))
    return Facts(tuple(rows))


def payload_bar(placement: Placement) -> Bar:
    """All regions to scale, by segments, with a tick for each entry."""
    start, end = placement.layout.payload_start, placement.layout.file_length
    title = f"payload, {exact(placement.payload)}"
    if not placement.complete:
        return Bar(title, (Piece("too many regions to mark each", start, end),))
    starts = [segment.entries[0].start for segment in placement.segments]
    pieces = tuple(
        Piece(
            f"segment {segment.segment_index}: {_range_words(segment.first_entry, segment.entry_count)}",
            first,
            stop,
            str(segment.segment_index),
        )
        for segment, (first, stop) in zip(placement.segments, pairwise([*starts, end]), strict=True)
    )
    ticks = tuple(entry.start for segment in placement.segments for entry in segment.entries)
    return Bar(title, pieces, ticks)


def _range_words(first: int, count: int) -> str:
    return f"{'entry' if count == 1 else 'entries'} {entry_range(first, count)}"


def entry_bars(placement: Placement) -> list[Bar]:
    """The first entry of each bank to scale, region by region."""
    bars: list[Bar] = []
    seen: set[int] = set()
    for segment in placement.segments:
        if segment.bank_id in seen or not segment.entries or len(seen) == _MOST_REGIONS_SHOWN:
            continue
        seen.add(segment.bank_id)
        bars.append(_entry_bar(placement, segment.entries[0]))
    return bars


def _entry_bar(placement: Placement, entry: PlacedEntry) -> Bar:
    bank = placement.bank(entry.bank_id)
    starts = [placed.offset for placed in entry.regions]
    pieces = []
    for placed, (start, stop) in zip(entry.regions, pairwise([*starts, entry.stop]), strict=True):
        index = placed.region.schema_index
        label = f"{bank.shapes[index].label} {near(placed.length)}"
        pieces.append(Piece(label, start, stop, str(index)))
    of_bank = f" of bank {bank.bank_id}" if len(placement.banks) > 1 else ""
    return Bar(f"entry {entry.entry}{of_bank}, {exact(entry.stop - entry.start)}", tuple(pieces))


def _tables(placement: Placement) -> Grid:
    rows = [
        (name, f"{at:,}", f"{count:,}", f"{length // max(1, count)}", f"{length:,}")
        for name, at, count, length in placement.tables()
    ]
    layout = placement.layout
    padding = layout.payload_start - layout.table_bytes
    rows.append(("padding", f"{layout.table_bytes:,}", "", "", f"{padding:,}"))
    rows.append(("first region", f"{layout.payload_start:,}", "", "", ""))
    heads = ("table", "at", "records", "bytes each", "bytes")
    return Grid(heads, tuple(rows), frozenset(heads[1:]), "tables")


def _bank(bank: PlacedBank) -> Iterator[Part]:
    names = ("input", "intermediate", "output")
    facts = [
        ("dimensions", ", ".join(f"{name} {size:,}" for name, size in zip(names, bank.dims, strict=True)))
    ]
    size = entry_bytes(bank.shapes)
    if size is not None:
        facts.append(("an entry", entry_words(size, bank.shapes)))
        facts.append(("all entries", exact(size * bank.entries)))
    facts += [(f"pair {number}", text) for number, text in pairs([shape.schema for shape in bank.shapes])]
    yield Facts(tuple(facts), f"bank {bank.bank_id}: {bank.entries:,} {_entries_of(bank)}")
    yield schema_grid(bank.shapes)


def _segments(placement: Placement) -> Grid:
    rows: list[tuple[str, ...]] = []
    for segment in placement.segments[:MOST_ROWS]:
        start = f"{segment.entries[0].start:,}" if segment.entries else ""
        size = segment.entries[-1].stop - segment.entries[0].start if segment.entries else 0
        rows.append(
            (
                str(segment.bank_id),
                str(segment.segment_index),
                entry_range(segment.first_entry, segment.entry_count),
                f"{segment.entry_count:,}",
                f"{segment.rows_at:,}",
                start,
                f"{size:,} ({near(size)})" if segment.entries else "",
            )
        )
    if len(placement.segments) > MOST_ROWS:
        rows.append(("...", f"{len(placement.segments) - MOST_ROWS} more", *[""] * 5))
    heads = ("bank", "segment", "entries", "how many", "rows at", "regions from", "bytes")
    return Grid(heads, tuple(rows), frozenset(heads), "segments")


def _offsets(placement: Placement) -> Iterator[Grid]:
    """Where the regions of the first, the second and the last entry lie, segment by segment."""
    for bank in placement.banks[:_MOST_REGIONS_SHOWN]:
        shapes = bank.shapes[:_MOST_REGIONS_SHOWN]
        rows = [
            (
                str(entry.entry),
                *(f"{placed.offset:,}" for placed in entry.regions[: len(shapes)]),
                f"{entry.stop:,}",
            )
            for segment in placement.segments[:MOST_ROWS]
            if segment.bank_id == bank.bank_id
            for entry in _telling(segment.entries)
        ]
        heads = ("entry", *(f"{shape.schema['schema_index']} {shape.label}" for shape in shapes), "end")
        of_bank = f" of bank {bank.bank_id}" if len(placement.banks) > 1 else ""
        if rows:
            yield Grid(heads, tuple(rows), frozenset(heads), f"where regions{of_bank} begin")


def _telling(entries: Sequence[PlacedEntry]) -> Sequence[PlacedEntry]:
    return entries if len(entries) <= 3 else [*entries[:2], entries[-1]]


def _remarks(placement: Placement) -> Iterator[str]:
    if placement.layout.file_length > CAP:
        yield f"the file passes the cap of {near(CAP)} ({CAP:,} bytes)"
        if len(placement.segments) == 1:
            yield from _split(placement)


def _split(placement: Placement) -> Iterator[str]:
    """Into how many files of equal width the entries would go."""
    [segment] = placement.segments
    shapes = placement.bank(segment.bank_id).shapes
    size = entry_bytes(shapes)
    step = placement.layout.plan.group_extent or 1
    if size is None or placement.layout.plan.single_lengths:
        return
    size += wire.ROW.itemsize * len(shapes)
    widest = (CAP - wire.aligned(placement.layout.entry_table)) // size // step * step
    if widest < 1:
        yield "even a single entry does"
        return
    files = -(-segment.entry_count // widest)
    width = -(-segment.entry_count // (files * step)) * step
    first = segment.first_entry
    yield (
        f"{files} files of up to {width} entries stay below it, "
        f"the first with --first-entry {first} --entry-count {width}, "
        f"the next with --first-entry {first + width}"
    )
