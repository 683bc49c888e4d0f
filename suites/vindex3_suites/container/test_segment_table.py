"""Rows that cannot be served: beyond the payload, of another length, twice under one name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vindex3 import cases, check, clause, refuses
from vindex3_fixtures.container import Segment, Tensor, pattern
from vindex3_fixtures.container.segment import WIDTHS
from vindex3_fixtures.json_text import Raw
from vindex3_suites.container.tensors import (
    PAIR,
    STACK,
    check_delivered,
    check_refused,
    delivers,
    holding,
    stack,
    tensor,
)

if TYPE_CHECKING:
    from pytest_vindex3.plugin.ask import Ask

TOP = 1 << 64
LEGAL = stack(*PAIR)
START = LEGAL.payload_start


def _row(**changes: Any) -> list[dict[str, Any]]:
    """The table of `PAIR` with another second row, of a dtype without a length rule."""
    first, second = LEGAL.true_rows
    return [first, {**second, "dtype": "X8", **changes}]


OUTSIDE: dict[str, dict[str, Any]] = {
    "one_byte_too_long": {"len": 9},
    "one_byte_too_far": {"offset": 9},
    "begins_at_the_end": {"offset": 16},
    "begins_behind_the_end": {"offset": 17},
    "empty_behind_the_end": {"offset": 17, "len": 0},
    "empty_far_behind_the_end": {"offset": 1 << 63, "len": 0},
    "length_of_the_file": {"offset": 0, "len": START + 16},
    "beyond_32_bits": {"offset": (1 << 32) + 8},
    "length_beyond_32_bits": {"len": (1 << 32) + 8},
    "beyond_63_bits": {"offset": (1 << 63) + 8},
    "length_beyond_63_bits": {"len": 1 << 63},
    "largest_offset": {"offset": TOP - 1, "len": 1},
    "largest_length": {"len": TOP - 1},
    "largest_both": {"offset": TOP - 1, "len": TOP - 1},
    "sum_is_2_to_the_64": {"offset": TOP - 8, "len": 8},
    "sum_wraps_into_the_payload": {"offset": TOP - 8, "len": 16},
    "length_wraps_back_to_the_offset": {"offset": 8, "len": TOP - 8},
    "wraps_to_the_start_of_the_file": {"offset": TOP - START, "len": 8},
    "wraps_to_the_header": {"offset": TOP - 16, "len": 16},
}


@clause("SEGMENT-TABLE-03")
@cases(OUTSIDE)
def test_a_row_outside_the_payload_is_refused(ask: Ask, case: dict[str, Any]) -> None:
    """A range that leaves the payload is refused, also where 64 bits would make it small again."""
    wrong = stack(*PAIR, stored_rows=_row(**case))
    check_refused(ask, "SEGMENT-TABLE-03", LEGAL, wrong, "b", refuses("length-mismatch", subject=STACK))


@clause("SEGMENT-TABLE-03")
def test_every_cut_of_a_payload_is_found(ask: Ask) -> None:
    """Wherever the payload is cut, a tensor that the rest does not hold is refused, and none is filled up."""
    check("SEGMENT-TABLE-03", tensor(ask, holding(LEGAL), "b"), delivers(LEGAL, "b"))
    for length in range(16):
        cut = holding(stack(*PAIR, stored_payload=LEGAL.payload[:length]))
        reply = tensor(ask, cut, "b")
        check("SEGMENT-TABLE-03", reply, refuses("length-mismatch", subject=STACK))


@clause("SEGMENT-TABLE-03")
def test_a_row_may_end_where_the_payload_ends(ask: Ask) -> None:
    """A range up to the last byte is served, and an empty one behind it; one byte more is refused."""
    legal = stack(*PAIR, Tensor("c", "U8", (0,)))
    check_delivered(ask, "SEGMENT-TABLE-03", legal)
    *others, last = legal.true_rows
    wrong = stack(*legal.tensors, stored_rows=[*others, {**last, "offset": 17}])
    check_refused(ask, "SEGMENT-TABLE-03", legal, wrong, "c", refuses("length-mismatch", subject=STACK))


TWICE: dict[str, tuple[tuple[str, ...], str, str]] = {
    "asked_for": (("a", "b", "b"), "b", "b"),
    "first": (("a", "a", "b"), "a", "a"),
    "another": (("a", "b", "b"), "a", "b"),
    "three_times": (("a", "b", "b", "b"), "b", "b"),
    "all": (("a", "a"), "a", "a"),
    "beyond_ascii": (("a", "é", "é"), "a", "é"),
    "apart": (("a", "b", "a"), "b", "a"),
    "among_many": ((*(f"{n:03}" for n in range(200)), "199"), "007", "199"),
}


@clause("SEGMENT-TABLE-04")
@cases(TWICE)
def test_a_name_stands_once(ask: Ask, case: tuple[tuple[str, ...], str, str]) -> None:
    """A table that names a tensor twice serves none, naming it: neither the first row nor the last is it."""
    names, asked, twice = case
    tensors = [Tensor(name, "U8", (position + 1,)) for position, name in enumerate(names)]
    once = list({one.name: one for one in tensors}.values())
    legal, wrong = stack(*once), stack(*tensors)
    check_refused(ask, "SEGMENT-TABLE-04", legal, wrong, asked, refuses("duplicate-id", id=twice))


@clause("SEGMENT-TABLE-04")
def test_equal_rows_are_two_rows(ask: Ask) -> None:
    """Two equal rows of an empty tensor name it twice, and so do two spellings of one name."""
    empty = Tensor("b", "U8", (0,))
    legal, wrong = stack(PAIR[0], empty), stack(PAIR[0], empty, empty)
    check_refused(ask, "SEGMENT-TABLE-04", legal, wrong, "a", refuses("duplicate-id", id="b"))
    *rows, last = wrong.true_rows
    spelt = stack(*wrong.tensors, stored_rows=[*rows, {**last, "name": Raw('"\\u0062"')}])
    check_refused(ask, "SEGMENT-TABLE-04", legal, spelt, "a", refuses("duplicate-id", id="b"))


def _lengths(dtype: str) -> dict[str, tuple[tuple[int, ...], int]]:
    """Shapes with a length that is not theirs."""
    width = WIDTHS[dtype]
    found = {
        "one_byte_more": ((2, 3), 6 * width + 1),
        "one_byte_less": ((2, 3), 6 * width - 1),
        "one_value_more": ((2, 3), 7 * width),
        "nothing": ((2, 3), 0),
        "sum_of_the_dimensions": ((3, 4), 7 * width),
        "scalar_of_nothing": ((), 0),
        "scalar_of_two": ((), 2 * width),
        "zero_dimension_of_one": ((0,), width),
        "zero_dimension_of_its_others": ((3, 0, 2), 6 * width),
    }
    halved = {"values_for_bytes": ((2, 3), 6)} if width > 1 else {}
    return found | halved


@clause("SEGMENT-TABLE-05")
@cases({dtype.lower(): dtype for dtype in WIDTHS})
def test_a_length_is_shape_times_width(ask: Ask, case: str) -> None:
    """Every dtype of the table has its width: any other length is refused, naming what it should be."""
    for shape, length in _lengths(case).values():
        legal = stack(PAIR[0], Tensor("w", case, shape))
        wrong = stack(PAIR[0], Tensor("w", case, shape, pattern(length)))
        expected = refuses("shape-mismatch", tensor="w", expected=legal.tensors[1].length, found=length)
        check_refused(ask, "SEGMENT-TABLE-05", legal, wrong, "w", expected)


WRAPPING: dict[str, tuple[str, tuple[int, ...], int]] = {
    "product_is_2_to_the_64": ("U8", (1 << 32, 1 << 32), 0),
    "product_is_2_to_the_64_and_more": ("U8", (1 << 32, (1 << 32) + 1, 1), 0),
    "width_carries_it_to_2_to_the_64": ("F32", (1 << 31, 1 << 31), 0),
    "width_carries_it_beyond": ("F64", ((1 << 61) + 1,), 8),
    "largest_dimension": ("BF16", (TOP - 1,), TOP % 7),
    "negative_as_signed": ("I8", (TOP - 1, TOP - 1), 1),
    "beyond_128_bits": ("U8", (1 << 33, 1 << 33, 1 << 33, 1 << 33), 0),
    "far_beyond": ("F64", (1 << 60,) * 40, 0),
}


@clause("SEGMENT-TABLE-05")
@cases(WRAPPING)
def test_a_product_never_wraps(ask: Ask, case: tuple[str, tuple[int, ...], int]) -> None:
    """Shapes whose product is more than 64 bits hold are refused: what remains of it is no length."""
    dtype, shape, length = case
    legal = stack(PAIR[0], Tensor("w", dtype, (3,)))
    wrong = stack(PAIR[0], Tensor("w", dtype, shape, pattern(length)))
    expected = refuses("shape-mismatch", tensor="w", found=length)
    check_refused(ask, "SEGMENT-TABLE-05", legal, wrong, "w", expected)


@clause("SEGMENT-TABLE-05")
@cases(beyond_32_bits=(1 << 33, 3), beyond_binary64=((1 << 60) + 1,), largest=(TOP - 1,))
def test_a_large_product_is_named_exactly(ask: Ask, case: tuple[int, ...]) -> None:
    """A product within 64 bits is named with every digit."""
    legal = stack(PAIR[0], Tensor("w", "U8", (3,)))
    wrong = stack(PAIR[0], Tensor("w", "U8", case, pattern(3)))
    product = case[0] * (case[1] if len(case) > 1 else 1)
    expected = refuses("shape-mismatch", tensor="w", expected=product, found=3)
    check_refused(ask, "SEGMENT-TABLE-05", legal, wrong, "w", expected)


UNUSUAL = {
    "scalars": stack(*(Tensor(dtype, dtype, ()) for dtype in sorted(WIDTHS))),
    "scalar_of_an_unknown_dtype": stack(Tensor("a", "X8", (), pattern(3)), *PAIR[1:]),
    "zero_dimensions": stack(*(Tensor(dtype, dtype, (0,)) for dtype in sorted(WIDTHS))),
    "zero_among_others": stack(Tensor("a", "F32", (3, 0, 2)), *PAIR[1:]),
    "zeros_alone": stack(Tensor("a", "BF16", (0, 0))),
    "zero_beside_large_ones": stack(Tensor("a", "F64", (1 << 40, 1 << 40, 0)), *PAIR[1:]),
    "empty_behind_everything": stack(*PAIR, Tensor("c", "F32", (0, 7))),
}


@clause("SEGMENT-TABLE-07")
@cases(UNUSUAL)
def test_scalars_and_empty_tensors_are_served(ask: Ask, case: Segment) -> None:
    """A scalar and a tensor with a zero dimension come out like any other, with their shape."""
    check_delivered(ask, "SEGMENT-TABLE-07", case)
