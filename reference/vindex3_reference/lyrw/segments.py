"""What segments cover of their banks, in one file, in a layer's files or in a plan (lyrw.md, section 6)."""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from vindex3_reference.lyrw.tables import Tables


_BY_ENTRY = itemgetter(0, 1)


class Span(NamedTuple):
    """Entries of a bank that one segment holds; `path` names its file where there are several."""

    bank_id: int
    first_entry: int
    end_entry: int
    segment_index: int
    path: str | None = None


class Held:
    """The entries that segments hold, to be asked for one by one; no two of them share an entry."""

    def __init__(self, segments: Iterable[Span]) -> None:
        self._ordered = _filled_by_entry(segments)

    def has(self, bank_id: int, entry: int) -> bool:
        """Whether a segment holds this entry of the bank."""
        position = bisect_right(self._ordered, (bank_id, entry), key=_BY_ENTRY)
        last = self._ordered[position - 1] if position else None
        return last is not None and last.bank_id == bank_id and entry < last.end_entry


def spans(tables: Tables, path: str | None = None) -> list[Span]:
    """The segments of one file or plan, in declared order."""
    return [
        Span(bank_id, first_entry, first_entry + entry_count, segment_index, path)
        for bank_id, segment_index, first_entry, entry_count in tables.segments.tolist()
    ]


def populations(tables: Tables) -> dict[int, int]:
    """How many entries each bank has; of several with one id, the first declared."""
    banks = tables.banks
    pairs = zip(banks["bank_id"].tolist(), banks["num_entries"].tolist(), strict=True)
    return dict(reversed(list(pairs)))


def duplicate_indices(segments: Iterable[Span]) -> Iterator[Refusal]:
    """Each second segment of a bank with a segment_index (SEGMENTS-MULTI-05)."""
    seen: dict[tuple[int, int], Span] = {}
    for segment in segments:
        first = seen.setdefault((segment.bank_id, segment.segment_index), segment)
        if first is not segment:
            yield _in_files(
                Refusal(
                    "duplicate-segment-index",
                    f"two segments of bank {segment.bank_id} are number {segment.segment_index}",
                    bank_id=segment.bank_id,
                    segment_index=segment.segment_index,
                ),
                first,
                segment,
            )


def overlaps(segments: Iterable[Span]) -> Iterator[Refusal]:
    """Each two segments of a bank that share entries, and which (SEGMENTS-MULTI-04, SEGMENTS-SET-02)."""
    ordered = _filled_by_entry(segments)
    for place, segment in enumerate(ordered):
        for other_place in range(place + 1, len(ordered)):
            other = ordered[other_place]
            if other.bank_id != segment.bank_id or other.first_entry >= segment.end_entry:
                break
            yield _overlap(segment, other)


def gaps(segments: Iterable[Span], num_entries: Mapping[int, int]) -> Iterator[Refusal]:
    """Each range of entries that no segment covers (SEGMENTS-MULTI-03, SEGMENTS-SET-02).

    Args:
        segments: all segments that count.
        num_entries: the banks that must be covered, and how many entries each has.
    """
    covered: dict[int, list[Span]] = {bank_id: [] for bank_id in num_entries}
    for segment in _filled_by_entry(segments):
        covered[segment.bank_id].append(segment)
    for bank_id, ordered in covered.items():
        reached = 0
        for segment in ordered:
            if segment.first_entry > reached:
                yield _gap(bank_id, reached, segment.first_entry)
            reached = max(reached, segment.end_entry)
        if reached < num_entries[bank_id]:
            yield _gap(bank_id, reached, num_entries[bank_id])


def _filled_by_entry(segments: Iterable[Span]) -> list[Span]:
    """The segments that hold an entry, by bank and first entry."""
    filled = (segment for segment in segments if segment.first_entry < segment.end_entry)
    return sorted(filled, key=_BY_ENTRY)


def _gap(bank_id: int, first_entry: int, end_entry: int) -> Refusal:
    return Refusal(
        "segment-gap",
        f"no segment has the entries {first_entry} to {end_entry - 1} of bank {bank_id}",
        bank_id=bank_id,
        first_entry=first_entry,
        end_entry=end_entry,
    )


def _overlap(segment: Span, other: Span) -> Refusal:
    end_entry = min(segment.end_entry, other.end_entry)
    refusal = Refusal(
        "segment-overlap",
        f"segments {segment.segment_index} and {other.segment_index} of bank {segment.bank_id} "
        f"share the entries {other.first_entry} to {end_entry - 1}",
        bank_id=segment.bank_id,
        segment_index=segment.segment_index,
        other_segment_index=other.segment_index,
        first_entry=other.first_entry,
        end_entry=end_entry,
    )
    return _in_files(refusal, segment, other)


def _in_files(refusal: Refusal, first: Span, second: Span) -> Refusal:
    """Name the file of both segments, or their two files."""
    if first.path is not None:
        if first.path == second.path:
            refusal.names["path"] = first.path
        else:
            refusal.names["paths"] = [first.path, second.path]
    return refusal
