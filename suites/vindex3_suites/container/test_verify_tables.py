"""The order and the layout of a segment's table, as container.verify judges them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, clause
from vindex3_fixtures.container import Segment, Tensor
from vindex3_suites.container.tensors import FILE, holding, stack
from vindex3_suites.container.verifying import check_found, defect

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask


def named(*names: str) -> Segment:
    """A segment of tensors of these names in this order, each of its own length."""
    return stack(*(Tensor(name, "U8", (place + 1,)) for place, name in enumerate(names)))


ORDERS: dict[str, tuple[tuple[str, ...], str]] = {
    "two_exchanged": (("b", "a"), "a"),
    "last_two_exchanged": (("a", "c", "b"), "b"),
    "first_behind_all": (("b", "c", "a"), "a"),
    "descending": (("c", "b", "a"), "b"),
    "two_places": (("b", "a", "d", "c"), "a"),
    "by_number": (("2.a", "10.a"), "10.a"),
    "by_layer": (("0.w", "1.w", "2.w", "9.w", "10.w", "11.w"), "10.w"),
    "without_case": (("a", "B", "c"), "B"),
    "shorter_behind_longer": (("weight_scale", "weight"), "weight"),
    "by_utf_16": (("\U0001f600", "\ufb00"), "\ufb00"),
    "accents_beside_their_letters": (("e", "é", "f"), "f"),
    "dot_as_the_least_sign": (("a.b", "a-b"), "a-b"),
}


@clause("VERIFY-TABLE-01")
@cases(ORDERS)
def test_a_table_out_of_order_is_found(ask: Ask, case: tuple[tuple[str, ...], str]) -> None:
    """Rows go by the bytes of their names: the first that sorts before the row above it is named."""
    names, first = case
    legal = holding(named(*sorted(names, key=str.encode)))
    check_found(ask, "VERIFY-TABLE-01", legal, holding(named(*names)), defect("table-order", tensor=first))


@clause("VERIFY-TABLE-01")
@cases(
    capitals_first=("A", "Z", "a", "z"),
    numbers_as_text=("0", "00", "1", "10", "2"),
    signs=("a", "a b", "a-b", "a.b", "a/b", "a0", "a_b"),
    prefixes=("w", "weight", "weight.scale", "weight_scale"),
    planes=("a", "é", "\u0431", "\u91cd", "\ufb00", "\U0001f600"),
)
def test_a_table_in_order_is_left_alone(ask: Ask, case: tuple[str, ...]) -> None:
    """Names in the order of their bytes verify; in the opposite order the second is named."""
    legal, wrong = named(*case), named(*reversed(case))
    found = defect("table-order", tensor=case[-2])
    check_found(ask, "VERIFY-TABLE-01", holding(legal), holding(wrong), found)


THREE = tuple(Tensor(name, "U8", (8,)) for name in "abc")
ROWS = stack(*THREE).true_rows
PAYLOAD = stack(*THREE).payload


def _laid(offsets: tuple[int, int, int], payload: bytes = PAYLOAD) -> Segment:
    """Three rows of eight bytes at these offsets, over this payload."""
    rows: list[Any] = [{**row, "offset": offset} for row, offset in zip(ROWS, offsets, strict=True)]
    return stack(*THREE, stored_rows=rows, stored_payload=payload)


LAYOUTS = {
    "gap": _laid((0, 8, 24), bytes(32)),
    "gap_of_one_byte": _laid((0, 9, 17), bytes(25)),
    "gap_up_to_a_multiple_of_64": _laid((0, 64, 128), bytes(136)),
    "first_offset_above_zero": _laid((8, 16, 24), bytes(32)),
    "first_offset_of_one": _laid((1, 9, 17), bytes(25)),
    "overlap": _laid((0, 4, 12), PAYLOAD[:20]),
    "overlap_of_one_byte": _laid((0, 7, 15), PAYLOAD[:23]),
    "two_at_one_place": _laid((0, 8, 8), PAYLOAD[:16]),
    "exchanged": _laid((0, 16, 8)),
    "gap_and_overlap_of_one_sum": _laid((0, 4, 16)),
    "payload_goes_on": _laid((0, 8, 16), bytes(25)),
    "payload_goes_on_with_padding": _laid((0, 8, 16), bytes(32)),
    "no_rows_over_a_payload": stack(stored_payload=b"\0"),
}


@clause("VERIFY-TABLE-02")
@cases(LAYOUTS)
def test_a_table_with_another_layout_is_found(ask: Ask, case: Segment) -> None:
    """Rows that do not follow one another from 0 to the end of the payload are found in their file."""
    legal = holding(stack(*THREE))
    check_found(ask, "VERIFY-TABLE-02", legal, holding(case), defect("table-layout", path=FILE))


@clause("VERIFY-TABLE-02")
@cases(
    at_the_start=(0, 1, 2),
    in_the_middle=(1, 0, 2),
    at_the_end=(1, 2, 0),
    alone=(0,),
    two_together=(1, 0, 0, 2),
)
def test_an_empty_tensor_takes_no_place(ask: Ask, case: tuple[int, ...]) -> None:
    """A row of no byte stands where the row above ended; moved off, it is found."""
    legal = stack(*(Tensor(f"{place}", "U8", (length,)) for place, length in enumerate(case)))
    place = case.index(0)
    rows: list[Any] = list(legal.true_rows)
    rows[place] = {**rows[place], "offset": rows[place]["offset"] + 1}
    wrong = stack(*legal.tensors, stored_rows=rows)
    check_found(ask, "VERIFY-TABLE-02", holding(legal), holding(wrong), defect("table-layout", path=FILE))
