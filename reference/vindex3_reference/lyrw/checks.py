"""What opening refuses, one function per row of the reading order (lyrw.md, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vindex3_reference.lyrw import vocabulary, wire
from vindex3_reference.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Flags = NDArray[np.bool_]
    Records = NDArray[np.void]


def whole(what: str, at: int, need: int, count: int, end: int) -> None:
    """Refuse a table of `count` records of `need` bytes from `at` that `end` cuts (LYRW-TABLES-02).

    Raises:
        Refusal: `truncated`, at the first record that is not whole.
    """
    if at + need * count > end:
        cut = at + (end - at) // need * need
        raise Refusal(
            "truncated",
            f"the {what} needs {need} bytes at {cut}, and {end - cut} are there",
            what=what,
            at=cut,
            need=need,
            have=end - cut,
        )


def row_whole(at: int, end: int) -> None:
    """Refuse an entry row at `at` where the bytes end at `end` (REGION-BOUNDS-04).

    Raises:
        Refusal: `truncated`, at this row.
    """
    need = wire.ROW.itemsize
    if at + need > end:
        have = max(0, end - at)
        raise Refusal(
            "truncated",
            f"the entry table needs {need} bytes at {at}, and {have} are there",
            what="entry table",
            at=at,
            need=need,
            have=have,
        )


def magic(found: bytes) -> None:
    """Refuse leading bytes of another format (LYRW-MAGIC-02)."""
    if found != wire.MAGIC:
        stored, expected = found.hex().upper(), wire.MAGIC.hex().upper()
        raise Refusal(
            "bad-magic", f"the file begins with {stored}, not {expected}", found=stored, expected=expected
        )


def version(found: int) -> None:
    """Refuse another generation, before any count is used (LYRW-VERSION-01 to 03)."""
    if found == wire.FORMAT_VERSION:
        return
    refusal = Refusal(
        "wrong-generation",
        f"format_version is {found}; this reader needs {wire.FORMAT_VERSION}",
        found=found,
        required=wire.FORMAT_VERSION,
    )
    if found in wire.OLDER_GENERATIONS:
        refusal.names["generation"] = wire.OLDER_GENERATIONS[found]
    raise refusal


def faulty_schema(rows: Records, places: Array) -> int | None:
    """The first row with a fault, if any has one; `places` are the positions within their banks."""
    wrong = (
        mispaired(rows["packing"], rows["pair_id"])
        | layout_misplaced(rows["role"], rows["layout"])
        | misnumbered(rows["schema_index"], places)
    )
    return int(wrong.argmax()) if wrong.any() else None


def mispaired(packing: Array, pair_id: Array) -> Flags:
    """Whether a known packing and a pair number contradict each other (PAIR-PARSE-01 to 04)."""
    known = packing < len(vocabulary.PACKINGS)
    wrong: Flags = known & ((packing >= vocabulary.BLOCKS_VALUES) == (pair_id == wire.UNPAIRED))
    return wrong


def layout_misplaced(role: Array, layout: Array) -> Flags:
    """Whether a known layout stands on a known role that cannot have one (LYRW-FUSED-01)."""
    known = (layout < len(vocabulary.LAYOUTS)) & (role < len(vocabulary.ROLES))
    wrong: Flags = known & (layout != vocabulary.UNSPECIFIED) & (role != vocabulary.GATE_UP_FUSED)
    return wrong


def misnumbered(schema_index: Array, place: Array) -> Flags:
    """Whether a schema's index is not its position within its bank (LYRW-SCHEMA-02)."""
    wrong: Flags = schema_index != place
    return wrong


def schema_refusal(row: Records, place: int, bank_id: int) -> Refusal:
    """The refusal of a faulty schema, by its pairing, else its layout, else its index.

    Args:
        row: the schema, as an array of one.
        place: its position within its bank.
        bank_id: the id of its bank.
    """
    schema_index, role, _, packing, pair_id, layout, _, _ = row.item()
    if mispaired(row["packing"], row["pair_id"]).any():
        word = vocabulary.shown(vocabulary.PACKINGS, packing)
        return Refusal(
            "inconsistent-pairing",
            f"schema {place} of bank {bank_id}: packing {word} with pair_id {pair_id}",
            bank_id=bank_id,
            schema_index=place,
            packing=word,
            pair_id=pair_id,
        )
    if layout_misplaced(row["role"], row["layout"]).any():
        role_word = vocabulary.shown(vocabulary.ROLES, role)
        layout_word = vocabulary.shown(vocabulary.LAYOUTS, layout)
        return Refusal(
            "layout-on-non-fused",
            f"schema {place} of bank {bank_id}: layout {layout_word} on role {role_word}",
            bank_id=bank_id,
            schema_index=place,
            role=role_word,
            layout=layout_word,
        )
    return Refusal(
        "schema-index-mismatch",
        f"schema {place} of bank {bank_id} calls itself {schema_index}",
        bank_id=bank_id,
        expected=place,
        found=schema_index,
    )


def segments(rows: Sequence[tuple[int, int, int, int]], num_entries: Mapping[int, int]) -> None:
    """Refuse the first segment of an undeclared bank, or past its bank (SEGMENTS-READ-02 and 03).

    Args:
        rows: bank_id, segment_index, first_entry and entry_count of each.
        num_entries: the population of each declared bank, by bank_id.
    """
    for bank_id, segment_index, first_entry, entry_count in rows:
        if bank_id not in num_entries:
            raise Refusal(
                "unknown-bank",
                f"segment {segment_index} belongs to bank {bank_id}, which is not declared",
                segment_index=segment_index,
                bank_id=bank_id,
            )
        end_entry = first_entry + entry_count
        if end_entry > num_entries[bank_id]:
            raise Refusal(
                "segment-out-of-bounds",
                f"segment {segment_index} ends at entry {end_entry} of {num_entries[bank_id]}",
                bank_id=bank_id,
                segment_index=segment_index,
                first_entry=first_entry,
                end_entry=end_entry,
                num_entries=num_entries[bank_id],
            )
